# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs: all launches of a function, captured once and replayed without Python."""

from functools import partial

import warp as wp

from . import conditions
from .thread_team import SingleThread, ThreadTeam


class Graph:
    """Launches of a function on a device; on the CPU `threads` (Workers) replay them as a team, or
    as a single thread where other programs disturb the team (team_size.py).

    Inside, the host decides, reads and uploads nothing: decisions are those of `conditions`.
    """

    def __init__(self, device, threads, function):
        self.device, self.threads, self.function = device, threads, function
        self.team_tasks = self._team_tasks()
        self.single_task = None if self.team_tasks else self._replay(function)

    def _team_tasks(self):
        """Return the tasks of all threads; none with one thread, or with nothing worth sharing."""
        if not self.device.is_cpu or self.threads.count == 1:
            return []
        team = ThreadTeam(self.threads.count, self.device)
        tasks = [self._replay(self.function, team)]
        if team.is_shared:
            followers = range(1, self.threads.count)
            tasks += [self._replay(partial(team.follow, k)) for k in followers]
        return tasks if team.is_shared else []

    def _replay(self, function, team=None):
        """Return the task that replays the launches of a function, shared by a team."""
        with conditions.shared_by(team), wp.ScopedCapture(device=self.device) as capture:
            function()
        return partial(wp.capture_launch, capture.graph)

    def replay(self):
        """Replay all launches."""
        if not self.team_tasks:
            return self.single_task()
        is_single = self.threads.team_size.is_single
        if is_single and self.single_task is None:
            self.single_task = self._replay(self.function, SingleThread())
        self.threads.team_size.run(
            self.threads, [self.single_task] if is_single else self.team_tasks
        )
