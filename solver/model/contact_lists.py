# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of contact pairs on the device.

Only the device knows the number of pairs. The host reads the needed capacity once per frame, and
between substeps where that costs nothing, and allocates lists with reserve; if the capacity was too
small, the frame is repeated. The owner of a recorded launch on a list compares `revision` before
playing it, and records it again after `revision` has risen.
"""

import numpy as np
import warp as wp

from ..device.memory import zeros_with_reserve
from ..kernels.contact import pairs
from ..kernels.contact.detection import pair_activity, pair_counts
from ..messages import message

# A list that is shorter than so many times the need of a frame ...
HEADROOM = 1.75
# ... grows to so many times that.
GROWTH = 3.5
# Initial capacity in pairs: per vertex, and at least.
PAIRS_PER_VERTEX, LEAST_PAIRS = 4, 16384
# Launches are shared between threads for EXPECTED times the current pairs, and recorded again when
# there are more than MANY_MORE times as many; fewer pairs than AT_FIRST are not worth it.
EXPECTED, MANY_MORE, AT_FIRST = 1.5, 2.0, 1000


def with_reserve(capacity, needed):
    """Return the capacity with reserve for a need, at the present capacity."""
    return capacity if HEADROOM * needed <= capacity else int(GROWTH * needed) + 1


def structs(rows, dtype):
    """Return rows of bytes as structs of a type; raise ValueError where they do not fit it."""
    if rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] != dtype.itemsize:
        raise ValueError(message("cache.other_version"))
    return np.ascontiguousarray(rows).view(dtype)[:, 0]


def refuse_outside(name, numbers, end):
    """Raise ValueError unless numbers of a checkpoint are integers in [0, `end`)."""
    if numbers.dtype.kind != "i" or (
        numbers.size and not 0 <= numbers.min() <= numbers.max() < end
    ):
        raise ValueError(message("cache.impossible", name=name))


class ContactLists:
    """Lists of a scene, as arrays: `pairs`, their `state` and, of near pairs, `touches`; tangential
    displacements `pulled` [m] of sticking pairs, and `anchors`, by which a search restores them;
    and the cached `activity`, by which refreshes skip inactive pairs until the next search.

    `all` are the pairs of every vertex, `near` those with possible forces. `counts` and `needed`
    are explained in kernels/contact/detection/pair_counts.py: first come pairs of vertices, then
    those of edges, then `separating` [1] ones, whose `rows` of `Touch` the host gives. Launches are
    shared for about `expected` pairs. At its last read the host found `known` pairs, after so many
    `searches` in the frame. `uncertain` [2] is not 0 unless it is certain that nothing intersects
    (intersection_certificate.py): the second number where pins are kinematic on both sides.
    """

    state_name = "contact_pairs"

    def __init__(self, near, vertex_count, device):
        self.near, self.all, self.device = near, pairs.PairLists(), device
        self.vertex_count = vertex_count
        self.counts, self.needed, self.separating, self.uncertain = (
            wp.zeros(length, dtype=int, device=device) for length in (5, 3, 1, 2)
        )
        self.revision, self.capacity, self.expected = 0, 0, AT_FIRST
        self.known = self.searches = 0
        self.all.pairs = wp.zeros(0, dtype=pairs.Pair, device=device)
        self.rows = wp.zeros(0, dtype=pairs.Touch, device=device)
        self.pulled = wp.zeros(0, dtype=wp.vec3, device=device)
        self.state = wp.zeros(0, dtype=pairs.PairState, device=device)
        if vertex_count:
            self.all.start = wp.zeros(vertex_count + 1, dtype=int, device=device)
            self.all.listed = wp.zeros(vertex_count, dtype=int, device=device)
            near.start, near.listed = self.all.start, self.all.listed
            near.end = wp.zeros(vertex_count, dtype=int, device=device)
            self._make_lists(max(PAIRS_PER_VERTEX * vertex_count, LEAST_PAIRS))

    def _make_lists(self, capacity):
        """Allocate lists for so many pairs."""
        self.revision += 1
        self.capacity = capacity

        def new(dtype, length=capacity):
            return zeros_with_reserve(length, dtype, self.device)

        self.pairs = self.all.pairs = new(pairs.Pair)
        self.state = new(pairs.PairState)
        self.activity = new(pair_activity.PairActivity)
        self.pulled = new(wp.vec3)
        self.anchors = new(pairs.Anchor)
        self.touches = self.near.touches = new(pairs.Touch)
        # Entries are prefetched beyond the end of the list.
        self.all.entry = new(int, 4 * capacity + pairs.PREFETCH_DISTANCE)
        self.all.gap = new(float, 4 * capacity)
        self.near.entry = new(int, 4 * capacity + pairs.PREFETCH_DISTANCE)

    @property
    def count(self):
        """Current number of pairs."""
        return int(self.counts.numpy()[int(pair_counts.ALL)])

    @property
    def reported(self):
        """Arrays that a frame reports: numbers of pairs, needed capacity, and certainty."""
        return {"counts": self.counts, "needed": self.needed, "uncertain": self.uncertain}

    def take(self, numbers):
        """Take over the reported `counts`."""
        self.known = int(numbers[pair_counts.ALL])
        self.searches = int(numbers[pair_counts.SEARCHES])

    def mix_friction(self, friction):
        """Give all pairs the friction of new ones, from that of vertices, float32 [vertex]."""
        pairs, count = self.pairs.numpy(), self.count
        vertices, kind = pairs["vertices"][:count], pairs["kind"][:count]
        others = vertices[np.arange(count), kind]
        pairs["friction"][:count] = np.sqrt(friction[vertices[:, 0]] * friction[others])
        self.pairs.assign(pairs)

    def begin_frame(self):
        """Reset the count of searches, and their uncertainty."""
        self.counts[int(pair_counts.SEARCHES) :].zero_()
        self.uncertain.zero_()

    def separate(self, rows):
        """Take over rows of `Touch` that separate intersections, a NumPy array."""
        if len(rows) > len(self.rows):
            self.revision += 1
            self.rows = wp.zeros(with_reserve(0, len(rows)), dtype=pairs.Touch, device=self.device)
        if len(rows):
            uploaded = wp.array(rows, dtype=pairs.Touch, device=self.device)
            wp.copy(self.rows, uploaded, 0, 0, len(rows))
        self.separating.fill_(len(rows))

    def ensure_capacity(self, needed):
        """Ensure capacity with reserve for so many pairs; return whether there was enough."""
        was_enough, capacity = needed <= self.capacity, with_reserve(self.capacity, needed)
        if needed > MANY_MORE * self.expected:
            self.expected = int(EXPECTED * needed)
            self.revision += 1
        if capacity > self.capacity:
            before = self.save()
            self._make_lists(capacity)
            self._fill(before)
        return was_enough

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        listed = {"start": self.all.start, "listed": self.all.listed, "end": self.near.end}
        return {**listed, "counts": self.counts}

    def save(self):
        """Return the contents of the lists at the end of a frame, or before the first one."""
        count = self.known
        if not count:
            return {}
        return {name: array[: n * count] for name, (array, n) in self._lists().items()}

    def _lists(self):
        """Return all lists, with their number of entries per pair."""
        lists = {"pairs": self.pairs, "state": self.state, "touches": self.touches}
        lists["pulled"] = self.pulled
        entries = {"all": self.all.entry, "near": self.near.entry}
        return {name: (a, 1) for name, a in lists.items()} | {n: (a, 4) for n, a in entries.items()}

    def _fill(self, saved):
        """Fill the beginnings of the lists."""
        for name, (array, _) in self._lists().items():
            if name in saved:
                wp.copy(array, saved[name], 0, 0, len(saved[name]))

    def restore(self, saved):
        """Fill the lists, also longer ones, with the arrays that `save` has returned."""
        if any(isinstance(values, np.ndarray) for values in saved.values()):
            saved = self._uploaded(saved)
        self._fill(saved)

    def _uploaded(self, saved):
        """Return arrays from a disk on the device, after validation."""
        count, uploaded = len(saved["pairs"]), {}
        self.known = count
        if count > self.capacity:
            self._make_lists(count)
        for name, (array, n) in self._lists().items():
            values, dtype = saved[name], array.numpy().dtype
            if len(values) != n * count:
                raise ValueError(message("cache.pairs", count=len(values), name=name, pairs=count))
            if dtype.names is not None:
                values = structs(values, dtype)
                if "vertices" in dtype.names:
                    refuse_outside(name, values["vertices"], self.vertex_count)
            elif dtype.kind == "f":
                if np.isnan(values).any():
                    raise ValueError(message("cache.not_numbers", name=name))
            else:  # entries behind those of a vertex are outdated
                values = np.where((values >= 0) & (values < 4 * count), values, 0)
            uploaded[name] = wp.array(values, dtype=array.dtype, device=self.device)
        return uploaded

    def on_restored(self):
        """Begin the frame again; refuse indices outside of the lists."""
        self.uncertain.zero_()
        if not self.vertex_count:
            return
        *numbers, total, _searches = self.counts.numpy().tolist()
        start, end = self.all.start.numpy(), self.near.end.numpy()
        if min(numbers) < 0 or sum(numbers) != total or total > self.capacity or start[0] != 0:
            raise ValueError(message("cache.contact_counts"))
        refuse_outside("start", start, 4 * total + 1)
        if (end < start[:-1]).any() or (end > start[1:]).any():
            raise ValueError(message("cache.contact_lists"))
