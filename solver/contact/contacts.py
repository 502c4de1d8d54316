# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of contact pairs on the device, and what they are now.

A list that is too short is replaced by a longer one. Whoever has recorded a launch that holds one
compares `revision` before playing it, and records it anew when that has risen.
"""

import warp as wp

from ..kernels.contact import pairs, refresh
from ..kernels.contact.pair_forces import AHEAD

# A list that is too short grows to this many times what is needed.
GROWTH = 1.5
# Rough cost of looking at a pair, and at its entry in a list [ns].
LOOK, ENTRY = 20.0, 2.0


class ContactLists:
    """Lists of a scene, as arrays: `pairs`, their `state` and, of those that are near, `touches`.

    `all` are the pairs of every vertex, `near` those that it may feel, and `closing` what it has
    last seen of these. `count` is how many pairs there are: `of_vertices`, then `of_edges`, then
    those that separate. `searches` counts those since the frame began.
    """

    def __init__(self, near, vertex_count, device):
        self.near, self.all, self.device = near, pairs.PairLists(), device
        self.vertex_count = vertex_count
        self.count, self.of_vertices, self.of_edges, self.searches = 0, 0, 0, 0
        self.revision, self.capacity = 0, 0
        self.closing = wp.zeros(0, dtype=wp.vec4, device=device)
        self.all.pairs = wp.zeros(0, dtype=pairs.Pair, device=device)
        if vertex_count:
            self.all.start = wp.zeros(vertex_count + 1, dtype=int, device=device)
            near.start = self.all.start
            near.end = wp.zeros(vertex_count, dtype=int, device=device)
            self.make_room(1)

    def make_room(self, count):
        """Room for at least `count` pairs; all lists are new if there was less."""
        if count <= self.capacity:
            return
        self.revision += 1
        self.capacity = room = int(GROWTH * count) + 1

        def new(dtype, length=room):
            return wp.zeros(length, dtype=dtype, device=self.device)

        self.pairs = self.all.pairs = new(pairs.Pair)
        self.state = new(pairs.PairState)
        self.touches = self.near.touches = new(pairs.Touch)
        # Sorting needs twice the room.
        self.vertex = new(int, 8 * room)
        self.all.entry = new(int, 8 * room)
        # Entries are looked up some places ahead.
        self.near.entry = new(int, 4 * room + AHEAD)
        self.closing = new(wp.vec4, 4 * room)


class Watch:
    """Who may have come near since gaps were measured; arrays per vertex.

    `least_gap` [m] is the smallest of its pairs as seen from `x_seen`; `alert` vertices are
    truncated by their pairs, `alarm` says that there are any, and `changed` ones get other lists.
    """

    def __init__(self, x):
        self.x_seen = wp.clone(x)
        self.least_gap = wp.zeros(len(x), dtype=float, device=x.device)
        self.alert, self.changed = (wp.zeros(len(x), dtype=int, device=x.device) for _ in range(2))
        self.alarm = wp.zeros(1, dtype=int, device=x.device)

    def alert_all(self):
        """Nothing is known any more."""
        self.alert.fill_(1)
        self.alarm.fill_(1)


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

    def _record(self, lists):
        model, watch, record = self.model, self.watch, self.model.launches.record
        inputs = [model.x, model.x_start, lists.pairs, watch.alarm]
        outputs = [lists.touches, lists.state, watch.changed]
        seen = [watch.least_gap, watch.x_seen, watch.alert]
        of_vertices, of_edges = lists.of_vertices, lists.of_edges
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
        ]
