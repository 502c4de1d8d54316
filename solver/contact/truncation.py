# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of positions, which vertices move to only so far that surfaces stay apart."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.contact import truncation as kernels
from ..kernels.contact import trust_radii
from ..kernels.contact.pair_bounds import points_kernel
from ..kernels.contact.trust_radii import NEXT, SOME, WHOLE

# A vertex may move this part of the contact offset more than it is expected to between searches...
SLACK = 0.25
# ... and never more than this part of the spacing of its mesh.
LONGEST_TRUST_RADIUS = 0.5
# Of that it has at least this part as slack, which makes lists hardly longer.
LEAST_SLACK = 0.1
# What trust radii have cut short gets this many times the slack after every search in a step.
MORE_SLACK = 4.0
# Rough cost of a move, and of a look at a pair [ns].
MOVE, LOOK = 30.0, 20.0


class Truncation:
    """Trust radii of vertices, and their steps from `model.x` to `candidate`.

    `cut` [vertex] is what has ended the last step of each (kernels/contact/truncation.py).
    """

    def __init__(self, model, struct, gaps, settings):
        self.model, self.struct, self.gaps = model, struct, gaps
        self.on = settings.truncation
        surface, count = model.surface, len(model.surface.body)
        longest = np.maximum(LONGEST_TRUST_RADIUS * surface.spacing, 2.0 * SLACK * surface.radius)
        longest[surface.spacing == 0.0] = np.inf  # no surface
        self.longest = model.upload(longest, float)
        least = SLACK * surface.radius
        if not settings.is_accelerated:  # what extrapolates is better held back
            free = slice(model.free_count)  # animation goes where it is expected
            least[free] = np.maximum(least[free], LEAST_SLACK * longest[free])
        if settings.quasistatic:
            least = np.full_like(longest, np.inf)
        self.least_slack = model.upload(least, float)
        self.slack = wp.clone(self.least_slack)
        self.candidate, self.x_found = wp.clone(model.x), wp.clone(model.x)
        self.fraction = wp.zeros(count, dtype=float, device=model.device)
        self.cut = wp.zeros(count, dtype=int, device=model.device)
        self.stuck = wp.zeros(5, dtype=int, device=model.device)
        self.travelled, self.any_renewed = (
            wp.zeros(1, dtype=int, device=model.device) for _ in range(2)
        )
        # Whether nothing is known of where regions are; how far each vertex touched in its own,
        # and how much of that it had used as the step began.
        self.is_lost = wp.ones(1, dtype=int, device=model.device)
        self.reach, self.spent = (
            wp.zeros(count, dtype=float, device=model.device) for _ in range(2)
        )
        width = surface.points.width
        self.truncate = kernels.truncation_kernel(width)
        self.lower_bounds = points_kernel(width) if width else None
        model.launches.expect(self.truncate, *([self.lower_bounds] if width else []))
        self.settling = {}
        self._record_regions()
        self._record_way()

    @property
    def kept(self):
        """What passes from one substep to the next."""
        found = {"x_found": self.x_found, "reach": self.reach, "is_lost": self.is_lost}
        return {"slack": self.slack, "spent": self.spent, **found}

    def tell_lack_of_room(self, flag):
        """Tell, in an array of one int, whether trust regions have ended steps."""
        wp.copy(flag, self.stuck, 0, int(kernels.BY_TRUST_RADIUS), 1)

    def begin_step(self):
        """Forget what has held vertices back, and who has moved too far for it."""
        self.calm_down()
        self.cut.zero_()
        self.stuck.zero_()

    def begin_approach(self, who):
        """Trust regions for the way to the candidates: of the WHOLE surface, or of what has used
        up its own or, in the NEXT step, will on that way.
        """
        self.any_renewed.zero_()
        play(self.approaching[who])

    def begin_search(self, who):
        """Trust regions for what lies ahead. What the last ones have cut short gets more slack."""
        self.any_renewed.zero_()
        play(self.searching[who])

    def lose_regions(self):
        """Know nothing of regions any more, until they are set anew."""
        wp.copy(self.x_found, self.model.x)
        self.spent.zero_()
        self.is_lost.fill_(1)

    @contextmanager
    def without_regions(self):
        """Within, everything is where it is and goes nowhere; behind that regions are as before."""
        regions = self.struct.trust_radius, self.struct.path
        arrays = *regions, self.x_found
        kept = [wp.clone(array) for array in arrays]
        for array in regions:
            array.zero_()
        wp.copy(self.x_found, self.model.x)
        yield
        for array, values in zip(arrays, kept, strict=True):
            wp.copy(array, values)

    def _record_regions(self):
        model, struct, record = self.model, self.struct, self.model.launches.record
        count, embedding = len(self.cut), model.contact_model.embedding
        ended = [self.least_slack, model.x, self.x_found, struct.path]
        self.calm_down = record(
            trust_radii.calm_down, count, ended, [self.slack, self.spent], MOVE / 2
        )
        regions = [struct.trust_radius, struct.path, self.x_found, self.reach]
        regions += [struct.renewed, self.any_renewed]
        multiplier = model.contact_model.state.multiplier
        points = [embedding, model.x, multiplier]
        seen = [model.x, self.x_found, struct.path]
        ahead = record(trust_radii.look_ahead, count, seen, [struct.ahead])
        # What is left of the way is expected, and needs no more slack.
        ways = (0, self.candidate, 1.0), (model.free_count, model.inertial, MORE_SLACK)
        common = [model.inertial, self.longest, self.cut, multiplier]
        self.approaching, self.searching = (
            {
                who: [
                    record(
                        trust_radii.set_trust_regions,
                        model.surface.point_start,
                        [int(who), first, growth, model.x, goal, *common],
                        [self.slack, self.spent, *regions],
                        MOVE / 2,
                    ),
                    record(
                        trust_radii.set_point_trust_regions,
                        len(model.surface.points),
                        [int(who), *points],
                        regions,
                    ),
                    ahead,
                ]
                for who in (SOME, WHOLE, NEXT)
            }
            for first, goal, growth in ways
        )

    def end_search(self):
        """Nothing is stuck any more, as far as is known."""
        self.stuck.zero_()
        self.travelled.zero_()
        self.gaps.forget()

    def make_way(self):
        """Let what is free give way to what is moved by animation towards it."""
        self._renew()
        self.giving_way()

    def _renew(self):
        """Record anew what holds lists that have been replaced."""
        if self.revision != self.model.lists.revision:
            self._record_way()
            self.settling = {}

    def _record_way(self):
        model = self.model
        self.revision = model.lists.revision
        kinematic = wp.vec2i(model.free_count, model.kinematic_end)
        inputs, outputs = [kinematic, model.x, model.lists.all], [self.candidate]
        self.giving_way = model.launches.record(
            kernels.make_way, model.free_count, inputs, outputs, 4 * MOVE
        )

    def settle(self, first, last):
        """Move the vertices from `first` to `last` to their candidates, as far as they may."""
        if last <= first:
            return
        if not self.on:
            wp.copy(self.model.x, self.candidate, first, first, last - first)
            self.gaps.watch.alarm.fill_(1)
            self.stuck.fill_(1)  # who knows
            return
        self._renew()
        if (first, last) not in self.settling:
            self.settling[first, last] = list(self._record(first, last))
        play(self.settling[first, last])

    def settling_behind(self, solve, first, last):
        """Stages that do the same behind the launch `solve`, which gives vertices of a color their
        candidates.
        """
        if not self.on:
            return [[solve], [partial(self.settle, first, last)]]
        self._renew()
        return [[solve], *([launch] for launch in self._record(first, last, solve))]

    def _record(self, first, last, like=None):
        model, record, count = self.model, self.model.launches.record, last - first
        steps, lists = [wp.vec2i(first, last), model.x, self.candidate], model.lists.all
        contact, watch, points = model.contact_model, self.gaps.watch, model.surface.points
        limits, state = [model.x_start, self.x_found, self.struct, lists], contact.state
        # A vertex may carry several embedded points.
        each = 4.0 if len(points) else 1.0
        if len(points):
            yield record(
                self.lower_bounds,
                len(points),
                [*steps, lists, contact.embedding],
                [watch],
                MOVE,
                model.surface.point_start,
            )
        yield record(
            self.truncate,
            count,
            [contact, *steps, *limits],
            [watch, self.fraction, self.cut],
            4.0 * each * MOVE,
            first,
        )
        yield record(
            kernels.commit,
            count,
            [self.fraction, self.candidate, self.cut, state.radius, SLACK, model.free_count],
            [model.x, self.stuck, self.travelled],
            MOVE,
            first,
            like=like,
        )
