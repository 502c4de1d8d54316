# SPDX-License-Identifier: GPL-3.0-or-later
"""Accuracy: error estimates of bodies, which end a substep (kernels/descent/accuracy.py)."""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent import accuracy as kernels
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
        self.measure = self._measure(collapsed)
        self.check = self._make_check()

    def _measure(self, collapsed):
        """Return launches that estimate all errors, and end the iterations where they are small."""
        model, record = self.model, self.model.launches.record
        at = kernels.ErrorSampleArrays()
        at.start, at.guess, at.inertial = model.x_start, self.guess, model.inertial
        at.first, at.second, at.now = self.first, self.second, model.x
        demand, settings = kernels.Demand(), model.settings
        demand.accuracy, demand.step_time = settings.accuracy, settings.step_time
        launches, moves, displacements = self.sums(at)
        bodies = [
            self.iterations.number,
            self.chunks,
            moves,
            displacements,
            model.gravity.now,
            demand,
        ]
        bodies.append(self._compared())
        # With a fixed period there are more coarse steps: half of the iterations left must suffice.
        left = 0.5 * (self.iterations.count - kernels.SECOND_CHECK) / CYCLE
        has_fixed_period, is_met = self.iterations.has_fixed_period, self.iterations.is_met
        choose, find_met = (
            record(kernels.find_below, 1, [self.errors, collapsed, wp.float64(cycles)], [flag])
            for cycles, flag in ((left, has_fixed_period), (0.0, is_met))
        )
        self.choose = [
            choose,
            record(kernels.fade, len(self.body), [has_fixed_period], [self.errors]),
        ]
        return [
            *launches,
            record(kernels.find_errors, len(self.body), bodies, [self.errors]),
            find_met,
        ]

    def _compared(self):
        """Return the number of cycles of the last move at a check [iterations done]."""
        cycles, second = np.ones(self.iterations.count + 1, np.int32), 2 * CYCLE
        for done, _ in self.check_schedule:
            cycles[done], second = (done - second) // CYCLE, done
        return self.model.upload(cycles, int)

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        return {name: getattr(self.errors, name) for name in ("slowest", "latest")}

    def begin(self):
        """Save the positions at which the iterations begin."""
        wp.copy(self.guess, self.model.x)

    def _make_check(self):
        """Return the action after every iteration: samples, checks and decisions that are due."""
        first, second = kernels.FIRST_CHECK, kernels.SECOND_CHECK
        later = {done for done, _ in self.check_schedule}
        checks = {first, *later}
        shifts = {2 * CYCLE, *(done for done, doubles in self.check_schedule if not doubles)}
        seconds = {CYCLE, 2 * CYCLE, *later}

        def after(chosen, action):
            def is_chosen(number):
                return number + 1 in chosen

            def is_due(number):
                return is_chosen(number) and not (self.chooses_period and number >= second)

            return self.iterations.when_due(is_due, action, when_fixed=is_chosen)

        actions = [
            after(checks, lambda: play(self.measure)),
            after(shifts, lambda: wp.copy(self.first, self.second)),
            after({1}, lambda: wp.copy(self.first, self.model.x)),
            after(seconds, lambda: wp.copy(self.second, self.model.x)),
        ]
        if self.chooses_period:
            actions.append(after({second}, lambda: play(self.choose)))
        return after({1} | checks | shifts | seconds, lambda: [action() for action in actions])

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
