# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of positions, which vertices move to only so far that surfaces stay apart."""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.contact import truncation as kernels
from ..kernels.contact import trust_radii

# A vertex may move this part of the contact offset more than it is expected to between searches...
SLACK = 0.25
# ... and never more than this part of the spacing of its mesh.
LONGEST_TRUST_RADIUS = 0.5
# Rough cost of a move [ns].
MOVE = 30.0


class Truncation:
    """Trust radii of vertices, and their steps from `model.x` to `candidate`.

    `cut` [vertex] is what has ended the last step of each (kernels/contact/truncation.py).
    """

    def __init__(self, model, struct, watch, settings):
        self.model, self.struct, self.watch = model, struct, watch
        self.on, self.slack_at_start = settings.truncation, SLACK
        if settings.quasistatic:
            self.slack_at_start = np.inf
        surface, count = model.surface, len(model.surface.body)
        longest = np.maximum(LONGEST_TRUST_RADIUS * surface.spacing, 2.0 * SLACK * surface.radius)
        longest[surface.spacing == 0.0] = np.inf  # no surface
        self.longest = model.upload(longest, float)
        self.candidate, self.x_found = wp.clone(model.x), wp.clone(model.x)
        self.slack, self.fraction = (
            wp.zeros(count, dtype=float, device=model.device) for _ in range(2)
        )
        self.cut = wp.zeros(count, dtype=int, device=model.device)
        self.stuck = wp.zeros(3, dtype=int, device=model.device)
        self.travelled = wp.zeros(1, dtype=int, device=model.device)
        self.kernels = kernels.truncation_kernels(surface.points.width)
        model.launches.expect(self.kernels.truncate, self.kernels.alert_partners)
        self.radii, self.settling = {}, {}
        self._record_way()

    def begin_step(self):
        """Forget what has held vertices back, and who has moved too far for it."""
        self.slack.fill_(self.slack_at_start)
        self.cut.zero_()
        self.stuck.zero_()

    def begin_search(self, growth):
        """Trust radii for what lies ahead; the slack of what they cut short grows by a factor."""
        if growth not in self.radii:
            self.radii[growth] = self._record_radii(growth)
        play(self.radii[growth])

    def _record_radii(self, growth):
        model, radius, record = self.model, self.struct.trust_radius, self.model.launches.record
        inputs = [model.x, model.inertial, model.contact_model.state.radius, self.longest, self.cut]
        outputs, embedding = [self.slack, radius, self.x_found], model.contact_model.embedding
        of_points, points = trust_radii.set_point_trust_radii, len(model.surface.points)
        return [
            record(trust_radii.set_trust_radii, len(self.cut), [*inputs, growth], outputs),
            record(of_points, points, [embedding], [radius]),
        ]

    def end_search(self):
        """Nothing is stuck any more, as far as is known."""
        self.stuck.zero_()
        self.travelled.zero_()
        self.watch.alert_all()

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
            self.watch.alarm.fill_(1)
            self.stuck.fill_(1)  # who knows
            return
        self._renew()
        if (first, last) not in self.settling:
            self.settling[first, last] = self._record(first, last)
        play(self.settling[first, last])

    def _record(self, first, last):
        model, watch, candidate = self.model, self.watch, self.candidate
        state, lists, record = model.contact_model.state, model.lists.all, model.launches.record
        count = last - first
        # A vertex may carry several embedded points.
        each = 4.0 if len(model.surface.points) else 1.0
        steps = [model.contact_model.embedding, wp.vec2i(first, last), model.x, candidate]
        return [
            record(
                self.kernels.alert_partners,
                count,
                [*steps, watch.x_seen, watch.least_gap, watch.room, lists, watch.all_alert],
                [watch.awake, watch.alert, watch.alarm],
                each * MOVE,
                first,
            ),
            record(
                self.kernels.truncate,
                count,
                [*steps, self.x_found, self.struct.trust_radius, lists, watch.alert],
                [self.fraction, self.cut],
                4.0 * each * MOVE,
                first,
            ),
            record(
                kernels.commit,
                count,
                [self.fraction, candidate, self.cut, state.radius, SLACK],
                [model.x, self.stuck, self.travelled],
                MOVE,
                first,
            ),
        ]

    def truncated_count(self):
        """Vertices whose last step a pair has cut short."""
        return int((self.cut.numpy() == kernels.BY_PAIR).sum())
