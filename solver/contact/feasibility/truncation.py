# SPDX-License-Identifier: GPL-3.0-or-later
"""Truncation of steps to candidate positions, so that surfaces stay apart."""

from functools import partial

import warp as wp

from ...device.launches import play
from ...kernels.contact.feasibility import truncation as kernels
from ...kernels.contact.feasibility.pair_bounds import points_kernel
from ...kernels.contact.feasibility.turned_planes import turn_planes
from .rigid_pairs import RigidPairs
from .trust_regions import SLACK, TrustRegions

# Rough cost of a move [ns].
MOVE = 30.0


class Truncation:
    """Steps of vertices from `model.x` to `candidate`, as far as pairs and `regions` allow.

    `cut` [vertex] is the limit that ended the last step of each
    (kernels/contact/feasibility/truncation.py).
    """

    def __init__(self, model, struct, gaps, settings):
        self.model, self.gaps = model, gaps
        self.on = settings.truncation
        count = len(model.surface.body)
        self.candidate = wp.clone(model.x)
        self.fraction = wp.zeros(count, dtype=float, device=model.device)
        self.cut = wp.zeros(count, dtype=int, device=model.device)
        self.stuck = wp.zeros(5, dtype=int, device=model.device)
        self.needs_search = wp.zeros(1, dtype=int, device=model.device)
        self.regions = TrustRegions(model, struct, settings, self.candidate, self.cut)
        width = model.surface.points.width
        self.truncate = kernels.truncation_kernel(width)
        self.lower_bounds = points_kernel(width) if width else None
        model.launches.expect(self.truncate, *([self.lower_bounds] if width else []))
        self.settling, self.turns = {}, {}
        # Not when they are recorded: that may be within a graph, where nothing can be allocated.
        are_several = self.on and model.rigid and model.rigid.count > 1
        self.rigid_pairs = RigidPairs(self) if are_several else None
        self._record_yielding()

    def begin_step(self):
        """Forget which limits ended steps, and shrink slack that was not needed."""
        self.regions.shrink_slack()
        self.cut.zero_()
        self.stuck.zero_()

    def end_search(self):
        """Forget which limits ended steps, and the measured gaps."""
        self.stuck.zero_()
        self.needs_search.zero_()
        self.gaps.forget()

    def yield_to_kinematic(self):
        """Let free vertices yield to kinematic ones that move towards them."""
        self._update_launches()
        self.yielding()

    def _update_launches(self):
        """Record launches again if lists have been replaced."""
        if self.revision != self.model.lists.revision:
            self._record_yielding()
            self.settling, self.turns = {}, {}

    def _record_yielding(self):
        model = self.model
        self.revision = model.lists.revision
        kinematic = wp.vec2i(model.free_count, model.kinematic_end)
        inputs, outputs = [kinematic, model.x, model.lists.all], [self.candidate]
        self.yielding = model.launches.record(
            kernels.yield_to_kinematic, model.free_count, inputs, outputs, 4 * MOVE
        )

    def settle(self, first, last, together=False):
        """Move the vertices from `first` to `last` to their candidates, as far as they may. If all
        rigid bodies are among them, these may move `together`.
        """
        if last <= first:
            return
        if not self.on:
            rigid = self.model.rigid
            if rigid and rigid.within(first, last)[1]:
                self._settle_rigid(first, last)
            else:
                wp.copy(self.model.x, self.candidate, first, first, last - first)
            self.gaps.watch.is_stale.fill_(1)
            self.stuck.fill_(1)  # unknown
            return
        self._update_launches()
        pairs = self.rigid_pairs if together else None
        key = first, last, pairs is not None
        if key not in self.settling:
            launches = pairs.launches if pairs else self.record
            self.settling[key] = list(launches(first, last))
        play(self.settling[key])

    def _settle_rigid(self, first, last):
        """Move all vertices of a range with rigid bodies to their candidates."""
        if (first, last) not in self.settling:
            rigid = self.model.rigid
            self.settling[first, last] = [
                rigid.making(first, last, self.candidate),
                partial(wp.copy, self.model.x, self.candidate, first, first, last - first),
                rigid.taking_all(first, last),
            ]
        play(self.settling[first, last])

    def settling_behind(self, solve, first, last):
        """Return stages that `settle` behind the launch `solve`, which gives vertices of a color
        their candidates.
        """
        if not self.on:
            return [[solve], [partial(self.settle, first, last)]]
        self._update_launches()
        return [[solve], *([launch] for launch in self.record(first, last, like=solve))]

    def within_sweeps(self):
        """Return what the launch of a whole sweep needs to settle its colors (`Settling`), but for
        followers; None where rigid bodies take other launches in between.
        """
        if not self.on or self.model.rigid:
            return None
        self._update_launches()
        settling = kernels.Settling()
        settling.regions, settling.lists = self.regions.struct, self.model.lists.all
        settling.watch, settling.slack = self.gaps.watch, SLACK
        surface, settling.free_count = self.model.surface, self.model.free_count
        settling.points = wp.vec2i(surface.point_start, len(surface.body))
        for name in ("fraction", "cut", "stuck", "needs_search"):
            setattr(settling, name, getattr(self, name))
        return settling

    def turn(self, first, last):
        """Turn the planes of pairs with rigid bodies behind steps of a range."""
        if (first, last) not in self.turns:
            self.turns[first, last] = self.turning(first, last)
        play(self.turns[first, last])

    def turning(self, first, last):
        """Return the launches, behind steps of a range, that turn planes with rigid bodies."""
        rigid, lists = self.model.rigid, self.model.lists.all
        if not (self.on and rigid and rigid.within(first, last)[1]):
            return []
        begin, end = rigid.points_within(first, last)
        inputs, outputs = [wp.vec2i(begin, end), self.model.x], [lists, self.gaps.watch]
        kernel, record = turn_planes, self.model.launches.record
        return [record(kernel, end - begin, inputs, outputs, MOVE, begin)]

    def record(self, first, last, watch=None, like=None):
        """Yield the launches of a step of each vertex by itself; `watch` has the bounds that pairs
        set, those of `gaps` by default, and `like` a launch whose threads the last one has.
        """
        model, record, count = self.model, self.model.launches.record, last - first
        steps, lists = [wp.vec2i(first, last), model.x, self.candidate], model.lists.all
        contact, watch = model.contact_model, watch or self.gaps.watch
        points = model.surface.points
        limits, state = [model.x_start, self.regions.struct, lists], contact.state
        # A vertex may carry several embedded points.
        each = 4.0 if len(points) else 1.0
        rigid = model.rigid and model.rigid.within(first, last)[1]
        if rigid:
            yield model.rigid.making(first, last, self.candidate)
        begin, end = model.surface.point_start, len(model.surface.body)
        if rigid and first >= model.rigid.first and last <= model.rigid.end:  # no other points move
            begin, end = model.rigid.points_within(first, last)
        if len(points):
            inputs = [*steps, lists, contact.embedding]
            yield record(self.lower_bounds, end - begin, inputs, [watch], MOVE, begin)
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
            [model.x, self.stuck, self.needs_search],
            MOVE,
            first,
            like=None if rigid else like,
        )
        if rigid:
            yield model.rigid.taking(first, last, self)
