# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep over all colors in one launch, for a GPU.

Every color has blocks of its own: those that find the steps of its vertices and, with contact,
those that lower the bounds of embedded points, truncate steps and commit them, and those of the
points that follow. A block waits for all before it that belong to another color or do something
else (kernels/device/turns.py).
"""

from functools import cache

import warp as wp

from ..contact.feasibility.pair_bounds import bounds_function
from ..contact.feasibility.truncation import Settling, commit_step, truncation_function
from ..device.options import OPTIONS
from ..device.teams import ALONE, Team
from ..device.turns import end_turn, take_turn, wait_for_turns
from ..elements.table import elements_struct
from ..lattice.embedding import point_position
from .vertex_solve import CONTACTS, Objective, embedded_width, vertex_kernels

# What a block does.
SOLVE, BOUND, TRUNCATE, COMMIT, FOLLOW = (wp.constant(k) for k in range(5))
# Its number of threads.
THREADS = wp.constant(256)


@cache
def sweep_kernel(kinds: tuple, terms: int, in_lanes: bool = False, team: Team = ALONE):
    """Return the kernel of a sweep, for the arguments of `vertex_kernels`."""
    functions = vertex_kernels(kinds, terms, in_lanes, team)
    vertex_step, take_step = functions.vertex_step, functions.take_step
    Elements, width = elements_struct(kinds), embedded_width(terms)
    truncate_step, lower_bounds = truncation_function(width), bounds_function(width)

    @wp.func
    def settle_step(
        i: int,
        work: int,
        color: wp.vec2i,
        objective: Objective,
        settling: Settling,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
    ):
        """Truncate or commit the step of vertex i, or lower the bounds of embedded point i, or move
        follower i.
        """
        s = settling
        model = objective.contact_model
        start = objective.x_start
        if wp.static(width > 0):
            if work == FOLLOW:
                v = model.embedding.first + s.followers[i]
                if s.lists.start[v] != s.lists.start[v + 1]:
                    x[v] = point_position(v, x, model.embedding)
        moves = work == TRUNCATE and wp.length_sq(candidate[i] - x[i]) > 0.0
        if work == BOUND or moves:
            lower_bounds(i, color, x, candidate, s.lists, model.embedding, s.watch)
        if work == TRUNCATE:
            truncate_step(
                i, model, color, x, candidate, start, s.regions, s.lists, s.watch, s.fraction, s.cut
            )
        if work == COMMIT:
            radius = model.state.radius
            commit_step(
                i,
                s.fraction,
                candidate,
                s.cut,
                radius,
                s.slack,
                s.free_count,
                x,
                s.stuck,
                s.needs_search,
            )

    @wp.kernel(module="unique", module_options=OPTIONS)
    def sweep_vertices(
        works: wp.array[wp.vec4i],
        before: wp.array[int],
        objective: Objective,
        elements: Elements,
        relaxation: wp.array[float],
        settling: Settling,
        # out
        x: wp.array[wp.vec3],
        moved: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
        turns: wp.array[int],
    ):
        """Move each vertex by its own Newton step, color by color.

        `works` [block] are what it does, the number of its first thread among those that do this to
        its color, and the first vertex and the end of the color, or of its followers. It waits for
        the blocks `before`.
        """
        _block, lane = wp.tid()
        turn = take_turn(turns)
        work = works[turn]
        color = wp.vec2i(work[2], work[3])
        wait_for_turns(before[turn], turns)
        for thread in range(work[1] + lane, work[1] + THREADS, wp.block_dim()):
            if work[0] == SOLVE:
                i = color[0] + thread / wp.static(team.size)
                if team.works(thread) and i < color[1]:
                    start = x[i]
                    asleep = int(0)
                    if wp.static(bool(terms & CONTACTS)):
                        asleep = objective.contact_model.state.asleep[i]
                        if asleep != 0 and team.lane() == 0:
                            moved[i] = start
                    if asleep == 0:
                        step, _force, touching = vertex_step(
                            i, x, color, objective, elements, relaxation[i]
                        )
                        if team.lane() == 0:
                            take_step(i, start, step, touching, moved, touched, rejected)
            if wp.static(bool(terms & CONTACTS)):
                things = color
                if work[0] == BOUND:
                    things = settling.points
                if work[0] != SOLVE and things[0] + thread < things[1]:
                    i = things[0] + thread
                    settle_step(i, work[0], color, objective, settling, x, moved)
        end_turn(works.shape[0], turns)

    return sweep_vertices
