# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums over vertices in a fixed order, whatever the number of threads: by chunks, then of these."""

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)

# Vertices that one thread adds up.
CHUNK = wp.constant(256)
# Of the force that rounding may make at a vertex it leaves this part, on average over the vertices
# of a body at rest: a twelfth to a sixth on bars and sheets
# (benchmarks/experiments/quasistatic.py).
LEFT = wp.constant(wp.float64(0.25))


@wp.kernel
def add_forces(
    first: int,
    count: int,
    force: wp.array[wp.vec3],
    rounding: wp.array[float],
    # out
    chunks: wp.array[wp.vec2d],
):
    """(Σ |f|, Σ r) [N] of a chunk of the first `count` vertices. One thread per chunk."""
    chunk = first + wp.tid()
    total = wp.vec2d()
    for i in range(chunk * CHUNK, wp.min((chunk + 1) * CHUNK, count)):
        total += wp.vec2d(wp.float64(wp.length(force[i])), wp.float64(rounding[i]))
    chunks[chunk] = total


@wp.kernel
def find_residual(
    chunks: wp.array[wp.vec2d],
    weight: wp.float64,
    # out
    norm: wp.array[wp.float64],
    floor: wp.array[wp.float64],
):
    """The residual, and what rounding leaves of it: sums of all chunks over a weight [N]. One
    thread.
    """
    total = wp.vec2d()
    for chunk in range(chunks.shape[0]):
        total += chunks[chunk]
    norm[0] = total[0] / weight
    floor[0] = LEFT * total[1] / weight
