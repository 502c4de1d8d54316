# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions of a substep may be from where more iterations would take them."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels import accuracy, sums
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
    """What float32 leaves [m] of a body with these points."""
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
    is, and hardly less than what is left.
    """

    def __init__(self, model):
        self.model = model
        self.quarter, self.half = wp.zeros_like(model.x), wp.zeros_like(model.x)
        points, bodies = model.assembly.points, model.assembly.vertices
        self.sizes = [np.ptp(points[vertices], axis=0).max() for vertices in bodies]
        self.rounding = np.array([rounding_of(points[vertices]) for vertices in bodies])
        self.is_even = model.settings.quasistatic
        self.chunks, self.counts = body_chunks(model)
        self.squares = wp.zeros((3, len(bodies)), dtype=wp.float64, device=model.x.device)
        self.launches = self._launches()

    def _launches(self):
        """Add up the squares [m²] of the two moves and of the way, body by body."""
        model, at, record = self.model, accuracy.Marks(), self.model.launches.record
        at.start, at.first, at.second, at.now = model.x_start, self.quarter, self.half, model.x
        moves = wp.zeros(len(self.chunks.owner), dtype=wp.vec3d, device=model.x.device)
        each = VERTEX * self.counts.sum() / max(len(moves), 1)
        add, inputs = accuracy.add_moves, [self.chunks, moves]
        return [
            record(add, len(moves), [self.chunks, at], [moves], each),
            record(sums.add_squares, len(self.counts), inputs, [self.squares]),
        ]

    def keep_quarter(self):
        """Keep the positions after a quarter of the iterations."""
        wp.copy(self.quarter, self.model.x)

    def keep_half(self):
        """Keep the positions after half of them."""
        wp.copy(self.half, self.model.x)

    def find(self):
        """`squares` of now."""
        play(self.launches)

    @property
    def reported(self):
        """What a frame tells."""
        return {"squares": self.squares}

    def estimate(self, squares, done, count):
        """`BodyErrors` after `done` of `count` iterations, unknown when a substep was too short, or
        has ended before its time, to tell. Goals are what nobody sees.
        """
        found = BodyErrors.unknown(len(self.counts))
        if count < 4 or done < count // 2:
            return found
        moving = self.counts > 0
        # Over all vertices: contacts flip to and fro at single ones, which nobody sees.
        first, second, motion = np.sqrt(squares[:, moving] / self.counts[moving])
        quotient = np.divide(second, first, out=np.zeros_like(first), where=first > 0.0)
        left = part_left_evenly(quotient) if self.is_even else part_left(quotient)
        found.error[moving] = np.maximum(second * left, self.rounding[moving])
        found.goal[moving] = found.seen[moving] = visible(motion, np.array(self.sizes)[moving])
        found.motion[moving] = motion
        return found


def part_left(quotient):
    """The error that two moves with one coarse step each leave, as a part of the second, by the
    `quotient` of them.
    """
    return PART_LEFT * np.minimum(quotient, 1.0) ** POWER


def part_left_evenly(quotient):
    """The same where the error shrinks at one rate, and twice as far in the second."""
    shrinks = 0.5 * (np.sqrt(1.0 + 4.0 * quotient) - 1.0)
    shrinks = np.minimum(shrinks, SLOWEST) ** 2
    return shrinks / (1.0 - shrinks)
