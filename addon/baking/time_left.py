# SPDX-License-Identifier: GPL-3.0-or-later
"""Remaining time of a bake, from the durations of its last frames."""

import time
from collections import deque

from ...solver.messages import message

# Frames in the average: enough to smooth slow ones, few enough to follow a growing pile.
RECENT = 20
# Frames before the first estimate; the first ones are seldom typical.
PATIENCE = 3


class TimeLeft:
    """The clock of a bake of `count` frames."""

    def __init__(self, count, clock=time.monotonic):
        self.count, self.clock = count, clock
        self.seen = deque(maxlen=RECENT + 1)

    def after(self, index):
        """The text after frame `index` has been finished, or ""."""
        self.seen.append((index, self.clock()))
        (first, start), (last, now) = self.seen[0], self.seen[-1]
        if last - first < PATIENCE or last >= self.count:
            return ""
        left = (now - start) / (last - first) * (self.count - last)
        return message("progress.left", time=in_words(left))


def in_words(seconds):
    """A rough duration: 5 s, 40 s, 12 min, 3 h 20 min."""
    if seconds < 55.0:
        return f"{max(round(seconds / 5.0) * 5, 5)} s"
    minutes = max(round(seconds / 60.0), 1)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(round(minutes / 10.0) * 10, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
