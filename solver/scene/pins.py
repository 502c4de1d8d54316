# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinned vertices on the device, led through their targets."""

import numpy as np
import warp as wp

from ..bodies import points_at
from ..kernels.motion import move_points


class LedPins:
    """The pinned vertices of all bodies; they stand behind the free ones in solver order."""

    def __init__(self, bodies, assembly, device):
        self.origin, self.first, self.device = assembly.origin, assembly.free_count, device
        self.now = assembly.points[self.first :].copy()
        self.led = []
        for body, place in zip(bodies, assembly.place, strict=True):
            if body.pins is not None and body.pins.targets is not None and len(body.pins.indices):
                self.led.append((body, place[body.pins.indices] - self.first))
        self.at_start = wp.array(self.now, dtype=wp.vec3, device=device)
        self.at_end = wp.clone(self.at_start)
        if self.led:
            self._read(0, 0.0)
            self.at_end.assign(self.now.astype(np.float32))

    def _read(self, frame, time):
        for body, place in self.led:
            points = points_at(f"pins of {body.name}", body.pins.targets, frame, time)
            if len(points) != len(place):
                raise ValueError(
                    f"{body.name}: {len(points)} pin targets in frame {frame} after the start for "
                    f"{len(place)} pins; give one each"
                )
            self.now[place] = points - self.origin

    def begin_frame(self, frame, time):
        """Read where the pins will be at the end of this frame."""
        wp.copy(self.at_start, self.at_end)
        if self.led:
            self._read(frame, time)
            self.at_end.assign(self.now.astype(np.float32))

    def move(self, share, x):
        """Put the pins where they are after a share of the frame."""
        if len(self.now):
            wp.launch(
                move_points,
                dim=len(self.now),
                inputs=[self.at_start, self.at_end, share, self.first],
                outputs=[x],
                device=self.device,
            )
