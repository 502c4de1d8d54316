# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimated error of positions: their distance to the result of more iterations of the substep."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent.error_samples import ErrorSampleArrays, add_moves, add_touched_moves
from ..kernels.report import sums
from ..model.chunks import body_chunks

# An error is invisible below this fraction of a body's displacement in the substep (good scenes
# have frames with such errors, as bodies land) ...
FRACTION_OF_MOTION = 0.25
# ... or below this fraction of its size: a pixel of a body that is a thousand pixels wide.
FRACTION_OF_SIZE = 1e-3
# Rounding error of a float32 position, as a fraction of the size of coordinates.
ROUNDING = 1e-7
# Rates are limited to this: small moves at a rate near to 1 do not prove a small error.
SLOWEST = 0.999
# Where coarse steps get rarer, the error is this multiple of the last move, times its ratio to the
# move before to this power: fitted to scenes of all kinds, checked with others
# (benchmarks/experiments/error_estimate.py).
FRACTION_LEFT, POWER = 1.6, 0.8
# Rates of single sweeps are limited to this.
SLOWEST_SWEEP = 0.995
# A goal is not smaller than this [m].
TINY = 1e-300
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


@dataclass(frozen=True)
class BodyErrors:
    """Errors of all bodies [m], as root mean squares over the vertices of each; NaN if unknown."""

    error: np.ndarray
    goal: np.ndarray  # below this the error counts as none
    seen: np.ndarray  # from this on the error may be visible
    decay: np.ndarray  # factor by which an iteration shrinks the error
    motion: np.ndarray  # displacement in the substep

    @classmethod
    def unknown(cls, count):
        """Return unknown errors of `count` bodies."""
        return cls(*np.full((5, count), np.nan))

    @property
    def worst(self):
        """Number of the body with the largest ratio of error to goal; None if all are unknown."""
        ratio = np.where(np.isnan(self.error), -1.0, self.error) / np.maximum(self.goal, TINY)
        ratio[np.isnan(ratio)] = -1.0
        return int(ratio.argmax()) if (ratio >= 0.0).any() else None


def rounding_of(points):
    """Return the rounding error [m] of a body's points in float32."""
    return ROUNDING * np.abs(points).max()


def visible(motion, size):
    """Return the least visible errors [m] of bodies with a motion and a size [m]."""
    return np.maximum(FRACTION_OF_MOTION * motion, FRACTION_OF_SIZE * size)


