# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands that meet on their rigid steps (kernels/crowded_islands.py).

What an island cannot take of its step would be lost as momentum. So those that would meet join, and
what they lack together is taken as one rigid step of all of them. What planes and trust regions
still end goes on from there, after a search if need be.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.flow import repeat_while, when
from ..device.launches import play
from ..kernels import crowded_islands as kernels
from ..kernels import island_moves
from ..kernels import islands as of_islands
from .common_moves import CommonMoves

# Rough cost of a vertex that moves, and of one that looks how far it may [ns].
MOVE, LOOK = 5.0, 20.0


class Crowd:
    """Joins islands that would meet on their `RigidSteps`, and lets them go on where they stop.

    `anchored` [body] are held, on the device.
    """

    def __init__(self, steps, anchored):
        self.model, self.steps, self.anchored = steps.model, steps, anchored
        bodies, device = len(self.model.assembly.vertices), self.model.device
        self.least = wp.zeros(bodies, dtype=float, device=device)
        self.stays = wp.zeros(bodies, dtype=int, device=device)
        self.joined, self.stopped, self.leaves, self.rounds, self.goes_on = (
            wp.zeros(1, dtype=int, device=device) for _ in range(5)
        )

    @staticmethod
    def is_needed(model, anchored):
        """Whether there are several bodies that are free, and planes between them."""
        free = anchored[: len(model.assembly.vertices)] == 0
        return model.settings.truncation and np.count_nonzero(free) > 1

    def record(self):
        """Make all launches with the arrays of now."""
        model, steps, record = self.model, self.steps, self.model.launches.record
        lists, islands, contact = model.lists, steps.islands, model.contact
        free, body, extent = model.free_count, steps.owner, (lists.capacity, lists.expected)
        ways = [steps.before, model.x, steps.owner, islands]
        find_ways = [
            record(island_moves.find_ways, count, ways, [steps.way], MOVE, first)
            for first, count in model.surface_ranges()
        ]
        listed = [model.x, steps.way, lists.counts]
        among = [*listed, lists.pairs, body]
        serial = model.launches.record_serial
        self.join = [
            self.joined.zero_,
            *find_ways,
            serial(kernels.join_meeting, lists.capacity, among, [islands, self.joined]),
            record(of_islands.name_islands, len(self.anchored), [self.anchored], [islands]),
        ]
        truncation = contact.truncation
        regions = [model.contact_model, free, model.x, model.candidate, model.x_start]
        regions += [truncation.x_found, contact.struct, islands]
        cut = [self.least, truncation.cut, self.leaves, self.stopped]
        kernel = kernels.parts_in_regions_kernel(model.surface.points.width)
        moves = [model.candidate, body, islands, self.least]
        # What is stopped by others may pass beside them.
        part = model.launches.record_list(
            island_moves.part_for_ways, *extent, listed, [lists.pairs], LOOK
        )
        to_planes = [*among, islands], [self.least, self.stopped]
        together = CommonMoves(model, islands.island, self.stays, steps.before)
        self.move = [
            *steps.propose(clips=False),
            *find_ways,
            part,
            partial(self.least.fill_, 1.0),
            self.stopped.zero_,
            self.leaves.zero_,
            model.launches.record_list(kernels.find_parts_to_planes, *extent, *to_planes),
            record(kernel, free, regions, cut),
            self.stays.zero_,
            together.keep,
            record(kernels.move_parts, free, moves, [model.x], MOVE),
            partial(model.followers.follow, 0, model.vertex_count),
            together,
            *steps.follow,
            record(kernels.decide, 1, [self.stopped], [self.rounds, self.goes_on]),
        ]

    def solve(self, one_by_one):
        """Solve the rigid steps, `one_by_one`, and again for those that join, until none meet."""
        self.joined.fill_(1)
        repeat_while(self.joined, partial(self._solve, one_by_one))

    def _solve(self, one_by_one):
        one_by_one()
        play(self.join)

    def __call__(self):
        self.model.contact.truncation.tell_lack_of_room(self.leaves)
        self.rounds.zero_()
        self.goes_on.fill_(1)
        repeat_while(self.goes_on, self._round)

    def _round(self):
        when(self.leaves, self.steps.search)
        self.model.contact.part_anew()
        self.steps.solve()
        play(self.move)
