# SPDX-License-Identifier: GPL-3.0-or-later
"""The right side of the coarse step, Pᵀf (kernels/coarse/restriction.py)."""

import numpy as np
import warp as wp

from ..device.launches import THREADS, play
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import restriction as coarse_force
from ..kernels.coarse.element_terms import coarse_kernels, kernels_in_lanes
from ..kernels.descent import vertex_solve
from ..kernels.elements.table import elements_struct
from .element_terms import chunk_size, chunk_starts

# Rough cost of an element, and of a force in a sum [ns].
FORCE, SUMMED = 20.0, 4.0


def list_sums(first_chunk, chunked):
    """Sums of every aggregate, as `first` [aggregate + 1] and `term`: those over its chunks of
    forces [`first_chunk`], then those over chunks of elements with all corners in it.
    """
    lists = int(first_chunk[-1])
    owners = [np.repeat(np.arange(len(first_chunk) - 1), np.diff(first_chunk))]
    slots = [np.arange(lists)]
    for elements, chunks in chunked:
        inside = np.flatnonzero(elements.whole)
        owners.append(elements.slots[inside, 0])
        slots.append(lists + chunks.offset + inside)
    owner, term = np.concatenate(owners), np.concatenate(slots)
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(len(first_chunk))), term[order]


class CoarseForces:
    """The launches that find Pᵀf of all `Groups`.

    After `find()`, `force` [vertex] is −∂G/∂x [N] without elements.
    """

    def __init__(self, model, groups):
        self.model, self.groups = model, groups
        self.kernel = vertex_solve.vertex_kernels((), model.terms, model.device.is_cpu).residual
        count, device = model.free_count, model.device
        self.rounding = wp.zeros(count, dtype=float, device=device)
        self.touching = wp.zeros(count, dtype=int, device=device)

    def record(self, chunked):
        """Record launches over the elements of all kinds, `Chunked` with their `ElementChunks`."""
        model, patches, count = self.model, self.groups.patches, len(self.groups.aggregates)
        record = model.launches.record
        slot, vertex_of, capacity = self._list_forces(chunked)
        sizes = np.bincount(self.groups.of[vertex_of], minlength=count)
        start, first_chunk = chunk_starts(sizes, chunk_size(model))
        lists = len(start) - 1
        first, term = list_sums(first_chunk, chunked)
        pulls = coarse_force.Pulls()
        pulls.force = wp.zeros(capacity, dtype=wp.vec3, device=model.device)
        chunk_counts = [len(elements.start) - 1 for elements, _ in chunked]
        shape = lists + sum(chunk_counts)
        pulls.sums = wp.zeros(shape, dtype=coarse.mat43, device=model.device)
        pulls.elements = lists
        arrays = {"slot": slot, "vertex": vertex_of, "start": start, "first": first, "term": term}
        for name, values in arrays.items():
            setattr(pulls, name, model.upload(values.astype(np.int32), int))
        self.force = pulls.force
        self.of_elements = []
        for (elements, chunks), chunk_count in zip(chunked, chunk_counts, strict=True):
            inputs = [chunks, elements.data, model.x, elements.rest, patches]
            kernel = coarse_kernels(elements.kind).add_forces
            if elements.wide_data is not None:
                inputs = [chunks, elements.wide_data, model.x, elements.rest, elements.arms]
                kernel, _slopes = kernels_in_lanes(elements.kind)
            cost = FORCE * elements.size
            self.of_elements.append(record(kernel, chunk_count, inputs, [pulls], cost))
        each = SUMMED * len(slot) / lists
        inputs, outputs = [patches, pulls], [self.groups.systems.right]
        self.pulls, self.summing = pulls, []
        if not model.launches.are_wide:  # the launch that solves does this
            self.summing = [
                record(coarse_force.sum_forces, lists, [patches], [pulls], each),
                record(coarse_force.restrict, (count, 4), inputs, outputs, tile_threads=THREADS),
            ]

    def _list_forces(self, chunked):
        """Slots of the forces on vertices and on corners of shared elements, and their vertices,
        both aggregate by aggregate; the number of slots. Sets `ElementChunks.corner`.
        """
        of, capacity = self.groups.of, len(self.model.x)
        vertices = [np.flatnonzero(of[: self.model.free_count] >= 0)]
        slots = [vertices[0]]
        for elements, chunks in chunked:
            shared = np.repeat(~elements.whole, np.diff(elements.start))
            corners = elements.corners[shared]
            before = np.concatenate([[0], np.cumsum(shared)])[elements.start[:-1]]
            corner = np.where(elements.whole, -1, capacity + corners.shape[1] * before)
            chunks.corner = self.model.upload(corner.astype(np.int32), int)
            mine = np.flatnonzero(of[corners.ravel()] >= 0)
            slots.append(capacity + mine)
            vertices.append(corners.ravel()[mine])
            capacity += corners.size
        slot, vertex_of = np.concatenate(slots), np.concatenate(vertices)
        order = np.argsort(of[vertex_of], kind="stable")
        return slot[order], vertex_of[order], capacity

    def record_vertices(self):
        """Record the launch that reads contacts, again when lists have grown."""
        model, self.revisions = self.model, self.model.revisions
        inputs = [model.x, model.objective, elements_struct(())()]
        outputs = [self.force, self.rounding, self.touching]
        record, count = model.launches.record, model.free_count
        self.of_vertices = record(self.kernel, count, inputs, outputs, model.VERTEX)

    def find(self):
        """Find Pᵀf at the current positions, rotated back by `patches.turn`; its parts in `pulls`
        where the solution sums them up.
        """
        if self.revisions != self.model.revisions:
            self.record_vertices()
        self.of_vertices()
        play(self.of_elements)
        play(self.summing)
