# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of bodies, and what every estimate of them does alike."""

import warp as wp

from ..device.blocks import block_sum, block_vec3
from ..device.chunks import Chunks
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# The estimate has to be below the goal by this factor; the first rates of slow contacts are
# underestimated by more.
CAUTION, CAUTION_IN_CONTACT = wp.constant(wp.float64(1.5)), wp.constant(wp.float64(2.5))


@wp.struct
class BodyErrorArrays:
    """Errors of all bodies [body], as root mean squares over the free vertices of each."""

    size: wp.array[wp.float64]  # number of these vertices
    least: wp.array[wp.float64]  # error that is invisible, whatever the motion [m]
    rounding: wp.array[wp.float64]  # rounding error of float32 [m]
    error: wp.array[wp.float64]  # [m]
    bound: wp.array[wp.float64]  # cautious bound of the error, to be below the goal [m]
    goal: wp.array[wp.float64]  # [m]
    motion: wp.array[wp.float64]  # in the substep [m]
    rate: wp.array[wp.float64]  # factor of the error over as many cycles as were compared
    slowest: wp.array[wp.float64]  # remembered factor of one cycle; 0: unknown
    latest: wp.array[wp.float64]  # that factor in this substep; 0: unknown so far
    is_cut: wp.array[int]  # 1 if contact has truncated the last step of any vertex


# Squares of two displacements [m²], and the numbers of touched and of truncated vertices.
Displacements = wp.vec4d


@wp.func
def error_after(move: wp.float64, rate: wp.float64, rounding: wp.float64):
    """Return the remaining error [m] after a last `move` [m]."""
    return wp.max(move * rate / (wp.float64(1.0) - rate), rounding)


@wp.func
def block_sums(total: wp.vec3d, displacement: Displacements):
    """Return the sums of both over the threads of a block."""
    for k in range(4):
        displacement[k] = block_sum(displacement[k])
    return block_vec3(total), displacement


@wp.func
def means_of(
    b: int,
    lane: int,
    chunks: Chunks,
    moves: wp.array[wp.vec3d],
    displacements: wp.array[Displacements],
    bodies: BodyErrorArrays,
):
    """Return the means of the sums of all chunks of body b over its vertices, by a block."""
    total, displacement = wp.vec3d(), Displacements()
    for chunk in range(chunks.first[b] + lane, chunks.first[b + 1], wp.block_dim()):
        total += moves[chunk]
        displacement += displacements[chunk]
    total, displacement = block_sums(total, displacement)
    return total / bodies.size[b], displacement / bodies.size[b]


@wp.func
def are_below(
    lane: int, cycles: wp.float64, collapsed: wp.array[int], bodies: BodyErrorArrays
) -> int:
    """Return 1 if the errors of all bodies will be below their goals after so many `cycles` more,
    else 0; by a block.

    Not if tets have `collapsed` [component]: they recover slowly, by many small moves. Nor if
    contact has truncated a step: then small moves do not prove a small error.
    """
    above = int(0)
    for k in range(lane, collapsed.shape[0], wp.block_dim()):
        if collapsed[k] != 0:
            above = 1
    for b in range(lane, bodies.bound.shape[0], wp.block_dim()):
        bound = bodies.bound[b] * wp.pow(bodies.rate[b], cycles)
        # Errors that are not finite are not below.
        if not (bound <= bodies.goal[b]) or bodies.is_cut[b] != 0:
            above = 1
    return wp.where(block_sum(wp.float64(above)) == wp.float64(0.0), 1, 0)


@wp.func
def set_error(
    b: int,
    rate: wp.float64,
    error: wp.float64,
    motion: wp.float64,
    goal: wp.float64,
    displacement: Displacements,
    bodies: BodyErrorArrays,
):
    """Set the rate, error, bound, motion and goal of body b; no goal is below rounding."""
    is_touched = displacement[2] > wp.float64(0.0)
    caution = wp.where(is_touched, CAUTION_IN_CONTACT, CAUTION)
    bodies.rate[b] = rate
    bodies.error[b] = error
    bodies.bound[b] = caution * error
    bodies.motion[b] = motion
    bodies.goal[b] = wp.max(goal, caution * bodies.rounding[b])
    bodies.is_cut[b] = wp.where(displacement[3] > wp.float64(0.0), 1, 0)
