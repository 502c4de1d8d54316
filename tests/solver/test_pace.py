# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that other programs disturb: a single one continues where that is faster."""

from itertools import cycle

import pytest

from vbd.solver.device.team_size import COMPARED, KEPT, TeamSize


def ways(together, alone, count):
    """True where a `TeamSize` uses a single thread, substep by substep, with threads that take
    `together` (seconds, busy), and one that takes `alone`.
    """
    team_size, taken = TeamSize(), []
    for _ in range(count):
        taken.append(team_size.is_single)
        team_size.is_single = team_size.plan.send(alone if team_size.is_single else next(together))
    return taken


def test_threads_that_nothing_disturbs_stay_together():
    assert not any(ways(cycle([(1.0, 0.97)]), (0.1, 0.1), 1000))


@pytest.mark.parametrize("seconds", [0.5, 2.0])
def test_what_is_faster_is_kept_for_a_while(seconds):
    taken = ways(cycle([(1.0, 0.1)]), (seconds, seconds), (KEPT + 3) * COMPARED)
    assert taken[:COMPARED] == [False] * COMPARED
    assert taken[COMPARED : 2 * COMPARED] == [True] * COMPARED
    kept = taken[2 * COMPARED : (KEPT + 2) * COMPARED]
    assert kept == [seconds < 1.0] * (KEPT * COMPARED)
    assert not any(taken[(KEPT + 2) * COMPARED :])  # it checks for disturbance again


def test_one_substep_that_takes_long_is_no_disturbance():
    together = cycle([(1.0, 0.97), (1.0, 0.1), (1.0, 0.97), (1.0, 0.97)])
    assert not any(ways(together, (0.1, 0.1), 100))
