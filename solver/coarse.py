# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: after some sweeps, a small linear solve for affine patches of every body.

Vertex by vertex, a force needs an iteration to get past a ring of neighbors. So now and then all
aggregates (aggregates.py) take a Newton step together, A z = Pᵀf with A = PᵀHP, and the bodies
follow it, d = P z, as far as G falls along d. A is put together once per substep.
"""

import numpy as np
import warp as wp

from .aggregates import make_aggregates
from .cholesky import DeviceFactors, HostFactors
from .coarse_elements import all_kinds, matrix_entries, member_chunks
from .kernels import coarse, coarse_contact, coarse_line, coarse_materials, coarse_springs
from .kernels.cholesky import TILE
from .kernels.embedded_bounds import find_parts_in_front, take_parts
from .order import connected
from .workers import recorded

# The longest step along a direction, without and with contacts, which may cut it short.
LONGEST, LONGEST_WITH_CONTACTS = 2.0, 1.0
# Islands that may touch get a common matrix of up to so many rows.
MOST_ROWS = 960
# Rough cost of an element in a sum, of a vertex, and of an element in the matrix [ns].
SLOPE, MEMBER, WHOLE, BLOCK = 40.0, 10.0, 60.0, 300.0


# Kernels of every kind of elements: into the matrix where one aggregate has all corners, and else;
# and the slope along the direction.
KERNELS = {
    "tet": (coarse.add_tets_inside, coarse.add_tets_between, coarse_line.tet_slopes),
    "continuum": (
        coarse.add_tets_inside,
        coarse.add_tets_between,
        coarse_materials.continuum_slopes,
    ),
    "viscous": (
        coarse_materials.add_viscosity,
        coarse_materials.add_viscosity,
        coarse_materials.viscous_slopes,
    ),
    "triangle": (coarse.add_triangles, coarse.add_triangles, coarse_line.triangle_slopes),
    "stable_triangle": (
        coarse.add_triangles,
        coarse.add_triangles,
        coarse_materials.stable_triangle_slopes,
    ),
    "hinge": (coarse.add_hinges, coarse.add_hinges, coarse_line.hinge_slopes),
    "spring": (
        coarse_springs.add_springs,
        coarse_springs.add_springs,
        coarse_springs.spring_slopes,
    ),
}


def coarse_correction(model, pairs, followers, relaxation, residual, settings, workers):
    """The `CoarseCorrection` of a scene, or None where none is wanted or nothing gains from it."""
    accelerated = settings.acceleration > 0.0 or settings.estimate_acceleration
    if not settings.coarse_correction or accelerated or model.free_count == 0:
        return None
    contacts = pairs is not None or len(model.bounds.kind) > 0
    aggregates = make_aggregates(model.assembly, contacts)
    if not len(aggregates):
        return None
    return CoarseCorrection(model, aggregates, pairs, followers, relaxation, residual, workers)


def with_points(aggregates, model):
    """`of` and `modes` of all places in `model.x`.

    An embedded point goes with the aggregate of the corner that it follows most.
    """
    of = np.full(len(model.x), -1)
    modes = np.zeros((len(model.x), 4))
    count = len(aggregates.of)
    of[:count], modes[:count] = aggregates.of, aggregates.modes
    points, rest = model.surface.points, model.assembly.rest_points
    if len(points):
        main = np.argmax(points.weights, axis=1)
        corner = points.corners[np.arange(len(points)), main]
        way = points.of(rest) - rest[corner]
        mine = of[model.led_end :] = of[corner]
        modes[model.led_end :] = modes[corner]
        modes[model.led_end :] += np.einsum("pmi,pi->pm", aggregates.slope[mine], way)
        modes[model.led_end :][mine < 0] = 0.0
    return of, modes


def joined_while_small(neighbors, sizes, most):
    """Group [island]: neighbors in one, the first ones first, of at most `most` rows together."""
    group, total = np.arange(len(sizes)), sizes.copy()
    for a, b in neighbors:
        one, other = group[a], group[b]
        if one != other and total[one] + total[other] <= most:
            group[group == other] = one
            total[one] += total[other]
    return group


class CoarseCorrection:
    """Launches of the coarse step; `assemble()` once per substep, then `step()` after sweeps.

    `force` [vertex] is −∂G/∂x [N] before the last one.
    """

    def __init__(self, model, aggregates, pairs, followers, relaxation, residual, workers):
        self.model, self.aggregates, self.pairs = model, aggregates, pairs
        self.followers, self.residual, self.workers = followers, residual, workers
        self.relaxed, self.relaxation = relaxation, wp.clone(relaxation)
        self.contacts = pairs is not None or len(model.bounds.kind) > 0
        self.longest = LONGEST_WITH_CONTACTS if self.contacts else LONGEST
        self.of, self.modes = with_points(aggregates, model)
        self.direction = wp.zeros_like(model.x)
        self.before = wp.clone(model.x)
        self.force = wp.zeros_like(residual.force)
        self.rows = 3 * aggregates.mode_count
        self.island_count = int(aggregates.island[-1]) + 1
        self.patches = self._upload_patches()
        self.members, first_chunk = member_chunks(self.of, aggregates, model)
        self.islands = self._upload_islands(first_chunk)
        self.group = None
        self.find_parties()
        self.regroup()
        self.record()

    def _upload_patches(self):
        upload, count = self.model.upload, len(self.aggregates)
        pieces = self._padded(np.bincount(self.aggregates.piece, self.rows))
        total, largest = int(pieces.sum()), int(pieces.max())
        device = self.model.device
        # No matrix is larger than that of the largest piece or of a group.
        self.matrix = wp.zeros(
            total * min(total, max(largest, MOST_ROWS)), dtype=wp.float64, device=device
        )
        self.right = wp.zeros(total, dtype=wp.float64, device=device)
        self.way = wp.zeros_like(self.right)
        patches = coarse.Patches()
        patches.of = upload(self.of.astype(np.int32), int)
        patches.modes = upload(self.modes, wp.vec4)
        patches.slope = upload(self.aggregates.slope, coarse.mat43)
        patches.mode_count = upload(self.aggregates.mode_count.astype(np.int32), int)
        for name in ("matrix", "size", "row", "first"):
            setattr(patches, name, wp.zeros(count, dtype=int, device=self.model.device))
        return patches

    def _padded(self, sizes):
        """Rows of matrices, whole tiles of them on the GPU."""
        unit = 1 if self.model.device.is_cpu else TILE
        return -(-np.asarray(sizes).astype(int) // unit) * unit

    def _upload_islands(self, first_chunk):
        count, upload = self.island_count, self.model.upload
        islands = coarse_line.Islands()
        islands.start = wp.zeros(count + 1, dtype=int, device=self.model.device)
        islands.island = wp.zeros(count, dtype=int, device=self.model.device)
        begin = np.searchsorted(self.aggregates.island, np.arange(count + 1))
        islands.first_chunk = upload(first_chunk[begin].astype(np.int32), int)
        islands.share = wp.zeros(count, dtype=float, device=self.model.device)
        islands.crowded = wp.zeros(count, dtype=int, device=self.model.device)
        islands.skipped = wp.zeros(count, dtype=int, device=self.model.device)
        of_vertex = np.where(self.of >= 0, self.aggregates.island[self.of], -1)
        self.island = upload(of_vertex.astype(np.int32), int)
        self.near = wp.zeros(count * count, dtype=int, device=self.model.device)
        return islands

    def find_parties(self):
        """Parties of islands that may touch, after a search.

        A party goes equally far along its direction, or one of its bodies could press the others
        too close.
        """
        count = self.island_count
        self.neighbors = np.zeros((0, 2), dtype=int)
        if self.pairs and self.pairs.count and count > 1:
            self.near.zero_()
            wp.launch(
                coarse_contact.mark_neighbors,
                dim=self.pairs.count,
                inputs=[self.pairs.pairs, self.island, count],
                outputs=[self.near],
                device=self.model.device,
            )
            marked = np.flatnonzero(self.near.numpy())
            self.neighbors = np.stack([marked // count, marked % count], axis=1)
        party = connected(self.neighbors, count)
        order = np.argsort(party, kind="stable")
        start = np.searchsorted(party[order], np.arange(count + 1))
        self.islands.island.assign(order.astype(np.int32))
        self.islands.start.assign(start.astype(np.int32))

    def regroup(self):
        """Decide who shares a matrix with whom, before it is put together.

        The pieces of an island do, and islands that may touch, as long as it stays small.
        """
        part = self.aggregates
        whole = np.bincount(part.island, self.rows, minlength=self.island_count).astype(int)
        group = joined_while_small(self.neighbors, whole, MOST_ROWS)[part.island]
        large = whole[part.island] > MOST_ROWS
        self._lay_out(np.where(large, self.island_count + part.piece, group))

    def _lay_out(self, group):
        """Place the matrices of groups of aggregates behind each other, equal sizes together."""
        if np.array_equal(group, self.group):
            return
        self.group = group
        group = np.unique(group, return_inverse=True)[1]
        sizes = self._padded(np.bincount(group, self.rows))
        order = np.argsort(sizes, kind="stable")
        ordered = sizes[order]
        matrix, first = np.zeros((2, len(sizes)), dtype=int)
        matrix[order] = np.cumsum(ordered**2) - ordered**2
        first[order] = np.cumsum(ordered) - ordered
        by_group = np.argsort(group, kind="stable")
        before = np.cumsum(self.rows[by_group]) - self.rows[by_group]
        row = np.empty(len(group), dtype=int)
        row[by_group] = before - before[np.searchsorted(group[by_group], group[by_group])]
        self.used = self.matrix[: int((ordered**2).sum())]
        Factors = HostFactors if self.model.device.is_cpu else DeviceFactors
        self.factors = []
        for size in np.unique(ordered[ordered > 0]):
            same = order[ordered == size]
            count, size = len(same), int(size)
            begin, start = int(matrix[same[0]]), int(first[same[0]])
            blocks = self.matrix[begin : begin + count * size * size]
            vectors = slice(start, start + count * size)
            self.factors.append(
                Factors(
                    blocks.reshape((count, size, size)),
                    self.right[vectors].reshape((count, size)),
                    self.way[vectors].reshape((count, size)),
                )
            )
        for name, values in (
            ("matrix", matrix[group]),
            ("size", sizes[group]),
            ("row", row),
            ("first", first[group] + row),
        ):
            getattr(self.patches, name).assign(values.astype(np.int32))

    def record(self):
        """The launches that know the elements: again when tearing has changed them."""
        model, patches, device = self.model, self.patches, self.model.device
        kinds = all_kinds(model, self.aggregates)
        entries, ranges, (blocks, start, entry) = matrix_entries(kinds)
        partial = wp.zeros(len(entries), dtype=coarse.mat1212, device=device)
        chunk, row, column = (model.upload(c.astype(np.int32), int) for c in entries.T)
        self.slopes, self.additions = [], []
        self.sums = self._sums(kinds)
        offset = 0
        for kind in kinds:
            chunks = coarse.Chunks()
            chunks.start, chunks.offset = model.upload(kind.start.astype(np.int32), int), offset
            chunks.chunk, chunks.row, chunks.column = chunk, row, column
            whole, between, slopes = KERNELS[kind.name]
            count = len(kind.start) - 1
            offset += count
            each = kind.start[-1] / count
            for kernel, (first, number), cost in zip(
                (whole, between), ranges[kind.name], (WHOLE, BLOCK), strict=True
            ):
                inputs = [chunks, kind.data, model.x, model.elements, patches]
                self._record(self.additions, kernel, number, inputs, [partial], cost * each, first)
            inputs = [chunks, kind.data, self.before, self.direction, model.elements, self.longest]
            self._record(self.slopes, slopes, count, inputs, [self.sums], SLOPE * each)
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
        self.record_vertices()
        self._record_contacts()

    def _sums(self, kinds):
        """`Sums` over the chunks of all kinds."""
        model, count = self.model, sum(len(kind.start) - 1 for kind in kinds)
        island = np.concatenate([kind.island for kind in kinds])
        sums = coarse_line.Sums()
        order = np.argsort(island, kind="stable")
        start = np.searchsorted(island[order], np.arange(self.island_count + 1))
        sums.start = model.upload(start.astype(np.int32), int)
        sums.chunk = model.upload(order.astype(np.int32), int)
        sums.slope = wp.zeros(count, dtype=coarse_line.vec5, device=model.device)
        sums.samples = wp.zeros(count, dtype=coarse_line.vec8, device=model.device)
        sums.collapsed = wp.zeros(count, dtype=int, device=model.device)
        sums.count = wp.zeros(count, dtype=int, device=model.device)
        return sums

    def record_vertices(self):
        """The launches that know vertices and their contacts: again when lists have grown."""
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
                objective.attachments,
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
            self.island_count,
            [self.longest, members, self.sums, self.islands],
            [],
            0.0,
            None,
        )
        self._record(
            self.moves,
            coarse_line.move,
            count,
            [
                self.before,
                self.direction,
                members,
                self.island,
                self.islands,
                self.relaxation,
            ],
            [model.x, self.relaxed],
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

    def _record_contacts(self):
        """What contacts and bounds do to the direction."""
        model = self.model
        self.in_front, self.differences = [], []
        moved = self.pairs.candidate if self.pairs else model.x
        if len(model.bounds.kind):
            self._record(
                self.in_front,
                coarse_contact.keep_members_in_front,
                len(self.members.vertex),
                [self.members.vertex, self.before, model.bounds],
                [moved],
                0.0,
                None,
            )
            if len(model.surface.points):
                part = wp.zeros(model.vertex_count, dtype=float, device=model.device)
                count, way = model.vertex_count, [self.before, moved]
                for kernel, inputs, outputs in (
                    (find_parts_in_front, [model.objective.embedding, model.bounds, *way], [part]),
                    (take_parts, [self.before, part], [moved]),
                ):
                    self._record(self.in_front, kernel, count, inputs, outputs, 0.0, None)
        for first, count in model.surface_ranges():
            inputs = [self.before, model.x]
            outputs = [self.direction]
            self._record(
                self.differences, coarse_line.take_difference, count, inputs, outputs, 5.0, first
            )

    def _add_contacts(self):
        """Stiffness of what touches now and of attachments, onto the blocks of the elements."""
        model, patches = self.model, self.patches
        law, start = model.law, model.x_start
        terms = []
        if self.pairs:
            inputs = [model.x, self.pairs.touches, self.pairs.state, law, patches]
            terms.append((coarse_contact.add_touches, self.pairs.count, inputs))
        if len(model.bounds.kind):
            inputs = [self.members.vertex, model.x, start, model.bounds, law, patches]
            terms.append((coarse_contact.add_bounds, len(self.members.vertex), inputs))
        rows = model.objective.attachments.rows
        inputs = [model.objective.attachments, patches]
        terms.append((coarse_contact.add_attachments, len(rows) if rows else 0, inputs))
        for kernel, count, inputs in terms:
            if count:
                wp.launch(
                    kernel, dim=count, inputs=inputs, outputs=[self.matrix], device=model.device
                )

    def begin_frame(self):
        """Count skipped steps anew."""
        self.islands.skipped.zero_()

    def share(self):
        """α of the last step, over all islands on average."""
        return float(self.islands.share.numpy().mean())

    def skips(self):
        """Steps of islands that were not taken since `begin_frame`."""
        return int(self.islands.skipped.numpy().sum())

    def assemble(self):
        """The matrix at the positions of now, and its factors."""
        self.used.zero_()
        self._run(self.additions)
        self._add_contacts()
        for factors in self.factors:
            factors.factor()

    def step(self):
        """One coarse step of all islands."""
        wp.copy(self.before, self.model.x)
        self.residual.find_forces()
        wp.copy(self.force, self.residual.force)
        self._run(self.down)
        for factors in self.factors:
            factors.solve()
        if self.pairs:
            wp.copy(self.pairs.candidate, self.model.x)
        self._run(self.up)
        if self.contacts:
            self._truncate()
        self._run(self.slopes)
        self._run(self.line)
        self._run(self.moves)
        self.followers.follow(0, self.model.free_count)

    def _truncate(self):
        """Shorten the direction where surfaces or bounds are in the way."""
        self._run(self.in_front)
        if self.pairs:
            self.pairs.settle(0, self.model.free_count)
        else:
            self.followers.follow(0, self.model.free_count)
        self._run(self.differences)
