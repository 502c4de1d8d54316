# SPDX-License-Identifier: GPL-3.0-or-later
"""Free flight: what nothing obstructs moves by its common motion at once.

Among bodies a common motion changes no distance, so it needs no search; otherwise the trust radii
of the truncation, which are small beside the path of a fast body, would hold it back. Bodies that
fall together, one towards the other, have the mean of their motions in common.
"""

import numpy as np
import warp as wp

from ..device.flow import when
from ..device.launches import play
from ..kernels import flight
from .linkages import make_chunks

# Rough cost of measuring a vertex and of moving one [ns].
MEASURE, FLY = 10.0, 3.0


class Flight:
    """Moves the bodies of a model that fly, alone or together with what they may meet."""

    def __init__(self, model, colliders):
        self.model, self.contact, self.colliders = model, model.contact, colliders
        self.flies = wp.zeros(1, dtype=int, device=model.device)
        self.launches, self.fly = [], None
        model.launches.expect(flight.measure_chunks)

    def move(self):
        """Move what flies by the mean path to its candidates."""
        if not self.launches:
            self._record()
        self.flies.zero_()
        play(self.launches)
        when(self.flies, self._fly)

    def _fly(self):
        self.fly()
        self.model.followers.follow(0, self.model.vertex_count)

    def _record(self):
        """Record all launches, which hold the number of a tree that has been fitted once."""
        model, record = self.model, self.model.launches.record
        count, table = len(model.assembly.vertices), model.surface.may_touch
        chunks, sizes = self._chunks()
        parts, boxes = self._boxes(len(chunks.owner)), self._boxes(count)
        flights = self._flights()
        may_touch = wp.array(table[:count, :count].astype(np.int32), dtype=int, device=model.device)
        state = [model.x, self.contact.candidate, model.contact_model.state.radius]
        tree = self.contact.trees.of["collider_triangle_tree"].id
        self.launches = [
            record(
                flight.measure_chunks,
                len(sizes),
                [chunks, model.vertex_count, *state],
                [parts],
                cost=MEASURE * sizes,
            ),
            record(flight.measure_bodies, count, [chunks, parts], [boxes, flights]),
            record(flight.join_meeting, count, [may_touch], [flights]),
            record(flight.name_groups, count, [], [flights]),
            record(flight.find_motions, count, [boxes], [flights]),
            record(flight.find_obstacles, count, [tree, self.colliders.travel, boxes], [flights]),
            record(flight.find_flying, count, [flights], [self.flies]),
        ]
        body = self.contact.struct.body
        self.fly = record(flight.fly, model.vertex_count, [body, flights], [model.x], cost=FLY)

    def _chunks(self):
        """`Chunks` of the vertices and embedded points of every body, and their sizes."""
        model, surface = self.model, self.model.surface
        points = model.kinematic_end + np.arange(len(surface.points))
        vertex = np.concatenate([np.arange(model.vertex_count), points])
        count = len(model.assembly.vertices)
        chunks = make_chunks(vertex, surface.body[vertex], count, model.device)
        return chunks, np.diff(chunks.start.numpy())

    def _boxes(self, count):
        boxes, device = flight.Boxes(), self.model.device
        boxes.low, boxes.high = (wp.zeros(count, dtype=wp.vec3, device=device) for _ in range(2))
        boxes.path = wp.zeros(count, dtype=wp.vec3d, device=device)
        return boxes

    def _flights(self):
        flights, model, bodies = flight.Flights(), self.model, self.model.assembly.vertices
        held = [(vertices >= model.free_count).any() for vertices in bodies]
        flights.size = model.upload([len(vertices) for vertices in bodies], wp.float64)
        flights.held = model.upload(np.array(held, dtype=np.int32), int)
        for name in ("low", "high", "motion"):
            setattr(flights, name, wp.zeros(len(bodies), dtype=wp.vec3, device=model.device))
        for name in ("parent", "group", "stays"):
            setattr(flights, name, wp.zeros(len(bodies), dtype=int, device=model.device))
        return flights
