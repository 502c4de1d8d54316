# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs: all that a function launches, captured once and replayed without Python."""

from functools import partial

import warp as wp

from . import conditions
from .thread_team import SingleThread, ThreadTeam


class Graph:
    """What a function launches on a device; on the CPU `threads` (Workers) replay it together, or
    the first of them alone where they are disturbed (team_size.py).

    Inside, the host decides nothing, reads nothing and gives nothing: decisions are those of
    `conditions`.
    """

    def __init__(self, device, threads, function):
        self.device, self.threads, self.function = device, threads, function
        self.together = self._together()
        self.alone = None if self.together else self._replay(function)

    def _together(self):
        """The tasks of all threads; none where there is one, or nothing is worth sharing."""
        if not self.device.is_cpu or self.threads.count == 1:
            return []
        crew = ThreadTeam(self.threads.count, self.device)
        tasks = [self._replay(self.function, crew)]
        if crew.shares:
            followers = range(1, self.threads.count)
            tasks += [self._replay(partial(crew.follow, k)) for k in followers]
        return tasks if crew.shares else []

    def _replay(self, function, crew=None):
        """The task to replay what a function launches, shared by a crew."""
        with conditions.shared_by(crew), wp.ScopedCapture(device=self.device) as capture:
            function()
        return partial(wp.capture_launch, capture.graph)

    def replay(self):
        """Do it all again."""
        if not self.together:
            return self.alone()
        is_alone = self.threads.pace.is_alone
        if is_alone and self.alone is None:
            self.alone = self._replay(self.function, SingleThread())
        self.threads.pace.run(self.threads, [self.alone] if is_alone else self.together)
