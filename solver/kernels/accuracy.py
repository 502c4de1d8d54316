# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the bodies of a substep still are from where its iterations go, and whether that will do.

Cycles of sweeps and a coarse step shrink the error of a body by the same part again and again, and
so its moves: with moves a and b over two times as many cycles, the rate is s = b / a, and what is
left after the second is b s / (1 − s).
"""

import warp as wp

from .chunks import Chunks
from .options import QUICK

wp.set_module_options(QUICK)

# A rate nearer to 1 tells nothing: what has hardly moved is not known to be where it belongs.
SLOWEST = wp.constant(wp.float64(0.97))
# The first rates of slow contacts come out too small: the estimate has to be below the goal by
# this factor.
CAUTION = wp.constant(1.5)


@wp.struct
class Marks:
    """Positions [m] of vertices in a substep: at its start and after some of its iterations."""

    start: wp.array[wp.vec3]
    first: wp.array[wp.vec3]
    second: wp.array[wp.vec3]
    now: wp.array[wp.vec3]


@wp.struct
class BodyErrors:
    """Of every body, all as root mean squares over its free vertices."""

    size: wp.array[wp.float64]  # number of these vertices
    least: wp.array[wp.float64]  # error that nobody sees, whatever the motion [m]
    rounding: wp.array[wp.float64]  # error that float32 leaves [m]
    error: wp.array[wp.float64]  # [m]
    goal: wp.array[wp.float64]  # [m]
    rate: wp.array[wp.float64]  # part that is left of the error by as many cycles as were compared


@wp.kernel
def add_moves(
    first: int,
    chunks: Chunks,
    marks: Marks,
    # out
    moves: wp.array[wp.vec3d],
):
    """Sums of squares [m²] of the moves between the marks and of the way from the start. One
    thread per chunk.
    """
    chunk = first + wp.tid()
    total = wp.vec3d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        before = marks.second[i] - marks.first[i]
        after = marks.now[i] - marks.second[i]
        way = marks.now[i] - marks.start[i]
        total += wp.vec3d(
            wp.float64(wp.dot(before, before)),
            wp.float64(wp.dot(after, after)),
            wp.float64(wp.dot(way, way)),
        )
    moves[chunk] = total


@wp.kernel
def find_errors(
    chunks: Chunks,
    moves: wp.array[wp.vec3d],
    accuracy: wp.float64,
    # in and out
    bodies: BodyErrors,
):
    """The error of every body, and what it may be: a part `accuracy` of its motion. One thread per
    body.
    """
    b = wp.tid()
    total = wp.vec3d()
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        total += moves[chunk]
    total /= bodies.size[b]
    before = wp.sqrt(total[0])
    rounding = bodies.rounding[b]
    # Rounding moves vertices to and fro, at a rate of 1.
    after = wp.sqrt(wp.max(total[1] - rounding * rounding, wp.float64(0.0)))
    rate = SLOWEST
    if after < SLOWEST * before:
        rate = after / before
    bodies.rate[b] = rate
    bodies.error[b] = wp.max(after * rate / (wp.float64(1.0) - rate), rounding)
    motion = wp.sqrt(total[2])
    bodies.goal[b] = wp.max(
        wp.max(accuracy * motion, bodies.least[b]), wp.float64(CAUTION) * rounding
    )


@wp.kernel
def find_met(
    bodies: BodyErrors,
    # in and out
    is_met: wp.array[int],
):
    """Whether the errors of all bodies are surely below their goals. One thread."""
    for b in range(bodies.error.shape[0]):
        # What is not finite is not below.
        if not (wp.float64(CAUTION) * bodies.error[b] <= bodies.goal[b]):
            return
    is_met[0] = 1
