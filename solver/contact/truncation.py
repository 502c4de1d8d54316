# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of positions, which vertices move to only so far that surfaces stay apart."""

import numpy as np
import warp as wp

from ..kernels.contact import truncation as kernels
from ..kernels.contact import trust_radii

# A vertex may move this part of the contact offset more than it is expected to between searches...
SLACK = 0.25
# ... and never more than this part of the spacing of its mesh.
LONGEST_TRUST_RADIUS = 0.5
# More vertices than this part are many: when their trust radii hold them back, a search is due.
MANY = 0.01
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
        self.recorded, self.revision = {}, -1
        of_steps = self.kernels.truncate, self.kernels.alert_partners, kernels.make_way
        model.launches.expect(trust_radii.set_trust_radii, *of_steps)

    def begin_step(self):
        """Forget what has held vertices back, and who has moved too far for it."""
        self.slack.fill_(self.slack_at_start)
        self.cut.zero_()
        self.stuck.zero_()

    def begin_search(self, growth):
        """Trust radii for what lies ahead; the slack of what they cut short grows by a factor."""
        model, radius = self.model, self.struct.trust_radius
        inputs = [model.x, model.inertial, model.contact_model.state.radius, self.longest, self.cut]
        outputs = [self.slack, radius, self.x_found]
        model.launches.run(trust_radii.set_trust_radii, len(self.cut), [*inputs, growth], outputs)
        points = len(model.surface.points)
        inputs = [model.contact_model.embedding]
        model.launches.run(trust_radii.set_point_trust_radii, points, inputs, [radius])

    def end_search(self):
        """Nothing is stuck any more, as far as is known."""
        self.stuck.zero_()
        self.travelled.zero_()
        self.watch.alert_all()

    def make_way(self):
        """Let what is free give way to what is moved by animation towards it."""
        model = self.model
        kinematic = wp.vec2i(model.free_count, model.kinematic_end)
        inputs = [kinematic, model.x, model.lists.all]
        count, outputs = model.free_count, [self.candidate]
        model.launches.run(kernels.make_way, count, inputs, outputs, 4 * MOVE)

    def settle(self, first, last):
        """Move the vertices from `first` to `last` to their candidates, as far as they may."""
        if last <= first:
            return
        if not self.on:
            wp.copy(self.model.x, self.candidate, first, first, last - first)
            self.watch.alarm.fill_(1)
            return
        if self.revision != self.model.lists.revision:
            self.recorded, self.revision = {}, self.model.lists.revision
        if (first, last) not in self.recorded:
            self.recorded[first, last] = self._record(first, last)
        alert_partners, *moves = self.recorded[first, last]
        if not self.watch.all_alert:
            alert_partners()
        for launch in moves:
            launch()

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
                [*steps, watch.x_seen, watch.least_gap, watch.room, lists],
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

    @property
    def is_stuck(self):
        """Whether a step was cut short since the last search."""
        return not self.on or bool(self.stuck.numpy().any())

    @property
    def is_capped(self):
        """Whether trust radii alone have cut short the last steps of many vertices."""
        if not self.stuck.numpy()[kernels.BY_TRUST_RADIUS]:
            return False
        capped = (self.cut.numpy() == kernels.BY_TRUST_RADIUS).sum()
        return bool(capped > MANY * len(self.model.surface.vertices))

    @property
    def has_travelled(self):
        """Whether a vertex has used up its slack since the last search."""
        return bool(self.travelled.numpy()[0])

    def truncated_count(self):
        """Vertices whose last step a pair has cut short."""
        return int((self.cut.numpy() == kernels.BY_PAIR).sum())
