# SPDX-License-Identifier: GPL-3.0-or-later
"""What pulls at every mass: the same at all times, or read from frame to frame."""

import numpy as np
import warp as wp

from ..settings import acceleration


class Gravity:
    """Gravity `now` [m/s²], and on the device, [2]: in this step and in the last one.

    `in_time`: None, or a function of the time [s] since the input state. Like pins it is read once
    per frame and goes evenly from frame to frame.
    """

    def __init__(self, start, in_time, device):
        self.now = self.at_start = self.at_end = acceleration(start)
        self.in_time = in_time
        self.on_device = wp.array([self.now, self.now], dtype=wp.vec3, device=device)

    @property
    def varies(self):
        return self.in_time is not None

    def begin_frame(self, time):
        """Read what it will be at the end of this frame."""
        if self.varies:
            self.at_start, self.at_end = self.at_end, acceleration(self.in_time(time))

    def move(self, fraction):
        """Make it what it is after a fraction of the frame."""
        before = self.now
        self.now = (1.0 - fraction) * self.at_start + fraction * self.at_end
        self.on_device.assign(np.array([self.now, before], np.float32))