class PositionError:
    """Estimates the error of positions from their moves in the last iterations.

    In quasistatic scenes a coarse step follows every sweep, and the whole error shrinks at one
    rate: by the factor s from a quarter of the iterations to half of them, and by s² from there to
    the end. The vertices move by ε (1 − s) / s³ and ε (1 − s²) / s² meanwhile, where ε is the error
    at the end: the two moves give s and ε.

    Else each of the two moves has one coarse step, which reduces the smooth error, and many sweeps,
    which hardly do: the second move is about as large as the remaining error, or larger. Touching
    bodies are held by contacts stiffer than themselves, and move together by small steps, which no
    coarse step enlarges. Their rate follows from two sweeps without a coarse step between them;
    coarse steps come after the iterations `steps` of `count`.
    """

    def __init__(self, model, count, steps):
        self.model, self.count = model, count
        points, bodies = model.assembly.points, model.assembly.vertices
        self.sizes = [np.ptp(points[vertices], axis=0).max() for vertices in bodies]
        self.rounding = np.array([rounding_of(points[vertices]) for vertices in bodies])
        self.has_one_rate = model.settings.quasistatic
        self.sweeps = None if self.has_one_rate else last_sweeps(count, steps)
        # Samples of positions, by iterations done.
        self.ends = count // 4, count // 2, count
        done_at = {*self.ends, *(self.sweeps or ())}
        self.samples = {
            done: wp.zeros_like(model.x) for done in sorted(done_at) if 0 < done < count
        }
        self.chunks, self.counts = body_chunks(model)
        self.squares = wp.zeros((2, 3, len(bodies)), dtype=wp.float64, device=model.x.device)
        self.launches = self._launches()

    def _launches(self):
        """Return launches that sum up the squares [m²] of the two moves and of the displacement in
        the substep, by body; and of the two sweeps of touched vertices, and of both together.
        """
        launches = self._add(0, add_moves, self.ends, self.model.x_start)
        if self.sweeps:
            touched, start = self.model.touched, self._at(self.sweeps[0])
            launches += self._add(1, add_touched_moves, self.sweeps, start, touched)
        return launches

    def _at(self, done):
        """Return the positions after so many iterations; the current ones at the end."""
        return self.samples.get(done, self.model.x)

    def _add(self, row, kernel, ends, start, *of):
        """Return launches of a kernel for the squares of two moves, whose ends are iterations done,
        and of the displacement from a start.
        """
        model, at, record = (
            self.model,
            ErrorSampleArrays(),
            self.model.launches.record,
        )
        at.start, (at.first, at.second, at.now) = start, map(self._at, ends)
        moves = wp.zeros(len(self.chunks.owner), dtype=wp.vec3d, device=model.x.device)
        each = VERTEX * self.counts.sum() / max(len(moves), 1)
        return [
            record(kernel, len(moves), [self.chunks, at, *of], [moves], each),
            record(sums.add_squares, len(self.counts), [self.chunks, moves], [self.squares[row]]),
        ]

    def find(self):
        """Find `squares` at the end of the iterations."""
        play(self.launches)

    @property
    def reported(self):
        """Arrays that a frame reports."""
        return {"squares": self.squares}

    def estimate(self, squares, done):
        """Return the `BodyErrors` after `done` iterations; unknown if these were too few."""
        found, count = BodyErrors.unknown(len(self.counts)), self.count
        if count < 4 or done < count // 2:
            return found
        moving = self.counts > 0
        # Mean over all vertices: contacts flip to and fro at single ones, which is invisible.
        of_vertices, of_sweeps = squares[..., moving] / self.counts[moving]
        first, second, motion = np.sqrt(of_vertices)
        error = second * (fraction_left_at_one_rate if self.has_one_rate else fraction_left)(
            quotient(second, first)
        )
        if self.sweeps and done == count:
            error = np.hypot(error, self._left_by_sweeps(of_sweeps))
        found.error[moving] = np.maximum(error, self.rounding[moving])
        found.goal[moving] = found.seen[moving] = visible(motion, np.array(self.sizes)[moving])
        found.motion[moving] = motion
        return found

    def _left_by_sweeps(self, squares):
        """Return the error [m] of touched vertices from the squares [m²] of the moves a, b of two
        sweeps without a coarse step, and of a + b. The rate is a·b / a², which is small where
        contacts flip to and fro. If b is longer, a search between the two has released vertices,
        which is no slow error: then the rate is a·b / b².
        """
        first, second, both = squares
        rate = quotient(0.5 * (both - first - second), np.maximum(first, second))
        rate = np.clip(rate, 0.0, SLOWEST_SWEEP)
        later = self.count - self.sweeps[2]
        return np.sqrt(second) * rate ** (1 + later) / (1.0 - rate)


def last_sweeps(count, steps):
    """Return the iterations done (first, middle, last) at the ends of two sweeps: the last two of
    the longest interval without coarse `steps` in the second half of `count` iterations; or None.
    """
    half = count // 2
    starts = [half, *(step for step in steps if half < step <= count)]
    ends = [*(step - 1 for step in starts[1:]), count]
    first, end = max(zip(starts, ends, strict=True), key=lambda interval: interval[1] - interval[0])
    return (end - 2, end - 1, end) if end - first >= 2 else None


def quotient(second, first):
    """Return second / first, 0 where `first` is 0."""
    return np.divide(second, first, out=np.zeros_like(first), where=first > 0.0)


def fraction_left(ratio):
    """Return the error after two moves with one coarse step each, as a fraction of the second move,
    from the `ratio` of the moves.
    """
    return FRACTION_LEFT * np.minimum(ratio, 1.0) ** POWER


def fraction_left_at_one_rate(ratio):
    """Return that fraction if the error shrinks at one rate, in the second move twice as far."""
    shrinks = 0.5 * (np.sqrt(1.0 + 4.0 * ratio) - 1.0)
    shrinks = np.minimum(shrinks, SLOWEST) ** 2
    return shrinks / (1.0 - shrinks)
