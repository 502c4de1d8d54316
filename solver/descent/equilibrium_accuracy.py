# SPDX-License-Identifier: GPL-3.0-or-later
"""Accuracy of quasistatic frames: error estimates of bodies, which end a frame."""

import warp as wp

from ..device.launches import play
from ..kernels.descent import accuracy as kernels
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
        model, record, at = self.model, self.model.launches.record, kernels.ErrorSampleArrays()
        at.start = at.guess = at.inertial = model.x_start
        at.first, at.second, at.now = self.first, self.second, model.x
        accuracy = wp.float64(model.settings.accuracy)
        sums, moves, displacements = self.sums(at)
        measure = [
            *sums,
            record(
                find_errors_at_one_rate,
                len(self.body),
                [self.chunks, moves, displacements, accuracy],
                [self.errors],
            ),
            record(
                kernels.find_below,
                1,
                [self.errors, collapsed, wp.float64(0.0)],
                [iterations.is_met],
            ),
        ]

        def act():
            play(measure)
            wp.copy(self.first, self.second)
            wp.copy(self.second, model.x)

        def after(chosen, action):
            return iterations.when_due(lambda number: number + 1 in chosen, action)

        actions = [
            after({FIRST_CHECK // 4}, lambda: wp.copy(self.first, model.x)),
            after({FIRST_CHECK // 2}, lambda: wp.copy(self.second, model.x)),
            after(set(self.checks), act),
        ]
        return lambda: [action() for action in actions]

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
