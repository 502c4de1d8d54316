# SPDX-License-Identifier: GPL-3.0-or-later
"""What the contact pairs are now, and who is watched meanwhile."""

import warp as wp

from ..kernels.contact import refresh

# Rough cost of looking at a pair, and at its entry in a list [ns].
LOOK, ENTRY = 20.0, 2.0


class Watch:
    """Who may have come near since gaps were measured; arrays per vertex.

    `least_gap` [m] is the smallest of its pairs as seen from `x_seen`, `room` [m] how far a vertex
    may go from there without bringing what it carries any nearer to an alarm. `awake` are those
    that share a point with one that has gone farther; `alert` vertices are truncated by their
    pairs, `alarm` says that there are any, and `changed` ones get other lists.
    """

    def __init__(self, x):
        self.x_seen = wp.clone(x)
        self.least_gap, self.room = (
            wp.zeros(len(x), dtype=float, device=x.device) for _ in range(2)
        )
        self.alert, self.awake, self.changed = (
            wp.zeros(len(x), dtype=int, device=x.device) for _ in range(3)
        )
        self.alarm = wp.zeros(1, dtype=int, device=x.device)
        self.all_alert = True

    def alert_all(self):
        """Nothing is known any more, until pairs are refreshed."""
        self.alert.fill_(1)
        self.alarm.fill_(1)
        self.all_alert = True


class Refresh:
    """Finds closest points and normals of all pairs as they are, and who may feel them."""

    def __init__(self, model, watch):
        self.model, self.watch = model, watch
        self.recorded = None
        model.launches.expect(refresh.gather_near)

    def run(self):
        lists = self.model.lists
        now = lists.revision, lists.count, lists.of_vertices
        if self.recorded != now:
            self.launches = self._record(lists)
            self.recorded = now
        for launch in self.launches:
            launch()
        self.watch.alarm.zero_()
        self.watch.all_alert = False

    def _record(self, lists):
        model, watch, record = self.model, self.watch, self.model.launches.record
        inputs = [model.x, model.x_start, lists.pairs, watch.alarm]
        outputs = [lists.touches, lists.state, watch.changed]
        seen = [watch.least_gap, watch.x_seen, watch.alert]
        of_vertices, of_edges = lists.of_vertices, lists.of_edges
        points = model.surface.points
        embedding, listed = model.contact_model.embedding, lists.all.listed
        room_inputs = [embedding, listed, watch.alarm, watch.least_gap]
        return [
            record(refresh.refresh_vertex_triangle, of_vertices, inputs, outputs, LOOK),
            record(refresh.refresh_edge_edge, of_edges, inputs, outputs, LOOK, of_vertices),
            record(
                refresh.gather_near,
                lists.vertex_count,
                [model.x, lists.all, lists.state, watch.alarm],
                [watch.changed, lists.near.entry, lists.near.end, *seen],
                ENTRY * (1 + 4 * lists.count / lists.vertex_count),
            ),
            record(
                refresh.find_room,
                model.vertex_count if len(points) else 0,
                room_inputs,
                [watch.room, watch.awake],
                ENTRY * points.width * len(points) / model.vertex_count,
            ),
        ]
