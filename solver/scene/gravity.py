# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity: constant, or a function of time."""

import numpy as np
import warp as wp

from ..settings import acceleration


class Gravity:
    """Gravity [m/s²] `at_end` of the frame and, on the device, `now` [2] in this step and the last
    one, and `ends` [2] at the start and the end of the frame.

    `in_time`: None, or a function of the time [s] since the input state. Like pins it is read once
    per frame and interpolated in between.
    """

    state_name = "gravity"

    def __init__(self, start, in_time, device):
        self.at_end, self.in_time = acceleration(start), in_time
        self.changes = False  # in this frame
        both = np.stack([self.at_end, self.at_end])
        self.now = wp.array(both, dtype=wp.vec3, device=device)
        self.ends = wp.array(both, dtype=wp.vec3d, device=device)

    @property
    def varies(self):
        return self.in_time is not None

    def save(self):
        """Return gravity at the end of the frame."""
        return {"at_end": np.array(self.at_end, dtype=np.float64)}

    def restore(self, saved):
        """Restore the result of `save`, if gravity varies."""
        if self.varies:
            self.at_end = acceleration(saved["at_end"])

    def begin_frame(self, time):
        """Read gravity at the end of this frame."""
        if self.varies:
            previous, self.at_end = self.at_end, acceleration(self.in_time(time))
            self.changes = not np.array_equal(previous, self.at_end)
            self.ends.assign(np.stack([previous, self.at_end]))
