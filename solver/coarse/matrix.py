# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly of the coarse matrix A = PᵀHP (kernels/coarse/matrix.py)."""

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.coarse import contact_terms
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse.element_terms import coarse_kernels
from ..kernels.coarse.matrix import ROWS_OF_BLOCK
from .element_terms import matrix_entries

# Rough cost of an element in the two kinds of kernels, and of a row of a block [ns].
COSTS = 60.0, 300.0
ROW = 50.0


class CoarseMatrix:
    """The launches that assemble A for all `Groups`, with the vertices `members`, from blocks of
    elements that may be `kept`.
    """

    def __init__(self, model, groups, members, kept):
        self.model, self.groups, self.members, self.kept = model, groups, members, kept
        touches = model.contact is not None or model.has_analytic_colliders
        self.has_springs = touches or model.attachments.count > 0

    def record(self, chunked):
        """Record launches over the elements of all kinds, `Chunked` with their `ElementChunks`."""
        model, patches, record = self.model, self.groups.patches, self.model.launches.record
        self.kept.choose(elements for elements, _ in chunked)
        entries, ranges, (blocks, start, entry) = matrix_entries(
            [elements for elements, _ in chunked], len(self.groups.aggregates)
        )
        rows = wp.zeros(ROWS_OF_BLOCK * len(entries), dtype=coarse.vec12, device=model.device)
        # The same memory as blocks.
        partial = wp.array(
            ptr=rows.ptr, dtype=coarse.mat1212, shape=len(entries), device=rows.device
        )
        self.rows = rows
        columns = [model.upload(c.astype(np.int32), int) for c in entries.T]
        self.additions = []
        for (elements, chunks), own in zip(chunked, ranges, strict=True):
            chunks.chunk, chunks.row, chunks.column = columns
            inputs = [chunks, elements.data, model.x, elements.rest, patches]
            kernels = coarse_kernels(elements.kind)
            both = kernels.add_inside, kernels.add_between
            for kernel, (first, count), cost in zip(both, own, COSTS, strict=True):
                cost *= elements.size
                launch = record(kernel, count, inputs, [partial], cost, first)
                self.additions.append(launch)
        lists = [model.upload(v.astype(np.int32), int) for v in (start, entry, *blocks.T)]
        systems = self.groups.systems
        self.inertia = inertia = model.upload(self._inertia(), wp.mat44)
        inputs = [*lists, inertia, rows, patches, systems.skyline]
        kernel, outputs = coarse.gather_blocks, [systems.matrix]
        count = ROWS_OF_BLOCK * len(blocks)
        self.gathering = record(kernel, count, inputs, outputs, ROW)

    def _inertia(self):
        """Σ m/h² p pᵀ of every aggregate, [aggregate, 4, 4]."""
        aggregates = self.groups.aggregates
        inertia = np.zeros((len(aggregates), 4, 4))
        mine = np.flatnonzero(aggregates.of >= 0)
        p = aggregates.modes[mine]
        weight = self.model.objective.inertia.numpy()[mine]
        np.add.at(inertia, aggregates.of[mine], weight[:, None, None] * p[:, :, None] * p[:, None])
        return inertia

    def record_vertices(self):
        """Record launches over vertices and contacts, again when lists have grown."""
        model, systems = self.model, self.groups.systems
        where = [self.groups.patches, systems.skyline]
        record, vertices, start = model.launches.record, self.members.vertex, model.x_start
        self.springs = []
        if model.has_analytic_colliders:
            inputs = [vertices, model.x, start, model.contact_model, *where]
            kernel = contact_terms.add_analytic_colliders
            self.springs.append(record(kernel, len(vertices), inputs, [systems.matrix]))
        rows = [model.objective.attachments, *where]
        kernel, count = contact_terms.add_attachments, model.attachments.count
        self.springs.append(record(kernel, count, rows, [systems.matrix]))
        if model.rigid:
            aggregates = self.groups.aggregates.of[model.assembly.rigid.corners[:, 0]]
            inputs = [aggregates, self.inertia, *where]
            self.springs.append(model.rigid.adding_blocks(*inputs, systems.matrix))
        if model.contact is not None:
            law, lists = model.contact_model.law, model.lists
            inputs = [lists.counts, model.x, lists.touches, lists.state, law, *where]
            kernel, capacity, outputs = contact_terms.add_touches, lists.capacity, [systems.matrix]
            self.springs.insert(0, model.launches.record_serial(kernel, capacity, inputs, outputs))

    def assemble(self):
        """Assemble A at the current positions and factor it, unless it is as it was.

        The stiffness of contacts and attachments is added to the blocks of the elements.
        """
        self.kept.check()
        if not self.kept.keeps:
            self._renew()
        elif self.has_springs:
            when(self.kept.is_due, self._find_blocks)
            self._factor()
        else:
            when(self.kept.is_due, self._renew)

    def _renew(self):
        self._find_blocks()
        self._factor()

    def _find_blocks(self):
        play(self.additions)
        self.kept.save()

    def _factor(self):
        self.groups.regroup()
        self.gathering()
        play(self.springs)
        self.groups.factors.factor()
