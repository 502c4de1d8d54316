# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of Live: frames are shown no faster than real time, and solved no further ahead."""

import time
from collections import deque
from threading import Condition

# Frames that may be solved beyond the one that is shown: one waits while the next is solved.
AHEAD = 2
# Interval at which the waiting solver checks for a stop request [s].
PATIENCE = 0.05
# Frames in the average of the rate.
RECENT = 25


class Pace:
    """Lets the solver's thread `wait` until the main thread has `shown` enough frames.

    `rate`: frames a second of real time. `first`: the last frame that need not be shown.
    """

    def __init__(self, rate, first=0, clock=time.monotonic):
        self.rate, self.clock = rate, clock
        self.allowed, self.gate = first + AHEAD, Condition()
        self.due = float("-inf")
        self.times = deque(maxlen=RECENT)

    def wait(self, index, stopping):
        """Wait until frame `index` may be solved, or the event `stopping` is set."""
        with self.gate:
            while index > self.allowed and not stopping.is_set():
                self.gate.wait(PATIENCE)

    def is_due(self):
        """Return whether the next frame is due."""
        return self.clock() >= self.due

    def shown(self, index):
        """Count a frame that is shown now; the solver may go on."""
        now, step = self.clock(), 1.0 / self.rate
        self.times.append(now)
        # A frame that is a little late does not delay the following ones.
        self.due = (self.due if now - self.due < step else now) + step
        with self.gate:
            self.allowed = max(self.allowed, index + AHEAD)
            self.gate.notify_all()

    def rest(self):
        """Forget the frames before a pause."""
        self.times.clear()

    def measured(self):
        """Frames shown a second, lately; 0 before the second one."""
        if len(self.times) < 2:
            return 0.0
        return (len(self.times) - 1) / max(self.times[-1] - self.times[0], 1e-9)
