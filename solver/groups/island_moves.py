# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid steps of islands: propose, limit by everything outside of the island, take, verify.

A motion that all bodies of an island have in common changes no distance between them. So all of an
island takes the same fraction of its step, which is verified, since rounding may change distances.
Islands that would meet join first: the rest of a step that one of them cannot take would be lost as
momentum. Steps limited by planes and trust regions continue in further rounds, after a search if
needed.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.conditions import repeat_while, when
from ..device.launches import play
from ..kernels.groups import free_flight, island_limits
from ..kernels.groups import island_moves as kernels
from ..kernels.groups import islands as of_islands
from ..lattice.embedding import collider_step_limits
from .rigid_steps import ADD, RigidSteps, filled, surface_chunks
from .rounding_checks import RoundingChecks

BOXES = {"low": wp.vec3, "high": wp.vec3, "path": wp.vec3d}
# Rough cost to move a vertex, and to limit its step [ns].
MOVE, LIMIT = 5.0, 20.0


class IslandMoves:
    """Moves `islands` by their rigid steps. `anchored` [body] marks held bodies;
    `travel` is the most that colliders move in a frame [m], an array of one float.
    """

    def __init__(self, model, islands, anchored, travel):
        bodies, device = len(model.assembly.vertices), model.device
        self.model, self.travel = model, travel
        self.steps = RigidSteps(model, model.surface.body, bodies, islands)
        self.anchored = anchored
        # Free bodies may join if there are several, with planes between them.
        are_several = np.count_nonzero(anchored.numpy()[:bodies] == 0) > 1
        self.may_join = model.settings.truncation and are_several
        self.chunks = surface_chunks(model)
        self.chunk_boxes, self.boxes = (
            filled(free_flight.Boxes(), BOXES, count, device)
            for count in (len(self.chunks.owner), bodies)
        )
        self.least = wp.zeros(bodies, dtype=float, device=device)
        self.meets, self.unmoved = (wp.zeros(bodies, dtype=int, device=device) for _ in range(2))
        self.displacement = wp.zeros_like(model.x)
        self.joined, self.stopped, self.meet, self.leaves, self.rounds, self.continues = (
            wp.zeros(1, dtype=int, device=device) for _ in range(6)
        )

    def record(self):
        """Record all launches with the current arrays."""
        model, steps, record = self.model, self.steps, self.model.launches.record
        steps.record()
        lists, islands, contact = model.lists, steps.islands, model.contact
        body = steps.owner
        inputs = [steps.before, model.x, body, islands, model.contact_model.embedding]
        self.find_displacements = [
            record(kernels.find_displacements, count, inputs, [self.displacement], MOVE, first)
            for first, count in model.surface_ranges()
        ]
        listed = [model.x, self.displacement, lists.counts]
        among = [*listed, lists.pairs, body]
        serial = model.launches.record_serial
        self.join = [
            self.joined.zero_,
            *self.find_displacements,
            serial(island_limits.join_meeting, lists.capacity, among, [islands, self.joined]),
            record(
                of_islands.name_islands,
                len(self.anchored),
                [self.anchored, model.asleep],
                [islands],
            ),
        ]
        self.verify = RoundingChecks(model, islands.island, self.unmoved, steps.before)
        truncates = model.settings.truncation
        self.limit = [
            partial(self.least.fill_, 1.0),
            *(
                self._limits(listed, among)
                if truncates
                else collider_step_limits(model, steps.before, model.candidate)
            ),
        ]
        if model.rigid:
            self.limit.append(model.rigid.refusing(islands, self.least))
        ended = [self.stopped, self.meet, self.leaves]
        moves = [model.candidate, body, islands, self.least]
        self.take = [
            self.unmoved.zero_,
            self.verify.save,
            record(kernels.move_by_fractions, model.free_count, moves, [model.x], MOVE),
            *([model.rigid.follow] if model.rigid else []),
            contact.follow,
            self.verify,
            record(kernels.decide, 1, ended, [self.rounds, self.continues]),
        ]

    def _limits(self, listed, among):
        """Launches that lower `least` to what pairs, trust regions and colliders allow."""
        model, steps, record = self.model, self.steps, self.model.launches.record
        contact, islands, record_list = model.contact, steps.islands, model.launches.record_list
        lists, bodies, cost = model.lists, len(self.meets), ADD * np.diff(self.chunks.start.numpy())
        extent, radius = (lists.capacity, lists.expected), model.contact_model.state.radius
        boxes = [self.chunks, model.vertex_count, steps.before, steps.before, radius]
        swept = [self.chunks, self.chunk_boxes, islands], [self.boxes, self.meets]
        around = [contact.struct, self.travel, self.boxes, islands]
        to_planes = [*among, islands], [self.least, self.stopped, self.meet]
        regions = [model.contact_model, model.x, model.candidate, model.x_start]
        regions += [contact.regions.struct, islands, self.meets, model.followers.skin.largest]
        cut = [self.least, contact.truncation.cut, self.leaves, self.stopped]
        in_regions = island_limits.fractions_in_regions_kernel(model.surface.points.width)
        return [
            *self.find_displacements,
            record_list(kernels.update_normals, *extent, listed, [lists.pairs], LIMIT),
            record(free_flight.measure_chunks, len(cost), boxes, [self.chunk_boxes], cost=cost),
            record(island_limits.sweep_boxes, bodies, *swept),
            *contact.trees.bounding_bodies(self.boxes.low, self.boxes.high),
            record(island_limits.find_obstacles, bodies, around, [self.meets]),
            record_list(island_limits.find_fractions_to_planes, *extent, *to_planes),
            record(in_regions, model.free_count, regions, cut, LIMIT),
        ]

    def __call__(self):
        self.rounds.zero_()
        self._round()
        repeat_while(self.continues, self._continue)

    def _continue(self):
        """Continue from where planes and trust regions have limited the last round."""
        when(self.leaves, self._search)
        self.model.contact.renew_planes()
        self._round()

    def _search(self):
        self.model.contact.approach(whole=False)
        self.model.contact.refresh()

    def _round(self):
        """Propose, limit, take, verify."""
        self.steps.solve()
        if self.may_join:
            self.joined.fill_(1)
            repeat_while(self.joined, self._join)
        self.steps.propose()
        for flag in (self.stopped, self.meet, self.leaves):
            flag.zero_()
        play(self.limit)
        play(self.take)

    def _join(self):
        """Join islands that would meet, and solve again."""
        play(self.join)
        when(self.joined, self.steps.solve_again)
