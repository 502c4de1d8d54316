# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: after some sweeps, a small linear solve for affine patches of every body.

Vertex by vertex, a force needs an iteration to get past a ring of neighbors. So now and then all
aggregates (aggregates.py) take a Newton step together, A z = Pᵀf with A = PᵀHP, and the bodies
follow it, d = P z, as far as G falls along d. A is put together once per substep.
"""

import numpy as np
import warp as wp

from ..device.threads import recorded, recorded_whole
from ..kernels import coarse_contact
from ..kernels.coarse import line as coarse_line
from ..kernels.coarse import materials as coarse_materials
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import springs as coarse_springs
from ..kernels.coarse import step as coarse_step
from ..kernels.coarse import step_length as coarse_share
from ..kernels.elements import records
from ..scene.embedding import points_in_front
from .aggregates import make_aggregates
from .elements import all_kinds, member_chunks
from .groups import Groups
from .matrix import CoarseMatrix
from .restriction import CoarseForces

# The longest step along a direction, without and with contacts, which may cut it short.
LONGEST, LONGEST_WITH_CONTACTS = 2.0, 1.0
# Rough cost of an element in a sum along the direction, and of a vertex [ns].
SLOPE, MEMBER = 40.0, 10.0
# The slope along the direction of every kind of elements.
SLOPES = {
    "tet": coarse_line.tet_slopes,
    "continuum": coarse_materials.continuum_slopes,
    "viscous": coarse_materials.viscous_slopes,
    "triangle": coarse_line.triangle_slopes,
    "stable_triangle": coarse_materials.stable_triangle_slopes,
    "hinge": coarse_line.hinge_slopes,
    "spring": coarse_springs.spring_slopes,
}


def coarse_aggregates(model, settings):
    """The `Aggregates` of a coarse correction; None where none is wanted or nothing gains."""
    if not settings.coarse_correction or settings.is_accelerated or model.free_count == 0:
        return None
    aggregates = make_aggregates(model.assembly)
    return aggregates if len(aggregates) else None


class CoarseCorrection:
    """Launches of the coarse step; `assemble()` once per substep, then `step()` after sweeps.

    `before` [vertex] are the positions [m] before the last one.
    """

    def __init__(self, model, aggregates, pairs, followers, relaxation, workers):
        self.model, self.aggregates, self.pairs = model, aggregates, pairs
        self.contacts = pairs is not None or len(model.bounds.kind) > 0
        self.followers, self.workers = followers, workers
        self.relaxed, self.relaxation = relaxation, wp.clone(relaxation)
        self.longest = LONGEST_WITH_CONTACTS if self.contacts else LONGEST
        self.direction = wp.zeros_like(model.x)
        self.before = wp.clone(model.x)
        self.shape = wp.zeros(len(aggregates), dtype=wp.mat33, device=model.device)
        self.groups = Groups(model, aggregates, pairs)
        self.members, first_chunk = member_chunks(self.groups.of, aggregates, model)
        self.matrix = CoarseMatrix(model, self.groups, self.members, pairs, workers)
        self.forces = CoarseForces(model, self.groups, workers)
        self.islands = self._upload_islands(first_chunk)
        self._find_parties()
        self.revisions = model.revisions
        self.record()

    def _upload_islands(self, first_chunk):
        count, device = self.groups.island_count, self.model.device
        islands = coarse_step.Islands()
        begin = np.searchsorted(self.aggregates.island, np.arange(count + 1))
        islands.first_chunk = self.model.upload(first_chunk[begin].astype(np.int32), int)
        islands.start = wp.zeros(count + 1, dtype=int, device=device)
        islands.share = wp.zeros(count, dtype=float, device=device)
        for name in ("island", "crowded", "skipped"):
            setattr(islands, name, wp.zeros(count, dtype=int, device=device))
        return islands

    def _find_parties(self):
        """Who goes equally far, as of the last search."""
        self.searches = self.pairs.searches if self.pairs else 0
        self.groups.find_parties()
        party = self.groups.party
        order = np.argsort(party, kind="stable")
        start = np.searchsorted(party[order], np.arange(len(party) + 1))
        self.islands.island.assign(order.astype(np.int32))
        self.islands.start.assign(start.astype(np.int32))

    def _renew(self):
        """Record anew what holds arrays that have been replaced."""
        before, self.revisions = self.revisions, self.model.revisions
        if self.revisions[0] != before[0]:
            self.record()
        elif self.revisions != before:
            self.record_vertices()

    def record(self):
        """The launches that know the elements: again when tearing has changed them."""
        kinds, offset, slopes = [], 0, []
        for kind in all_kinds(self.model, self.aggregates):
            chunks = coarse.Chunks()
            chunks.start = self.model.upload(kind.start.astype(np.int32), int)
            chunks.offset = offset
            offset += len(kind.start) - 1
            kinds.append((kind, chunks))
        self.forces.record(kinds)
        self.matrix.record(kinds)
        self.sums = self._sums([kind for kind, _ in kinds])
        for kind, chunks in kinds:
            count = len(kind.start) - 1
            inputs = [chunks, kind.data, self.before, self.direction]
            inputs += [self.model.elements, self.longest]
            cost = SLOPE * kind.start[-1] / count
            slopes.append(self._ranges(SLOPES[kind.name], count, inputs, [self.sums], cost))
        self.slopes = slopes
        self.record_vertices()
        self._record_contacts()

    def _sums(self, kinds):
        """`Sums` over the chunks of all kinds."""
        model, count = self.model, sum(len(kind.start) - 1 for kind in kinds)
        island = np.concatenate([kind.island for kind in kinds])
        sums = coarse_line.Sums()
        order = np.argsort(island, kind="stable")
        start = np.searchsorted(island[order], np.arange(self.groups.island_count + 1))
        sums.start = model.upload(start.astype(np.int32), int)
        sums.chunk = model.upload(order.astype(np.int32), int)
        sums.slope = wp.zeros(count, dtype=records.vec6, device=model.device)
        sums.samples = wp.zeros(count, dtype=coarse_step.vec8, device=model.device)
        sums.collapsed = wp.zeros(count, dtype=int, device=model.device)
        sums.count = wp.zeros(count, dtype=int, device=model.device)
        return sums

    def record_vertices(self):
        """The launches that know vertices and their contacts: again when lists have grown."""
        model, members, patches = self.model, self.members, self.groups.patches
        objective = model.objective
        self.forces.record_vertices()
        chunks, count = len(members.shape), len(members.vertex)
        each = MEMBER * count / chunks
        number, shapes = len(self.aggregates), [members, self.shape]
        sums = self._ranges(coarse_step.sum_shapes, chunks, [model.x, patches], [members], each)
        self.keeps = [sums, self._whole(coarse_step.keep_shapes, number, shapes, [])]
        self.turns = [sums, self._whole(coarse_step.find_turns, number, shapes, [patches])]
        moved = self.pairs.candidate if self.pairs else model.x
        up = [self.groups.way, members, patches, model.x]
        self.up = [self._ranges(coarse_step.prolong, chunks, up, [self.direction, moved], each)]
        state = [self.before, self.direction, self.forces.force, objective.inertia, model.x_start]
        touching = [objective.attachments, objective.contacts, model.bounds, model.law]
        along = [*state, model.free_count, self.longest, *touching, members]
        choice = [self.longest, members, self.sums, self.islands]
        self.line = [
            self._ranges(coarse_line.member_slopes, chunks, along, [], each),
            self._whole(coarse_share.choose_shares, self.groups.island_count, choice, []),
        ]
        way = [self.before, self.direction, members, self.groups.island, self.islands]
        way.append(self.relaxation)
        self.moves = [self._ranges(coarse_step.move, count, way, [model.x, self.relaxed], MEMBER)]

    def _record_contacts(self):
        """What contacts and bounds do to the direction."""
        model, vertices = self.model, self.members.vertex
        moved = self.pairs.candidate if self.pairs else model.x
        self.in_front = []
        if len(model.bounds.kind):
            inputs = [vertices, self.before, model.bounds]
            self.in_front.append(
                self._whole(coarse_contact.keep_members_in_front, len(vertices), inputs, [moved])
            )
        self.in_front += points_in_front(model, self.before, moved)
        ends = [self.before, model.x]
        self.differences = [
            self._ranges(coarse_step.take_difference, count, ends, [self.direction], 5.0, first)
            for first, count in model.surface_ranges()
        ]

    def _ranges(self, kernel, count, inputs, outputs, cost, first=0):
        workers, device = self.workers, self.model.device
        return recorded(workers, device, kernel, count, inputs, outputs, cost, first)

    def _whole(self, kernel, count, inputs, outputs):
        return recorded_whole(self.model.device, kernel, count, inputs, outputs)

    def _run(self, lists):
        for launches in lists:
            self.workers.run(launches)

    def begin_frame(self):
        """Count skipped steps anew, as the pairs count their searches."""
        self.islands.skipped.zero_()
        self.searches = -1

    def share(self):
        """α of the last step, over all islands on average."""
        return float(self.islands.share.numpy().mean())

    def skips(self):
        """Steps of islands that were not taken since `begin_frame`."""
        return int(self.islands.skipped.numpy().sum())

    def assemble(self):
        """The matrix at the positions of now, and its factors."""
        self._renew()
        self._follow()
        if self.pairs:
            self._find_parties()
            self.groups.regroup()
        self.matrix.assemble()
        self._run(self.keeps)

    def step(self):
        """One coarse step of all islands."""
        self._renew()
        if self.pairs and self.pairs.searches != self.searches:
            self._find_parties()
        self._follow()
        wp.copy(self.before, self.model.x)
        self._run(self.turns)
        self.forces.find()
        for factors in self.groups.factors:
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

    def _follow(self):
        """Embedded points have to be where their corners are; pairs keep them there."""
        if not self.pairs:
            self.followers.follow(0, self.model.free_count)

    def _truncate(self):
        """Shorten the direction where surfaces or bounds are in the way."""
        self._run(self.in_front)
        if self.pairs:
            self.pairs.settle(0, self.model.free_count)
        else:
            self.followers.follow(0, self.model.free_count)
        self._run(self.differences)
