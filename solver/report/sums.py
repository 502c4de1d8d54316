# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies and counts of all vertices and elements, summed on the device in a fixed order."""

from functools import partial

import numpy as np
import warp as wp

from ..device.launches import play
from ..elements.vertex_records import filled
from ..kernels.elements.flow import exact_rest_kernel
from ..kernels.elements.table import energy_kernel
from ..kernels.report import sums
from ..model.chunks import body_chunks

# Rough cost of a vertex and of an element in a sum [ns].
VERTEX, ELEMENT = 10.0, 2.0


class Sums:
    """Sums of energies and counts; `touching` [free vertex] is the number of contacts."""

    def __init__(self, model, touching):
        self.model, self.touching, device = model, touching, model.device
        self.chunks, _ = body_chunks(model)
        self.bodies, count = sums.BodySums(), len(model.assembly.vertices)
        for name in ("kinetic", "gravitational"):
            setattr(self.bodies, name, wp.zeros(count, dtype=wp.float64, device=device))
        for name in ("touching", "rejected", "inverted"):
            setattr(self.bodies, name, wp.zeros(count, dtype=int, device=device))
        self.elastic = wp.zeros(1, dtype=wp.float64, device=device)
        self.owner = np.zeros(len(model.assembly.points), dtype=np.int32)
        for number, vertices in enumerate(model.assembly.vertices):
            self.owner[vertices] = number
        self.record()

    @property
    def reported(self):
        """Arrays that a frame reports: energies [J] and counts by body, and the elastic energy."""
        names = ("kinetic", "gravitational", "touching", "rejected", "inverted")
        return {name: getattr(self.bodies, name) for name in names} | {"elastic": self.elastic}

    def record(self):
        """Record the launches with masses and elements, at the start and when they have changed."""
        self.of_vertices = list(self._of_vertices())
        self.of_elements = list(self._of_elements())

    def _of_vertices(self):
        model, record, bodies = self.model, self.model.launches.record, self.bodies
        if not model.free_count:
            return
        count, chunks = len(self.chunks.owner), self.chunks
        energies = wp.zeros(count, dtype=wp.vec2d, device=model.device)
        tallies = wp.zeros(count, dtype=wp.vec2i, device=model.device)
        mass = model.upload(model.assembly.mass, wp.float64)
        state = [mass, model.x, model.velocity, model.gravity.ends, self.touching, model.rejected]
        cost = VERTEX * model.free_count / count
        yield record(sums.add_vertices, count, [chunks, *state], [energies, tallies], cost)
        inputs = [chunks, energies, tallies]
        yield record(sums.add_chunks, len(bodies.kinetic), inputs, [bodies])

    def _of_elements(self):
        """Yield launches: all kinds write their energies into one array, which is then summed."""
        model, scene, record = self.model, self.model.assembly, self.model.launches.record
        kinds = [
            kind
            for kind in scene.kinds
            if kind.energy is not None and len(scene.elements[kind.name])
        ]
        if not kinds:
            return
        counts = [len(scene.elements[kind.name]) for kind in kinds]
        energies = wp.zeros(sum(counts), dtype=wp.float64, device=model.device)
        first = np.cumsum(counts) - counts
        for kind, begin, count in zip(kinds, first.tolist(), counts, strict=True):
            columns = scene.elements[kind.name]
            exact = partial(kind.exact_columns, scene.rest_points)
            data = model.hand_over(filled(kind.exact, columns, exact), kind.exact)
            body = model.upload(self.owner[columns.corners[:, 0]], int)
            if kind.name in model.plastic:
                flowed = [model.upload(columns.state, int), model.plastic[kind.name]]
                yield record(exact_rest_kernel(kind), count, flowed, [data])
            outputs = [energies[begin : begin + count], self.bodies.inverted]
            yield record(energy_kernel(kind), count, [data, model.x, body], outputs)
        count = -(-len(energies) // sums.CHUNK)
        chunks = wp.zeros(count, dtype=wp.float64, device=model.device)
        cost = ELEMENT * sums.CHUNK
        yield record(sums.add_energies, count, [energies], [chunks], cost)
        yield record(sums.find_total, 1, [chunks], [self.elastic])

    def find(self):
        """Find all current sums."""
        play(self.of_vertices)
        self.bodies.inverted.zero_()
        play(self.of_elements)
