# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of the distance of bodies to the solution of a substep, and of its end.

Cycles of sweeps and a coarse step reduce the error of a body by a constant factor, and so its
moves: with moves a and b over equally many cycles, the rate is s = b / a, and the error after the
second is b s / (1 − s).

The first cycles reduce the error more than later ones: a slow component of the error hides behind
fast ones. Its rate differs more from body to body than from one substep to the next. So the rate
of the last cycles of a substep is remembered, and the reduction 1 − s of a cycle is estimated as
the geometric mean of the observed and the remembered one. Substeps that end at the first checks
give no such rate: the remembered one weighs more there, with a typical value as a default.
"""

import warp as wp

from ..device.chunks import Chunks
from ..device.options import OPTIONS
from .body_errors import BodyErrorArrays, Displacements, error_after, means_of, set_error

wp.set_module_options(OPTIONS)

# Rates are limited to this: small moves at a rate near to 1 do not prove a small error.
SLOWEST = wp.constant(wp.float64(0.97))
# Iterations done at the first check, which compares two cycles of one iteration each, and at the
# second, which compares two of the fixed period. No rate of a cycle is taken below FASTEST.
FIRST_CHECK, SECOND_CHECK = wp.constant(3), wp.constant(6)
FASTEST = wp.constant(wp.float64(0.3))
# The remembered reduction of a cycle grows to this power of it with every substep that has a new
# rate: slow errors may have gone.
FORGETTING = wp.constant(wp.float64(0.9))
# Rate of slow errors at the first checks of a body without a remembered rate. With 0.5 to 0.7
# the estimates of 55 scenes are as good (benchmarks/experiments/error_estimate.py).
TYPICAL = wp.constant(wp.float64(0.6))
# Weights of the remembered reduction. The moves that the first checks compare have two coarse
# steps and one: they give a less certain rate than cycles of a fixed period.
WEIGHT_AT_FIRST, WEIGHT = (wp.constant(wp.float64(weight)) for weight in (2.0 / 3.0, 0.5))
# Rates of moves below so many times the rounding error are not remembered.
ABOVE_ROUNDING = wp.constant(wp.float64(3.0))


@wp.struct
class ErrorSampleArrays:
    """Positions [m] of vertices in a substep: at its start and after some of its iterations."""

    start: wp.array[wp.vec3]
    guess: wp.array[wp.vec3]  # where the iterations began
    inertial: wp.array[wp.vec3]  # by inertia and gravity alone
    first: wp.array[wp.vec3]
    second: wp.array[wp.vec3]
    now: wp.array[wp.vec3]


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


@wp.kernel
def add_displacements(
    first: int,
    chunks: Chunks,
    samples: ErrorSampleArrays,
    touched: wp.array[int],
    cut: wp.array[int],
    # out
    displacements: wp.array[Displacements],
):
    """Sum up the squares [m²] of the displacements from the guess and from the inertial positions,
    and count the vertices that are `touched` [vertex] in this substep, and those whose last step
    contact has `cut` [vertex] short. One thread per chunk.
    """
    chunk = first + wp.tid()
    total = Displacements()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        moved = samples.now[i] - samples.guess[i]
        forced = samples.now[i] - samples.inertial[i]
        is_cut = wp.where(cut[i] != 0, 1, 0)
        total += Displacements(
            wp.float64(wp.dot(moved, moved)),
            wp.float64(wp.dot(forced, forced)),
            wp.float64(touched[i]),
            wp.float64(is_cut),
        )
    displacements[chunk] = total


@wp.struct
class Demand:
    """Settings of the goals of errors."""

    accuracy: wp.float64  # fraction of the motion, and of its part by forces
    step_time: wp.float64  # [s]


@wp.func
def faded(slowest: wp.float64):
    """Return the remembered rate of a cycle a substep later."""
    return wp.float64(1.0) - wp.pow(wp.float64(1.0) - slowest, FORGETTING)


@wp.func
def begin_substep(bodies: BodyErrorArrays, b: int):
    """Remember the rate of the substep before; without one, the remembered rate stays as it is."""
    latest = bodies.latest[b]
    if latest > wp.float64(0.0):
        bodies.slowest[b] = wp.max(faded(bodies.slowest[b]), latest)
    bodies.latest[b] = wp.float64(0.0)


@wp.func
def estimated_rate(rate: wp.float64, slowest: wp.float64, cycles: wp.float64, weight: wp.float64):
    """Return the estimated rate [1] of so many cycles from the observed `rate` and the remembered
    rate `slowest` of one cycle (0: unknown), with its weight.
    """
    taken = wp.float64(1.0) - wp.pow(rate, wp.float64(1.0) / cycles)
    if slowest > wp.float64(0.0):
        slow = wp.pow(wp.float64(1.0) - slowest, weight)
        taken = wp.min(taken, wp.pow(taken, wp.float64(1.0) - weight) * slow)
    return wp.min(wp.pow(wp.float64(1.0) - taken, cycles), SLOWEST)


@wp.kernel
def find_errors(
    iteration: wp.array[int],
    chunks: Chunks,
    moves: wp.array[wp.vec3d],
    displacements: wp.array[Displacements],
    gravity: wp.array[wp.vec3],
    demand: Demand,
    compared: wp.array[int],
    # in and out
    bodies: BodyErrorArrays,
):
    """Estimate the error of every body, and set its goal; `compared` [iterations done] is the
    number of cycles of the last move. One thread per body.
    """
    b = wp.tid()
    total, displacement = means_of(b, chunks, moves, displacements, bodies)
    done = iteration[0] + 1
    cycles = wp.float64(compared[done])
    before = wp.sqrt(total[0])
    rounding = bodies.rounding[b]
    # Rounding moves vertices to and fro, at a rate of 1.
    after = wp.sqrt(wp.max(total[1] - rounding * rounding, wp.float64(0.0)))
    rate = SLOWEST
    if after < SLOWEST * before:
        rate = after / before
    if done == FIRST_CHECK:
        begin_substep(bodies, b)
    elif done > SECOND_CHECK and after > ABOVE_ROUNDING * rounding:
        bodies.latest[b] = wp.pow(rate, wp.float64(1.0) / cycles)
    is_first = done <= SECOND_CHECK
    weight = wp.where(is_first, WEIGHT_AT_FIRST, WEIGHT)
    slowest = bodies.slowest[b]
    slowest = wp.where(is_first and slowest == wp.float64(0.0), TYPICAL, slowest)
    rate = estimated_rate(wp.max(rate, wp.pow(FASTEST, cycles)), slowest, cycles, weight)
    error = error_after(after, rate, rounding)
    is_touched = displacement[2] > wp.float64(0.0)
    motion = wp.sqrt(total[2])
    # In motion an error acts like a force: mass times error over h².
    forced = wp.sqrt(wp.max(displacement[0], displacement[1]))
    fall = demand.step_time * demand.step_time * wp.float64(wp.length(gravity[0]))
    goal = demand.accuracy * wp.min(motion, forced)
    if not is_touched:  # resting bodies would creep
        goal = wp.max(goal, wp.min(bodies.least[b], demand.accuracy * fall))
    set_error(b, rate, error, motion, goal, displacement, bodies)


@wp.kernel
def find_below(
    bodies: BodyErrorArrays,
    collapsed: wp.array[int],
    cycles: wp.float64,
    # out
    is_below: wp.array[int],
):
    """Set `is_below` if the errors of all bodies will be below their goals after so many `cycles`
    more. Not if tets have `collapsed` [component]: they recover slowly, by many small moves. Nor if
    contact has truncated a step: then small moves do not prove a small error. One thread.
    """
    is_below[0] = 0
    for k in range(collapsed.shape[0]):
        if collapsed[k] != 0:
            return
    for b in range(bodies.bound.shape[0]):
        bound = bodies.bound[b] * wp.pow(bodies.rate[b], cycles)
        # Errors that are not finite are not below.
        if not (bound <= bodies.goal[b]) or bodies.is_cut[b] != 0:
            return
    is_below[0] = 1


@wp.kernel
def fade(
    has_fixed_period: wp.array[int],
    # in and out
    bodies: BodyErrorArrays,
):
    """Let remembered rates fade where cycles grow, which give no new rates: later substeps then try
    a fixed period again. One thread per body."""
    b = wp.tid()
    if has_fixed_period[0] == 0:
        bodies.slowest[b] = faded(bodies.slowest[b])
