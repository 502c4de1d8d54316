# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of bodies after some of the iterations of a substep, and sums of the moves between."""

import warp as wp

from ..device.chunks import Chunks
from ..device.options import OPTIONS
from .body_errors import Displacements, block_sums

wp.set_module_options(OPTIONS)


@wp.struct
class ErrorSampleArrays:
    """Positions [m] of vertices in a substep: at its start and after some of its iterations; and
    sums of their moves [chunk].
    """

    start: wp.array[wp.vec3]
    guess: wp.array[wp.vec3]  # where the iterations began
    inertial: wp.array[wp.vec3]  # by inertia and gravity alone
    first: wp.array[wp.vec3]
    second: wp.array[wp.vec3]
    now: wp.array[wp.vec3]
    touched: wp.array[int]  # 1 where touched in this substep [vertex]
    cut: wp.array[int]  # not 0 where contact has cut the last step short [vertex]
    moves: wp.array[wp.vec3d]  # `squares_of` [m²]
    displacements: wp.array[Displacements]  # `displacement_of`


@wp.func
def squares_of(i: int, samples: ErrorSampleArrays):
    """Return the squares [m²] of a vertex's moves between the samples and of its displacement from
    the start."""
    before = samples.second[i] - samples.first[i]
    after = samples.now[i] - samples.second[i]
    displacement = samples.now[i] - samples.start[i]
    return wp.vec3d(
        wp.float64(wp.dot(before, before)),
        wp.float64(wp.dot(after, after)),
        wp.float64(wp.dot(displacement, displacement)),
    )


@wp.func
def displacement_of(i: int, samples: ErrorSampleArrays):
    """Return the squares [m²] of a vertex's displacements from the guess and from the inertial
    positions, and 1 where it is touched and where its step is cut."""
    moved = samples.now[i] - samples.guess[i]
    forced = samples.now[i] - samples.inertial[i]
    return Displacements(
        wp.float64(wp.dot(moved, moved)),
        wp.float64(wp.dot(forced, forced)),
        wp.float64(samples.touched[i]),
        wp.float64(wp.where(samples.cut[i] != 0, 1, 0)),
    )


@wp.kernel
def add_moves(
    first: int,
    chunks: Chunks,
    samples: ErrorSampleArrays,
    # out
    moves: wp.array[wp.vec3d],
):
    """Sum up `squares_of` vertices. One thread per chunk."""
    chunk = first + wp.tid()
    total = wp.vec3d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        total += squares_of(chunks.vertex[q], samples)
    moves[chunk] = total


@wp.kernel
def add_touched_moves(
    first: int,
    chunks: Chunks,
    samples: ErrorSampleArrays,
    touched: wp.array[int],
    # out
    moves: wp.array[wp.vec3d],
):
    """Sum up `squares_of` vertices that are `touched` [vertex] in this substep."""
    chunk = first + wp.tid()
    total = wp.vec3d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        if touched[chunks.vertex[q]] != 0:
            total += squares_of(chunks.vertex[q], samples)
    moves[chunk] = total


# What an iteration does: estimate errors, choose the period of cycles by them, shift samples, or
# keep the positions as the first or second one.
ESTIMATE, CHOOSE, SHIFT, KEEP_FIRST, KEEP_SECOND = (wp.constant(1 << k) for k in range(5))


@wp.struct
class CheckSchedule:
    """Actions of every iteration, and the numbers of cycles of a check."""

    actions: wp.array[int]  # [iteration]
    compared: wp.array[int]  # [iteration] cycles of the last move
    left: wp.float64  # cycles that must suffice where the period is chosen
    last: int  # the last iteration with actions where cycles grow


@wp.func
def action_in(number: int, schedule: CheckSchedule, has_fixed_period: wp.array[int]):
    """Return what the iteration `number` does."""
    action = schedule.actions[number]
    if number > schedule.last and has_fixed_period[0] == 0:
        action = 0
    return action


@wp.func
def sample_chunk(chunk: int, lane: int, action: int, chunks: Chunks, samples: ErrorSampleArrays):
    """Sum up `squares_of` the vertices of a chunk and the squares [m²] of the displacements from
    the guess and from the inertial positions, and count the vertices that are touched in this
    substep, and those whose last step contact has cut short. Then take samples. By a block.
    """
    total, displacement = wp.vec3d(), Displacements()
    for q in range(chunks.start[chunk] + lane, chunks.start[chunk + 1], wp.block_dim()):
        i = chunks.vertex[q]
        now = samples.now[i]
        if action & ESTIMATE:
            total += squares_of(i, samples)
            displacement += displacement_of(i, samples)
        if action & SHIFT:
            samples.first[i] = samples.second[i]
        if action & KEEP_FIRST:
            samples.first[i] = now
        if action & KEEP_SECOND:
            samples.second[i] = now
    if action & ESTIMATE:
        total, displacement = block_sums(total, displacement)
        if lane == 0:
            samples.moves[chunk] = total
            samples.displacements[chunk] = displacement


@wp.kernel
def sample_chunks(
    first: int,
    iteration: wp.array[int],
    schedule: CheckSchedule,
    chunks: Chunks,
    has_fixed_period: wp.array[int],
    # in and out
    samples: ErrorSampleArrays,
):
    """Sum up the moves of all chunks, and take samples. One block per chunk."""
    block, lane = wp.tid()
    action = action_in(iteration[0], schedule, has_fixed_period)
    sample_chunk(first + block, lane, action, chunks, samples)
