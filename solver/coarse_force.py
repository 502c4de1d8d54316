# SPDX-License-Identifier: GPL-3.0-or-later
"""The right side of the coarse step, Pᵀf (kernels/coarse_force.py)."""

import numpy as np
import warp as wp

from .coarse_elements import chunk_starts
from .kernels import coarse, coarse_force, coarse_materials, coarse_springs, vertex
from .workers import recorded, recorded_whole

# The forces of every kind of elements.
FORCES = {
    "tet": coarse_force.tet_forces,
    "continuum": coarse_materials.continuum_forces,
    "viscous": coarse_materials.viscous_forces,
    "triangle": coarse_force.triangle_forces,
    "stable_triangle": coarse_materials.stable_triangle_forces,
    "hinge": coarse_force.hinge_forces,
    "spring": coarse_springs.spring_forces,
}
# Rough cost of an element, and of a force that is summed up [ns].
FORCE, SUMMED = 20.0, 4.0
# What acts on vertices, not on elements.
ON_VERTICES = vertex.ATTACHMENTS | vertex.CONTACTS | vertex.BOUNDS | vertex.EMBEDDED


class CoarseForces:
    """The launches that find Pᵀf of all `Groups`.

    `force` [vertex] is −∂G/∂x [N] but for elements, after `find()`.
    """

    def __init__(self, model, groups, workers):
        self.model, self.groups, self.workers = model, groups, workers
        self.kernel = vertex.vertex_kernels(model.parts & ON_VERTICES).residual
        count, device = model.free_count, model.device
        self.rounding = wp.zeros(count, dtype=float, device=device)
        self.touching = wp.zeros(count, dtype=int, device=device)

    def record(self, kinds):
        """Take over the elements of all `Kind`s, with their `Chunks`."""
        model, patches, aggregates = self.model, self.groups.patches, self.groups.aggregates
        own = np.flatnonzero(self.groups.of >= 0)
        own = own[own < model.free_count]  # nothing acts on embedded points
        places, vertices, sums, first = [own], [own], [], len(model.x)
        for kind, chunks in kinds:
            shared = np.repeat(~kind.whole, np.diff(kind.start))
            corners = kind.corners[shared].ravel()
            before = np.concatenate([[0], np.cumsum(shared)])[kind.start[:-1]]
            corner = np.where(kind.whole, -1, first + kind.corners.shape[1] * before)
            chunks.corner = model.upload(corner.astype(np.int32), int)
            mine = np.flatnonzero(self.groups.of[corners] >= 0)
            places.append(first + mine)
            vertices.append(corners[mine])
            first += len(corners)
            alone = np.flatnonzero(kind.whole)
            sums.append((kind.slots[alone, 0], chunks.offset + alone))
        place, vertex_of = np.concatenate(places), np.concatenate(vertices)
        order = np.argsort(self.groups.of[vertex_of], kind="stable")
        place, vertex_of = place[order], vertex_of[order]
        sizes = np.bincount(self.groups.of[vertex_of], minlength=len(aggregates))
        start, first_chunk = chunk_starts(sizes, model.device)
        lists = len(start) - 1
        owner = np.concatenate(
            [np.repeat(np.arange(len(aggregates)), np.diff(first_chunk)), *(k for k, _ in sums)]
        )
        part = np.concatenate([np.arange(lists), *(lists + chunk for _, chunk in sums)])
        part = part[np.argsort(owner, kind="stable")]
        begin = np.searchsorted(np.sort(owner), np.arange(len(aggregates) + 1))
        count = lists + sum(len(kind.start) - 1 for kind, _ in kinds)
        pulls = coarse_force.Pulls()
        pulls.force = wp.zeros(first, dtype=wp.vec3, device=model.device)
        pulls.sums = wp.zeros(count, dtype=coarse.mat43, device=model.device)
        pulls.elements = lists
        arrays = {"place": place, "vertex": vertex_of, "start": start, "first": begin, "part": part}
        for name, values in arrays.items():
            setattr(pulls, name, model.upload(values.astype(np.int32), int))
        self.pulls, self.force = pulls, pulls.force
        self.of_elements = []
        for kind, chunks in kinds:
            chunk_count = len(kind.start) - 1
            inputs = [chunks, kind.data, model.x, model.elements, patches]
            cost = FORCE * kind.start[-1] / chunk_count
            self.of_elements.append(
                self._ranges(FORCES[kind.name], chunk_count, inputs, [pulls], cost)
            )
        each = SUMMED * len(place) / lists
        self.summing = [
            self._ranges(coarse_force.sum_forces, lists, [patches], [pulls], each),
            recorded_whole(
                model.device,
                coarse_force.restrict,
                len(aggregates),
                [patches, pulls],
                [self.groups.right],
            ),
        ]
        self.record_vertices()

    def record_vertices(self):
        """The launches that know contacts: again when lists have grown."""
        model = self.model
        inputs, outputs = [model.x, model.objective], [self.force, self.rounding, self.touching]
        cost = model.WORK["vertex"]
        self.of_vertices = self._ranges(self.kernel, model.free_count, inputs, outputs, cost)

    def _ranges(self, kernel, count, inputs, outputs, cost):
        return recorded(self.workers, self.model.device, kernel, count, inputs, outputs, cost)

    def find(self):
        """Pᵀf at the positions of now, turned back as `patches.turn` says."""
        for launches in (self.of_vertices, *self.of_elements, *self.summing):
            self.workers.run(launches)
