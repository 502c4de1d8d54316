# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches: recorded at their first play, known before, shared between threads."""

import threading

import numpy as np
import pytest
import warp as wp

from vbd.solver.device import launches as module
from vbd.solver.device.launches import Launches, SharedLaunches
from vbd.solver.device.threads import Workers

COUNT = 1000


@wp.kernel(enable_backward=False)
def add_numbers(first: int, amount: float, values: wp.array[float]):
    i = first + wp.tid()
    values[i] += amount * float(i)


def shared_launches(monkeypatch, threads):
    """Launches with so many threads, among which everything is shared out."""
    monkeypatch.setattr(module, "WORTH_SPLITTING", 1.0)
    return Launches("cpu", Workers(threads))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("cost", [0.0, 1e3, np.geomspace(1.0, 1e4, COUNT - 7)])
@pytest.mark.parametrize("once", [True, False])
def test_every_thread_of_a_range_runs_once(monkeypatch, threads, cost, once):
    launches = shared_launches(monkeypatch, threads)
    values = wp.zeros(COUNT, dtype=float, device="cpu")
    how = [add_numbers, COUNT - 7, [2.0], [values]]
    with launches.threads.at_work():
        if once:
            launches.run(*how, cost=cost, first=7)
        else:
            launches.record(*how, cost=cost, first=7)()
    launches.threads.stop()
    expected = 2.0 * np.arange(COUNT)
    expected[:7] = 0.0
    np.testing.assert_array_equal(values.numpy(), expected)


def test_only_the_thread_that_asks_records_a_launch(monkeypatch):
    # Recording in several threads at once crashes.
    recording, launch = set(), wp.launch

    def note(*args, **how):
        recording.add(threading.get_ident())
        return launch(*args, **how)

    monkeypatch.setattr(module.wp, "launch", note)
    launches = shared_launches(monkeypatch, 2)
    values = wp.zeros(COUNT, dtype=float, device="cpu")
    launches.run(add_numbers, COUNT, [1.0], [values], cost=1e4)
    launches.threads.stop()
    assert recording == {threading.get_ident()}
    np.testing.assert_array_equal(values.numpy(), np.arange(COUNT))


@wp.struct
class Pointer:
    values: wp.array[int]


@wp.kernel
def copy_pointed(first: int, pointer: Pointer, values: wp.array[int]):
    values[first + wp.tid()] = pointer.values[first + wp.tid()]


@pytest.mark.parametrize("within", [False, True])
def test_an_array_with_gaps_is_refused_also_within_a_struct(within):
    gaps = wp.zeros((5, 2), dtype=int, device="cpu")[:, 1]
    whole = wp.zeros(5, dtype=int, device="cpu")
    pointer = Pointer()
    pointer.values, out = (gaps, whole) if within else (whole, gaps)
    launches = Launches("cpu", Workers(1))
    with pytest.raises(RuntimeError, match="gaps"):
        launches.record(copy_pointed, 5, [pointer], [out])
    pointer.values = whole
    launches.record(copy_pointed, 5, [pointer], [wp.zeros(5, dtype=int, device="cpu")])()


@wp.kernel(enable_backward=False)
def take_next(first: int, values: wp.array[float], taken: wp.array[float]):
    i = first + wp.tid()
    taken[i] = values[(i + COUNT // 2) % COUNT]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("captured", [False, True])
def test_stages_come_one_after_the_other_and_launches_of_a_stage_part_by_part(
    monkeypatch, threads, captured
):
    launches = shared_launches(monkeypatch, threads)
    values, taken = (wp.zeros(COUNT, dtype=float, device="cpu") for _ in range(2))
    add = launches.record(add_numbers, COUNT, [1.0], [values], cost=np.arange(COUNT))
    again = launches.record(add_numbers, COUNT, [2.0], [values], like=add)
    nothing = launches.record(add_numbers, 0, [1.0], [values])
    take = launches.record(take_next, COUNT, [values], [taken], cost=1.0)
    stages = SharedLaunches([[add, again], [nothing], [], [take], [values.zero_], [values.zero_]])
    assert add.ends == again.ends and (len(add.pieces) > 1) == (threads > 1)
    play = launches.graph(stages).replay if captured else stages
    with launches.threads.at_work():
        for _ in range(2):
            play()
            expected = 3.0 * ((np.arange(COUNT) + COUNT // 2) % COUNT)
            np.testing.assert_array_equal(taken.numpy(), expected)
            assert (values.numpy() == 0.0).all()
    launches.threads.stop()


def test_launches_that_are_played_once_remember_the_times_of_earlier_ones(monkeypatch):
    launches = shared_launches(monkeypatch, 2)
    count = 200000  # 0.2 ms: far more than the work that leaves no trace
    values = wp.zeros(count, dtype=float, device="cpu")
    for _ in range(5):
        launches.run(add_numbers, count, [1.0], [values], cost=1e3)
    launches.threads.stop()
    ((_times, plays),) = launches.histories[add_numbers].values()
    assert plays.numpy()[0] == 3  # one thread has been tried often enough
    np.testing.assert_allclose(values.numpy(), 5.0 * np.arange(count), rtol=1e-6)
