# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions of a substep may be from where more iterations would take them."""

import math

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels import accuracy, sums
from ..model.chunks import body_chunks

# Nobody sees an error below this part of the path that a body has gone in the substep...
PART_OF_MOTION = 0.05
# ... or below this part of its size.
PART_OF_SIZE = 2.5e-4
# A rate nearer to 1 tells nothing: what has hardly moved is not known to be where it belongs.
SLOWEST = 0.999
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


class PositionError:
    """Estimates the error of positions from how the last iterations have moved them.

    If the error shrinks to the part s from a quarter of the iterations to half of them, and to s²
    from there to the end, the vertices move by ε (1 − s) / s³ and ε (1 − s²) / s² meanwhile, where
    ε is the error at the end: the two moves give s and ε. That holds for cycles of sweeps and
    coarse steps, which shrink all parts of the error at one rate.
    """

    def __init__(self, model):
        self.model = model
        self.quarter, self.half = wp.zeros_like(model.x), wp.zeros_like(model.x)
        points, bodies = model.assembly.points, model.assembly.vertices
        self.sizes = [np.ptp(points[vertices], axis=0).max() for vertices in bodies]
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
        """(error [m], what of it nobody sees [m]) after `done` of `count` iterations, both as the
        root mean square over the vertices of the body where it is most visible.

        NaN when a substep was too short, or has ended before its time, to tell.
        """
        if count < 4 or done < count // 2:
            return math.nan, math.nan
        worst, moving = (0.0, math.inf), np.flatnonzero(self.counts)
        # Over all vertices: contacts flip to and fro at single ones, which nobody sees.
        roots = np.sqrt(squares[:, moving] / self.counts[moving])
        for b, (first, second, motion) in zip(moving, roots.T, strict=True):
            goal = max(PART_OF_MOTION * motion, PART_OF_SIZE * self.sizes[b])
            shrinks = 0.5 * (math.sqrt(1.0 + 4.0 * second / first) - 1.0) if first > 0.0 else 0.0
            shrinks = min(shrinks, SLOWEST) ** 2
            error = second * shrinks / (1.0 - shrinks)
            if error / goal > worst[0] / worst[1]:
                worst = float(error), float(goal)
        return worst
