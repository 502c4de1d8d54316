# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting the coarse matrix A = PᵀHP together (kernels/coarse.py)."""

import numpy as np
import warp as wp

from ..device.threads import recorded, recorded_whole
from ..kernels import coarse_contact
from ..kernels.coarse import materials as coarse_materials
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import springs as coarse_springs
from .elements import matrix_entries

# Kernels of every kind of elements: where one aggregate has all corners, and else.
KERNELS = {
    "tet": (coarse.add_tets_inside, coarse.add_tets_between),
    "continuum": (coarse.add_tets_inside, coarse.add_tets_between),
    "viscous": (coarse_materials.add_viscosity, coarse_materials.add_viscosity),
    "triangle": (coarse.add_triangles, coarse.add_triangles),
    "stable_triangle": (coarse.add_triangles, coarse.add_triangles),
    "hinge": (coarse.add_hinges, coarse.add_hinges),
    "spring": (coarse_springs.add_springs, coarse_springs.add_springs),
}
# Rough cost of an element [ns], for the two kinds of kernels.
COSTS = 60.0, 300.0


class CoarseMatrix:
    """The launches that add up A of all `Groups`, whose `members` are their vertices."""

    def __init__(self, model, groups, members, pairs, workers):
        self.model, self.groups, self.members = model, groups, members
        self.pairs, self.workers = pairs, workers

    def record(self, kinds):
        """Take over the elements of all `Kind`s, with their `Chunks`."""
        model, patches, device = self.model, self.groups.patches, self.model.device
        entries, ranges, (blocks, start, entry) = matrix_entries([kind for kind, _ in kinds])
        partial = wp.zeros(len(entries), dtype=coarse.mat1212, device=device)
        columns = [model.upload(c.astype(np.int32), int) for c in entries.T]
        self.additions = []
        for kind, chunks in kinds:
            chunks.chunk, chunks.row, chunks.column = columns
            each = kind.start[-1] / (len(kind.start) - 1)
            inputs = [chunks, kind.data, model.x, model.elements, patches]
            for kernel, (first, count), cost in zip(
                KERNELS[kind.name], ranges[kind.name], COSTS, strict=True
            ):
                if count:
                    cost *= each
                    launches = recorded(
                        self.workers, device, kernel, count, inputs, [partial], cost, first
                    )
                    self.additions.append(launches)
        lists = [model.upload(v.astype(np.int32), int) for v in (start, entry, *blocks.T)]
        inputs = [*lists, model.upload(self._inertia(), wp.mat44), partial, patches]
        self.additions.append(
            recorded_whole(device, coarse.gather_blocks, len(blocks), inputs, [self.groups.matrix])
        )

    def _inertia(self):
        """Σ m/h² p pᵀ of every aggregate, [aggregate, 4, 4]."""
        aggregates = self.groups.aggregates
        inertia = np.zeros((len(aggregates), 4, 4))
        mine = np.flatnonzero(aggregates.of >= 0)
        p = aggregates.modes[mine]
        weight = self.model.objective.inertia.numpy()[mine]
        np.add.at(inertia, aggregates.of[mine], weight[:, None, None] * p[:, :, None] * p[:, None])
        return inertia

    def assemble(self):
        """A at the positions of now, and its factors."""
        self.groups.used.zero_()
        for launches in self.additions:
            self.workers.run(launches)
        self._add_contacts()
        for factors in self.groups.factors:
            factors.factor()

    def _add_contacts(self):
        """Stiffness of what touches now and of attachments, onto the blocks of the elements."""
        model, patches = self.model, self.groups.patches
        law, start = model.contact_model.law, model.x_start
        terms = []
        if self.pairs:
            inputs = [model.x, self.pairs.lists.touches, self.pairs.lists.state, law, patches]
            terms.append((coarse_contact.add_touches, self.pairs.count, inputs))
        if model.has_analytic_colliders:
            inputs = [self.members.vertex, model.x, start, model.contact_model, patches]
            terms.append((coarse_contact.add_analytic_colliders, len(self.members.vertex), inputs))
        rows = model.objective.attachments.rows
        inputs = [model.objective.attachments, patches]
        terms.append((coarse_contact.add_attachments, len(rows) if rows else 0, inputs))
        for kernel, count, inputs in terms:
            if count:
                wp.launch(
                    kernel,
                    dim=count,
                    inputs=inputs,
                    outputs=[self.groups.matrix],
                    device=model.device,
                )
