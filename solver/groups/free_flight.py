# SPDX-License-Identifier: GPL-3.0-or-later
"""Free flight: groups of bodies without obstacles move by their common motion at once, groups that
fall on colliders up to these. Each body by itself would stop at the one below.

A common motion changes no distance between the bodies, so it needs no search. The trust radii of
the truncation, which are small beside the path of a fast body, would limit it. Bodies that fall
together, one towards the other, take the mean of their motions.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.groups import free_flight
from .rigid_steps import surface_chunks
from .rounding_checks import RoundingChecks

# Rough cost to measure a vertex and to move one [ns].
MEASURE, FLY = 10.0, 3.0


class FreeFlight:
    """Moves the bodies of a model that fly, alone or together with bodies that they may meet."""

    def __init__(self, model, colliders):
        self.model, self.flies = model, wp.zeros(1, dtype=int, device=model.device)
        chunks, flights = surface_chunks(model), self._flights()
        self.flights = flights
        self.launches = self._record(chunks, flights, colliders.travel)
        inputs = [model.contact.struct.body, flights]
        self.fly = model.launches.record(
            free_flight.fly, model.vertex_count, inputs, [model.x], cost=FLY
        )
        rigid = model.rigid
        self.of_rigid = [rigid.flying(flights), rigid.follow] if rigid else []
        self.moves = RoundingChecks(model, flights.group, flights.unmoved)

    def begin_frame(self):
        """Animation holds the rigid bodies that it leads."""
        rigid = self.model.rigid
        if rigid and any(body.poses for body in rigid.set.bodies):
            self.flights.held.assign(self.held | rigid.mask(rigid.driven))

    def move(self):
        """Move flying groups by the mean path to their candidates."""
        self.flies.zero_()
        play(self.launches)
        when(self.flies, self._fly)

    def verify(self, search):
        """Restore groups where rounding lets anything pass through, after a search at the new
        positions, and `search` again.
        """
        when(self.flies, partial(self.moves, search))

    def _fly(self):
        self.moves.save()
        self.fly()
        play(self.of_rigid)
        self.model.followers.follow(0, self.model.vertex_count)

    def _record(self, chunks, flights, travel):
        """Launches that find the flying groups."""
        model, contact, record = self.model, self.model.contact, self.model.launches.record
        bodies, sizes = len(flights.size), np.diff(chunks.start.numpy())
        chunk_boxes, boxes = self._boxes(len(sizes)), self._boxes(bodies)
        state = [model.x, contact.candidate, model.contact_model.state.radius]
        inputs = [chunks, model.vertex_count, *state]
        obstacles = [contact.struct, model.contact_model.colliders, travel, boxes]
        into_tree = contact.trees.bounding_bodies(flights.low, flights.high)
        return [
            record(
                free_flight.measure_chunks, len(sizes), inputs, [chunk_boxes], cost=MEASURE * sizes
            ),
            record(free_flight.measure_bodies, bodies, [chunks, chunk_boxes], [boxes, flights]),
            *into_tree,
            record(free_flight.join_meeting, bodies, [contact.struct], [flights]),
            record(free_flight.name_groups, bodies, [boxes], [flights]),
            record(free_flight.find_motions, bodies, [boxes], [flights]),
            *into_tree,
            record(free_flight.find_obstacles, bodies, obstacles, [flights]),
            record(free_flight.find_flying, bodies, [], [flights, self.flies]),
        ]

    def _boxes(self, count):
        boxes, device = free_flight.Boxes(), self.model.device
        boxes.low, boxes.high = (wp.zeros(count, dtype=wp.vec3, device=device) for _ in range(2))
        boxes.path = wp.zeros(count, dtype=wp.vec3d, device=device)
        return boxes

    def _flights(self):
        flights, model, bodies = free_flight.Flights(), self.model, self.model.assembly.vertices
        held = [(vertices >= model.free_count).any() for vertices in bodies]
        flights.size = model.upload([len(vertices) for vertices in bodies], wp.float64)
        flights.asleep = model.asleep
        self.held = np.array(held, dtype=np.int32)
        flights.held = model.upload(self.held, int)
        for name in ("low", "high", "motion", "farthest"):
            setattr(flights, name, wp.zeros(len(bodies), dtype=wp.vec3, device=model.device))
        numbers = dict.fromkeys(("parent", "group", "unmoved"), int)
        numbers |= {"fraction": float, "path": wp.vec3d, "total": wp.float64}
        for name, dtype in numbers.items():
            setattr(flights, name, wp.zeros(len(bodies), dtype=dtype, device=model.device))
        return flights
