# SPDX-License-Identifier: GPL-3.0-or-later
"""What the contact pairs are now, and who is watched meanwhile."""

import math

import warp as wp

from ..device.launches import play
from ..kernels.contact import refresh
from ..kernels.contact.alerts import ANYWHERE

# Rough cost of looking at a pair, at its entry in a list, and at the way of a vertex [ns].
LOOK, ENTRY, WAY = 20.0, 2.0, 5.0


class Watch:
    """Who may have come near since gaps were measured; arrays per vertex.

    `least_gap` [m] is the smallest of its pairs as seen from `x_seen`, `room` [m] how far a vertex
    may go from there without bringing what it carries any nearer to an alarm. `awake` are those
    that share a point with one that has gone farther; `alert` vertices are truncated by their
    pairs: that is the highest level of what has been `told` by any with which they share one
    (kernels/contact/alerts.py). `alarm` says that there are any, `all_alert` that all are;
    `changed` ones get other lists. `stride` [m] is how far a vertex goes from look to look, the
    last of which was at `x_looked`; `ways` [m] is how far it is from there and from `x_seen`, and
    the stride before.
    """

    def __init__(self, x):
        self.x_seen, self.x_looked = wp.clone(x), wp.clone(x)
        self.least_gap, self.room, self.stride = (
            wp.zeros(len(x), dtype=float, device=x.device) for _ in range(3)
        )
        self.ways = wp.zeros(len(x), dtype=wp.vec4, device=x.device)
        self.alert, self.told, self.awake, self.changed = (
            wp.zeros(len(x), dtype=int, device=x.device) for _ in range(4)
        )
        self.alarm = wp.zeros(1, dtype=int, device=x.device)
        self.all_alert = wp.ones(1, dtype=int, device=x.device)

    def alert_all(self):
        """Nothing is known any more, until pairs are refreshed."""
        self.alert.fill_(int(ANYWHERE))
        self.alarm.fill_(1)
        self.all_alert.fill_(1)

    def begin_step(self, x):
        """Nothing is known of how far anything goes from x [m]."""
        wp.copy(self.x_looked, x)
        self.stride.fill_(math.inf)


class Refresh:
    """Finds closest points and normals of all pairs as they are, and who may feel them. Whether
    `colliders_move` is told when a frame begins.
    """

    def __init__(self, model, watch):
        self.model, self.watch, self.colliders_move = model, watch, True
        self._record()

    def begin_frame(self, colliders_move):
        """Colliders that keep still have no ways, and nobody looks for any."""
        if colliders_move != self.colliders_move:
            self.colliders_move = colliders_move
            self.watch.ways.zero_()
            self._record()

    def run(self):
        if self.revision != self.model.lists.revision:
            self._record()
        play(self.launches)
        self.watch.alarm.zero_()
        self.watch.all_alert.zero_()

    def part_anew(self):
        """Let the normals of all pairs part their sides as they are now."""
        if self.revision != self.model.lists.revision:
            self._record()
        self.parting()

    def _record(self):
        model, watch, lists = self.model, self.watch, self.model.lists
        self.revision, record = lists.revision, model.launches.record
        inputs = [model.x, model.x_start, lists.pairs, lists.pulled, lists.counts, watch.alarm]
        inputs.append(watch.ways)
        outputs = [lists.glances, lists.touches, lists.state, watch.changed]
        extent = lists.capacity, lists.expected
        seen = [watch.least_gap, watch.x_seen, watch.alert, watch.told]
        near, points = [lists.near.entry, lists.near.end, lists.all.gap], model.surface.points
        embedding, listed = model.contact_model.embedding, lists.all.listed
        room_inputs = [embedding, listed, watch.alarm, watch.least_gap]
        around = [model.x, lists.counts]
        self.parting = model.launches.record_list(
            refresh.part_anew, *extent, around, [lists.pairs], LOOK
        )
        self.launches = [
            *self._finding_ways(),
            model.launches.record_list(refresh.refresh_pairs, *extent, inputs, outputs, LOOK),
            record(
                refresh.gather_near,
                lists.vertex_count,
                [model.x, lists.all, lists.state, watch.alarm],
                [watch.changed, *near, *seen],
                ENTRY * (1 + 4 * lists.expected / lists.vertex_count),
            ),
            record(
                refresh.find_room,
                model.vertex_count if len(points) else 0,
                room_inputs,
                [watch.room, watch.awake],
                ENTRY * points.width * len(points) / model.vertex_count,
            ),
        ]

    def _finding_ways(self):
        """Find the ways of all that may move."""
        model, watch, surface = self.model, self.watch, self.model.surface
        inputs = [model.x, watch.x_seen, model.contact_model.state.radius]
        outputs, count = [watch.x_looked, watch.stride, watch.ways], model.lists.vertex_count
        before, behind = (0, surface.collider_start), (surface.point_start, count)
        for first, end in [(0, count)] if self.colliders_move else [before, behind]:
            yield model.launches.record(refresh.find_ways, end - first, inputs, outputs, WAY, first)
