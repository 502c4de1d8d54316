# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions of a substep may be from where more iterations would take them."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent import accuracy
from ..kernels.report import sums
from ..model.chunks import body_chunks

# Nobody minds an error below this part of the path that a body has gone in the substep (scenes that
# look right have frames with such, as bodies land)...
PART_OF_MOTION = 0.25
# ... or below this part of its size: a pixel of what is a thousand pixels wide.
PART_OF_SIZE = 1e-3
# What float32 leaves of a body's position, as a part of the size of coordinates.
ROUNDING = 1e-7
# A rate nearer to 1 tells nothing: what has hardly moved is not known to be where it belongs.
SLOWEST = 0.999
# Where coarse steps get rarer, the error is this multiple of the last move, times its ratio to the
# move before to this power: fitted to scenes of all kinds, checked with others
# (benchmarks/experiments/error_estimate.py).
PART_LEFT, POWER = 1.6, 0.8
# A rate of a sweep nearer to 1 than this tells nothing either.
SLOWEST_SWEEP = 0.995
# A goal is not smaller than this [m].
TINY = 1e-300
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


@dataclass(frozen=True)
class BodyErrors:
    """Errors of all bodies [m], as root mean squares over the vertices of each; NaN of those of
    which nothing is known.
    """

    error: np.ndarray
    goal: np.ndarray  # what of it counts as none
    seen: np.ndarray  # from where on one might see it
    decay: np.ndarray  # the factor by which an iteration shrinks it
    motion: np.ndarray  # in the substep

    @classmethod
    def unknown(cls, count):
        """Those of `count` bodies of which nothing is known."""
        return cls(*np.full((5, count), np.nan))

    @property
    def worst(self):
        """Number of the body that is farthest above its goal; None where nothing is known."""
        ratio = np.where(np.isnan(self.error), -1.0, self.error) / np.maximum(self.goal, TINY)
        ratio[np.isnan(ratio)] = -1.0
        return int(ratio.argmax()) if (ratio >= 0.0).any() else None


def rounding_of(points):
    """The distance [m] by which float32 may round the points of a body."""
    return ROUNDING * np.abs(points).max()


def visible(motion, size):
    """The errors [m] from which on one might see them, of bodies with a motion and a size [m]."""
    return np.maximum(PART_OF_MOTION * motion, PART_OF_SIZE * size)


