# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs: all that a function launches, captured once and replayed without Python."""

from functools import partial

import warp as wp

from . import flow
from .crew import Crew


class Graph:
    """What a function launches on a device; on the CPU `threads` (Workers) replay it together.

    Inside, the host decides nothing, reads nothing and gives nothing: decisions are those of
    `flow`.
    """

    def __init__(self, device, threads, function):
        self.threads, self.crew = threads, None
        if device.is_cpu and threads.count > 1:
            self.crew = Crew(threads.count, device)
            graphs = [self._captured(device, function)]
            if self.crew.shares:
                followers = range(1, threads.count)
                graphs += [captured(device, partial(self.crew.follow, k)) for k in followers]
                self.replays = [partial(wp.capture_launch, graph) for graph in graphs]
                return
            self.crew = None  # nothing is worth sharing
        graph = self._captured(device, function)
        self.replays = [partial(wp.capture_launch, graph)]

    def _captured(self, device, function):
        with flow.shared_by(self.crew):
            return captured(device, function)

    def replay(self):
        """Do it all again."""
        self.threads.run(self.replays)


def captured(device, function):
    """The Warp graph of what a function launches."""
    with wp.ScopedCapture(device=device) as capture:
        function()
    return capture.graph
