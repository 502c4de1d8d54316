# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps: every free vertex takes its own Newton step, color by color (VBD 2024, §3.1)."""

from itertools import pairwise

import numpy as np
import warp as wp

from ..device.launches import SharedLaunches
from ..kernels.contact.feasibility.truncation import Settling
from ..kernels.descent.color_sweep import (
    BOUND,
    COMMIT,
    FOLLOW,
    SOLVE,
    THREADS,
    TRUNCATE,
    sweep_kernel,
)
from ..kernels.descent.vertex_solve import vertex_kernels
from ..kernels.device.teams import ALONE, EIGHT, FIRST_OF_EIGHT
from ..kernels.device.turns import TURNS
from ..kernels.rigid.sweep import body_kernel
from ..model.stage import RecordedStage, Stage

# Rough cost in a visit of a surface point embedded at a vertex, and of each of its pairs [ns].
CARRIED, PAIR = 20.0, 8.0
# Vertices of a color up to which eight threads of a GPU share each of them: with more, one thread a
# vertex occupies the device.
SHARED = 32768


def visit_costs(model):
    """Return the cost [ns] of a visit [vertex]: `Model.work`, and contacts if all surface points
    have equally many. A corner of a lattice carries a dozen surface points.
    """
    if model.contact is None:
        return model.work
    surface = model.surface
    _, corners, _ = surface.points.parents()
    carried = np.bincount(corners, minlength=model.vertex_count)
    carried += ~surface.hidden[: model.vertex_count]
    pairs = 4.0 * model.lists.expected / max(len(surface.vertices), 1)
    return model.work + carried * (CARRIED + PAIR * pairs)


class PlainFirstSweep(Stage):
    """Takes the first sweep without over-relaxation if it begins at the previous positions.

    There a vertex lacks its whole displacement. Over-relaxed, weakly coupled vertices would
    oscillate: n sweeps leave an error of (1 − ω)ⁿ, an overshoot where n is odd, which would
    increase their velocity in every substep.
    """

    def __init__(self, model):
        super().__init__(model)
        self.plain = model.upload(np.minimum(model.relaxation.numpy(), 1.0), float)
        self.relaxation = wp.clone(model.relaxation)

    @staticmethod
    def is_needed(settings):
        """Return whether sweeps are over-relaxed and begin at the end of the last substep."""
        return settings.sweep_relaxation > 1.0 and settings.initial_guess == "previous"

    @staticmethod
    def is_due(iteration):
        """Return True in the first iteration."""
        return iteration == 0

    def before_sweep(self):
        wp.copy(self.relaxation, self.model.relaxation)
        wp.copy(self.model.relaxation, self.plain)

    def after_sweep(self):
        wp.copy(self.model.relaxation, self.relaxation)


