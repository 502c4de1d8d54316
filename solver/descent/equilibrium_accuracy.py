# SPDX-License-Identifier: GPL-3.0-or-later
"""Accuracy of quasistatic frames: error estimates of bodies, which end a frame."""

from functools import partial

import numpy as np
import warp as wp

from ..device.launches import THREADS, play
from ..kernels.descent import error_samples
from ..kernels.descent.equilibrium_accuracy import find_errors_at_one_rate
from ..settings.settings import LEAST_AT_REST as FIRST_CHECK
from .body_errors import BodyErrorEstimates


def checks_within(count):
    """Return the iterations done at all checks within `count` iterations: each later check comes
    after twice as many.
    """
    found, done = [], FIRST_CHECK
    while done <= count:
        found.append(done)
        done *= 2
    return found


class EquilibriumAccuracy(BodyErrorEstimates):
    """Estimates the error of every body after 8, 16, 32, … iterations of a quasistatic frame.

    A coarse step follows every sweep there, so all of the error shrinks at one rate. The `first`
    and `second` sample are taken after a quarter and half of the iterations before a check.
    """

    def __init__(self, model, iterations, collapsed):
        super().__init__(model)
        self.first, self.second = (wp.zeros_like(model.x) for _ in range(2))
        self.checks = checks_within(iterations.count)
        self.check = self._make_check(iterations, collapsed)

    def _make_check(self, iterations, collapsed):
        """Return the action after every iteration: samples and checks that are due."""
        model, at = self.model, error_samples.ErrorSampleArrays()
        at.start = at.guess = at.inertial = model.x_start
        at.first, at.second, at.now = self.first, self.second, model.x
        schedule = error_samples.CheckSchedule()
        actions = np.zeros(iterations.count + 1, np.int32)  # by iterations done
        for done, action in (
            (FIRST_CHECK // 4, error_samples.KEEP_FIRST),
            (FIRST_CHECK // 2, error_samples.KEEP_SECOND),
            (self.checks, error_samples.ESTIMATE | error_samples.SHIFT | error_samples.KEEP_SECOND),
        ):
            actions[done] |= action
        schedule.actions = model.upload(actions[1:], int)
        schedule.last = iterations.count
        self.give_sums(at)
        sample = self.record_sampling(iterations, schedule, at)
        accuracy, ended = wp.float64(model.settings.accuracy), wp.zeros_like(iterations.is_met)
        find = model.launches.record(
            find_errors_at_one_rate,
            len(self.body),
            [iterations.number, schedule, self.chunks, at, accuracy, collapsed],
            [self.errors, ended, iterations.is_met],
            tile_threads=THREADS,
        )
        return iterations.when_due((actions[1:] != 0).__getitem__, partial(play, [sample, find]))

    @property
    def saved(self):
        """No state passes from one substep to the next."""
        return {}

    def begin(self):
        """Nothing is saved before the iterations."""

    def estimate(self, numbers, done):
        """Return the `BodyErrors` after `done` iterations from the `reported` numbers; unknown
        after too few iterations.
        """
        passed = [check for check in self.checks if check <= done]
        if not passed:
            return self.unknown()
        return self.errors_after(numbers, done - passed[-1], passed[-1] / 2)
