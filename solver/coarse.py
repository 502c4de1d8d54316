# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: after a sweep, one small linear solve for affine patches of every body.

Vertex by vertex, a force needs an iteration to get past a ring of neighbors. So after every sweep
all aggregates (aggregates.py) take a Newton step together, A z = Pᵀf with A = PᵀHP, and the bodies
follow it, d = P z, as far as G falls along d. A is put together once per substep.
"""

import numpy as np
import warp as wp

from .aggregates import make_aggregates
from .cholesky import Factors
from .coarse_elements import (
    coarse_hinges,
    coarse_tets,
    coarse_triangles,
    matrix_entries,
    member_chunks,
)
from .kernels import coarse, coarse_line
from .workers import recorded

# The longest step along a direction, without and with contacts, which may cut it short.
LONGEST, LONGEST_WITH_CONTACTS = 2.0, 1.0
# Rough cost of an element in a sum, of a vertex, and of an element in the matrix [ns].
SLOPE, MEMBER, WHOLE, BLOCK = 40.0, 10.0, 60.0, 300.0


def coarse_correction(model, pairs, followers, residual, settings, workers):
    """The `CoarseCorrection` of a scene, or None where none is wanted or nothing gains from it."""
    if not settings.coarse_correction or model.free_count == 0:
        return None
    aggregates = make_aggregates(model.assembly)
    if not len(aggregates):
        return None
    return CoarseCorrection(model, aggregates, pairs, followers, residual, workers)


class CoarseCorrection:
    """Launches of the coarse step; `assemble()` once per substep, then `step()` after sweeps."""

    def __init__(self, model, aggregates, pairs, followers, residual, workers):
        self.model, self.aggregates, self.pairs = model, aggregates, pairs
        self.followers, self.residual, self.workers = followers, residual, workers
        self.contacts = pairs is not None or len(model.bounds.kind) > 0
        self.longest = LONGEST_WITH_CONTACTS if self.contacts else LONGEST
        self.of = np.full(len(model.x), -1)
        self.of[: len(aggregates.of)] = aggregates.of
        self.modes = np.zeros((len(model.x), 4))
        self.modes[: len(aggregates.of)] = aggregates.modes
        self.direction = wp.zeros_like(model.x)
        self.before = wp.clone(model.x)
        self.patches = self._upload_patches()
        self.members, first_chunk = member_chunks(self.of, aggregates, model)
        self.islands = self._upload_islands(first_chunk)
        self.record()

    def _upload_patches(self):
        """`Patches`, with the matrices of all groups one behind the other, equal sizes together."""
        aggregates, upload = self.aggregates, self.model.upload
        rows = 3 * aggregates.mode_count
        group = aggregates.island
        sizes = np.bincount(group, rows).astype(int)
        order = np.argsort(sizes, kind="stable")
        matrix, first = np.zeros((2, len(sizes)), dtype=int)
        ordered = sizes[order]
        matrix[order] = np.cumsum(ordered**2) - ordered**2
        first[order] = np.cumsum(ordered) - ordered
        before = np.cumsum(rows) - rows
        row = before - before[np.searchsorted(group, group)]
        self.stacks = []
        for size in np.unique(ordered):
            same = order[ordered == size]
            self.stacks.append((matrix[same[0]], first[same[0]], len(same), size))
        self.matrix = wp.zeros(int((ordered**2).sum()), dtype=wp.float64, device=self.model.device)
        self.right = wp.zeros(int(ordered.sum()), dtype=wp.float64, device=self.model.device)
        self.way = wp.zeros_like(self.right)
        patches = coarse.Patches()
        for name, values in (
            ("of", self.of),
            ("mode_count", aggregates.mode_count),
            ("matrix", matrix[group]),
            ("size", sizes[group]),
            ("row", row),
            ("first", first[group] + row),
        ):
            setattr(patches, name, upload(values.astype(np.int32), int))
        patches.modes = upload(self.modes, wp.vec4)
        patches.slope = upload(aggregates.slope, coarse.mat43)
        return patches

    def _upload_islands(self, first_chunk):
        """`Islands`, each a party by itself."""
        count = int(self.aggregates.island[-1]) + 1
        upload = self.model.upload
        islands = coarse_line.Islands()
        islands.start = upload(np.arange(count + 1, dtype=np.int32), int)
        islands.island = upload(np.arange(count, dtype=np.int32), int)
        begin = np.searchsorted(self.aggregates.island, np.arange(count + 1))
        islands.first_chunk = upload(first_chunk[begin].astype(np.int32), int)
        islands.share = wp.zeros(count, dtype=float, device=self.model.device)
        islands.skipped = wp.zeros(count, dtype=int, device=self.model.device)
        of_vertex = np.where(self.of >= 0, self.aggregates.island[self.of], -1)
        self.island = upload(of_vertex.astype(np.int32), int)
        self.parties = count
        return islands

    def record(self):
        """The launches that know the elements: again when tearing has changed them."""
        model, patches, device = self.model, self.patches, self.model.device
        kinds = [
            make(model, self.aggregates) for make in (coarse_tets, coarse_triangles, coarse_hinges)
        ]
        entries, ranges, (blocks, start, entry) = matrix_entries(kinds)
        partial = wp.zeros(len(entries), dtype=coarse.mat1212, device=device)
        chunk, row, column = (model.upload(c.astype(np.int32), int) for c in entries.T)
        self.sums, self.slopes, self.additions = [], [], []
        kernels = {
            "tet": (coarse.add_tets_inside, coarse.add_tets_between, coarse_line.tet_slopes),
            "triangle": (coarse.add_triangles, coarse.add_triangles, coarse_line.triangle_slopes),
            "hinge": (coarse.add_hinges, coarse.add_hinges, coarse_line.hinge_slopes),
        }
        for kind in kinds:
            chunks = coarse.Chunks()
            chunks.start = model.upload(kind.start.astype(np.int32), int)
            chunks.chunk, chunks.row, chunks.column = chunk, row, column
            whole, between, slopes = kernels[kind.name]
            count = len(kind.start) - 1
            each = (kind.start[-1] / count) if count else 0.0
            for kernel, (first, number), cost in zip(
                (whole, between), ranges[kind.name], (WHOLE, BLOCK), strict=True
            ):
                inputs = [chunks, kind.data, model.x, model.elements, patches]
                self._record(self.additions, kernel, number, inputs, [partial], cost * each, first)
            sums = coarse_line.Sums()
            sums.start = model.upload(kind.island_start.astype(np.int32), int)
            sums.slope = wp.zeros(count, dtype=coarse_line.vec5, device=device)
            sums.collapsed = wp.zeros(count, dtype=int, device=device)
            sums.count = wp.zeros(count, dtype=int, device=device)
            self.sums.append(sums)
            inputs = [chunks, kind.data, self.before, self.direction, model.elements]
            self._record(self.slopes, slopes, count, inputs, [sums], SLOPE * each)
        inertia = np.zeros((len(self.aggregates), 4, 4))
        mine = np.flatnonzero(self.aggregates.of >= 0)
        p = self.aggregates.modes[mine]
        weight = model.objective.inertia.numpy()[mine]
        np.add.at(
            inertia, self.aggregates.of[mine], weight[:, None, None] * p[:, :, None] * p[:, None]
        )
        lists = [model.upload(v.astype(np.int32), int) for v in (start, entry, *blocks.T)]
        inputs = [*lists, model.upload(inertia, wp.mat44), partial, patches]
        self._record(
            self.additions, coarse.gather_blocks, len(blocks), inputs, [self.matrix], 1000.0, None
        )
        self._record_vertices()

    def _record_vertices(self):
        model, members, patches, objective = (
            self.model,
            self.members,
            self.patches,
            self.model.objective,
        )
        chunks, count = len(members.restricted), len(members.vertex)
        each = count / chunks
        moved = self.pairs.candidate if self.pairs else model.x
        self.down, self.up, self.line, self.moves = [], [], [], []
        self._record(
            self.down,
            coarse_line.restrict_chunks,
            chunks,
            [self.residual.force, members, patches],
            [],
            MEMBER * each,
        )
        self._record(
            self.down,
            coarse_line.restrict,
            len(self.aggregates),
            [members, patches],
            [self.right],
            0.0,
            None,
        )
        self._record(
            self.up,
            coarse_line.prolong,
            count,
            [self.way, members, patches, model.x],
            [self.direction, moved],
            MEMBER,
        )
        self._record(
            self.line,
            coarse_line.member_slopes,
            chunks,
            [
                self.before,
                self.direction,
                self.residual.force,
                objective.inertia,
                model.x_start,
                model.free_count,
                self.longest,
                objective.contacts,
                model.bounds,
                model.law,
                members,
            ],
            [],
            MEMBER * each,
        )
        self._record(
            self.line,
            coarse_line.choose_shares,
            self.parties,
            [self.longest, members, *self.sums, self.islands],
            [],
            0.0,
            None,
        )
        self._record(
            self.moves,
            coarse_line.move,
            count,
            [self.before, self.direction, members, self.island, self.islands],
            [model.x],
            MEMBER,
        )

    def _record(self, to, kernel, count, inputs, outputs, cost, first=0):
        """Add a recorded launch to a list; `first` None for kernels that do not take it."""
        if count == 0:
            return
        if first is None:
            launch = wp.launch(
                kernel,
                dim=count,
                inputs=inputs,
                outputs=outputs,
                device=self.model.device,
                record_cmd=True,
            )
            to.append([launch.launch])
        else:
            to.append(
                recorded(
                    self.workers, self.model.device, kernel, count, inputs, outputs, cost, first
                )
            )

    def _run(self, lists):
        for launches in lists:
            self.workers.run(launches)

    def assemble(self):
        """The matrix at the positions of now, and its factors."""
        self.matrix.zero_()
        self._run(self.additions)
        matrix = self.matrix.numpy()
        self.factors = [
            Factors(matrix[begin : begin + n * size * size].reshape(n, size, size))
            for begin, _, n, size in self.stacks
        ]

    def step(self):
        """One coarse step of all islands."""
        wp.copy(self.before, self.model.x)
        self.residual.find_forces()
        self._run(self.down)
        right, way = self.right.numpy(), self.way.numpy()
        for factors, (_, first, n, size) in zip(self.factors, self.stacks, strict=True):
            span = slice(first, first + n * size)
            way[span] = factors.solve(right[span].reshape(n, size)).ravel()
        self._run(self.up)
        self._run(self.slopes)
        self._run(self.line)
        self._run(self.moves)
