# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of threads for a stage: chosen by what is gained, by simulated clocks.

`Machine` says how long plays take; nothing is measured, so that the outcome is the same anywhere.
"""

import numpy as np
import pytest
import warp as wp

from vbd.solver.kernels.device.thread_count import choose_size, note_loss, note_time

MICRO, MILLI = 1e3, 1e6  # [ns]


@wp.kernel(enable_backward=False)
def choose(
    times: wp.array[float], plays: wp.array[int], trust: wp.array[wp.int64], size: wp.array[int]
):
    size[0] = choose_size(int(trust[1]), times, plays)


@wp.kernel(enable_backward=False)
def note(
    size: int,
    took: float,
    work: float,
    single: float,
    time: wp.int64,
    times: wp.array[float],
    plays: wp.array[int],
    trust: wp.array[wp.int64],
):
    note_loss(size, wp.int64(took - single), time, trust)
    note_time(size, took, work, times, plays)


class Team:
    """The state of a team of up to `count` threads with some stages, and the time of the day."""

    def __init__(self, count, stages=1):
        sizes = (count - 1).bit_length() + 1
        self.times = [wp.zeros(sizes, dtype=float, device="cpu") for _ in range(stages)]
        self.plays = [wp.zeros(sizes + 1, dtype=int, device="cpu") for _ in range(stages)]
        self.trust = wp.zeros(4, dtype=wp.int64, device="cpu")
        self.size = wp.zeros(1, dtype=int, device="cpu")
        self.clock = 0.0

    def play(self, machine, stage=0):
        """Play once; return the number of threads and the time [ns]."""
        state = [self.times[stage], self.plays[stage], self.trust]
        wp.launch(choose, 1, [*state, self.size], device="cpu")
        size = int(self.size.numpy()[0])
        took, single = machine(2**size, self.clock)
        self.clock += took
        given = [size, took, single, single, int(self.clock)]
        wp.launch(note, 1, [*given, *state], device="cpu")
        return 2**size, took


def scaling(work, overhead):
    """A machine whose threads share `work`, and cost `overhead` each and for every doubling."""

    def time(threads, _clock=0.0):
        return work / threads + overhead * (threads - 1 + np.log2(threads)), work

    return time


@pytest.mark.parametrize(
    ("work", "overhead", "wanted"),  # [µs, µs, threads]
    [(15, 20.0, 1), (15, 2.0, 2), (40, 1.0, 4), (100, 1.0, 8), (2000, 1.0, 16)],
)
def test_16_cores_use_as_many_threads_as_pay(work, overhead, wanted):
    machine, team = scaling(work * MICRO, overhead * MICRO), Team(16)
    threads, times = np.transpose([team.play(machine) for _ in range(1600)][600:])
    # Trials take other sizes: three plays in a hundred.
    assert np.mean(threads == wanted) > 0.9
    assert np.mean(times) < 1.1 * machine(wanted)[0]


def test_each_stage_has_its_own_number_and_keeps_it_when_its_work_changes():
    large, small, team = scaling(2e6, 1e3), scaling(15e3, 20e3), Team(16, 2)
    for _ in range(400):
        team.play(large, 0)
        team.play(small, 1)
    for factor in (1.0, 3.0, 0.5):
        grown = scaling(factor * 2e6, 1e3)
        played = [(team.play(grown, 0)[0], team.play(small, 1)[0]) for _ in range(150)]
        assert np.median(played, axis=0).tolist() == [16, 1]


@pytest.mark.parametrize("slice_", [4 * MILLI, 30 * MILLI])
@pytest.mark.parametrize("work", [20 * MICRO, 200 * MICRO, 20 * MILLI])
def test_where_helpers_are_interrupted_little_is_lost(slice_, work):
    # A helper runs for 3 ms, then other programs for a slice; who needs it then waits.
    def busy(threads, clock):
        if threads == 1:
            return work, work
        ends = clock + work / 2
        phase = ends % (3 * MILLI + slice_)
        return work / 2 + (3 * MILLI + slice_ - phase if phase > 3 * MILLI else 0.0), work

    team, alone = Team(2), 0.0
    for _ in range(4000):
        team.play(busy)
        alone += work
    # What helpers gain while they run makes up for some trials.
    assert team.clock < 1.05 * alone + slice_


def test_helpers_are_not_tried_while_other_programs_interrupt_a_single_thread():
    # It runs for 3 ms, then others for 4.
    ran = 0.0

    def busy(threads, clock):
        nonlocal ran
        ran += 200 * MICRO
        is_interrupted = ran > 3 * MILLI
        ran *= not is_interrupted
        return 200 * MICRO + 4 * MILLI * is_interrupted, 200 * MICRO

    team = Team(2)
    assert all(team.play(busy)[0] == 1 for _ in range(500))


def test_rare_interruptions_leave_the_threads_together():
    # An idle machine: now and then another program runs for 4 ms.
    hiccups = iter(np.arange(1, 1000) * 100 * MILLI)
    following = next(hiccups)

    def idle(threads, clock):
        nonlocal following
        took = 200 * MICRO / threads + 2 * MICRO * (threads > 1)
        if clock > following:
            following, took = next(hiccups), took + 4 * MILLI
        return took, 200 * MICRO

    team = Team(2)
    threads = [team.play(idle)[0] for _ in range(8000)]
    assert np.mean(np.equal(threads, 2)) > 0.9