class Sweeps(RecordedStage):
    """Visits every free vertex once per `sweep()`; with contact, commits each color separately."""

    def __init__(self, model):
        untouched = model.augmented.copy()
        untouched[model.assembly.rigid.corners] = True
        self.untouched = model.upload(untouched.astype(np.int32), int)
        super().__init__(model)

    def record(self):
        model = self.model
        searches, is_wide = model.settings.line_search, model.launches.are_wide
        kernels, team = model.kernels, ALONE
        largest = np.diff(model.color_start).max(initial=0)
        if is_wide and not searches and largest <= SHARED:
            is_cpu = model.device.is_cpu
            team = FIRST_OF_EIGHT if is_cpu else EIGHT
            kernels = vertex_kernels(model.assembly.kinds, model.terms, is_cpu, team)
        colors = [int(start) for start in model.color_start]
        colors = colors[: 1 + sum(first < model.assembly.rigid_start for first in colors[:-1])]
        settling = None if searches or not is_wide else self._settling()
        if settling and len(colors) > 1:
            stages = [[self._in_turns(settling, team, colors)]]
        else:
            kernel = kernels.search if searches else kernels.solve
            solves = self._color_by_color(kernel, team, colors)
            stages = [stage for color in solves for stage in self._visits(*color)]
        stages += [stage for color in self._of_rigid_bodies() for stage in self._visits(*color)]
        self.visits = SharedLaunches(stages)

    def _settling(self):
        """Return what settles colors within the launch of a sweep; None where that cannot be."""
        contact = self.model.contact
        return Settling() if contact is None else contact.truncation.within_sweeps()

    def _color_by_color(self, kernel, team, colors):
        """Yield the launch of each color, with its range of vertices."""
        model = self.model
        # A line search moves vertices to and fro, and contact partners of the same color read them.
        whole = model.settings.line_search and model.contact is not None
        costs = visit_costs(model)
        for first, last in pairwise(colors):
            inputs = [wp.vec2i(first, last), model.objective, model.elements, model.relaxation]
            solve = model.launches.record(
                kernel,
                last - first,
                inputs,
                [model.x, model.candidate, model.touched, model.rejected],
                cost=0.0 if whole else costs[first:last],
                first=first,
                team=team.size,
            )
            yield solve, first, last

    def _in_turns(self, settling, team, colors):
        """Return the launch of all colors, whose blocks wait for those of the colors before."""
        model, threads = self.model, int(THREADS)
        works, before, followers = [], [], [np.zeros(0, dtype=np.int32)]
        points = settling.points[1] - settling.points[0]
        for first, last in pairwise(colors):
            color = first, last
            steps = [(SOLVE, team.size * (last - first), color)]
            if model.contact is not None:
                follow = sum(map(len, followers))
                followers.append(model.followers.moved[color].numpy())
                steps.append((BOUND, points, color))
                steps += [(work, last - first, color) for work in (TRUNCATE, COMMIT)]
                end = follow + len(followers[-1])
                steps.append((FOLLOW, end - follow, (follow, end)))
            for work, count, things in steps:
                ended = len(works)
                works += [(int(work), begin, *things) for begin in range(0, count, threads)]
                before += [ended] * (len(works) - ended)
        settling.followers = model.upload(np.concatenate(followers), int)
        works = model.upload(np.array(works, np.int32), wp.vec4i)
        before = model.upload(np.array(before, np.int32), int)
        inputs = [works, before, model.objective, model.elements, model.relaxation, settling]
        turns = wp.zeros(TURNS, dtype=int, device=model.device)
        outputs = [model.x, model.candidate, model.touched, model.rejected, turns]
        kernel = sweep_kernel(model.assembly.kinds, model.terms, model.device.is_cpu, team)
        return model.launches.record(kernel, len(works), inputs, outputs, tile_threads=threads)

    def _of_rigid_bodies(self):
        """Return the launches of the colors of rigid bodies, with their ranges of vertices."""
        model, solves = self.model, []
        for first, last in pairwise(int(start) for start in model.color_start):
            if first >= model.assembly.rigid_start:
                begin, count = model.rigid.within(first, last)
                solve = model.launches.record(
                    body_kernel(model.terms),
                    count,
                    [wp.vec2i(first, last), *model.rigid.solving(), model.objective],
                    [model.rigid.struct, model.x, model.candidate, model.touched, model.rejected],
                    cost=model.rigid.costs()[begin : begin + count],
                    first=begin,
                )
                solves.append((solve, first, last))
        return solves

    def _visits(self, solve, first, last):
        """Return the launch stages of a color, which begin with the launch `solve`."""
        model = self.model
        if model.contact is None:
            return [[solve]]
        return model.contact.settling(solve, first, last)

    def begin_frame(self, _frame, _time):
        """Reset the count of steps that are not taken."""
        self.model.rejected.zero_()

    def begin_step(self):
        """Mark vertices with multipliers as touched: those are never extrapolated."""
        wp.copy(self.model.touched, self.untouched)

    def sweep(self):
        """Visit every free vertex once."""
        self.visits()
