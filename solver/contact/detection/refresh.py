# SPDX-License-Identifier: GPL-3.0-or-later
"""Refresh of contact pairs: closest points, normals, and the slack between their sides."""

import math

import warp as wp

from ...device.launches import play
from ...kernels.contact.detection import refresh
from ...kernels.contact.feasibility.pair_bounds import Watch

# Rough cost of a pair, of its entry in a list, and of a vertex's displacement [ns].
CHECK, ENTRY, DISPLACEMENT = 20.0, 2.0, 5.0


class Gaps:
    """Slack of pairs as known between two measurements; arrays per vertex.

    `watch` holds it on the device. `stride` [m] is how far a vertex goes between two checks, the
    last of which was at `x_checked`.
    """

    def __init__(self, model):
        count, device, self.watch = len(model.x), model.device, Watch()
        self.watch.x_measured, self.x_checked = wp.clone(model.x), wp.clone(model.x)
        self.watch.least_gap, self.watch.farthest, self.stride, self.watch.bound = (
            wp.zeros(count, dtype=float, device=device) for _ in range(4)
        )
        self.watch.bound.fill_(1.0)
        self.watch.kinematic_start = model.free_count
        # Side by side: one launch sets both.
        self.flags = wp.ones(2, dtype=int, device=device)
        self.watch.unknown, self.watch.is_stale = self.flags[:1], self.flags[1:]
        self.watch.displacements = wp.zeros(count, dtype=wp.vec4, device=device)
        self.watch.changed = wp.zeros(count, dtype=int, device=device)
        self.watch.together = wp.zeros(0, dtype=int, device=device)

    def forget(self):
        """Mark all gaps as unknown until pairs are refreshed."""
        self.flags.fill_(1)

    def begin_step(self, x):
        """Begin displacements at x [m], with unknown strides."""
        wp.copy(self.x_checked, x)
        self.stride.fill_(math.inf)


class Refresh:
    """Finds the present closest points and normals of all pairs, and the vertices they may act on.
    `colliders_move` is given as a frame begins.
    """

    def __init__(self, model, gaps):
        self.model, self.gaps, self.colliders_move = model, gaps, True
        self._record()

    def begin_frame(self, colliders_move):
        """Leave out the displacements of colliders at rest."""
        if colliders_move != self.colliders_move:
            self.colliders_move = colliders_move
            self.gaps.watch.displacements.zero_()
            self._record()

    def run(self):
        if self.revision != self.model.lists.revision:
            self._record()
        play(self.launches)
        self.gaps.flags.zero_()

    def renew_planes(self):
        """Let the normals of all pairs separate their sides as they are now."""
        if self.revision != self.model.lists.revision:
            self._record()
        self.move_planes()

    def _record(self):
        model, watch, lists = self.model, self.gaps.watch, self.model.lists
        self.revision, record = lists.revision, model.launches.record
        inputs = [model.x, model.x_start, lists.pairs, lists.pulled, lists.counts]
        outputs = [watch, lists.activity, lists.touches, lists.state]
        extent = lists.capacity, lists.expected
        near, around = [lists.near.entry, lists.near.end, lists.all.gap], [model.x, lists.counts]
        self.move_planes = model.launches.record_list(
            refresh.renew_planes, *extent, around, [lists.pairs], CHECK
        )
        self.launches = [
            *self._finding_displacements(),
            model.launches.record_list(refresh.refresh_pairs, *extent, inputs, outputs, CHECK),
            record(
                refresh.gather_near,
                lists.vertex_count,
                [model.x, lists.all, lists.state],
                [watch, *near],
                ENTRY * (1 + 4 * lists.expected / lists.vertex_count),
            ),
        ]

    def _finding_displacements(self):
        """Yield launches that find the displacements of all vertices that may move."""
        model, gaps, surface = self.model, self.gaps, self.model.surface
        inputs, count = [model.x, model.contact_model.state.radius], model.lists.vertex_count
        outputs = [gaps.x_checked, gaps.stride, gaps.watch]
        before, behind = (0, surface.collider_start), (surface.point_start, count)
        for first, end in [(0, count)] if self.colliders_move else [before, behind]:
            yield model.launches.record(
                refresh.find_displacements, end - first, inputs, outputs, DISPLACEMENT, first
            )
