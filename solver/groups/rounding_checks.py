# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of common moves: a group is restored where rounding lets anything pass through."""

from functools import partial

import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.groups import rounding_checks as kernels

# Rough cost to check a pair, and to move a vertex [ns].
PAIR, MOVE = 10.0, 3.0


class RoundingChecks:
    """Checks the positions of groups after a move, and restores those that may have passed through.

    `group` [body] are numbers of groups; `unmoved` [group] marks groups that have not moved, and
    restored ones. Groups have moved from `before` [vertex, m], and are restored to the positions at
    the last `save()`.
    """

    def __init__(self, model, group, unmoved, before=None):
        self.model, self.groups = model, (group, unmoved)
        self.saved = wp.clone(model.x)
        self.before = self.saved if before is None else before
        self.any_changed = wp.zeros(1, dtype=int, device=model.device)
        self.of_rigid, self.poses, self.saved_poses = [], [], []
        if model.rigid:
            self.poses = [model.rigid.struct.center, model.rigid.struct.turn]
            self.saved_poses = [wp.clone(values) for values in self.poses]
            restoring = model.rigid.restoring(group, unmoved, self.saved_poses)
            self.of_rigid = [restoring, model.rigid.follow]
        self.record()

    def record(self):
        """Record all launches with the current lists."""
        model, lists, struct = self.model, self.model.lists, self.model.contact.struct
        self.revision, (group, unmoved) = lists.revision, self.groups
        inputs = [self.before, model.x, lists.counts, lists.pairs, struct, group]
        outputs, extent = [unmoved, self.any_changed], (lists.capacity, lists.expected)
        self.find = model.launches.record_list(kernels.find_changed, *extent, inputs, outputs, PAIR)
        inputs = [self.saved, struct.body, group, unmoved]
        self.restoring = model.launches.record(
            kernels.restore, model.vertex_count, inputs, [model.x], MOVE
        )

    def save(self):
        """Save all positions before a move."""
        wp.copy(self.saved, self.model.x)
        for values, now in zip(self.saved_poses, self.poses, strict=True):
            wp.copy(values, now)

    def __call__(self, then=None):
        """Restore unsafe moves, and call `then` if there are any."""
        if not self.model.contact.truncation.on:  # nothing is checked
            return
        if self.revision != self.model.lists.revision:
            self.record()
        self.any_changed.zero_()
        self.find()
        when(self.any_changed, partial(self._restore, then))

    def _restore(self, then):
        play([self.restoring, *self.of_rigid, self.model.contact.follow])
        if then is not None:
            then()
