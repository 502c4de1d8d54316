# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends a substep when the estimated error of all bodies is small (kernels/accuracy.py)."""

import math

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels import accuracy as kernels
from ..model.chunks import make_chunks

# Iterations from one coarse step to the next.
CYCLE = 2
# Two moves are compared after three cycles, and then with every cycle; so many times until moves
# over twice as many cycles are, whose rate tells more where it is near to 1.
LOOKS = 4
# Nobody sees an error below this part of a body's size, at an accuracy of 1.
PART_OF_SIZE = 0.005
# What float32 leaves of a body's position, as a part of the size of coordinates.
ROUNDING = 3e-7
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


def marks(count):
    """(iterations done, whether the next mark comes twice as far from it as the last one) of all
    marks within `count` iterations, but for the first two: one and two cycles.
    """
    done, cycles, found = 2 * CYCLE, CYCLE, []
    while done + cycles <= count:
        looks = LOOKS if cycles == CYCLE else LOOKS - 1
        for look in range(1, looks + 1):
            done += cycles
            if done <= count:
                found.append((done, look == looks))
        cycles *= 2
    return found


class Accuracy:
    """Estimates the error of every body at some marks between the iterations of a substep.

    The first mark kept is as many iterations before the second as that is before now.
    """

    def __init__(self, model, iterations):
        self.model, self.iterations = model, iterations
        self.first, self.second = wp.zeros_like(model.x), wp.zeros_like(model.x)
        self.marks = marks(iterations.count)
        free, assembly = model.free_count, model.assembly
        owner = np.concatenate(
            [np.full((vertices < free).sum(), b) for b, vertices in enumerate(assembly.vertices)]
        )
        vertex = np.concatenate([vertices[vertices < free] for vertices in assembly.vertices])
        self.body, owner = np.unique(owner, return_inverse=True)
        self.chunks = make_chunks(vertex, owner, len(self.body), model.device)
        self.errors = self._errors(np.bincount(owner))
        self.measure = self._measure()
        self.looks = list(self._looks())

    def _errors(self, counts):
        """`BodyErrors` of the bodies with `counts` free vertices."""
        model, errors = self.model, kernels.BodyErrors()
        points = [model.assembly.points[model.assembly.vertices[b]] for b in self.body]
        sizes = np.array([np.ptp(each, axis=0).max() for each in points])
        reach = np.array([np.abs(each).max() for each in points])
        values = counts, PART_OF_SIZE * model.settings.accuracy * sizes, ROUNDING * reach
        for name, value in zip(("size", "least", "rounding"), values, strict=True):
            setattr(errors, name, model.upload(value, wp.float64))
        for name in ("error", "goal", "rate"):
            zeros = wp.zeros(len(counts), dtype=wp.float64, device=model.device)
            setattr(errors, name, zeros)
        return errors

    def _measure(self):
        """Launches that estimate all errors, and end the iterations where they are small."""
        model, record = self.model, self.model.launches.record
        at = kernels.Marks()
        at.start, at.first, at.second, at.now = model.x_start, self.first, self.second, model.x
        sizes = np.diff(self.chunks.start.numpy())
        moves = wp.zeros(len(sizes), dtype=wp.vec3d, device=model.device)
        bodies, part = len(self.body), wp.float64(model.settings.accuracy)
        return [
            record(kernels.add_moves, len(sizes), [self.chunks, at], [moves], VERTEX * sizes),
            record(kernels.find_errors, bodies, [self.chunks, moves, part], [self.errors]),
            record(kernels.find_met, 1, [self.errors], [self.iterations.is_met]),
        ]

    def _looks(self):
        """What to do after an iteration, where that is due."""
        looks, doubles = (
            [done for done, _ in self.marks],
            [done for done, is_it in self.marks if is_it],
        )
        seconds = {2 * CYCLE, *looks}
        when_due = self.iterations.when_due
        yield when_due(lambda number: number + 1 in looks, lambda: play(self.measure))
        yield when_due(
            lambda number: number + 1 in looks and number + 1 not in doubles,
            lambda: wp.copy(self.first, self.second),
        )
        yield when_due(
            lambda number: number + 1 == CYCLE, lambda: wp.copy(self.first, self.model.x)
        )
        yield when_due(
            lambda number: number + 1 in seconds, lambda: wp.copy(self.second, self.model.x)
        )

    @property
    def reported(self):
        """What a frame tells."""
        names = "error", "goal", "rate", "rounding"
        return {f"body_{name}": getattr(self.errors, name) for name in names}

    def worst(self, numbers, done):
        """(error [m], goal [m], factor by which an iteration shrinks it) of the body that is
        farthest from its goal after `done` iterations, by what was `reported`; NaN where these
        were too few to tell.
        """
        passed = [mark for mark, _ in self.marks if mark <= done]
        if not passed:
            return math.nan, math.nan, math.nan
        last = passed[-1]
        compared = last - ([CYCLE, 2 * CYCLE, *passed])[-2]
        error, goal, rate, rounding = (numbers[name] for name in self.reported)
        rate = rate ** (1.0 / compared)
        error = np.maximum(error * rate ** (done - last), rounding)
        b = int(np.argmax(error / goal))
        return float(error[b]), float(goal[b]), float(rate[b])
