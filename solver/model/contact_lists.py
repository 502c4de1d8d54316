# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of contact pairs on the device.

How many pairs there are, only the device knows. The host looks once per frame how much room they
needed, and keeps more ready; where there was too little, the frame is done again. Whoever has
recorded a launch that holds a list compares `revision` before playing it, and records it anew when
that has risen.
"""

import warp as wp

from ..kernels.contact import counts, pairs
from ..kernels.contact.pair_forces import AHEAD

# A list that is shorter than so many times what a frame needed...
HEADROOM = 1.5
# ... grows to this many times that.
GROWTH = 2.5
# Room for so many pairs at first: per vertex, and at least.
PAIRS_PER_VERTEX, LEAST_PAIRS = 4, 16384
# Launches are shared between threads for so many times the pairs of now, when these get more.
EXPECTED = 1.5


def roomy(room, needed):
    """The room to go on with, where there is some, and so much has been needed."""
    return room if HEADROOM * needed <= room else int(GROWTH * needed) + 1


class ContactLists:
    """Lists of a scene, as arrays: `pairs`, their `state` and, of those that are near, `touches`.

    `all` are the pairs of every vertex, `near` those that it may feel, and `closing` what it has
    last seen of these. `counts` and `needed` are explained in kernels/contact/counts.py: first
    come pairs of vertices, then those of edges, then `separating` [1] ones, whose `rows` of `Touch`
    the host gives. `has_room` [1] is 0 once a frame has lacked room. About `expected` pairs there
    will be: launches share them out so. `known` is how many there were when the host last looked.
    """

    def __init__(self, near, vertex_count, device):
        self.near, self.all, self.device = near, pairs.PairLists(), device
        self.vertex_count = vertex_count
        self.counts, self.needed, self.separating = (
            wp.zeros(length, dtype=int, device=device) for length in (5, 3, 1)
        )
        self.has_room = wp.ones(1, dtype=int, device=device)
        self.revision, self.capacity, self.expected, self.known = 0, 0, 0, 0
        self.closing = wp.zeros(0, dtype=wp.vec4, device=device)
        self.all.pairs = wp.zeros(0, dtype=pairs.Pair, device=device)
        self.rows = wp.zeros(0, dtype=pairs.Touch, device=device)
        if vertex_count:
            self.all.start = wp.zeros(vertex_count + 1, dtype=int, device=device)
            self.all.listed = wp.zeros(vertex_count, dtype=int, device=device)
            near.start, near.listed = self.all.start, self.all.listed
            near.end = wp.zeros(vertex_count, dtype=int, device=device)
            self._make_lists(max(PAIRS_PER_VERTEX * vertex_count, LEAST_PAIRS))

    def _make_lists(self, capacity):
        """New lists for so many pairs."""
        self.revision += 1
        self.capacity = capacity

        def new(dtype, length=capacity):
            return wp.zeros(length, dtype=dtype, device=self.device)

        self.pairs = self.all.pairs = new(pairs.Pair)
        self.state = new(pairs.PairState)
        self.touches = self.near.touches = new(pairs.Touch)
        self.all.entry = new(int, 4 * capacity)
        # Entries are looked up before they are needed.
        self.near.entry = new(int, 4 * capacity + AHEAD)
        self.closing = new(wp.vec4, 4 * capacity)

    @property
    def count(self):
        """How many pairs there are."""
        return int(self.counts.numpy()[int(counts.ALL)])

    @property
    def reported(self):
        """What a frame tells: what there was and what was needed, and what the host knows of it."""
        return {"counts": self.counts, "needed": self.needed}

    def take(self, numbers):
        """Know what was reported at the end of a frame."""
        self.known = int(numbers["counts"][counts.ALL])

    def begin_frame(self):
        """Count searches anew."""
        self.counts[int(counts.SEARCHES) :].zero_()

    def separate(self, rows):
        """Take over rows of `Touch` that lead intersections apart, a NumPy array."""
        if len(rows) > len(self.rows):
            self.revision += 1
            self.rows = wp.zeros(roomy(0, len(rows)), dtype=pairs.Touch, device=self.device)
        if len(rows):
            given = wp.array(rows, dtype=pairs.Touch, device=self.device)
            wp.copy(self.rows, given, 0, 0, len(rows))
        self.separating.fill_(len(rows))

    def make_room(self, needed):
        """Keep room ready where so many pairs were needed; returns whether there was enough."""
        was_enough, room = needed <= self.capacity, roomy(self.capacity, needed)
        if needed > self.expected:
            self.expected = int(EXPECTED * needed)
            self.revision += 1
        if room > self.capacity:
            bring_back = self.keep()
            self._make_lists(room)
            bring_back()
        return was_enough

    @property
    def kept(self):
        """What passes from one substep to the next."""
        return [self.all.start, self.all.listed, self.near.end, self.counts]

    def keep(self):
        """Keep what is in the lists at the end of a frame, or before the first one; returns what
        brings it back, also into longer ones.
        """
        count = self.known
        before = [wp.clone(array[:used]) for array, used in self._used(count)]

        def bring_back():
            for (array, used), values in zip(self._used(count), before, strict=True):
                wp.copy(array, values, 0, 0, used)

        return bring_back

    def _used(self, count):
        """Lists and how long they are with so many pairs."""
        lists = [(array, count) for array in (self.pairs, self.state, self.touches)]
        lists += [(array, 4 * count) for array in (self.all.entry, self.near.entry)]
        return lists if count else []
