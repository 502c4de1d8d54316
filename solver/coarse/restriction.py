# SPDX-License-Identifier: GPL-3.0-or-later
"""The right side of the coarse step, Pᵀf (kernels/coarse_force.py)."""

import numpy as np
import warp as wp

from ..device.threads import recorded, recorded_whole
from ..kernels import vertex
from ..kernels.coarse import materials as coarse_materials
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import restriction as coarse_force
from ..kernels.coarse import springs as coarse_springs
from .elements import chunk_starts

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


def list_sums(first_chunk, kinds):
    """Sums of every aggregate, as `first` [aggregate + 1] and `part`: those over its chunks of
    forces [`first_chunk`], then those over chunks of elements that it has all corners of.
    """
    lists = int(first_chunk[-1])
    owners = [np.repeat(np.arange(len(first_chunk) - 1), np.diff(first_chunk))]
    parts = [np.arange(lists)]
    for kind, chunks in kinds:
        alone = np.flatnonzero(kind.whole)
        owners.append(kind.slots[alone, 0])
        parts.append(lists + chunks.offset + alone)
    owner, part = np.concatenate(owners), np.concatenate(parts)
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(len(first_chunk))), part[order]


class CoarseForces:
    """The launches that find Pᵀf of all `Groups`.

    `force` [vertex] is −∂G/∂x [N] but for elements, after `find()`.
    """

    def __init__(self, model, groups, workers):
        self.model, self.groups, self.workers = model, groups, workers
        self.kernel = vertex.vertex_kernels(model.parts & vertex.ON_VERTICES).residual
        count, device = model.free_count, model.device
        self.rounding = wp.zeros(count, dtype=float, device=device)
        self.touching = wp.zeros(count, dtype=int, device=device)

    def record(self, kinds):
        """Take over the elements of all `Kind`s, with their `Chunks`."""
        model, patches, count = self.model, self.groups.patches, len(self.groups.aggregates)
        place, vertex_of, room = self._list_forces(kinds)
        sizes = np.bincount(self.groups.of[vertex_of], minlength=count)
        start, first_chunk = chunk_starts(sizes, model.device)
        lists = len(start) - 1
        first, part = list_sums(first_chunk, kinds)
        pulls = coarse_force.Pulls()
        pulls.force = wp.zeros(room, dtype=wp.vec3, device=model.device)
        chunk_counts = [len(kind.start) - 1 for kind, _ in kinds]
        shape = lists + sum(chunk_counts)
        pulls.sums = wp.zeros(shape, dtype=coarse.mat43, device=model.device)
        pulls.elements = lists
        arrays = {"place": place, "vertex": vertex_of, "start": start, "first": first, "part": part}
        for name, values in arrays.items():
            setattr(pulls, name, model.upload(values.astype(np.int32), int))
        self.force = pulls.force
        self.revision = -1  # no launch over vertices yet
        self.of_elements = []
        for (kind, chunks), chunk_count in zip(kinds, chunk_counts, strict=True):
            inputs = [chunks, kind.data, model.x, model.elements, patches]
            cost = FORCE * kind.start[-1] / chunk_count
            launches = self._ranges(FORCES[kind.name], chunk_count, inputs, [pulls], cost)
            self.of_elements.append(launches)
        each = SUMMED * len(place) / lists
        inputs, outputs = [patches, pulls], [self.groups.right]
        self.summing = [
            self._ranges(coarse_force.sum_forces, lists, [patches], [pulls], each),
            recorded_whole(model.device, coarse_force.restrict, count, inputs, outputs),
        ]

    def _list_forces(self, kinds):
        """Places of the forces on vertices and on corners of shared elements, and the vertices that
        these are, both aggregate by aggregate; how many places there are. Sets `Chunks.corner`.
        """
        of, room = self.groups.of, len(self.model.x)
        vertices = [np.flatnonzero(of[: self.model.free_count] >= 0)]
        places = [vertices[0]]
        for kind, chunks in kinds:
            shared = np.repeat(~kind.whole, np.diff(kind.start))
            corners = kind.corners[shared]
            before = np.concatenate([[0], np.cumsum(shared)])[kind.start[:-1]]
            corner = np.where(kind.whole, -1, room + corners.shape[1] * before)
            chunks.corner = self.model.upload(corner.astype(np.int32), int)
            mine = np.flatnonzero(of[corners.ravel()] >= 0)
            places.append(room + mine)
            vertices.append(corners.ravel()[mine])
            room += corners.size
        place, vertex_of = np.concatenate(places), np.concatenate(vertices)
        order = np.argsort(of[vertex_of], kind="stable")
        return place[order], vertex_of[order], room

    def record_vertices(self):
        """The launches that know contacts: again when lists were replaced."""
        model = self.model
        self.revision = model.lists.revision
        inputs = [model.x, model.objective]
        outputs = [self.force, self.rounding, self.touching, model.lists.closing]
        cost = model.WORK["vertex"]
        self.of_vertices = self._ranges(self.kernel, model.free_count, inputs, outputs, cost)

    def _ranges(self, kernel, count, inputs, outputs, cost):
        return recorded(self.workers, self.model.device, kernel, count, inputs, outputs, cost)

    def find(self):
        """Pᵀf at the positions of now, turned back as `patches.turn` says."""
        if self.revision != self.model.lists.revision:
            self.record_vertices()
        for launches in (self.of_vertices, *self.of_elements, *self.summing):
            self.workers.run(launches)
