# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of several rigid bodies at once (kernels/contact/feasibility/rigid_pairs.py)."""

from functools import partial

import warp as wp

from ...device.conditions import repeat_while, when
from ...device.launches import play
from ...kernels.contact.feasibility import rigid_pairs as kernels
from ...kernels.contact.feasibility.pair_bounds import Watch
from ...kernels.rigid import groups, rounds

# Rough cost of the pairs of a point, and of a body [ns].
POINT, BODY = 200.0, 100.0


class RigidPairs:
    """Fractions of their steps that rigid bodies take together, within a `Truncation`."""

    def __init__(self, truncation):
        model, fractions = truncation.model, kernels.Fractions()
        self.truncation, self.model, self.fractions = truncation, model, fractions
        count, device = model.rigid.count, model.device
        for name, size, dtype in (
            *((name, count, float) for name in ("taken", "lowered")),
            *((name, count, int) for name in ("has_changed", "together")),
            *((name, 1, int) for name in ("goes_on", "is_unsettled", "round")),
        ):
            setattr(fractions, name, wp.zeros(size, dtype=dtype, device=device))
        finding = groups.find_free, kernels.lower_fractions
        model.launches.expect(*finding, rounds.begin_fractions, rounds.end_round)

    def _watch(self):
        """Return the `Watch` of truncation by all but the pairs of these bodies."""
        watch = Watch()
        for name in Watch.vars:
            setattr(watch, name, getattr(self.truncation.gaps.watch, name))
        watch.together = self.fractions.together
        return watch

    def launches(self, first, last):
        """Return the launches of a step of the vertices from `first` to `last`, with all rigid
        bodies among them.
        """
        model, record, truncation = self.model, self.model.launches.record, self.truncation
        making, points, truncate, commit, taking = truncation.record(first, last, self._watch())
        _, *standing, _, _ = truncation.record(first, last)
        finding = model.rigid.finding_free(self.fractions.together)
        moving = [wp.vec2i(first, last), model.x, truncation.candidate, model.lists.all]
        inputs = [*moving, model.contact_model.embedding, truncation.gaps.watch]
        begin, end = model.rigid.points_within(first, last)
        kernel, out = kernels.lower_fractions, [self.fractions]
        lowering = record(kernel, end - begin, inputs, out, POINT, begin)
        count, state = model.rigid.count, [truncation.regions.struct, model.rigid.struct]
        out = [truncation.fraction, truncation.cut, self.fractions]
        beginning = record(rounds.begin_fractions, count, state, out, BODY)
        ending = record(rounds.end_round, 1, [count, *state], out)
        repeat = partial(repeat_while, self.fractions.goes_on, partial(play, [lowering, ending]))
        fallback = partial(when, self.fractions.is_unsettled, partial(play, standing))
        return [finding, making, points, truncate, beginning, repeat, fallback, commit, taking]
