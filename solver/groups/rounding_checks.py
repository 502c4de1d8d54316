# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves that groups of bodies make together are taken back where rounding lets anything through."""

from functools import partial

import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.groups import rounding_checks as kernels

# Rough cost of a pair, and of moving a vertex [ns].
PAIR, MOVE = 10.0, 3.0


class RoundingChecks:
    """Looks at where groups have got by a move, and takes it back where they must not have made it.

    `group` [body] are numbers of groups, `stays` [group] tells which of them have not moved; those
    that are taken back are added. They have moved from `before` [vertex, m], and go back to where
    they were when `keep` was called.
    """

    def __init__(self, model, group, unmoved, before=None):
        self.model, self.groups = model, (group, unmoved)
        self.saved = wp.clone(model.x)
        self.before = self.saved if before is None else before
        self.any_changed = wp.zeros(1, dtype=int, device=model.device)
        self.record()

    def record(self):
        """Make all launches with the lists of now."""
        model, lists, struct = self.model, self.model.lists, self.model.contact.struct
        self.revision, (group, unmoved) = lists.revision, self.groups
        inputs = [self.before, model.x, lists.counts, lists.pairs, struct, group]
        outputs, extent = [unmoved, self.any_changed], (lists.capacity, lists.expected)
        self.find = model.launches.record_list(kernels.find_changed, *extent, inputs, outputs, PAIR)
        inputs = [self.saved, struct.body, group, unmoved]
        self.restoring = model.launches.record(
            kernels.restore, model.vertex_count, inputs, [model.x], MOVE
        )

    def keep(self):
        """Know where everything is before a move."""
        wp.copy(self.saved, self.model.x)

    def __call__(self, then=None):
        """Take back what a move must not have done, and do what is to be done `then`."""
        if not self.model.contact.truncation.on:  # anything may pass
            return
        if self.revision != self.model.lists.revision:
            self.record()
        self.any_changed.zero_()
        self.find()
        when(self.any_changed, partial(self._restore, then))

    def _restore(self, then):
        play([self.restoring, self.model.contact.follow])
        if then is not None:
            then()
