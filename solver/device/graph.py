# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs: all launches of a function, captured once and replayed without Python."""

import warp as wp


class Graph:
    """Launches of a function on a device.

    Inside, the host decides, reads and uploads nothing: decisions are those of `conditions`.
    """

    def __init__(self, device, function):
        with wp.ScopedCapture(device=device) as capture:
            function()
        self.graph = capture.graph

    def replay(self):
        """Replay all launches."""
        wp.capture_launch(self.graph)
