# SPDX-License-Identifier: GPL-3.0-or-later
"""Accuracy: error estimates of bodies, which end a substep (kernels/descent/accuracy.py)."""

from functools import partial

import numpy as np
import warp as wp

from ..device.launches import THREADS, play
from ..kernels.descent import accuracy as kernels
from ..kernels.descent import error_samples
from ..kernels.device.turns import TURNS
from .body_errors import BodyErrorEstimates

# Iterations from one coarse step to the next.
CYCLE = 2

# From the third cycle on, two moves are compared with every cycle; after so many checks, moves over
# twice as many cycles, whose rate is better known where it is near to 1.
CHECKS = 4


def begins_cycle(iteration):
    """Return whether a coarse step comes before an iteration, counted from 0, where cycles have a
    fixed period: after iterations 1, 2, 3, 5, 7, and so on.
    """
    return iteration == CYCLE or iteration % CYCLE == 1


def begins_growing_cycle(iteration):
    """Return whether a coarse step comes before an iteration where cycles grow: after iterations 1,
    2, 3, 5, 9, 17, and so on. Up to the second error check both schedules agree.
    """
    return iteration > 0 and (iteration - 1) & (iteration - 2) == 0


def coarse_step_follows(iteration, settings):
    """Return whether a coarse step follows an iteration, counted from 0, where no accuracy ends
    substeps.
    """
    return settings.quasistatic or begins_growing_cycle(iteration + 1)


def check_schedule(count):
    """Return (iterations done, whether the period of checks doubles from here on) for all error
    checks within `count` iterations but the first. Each check compares the positions at three
    samples: at itself and at the two before it; samples are also taken after one and two cycles.
    """
    done, cycles, found = 2 * CYCLE, CYCLE, []
    while done + cycles <= count:
        checks = CHECKS if cycles == CYCLE else CHECKS - 1
        for check in range(1, checks + 1):
            done += cycles
            if done <= count:
                found.append((done, check == checks))
        cycles *= 2
    return found


class Accuracy(BodyErrorEstimates):
    """Estimates the error of every body at checks between the iterations of a substep.

    The `first` sample is as many iterations before the `second` as that is before the check.
    `collapsed` [component] is not 0 where tets have collapsed. If it `chooses_period`, the second
    check decides whether the cycles that follow have a fixed period, or grow without checks.
    """

    def __init__(self, model, iterations, collapsed, chooses_period=False):
        super().__init__(model)
        self.iterations, self.chooses_period = iterations, chooses_period
        self.guess, self.first, self.second = (wp.zeros_like(model.x) for _ in range(3))
        self.check_schedule = check_schedule(iterations.count)
        self.check = self._make_check(collapsed)

    def _make_check(self, collapsed):
        """Return the action after every iteration: samples, checks and decisions that are due. On a
        GPU there is none: the launch that ends iterations does this.
        """
        record, iterations = self.model.launches.record, self.iterations
        at, schedule = self._samples(), self._schedule()
        demand, settings = kernels.Demand(), self.model.settings
        demand.accuracy, demand.step_time = settings.accuracy, settings.step_time
        self.give_sums(at)
        gravity, ended = self.model.gravity.now, wp.zeros(1, dtype=int, device=self.model.device)
        inputs = [iterations.number, schedule, self.chunks, at, gravity, demand, collapsed]
        state, count = [self.errors, ended, iterations.has_fixed_period], len(self.body)
        if self.model.launches.are_wide:  # a decision takes as long as a launch of nothing
            turns, blocks = wp.zeros(TURNS, dtype=int, device=self.model.device), len(at.moves) + 1
            known, state = [schedule, self.chunks, gravity, demand, collapsed], [at, self.errors]

            def record_end(progress):
                outputs = [*state, ended, turns, progress]
                check, threads = kernels.check_errors, THREADS
                return record(check, count + blocks, known, outputs, tile_threads=threads)

            iterations.record_end = record_end
            return None
        sample = self.record_sampling(iterations, schedule, at)
        outputs = [*state, iterations.is_met]
        check = record(kernels.find_errors, count, inputs, outputs, tile_threads=THREADS)
        acts = schedule.actions.numpy() != 0

        def is_due(number):
            return acts[number] and number <= schedule.last

        return iterations.when_due(
            is_due, partial(play, [sample, check]), when_fixed=acts.__getitem__
        )

    def _samples(self):
        """Return the positions of samples."""
        model, at = self.model, error_samples.ErrorSampleArrays()
        at.start, at.guess, at.inertial = model.x_start, self.guess, model.inertial
        at.first, at.second, at.now = self.first, self.second, model.x
        return at

    def _schedule(self):
        """Return the `CheckSchedule`."""
        count, second = self.iterations.count, kernels.SECOND_CHECK
        checks = [done for done, _ in self.check_schedule]
        shifts = [done for done, doubles in self.check_schedule if not doubles]
        actions = np.zeros(count + 1, np.int32)  # by iterations done
        for action, chosen in (
            (error_samples.ESTIMATE, {kernels.FIRST_CHECK, *checks}),
            (error_samples.SHIFT, {2 * CYCLE, *shifts}),
            (error_samples.KEEP_FIRST, {1}),
            (error_samples.KEEP_SECOND, {CYCLE, 2 * CYCLE, *checks}),
            (error_samples.CHOOSE, {second} if self.chooses_period else ()),
        ):
            actions[[done for done in chosen if done <= count]] |= action
        schedule = error_samples.CheckSchedule()
        schedule.actions = self.model.upload(actions[1:], int)
        schedule.compared = self.model.upload(self._compared()[1:], int)
        # With a fixed period there are more coarse steps: half of the iterations left must suffice.
        schedule.left = 0.5 * (count - second) / CYCLE
        schedule.last = second - 1 if self.chooses_period else count
        return schedule

    def _compared(self):
        """Return the number of cycles of the last move at a check [iterations done]."""
        cycles, second = np.ones(self.iterations.count + 1, np.int32), 2 * CYCLE
        for done, _ in self.check_schedule:
            cycles[done], second = (done - second) // CYCLE, done
        return cycles

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        return {name: getattr(self.errors, name) for name in ("slowest", "latest")}

    def begin(self):
        """Save the positions at which the iterations begin."""
        wp.copy(self.guess, self.model.x)

    def estimate(self, numbers, done):
        """Return the `BodyErrors` after `done` iterations from the `reported` numbers; unknown
        after too few iterations.
        """
        if done < kernels.FIRST_CHECK:
            return self.unknown()
        passed = [check for check, _ in self.check_schedule if check <= done]
        last, compared = kernels.FIRST_CHECK, 1
        if passed:
            last = passed[-1]
            compared = last - ([CYCLE, 2 * CYCLE, *passed])[-2]
        return self.errors_after(numbers, done - last, compared)
