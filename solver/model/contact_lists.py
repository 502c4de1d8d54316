# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of contact pairs on the device.

A list that is too short is replaced by a longer one. Whoever has recorded a launch that holds one
compares `revision` before playing it, and records it anew when that has risen.
"""

import warp as wp

from ..kernels.contact import pairs
from ..kernels.contact.pair_forces import AHEAD

# A list that is too short grows to this many times what is needed.
GROWTH = 1.5


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
            self.all.listed = wp.zeros(vertex_count, dtype=int, device=device)
            near.start, near.listed = self.all.start, self.all.listed
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
        # Entries are looked up before they are needed.
        self.near.entry = new(int, 4 * room + AHEAD)
        self.closing = new(wp.vec4, 4 * room)