class PositionError:
    """Estimates the error of positions from how the last iterations have moved them.

    To an equilibrium a coarse step follows every sweep, and all parts of the error shrink at one
    rate: to the part s from a quarter of the iterations to half of them, and to s² from there to
    the end. The vertices move by ε (1 − s) / s³ and ε (1 − s²) / s² meanwhile, where ε is the error
    at the end: the two moves give s and ε.

    Else each of the two moves has one coarse step in it, which takes a part of what is smooth of
    the error, and many sweeps, which leave that as it is: the second move alone says how much there
    is, and hardly less than what is left. What touches is held by contacts stiffer than itself, and
    moves with what it touches by small steps, which no coarse step makes larger: two sweeps over
    its vertices without a coarse step between them tell how slowly, where `steps` says after which
    of `count` iterations such come.
    """

    def __init__(self, model, count, steps):
        self.model, self.count = model, count
        points, bodies = model.assembly.points, model.assembly.vertices
        self.sizes = [np.ptp(points[vertices], axis=0).max() for vertices in bodies]
        self.rounding = np.array([rounding_of(points[vertices]) for vertices in bodies])
        self.is_even = model.settings.quasistatic
        self.sweeps = None if self.is_even else last_sweeps(count, steps)
        # Positions to keep, by iterations done.
        self.ends = count // 4, count // 2, count
        kept = {*self.ends, *(self.sweeps or ())}
        self.marks = {done: wp.zeros_like(model.x) for done in sorted(kept) if 0 < done < count}
        self.chunks, self.counts = body_chunks(model)
        self.squares = wp.zeros((2, 3, len(bodies)), dtype=wp.float64, device=model.x.device)
        self.launches = self._launches()

    def _launches(self):
        """Add up the squares [m²] of the two moves and of the way of all iterations, body by body;
        and of the two without a coarse step, and of both together, of what is touched.
        """
        launches = self._add(0, accuracy.add_moves, self.ends, self.model.x_start)
        if self.sweeps:
            touched, start = self.model.touched, self._at(self.sweeps[0])
            launches += self._add(1, accuracy.add_touched_moves, self.sweeps, start, touched)
        return launches

    def _at(self, done):
        """The positions after so many iterations; of now at their end."""
        return self.marks.get(done, self.model.x)

    def _add(self, row, kernel, ends, start, *of):
        """Launches of a kernel for the squares of two moves, given by iterations done, and of the
        way from a start.
        """
        model, at, record = self.model, accuracy.ErrorSampleArrays(), self.model.launches.record
        at.start, (at.first, at.second, at.now) = start, map(self._at, ends)
        moves = wp.zeros(len(self.chunks.owner), dtype=wp.vec3d, device=model.x.device)
        each = VERTEX * self.counts.sum() / max(len(moves), 1)
        return [
            record(kernel, len(moves), [self.chunks, at, *of], [moves], each),
            record(sums.add_squares, len(self.counts), [self.chunks, moves], [self.squares[row]]),
        ]

    def find(self):
        """`squares` of now, the end of the iterations."""
        play(self.launches)

    @property
    def reported(self):
        """What a frame tells."""
        return {"squares": self.squares}

    def estimate(self, squares, done):
        """`BodyErrors` after `done` iterations, unknown when a substep was too short, or has ended
        before its time, to tell.
        """
        found, count = BodyErrors.unknown(len(self.counts)), self.count
        if count < 4 or done < count // 2:
            return found
        moving = self.counts > 0
        # Over all vertices: contacts flip to and fro at single ones, which nobody sees.
        of_all, of_sweeps = squares[..., moving] / self.counts[moving]
        first, second, motion = np.sqrt(of_all)
        error = second * (part_left_evenly if self.is_even else part_left)(quotient(second, first))
        if self.sweeps and done == count:
            error = np.hypot(error, self._left_by_sweeps(of_sweeps))
        found.error[moving] = np.maximum(error, self.rounding[moving])
        found.goal[moving] = found.seen[moving] = visible(motion, np.array(self.sizes)[moving])
        found.motion[moving] = motion
        return found

    def _left_by_sweeps(self, squares):
        """The error [m] that sweeps leave of what is touched, by the squares [m²] of the moves a, b
        of two sweeps without a coarse step and of a + b: their rate is a·b / a², which is small
        where contacts flip to and fro. What a search between the two has let go makes b the longer
        one, and is no slow part: then it is a·b / b².
        """
        first, second, both = squares
        rate = quotient(0.5 * (both - first - second), np.maximum(first, second))
        rate = np.clip(rate, 0.0, SLOWEST_SWEEP)
        later = self.count - self.sweeps[2]
        return np.sqrt(second) * rate ** (1 + later) / (1.0 - rate)


def last_sweeps(count, steps):
    """(first, middle, last) iteration done of the last two of the longest part of the second half
    of `count` iterations in which none of the coarse `steps` comes; None where it has fewer.
    """
    half = count // 2
    starts = [half, *(step for step in steps if half < step <= count)]
    ends = [*(step - 1 for step in starts[1:]), count]
    first, end = max(zip(starts, ends, strict=True), key=lambda part: part[1] - part[0])
    return (end - 2, end - 1, end) if end - first >= 2 else None


def quotient(second, first):
    """The quotient of two sizes, 0 where the first one is."""
    return np.divide(second, first, out=np.zeros_like(first), where=first > 0.0)


def part_left(ratio):
    """The error that two moves with one coarse step each leave, as a part of the second, by the
    `ratio` of them.
    """
    return PART_LEFT * np.minimum(ratio, 1.0) ** POWER


def part_left_evenly(ratio):
    """The same where the error shrinks at one rate, and twice as far in the second."""
    shrinks = 0.5 * (np.sqrt(1.0 + 4.0 * ratio) - 1.0)
    shrinks = np.minimum(shrinks, SLOWEST) ** 2
    return shrinks / (1.0 - shrinks)
