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

from ..device.blocks import is_last_block
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..device.turns import end_turn, take_turn, wait_for_turns
from .body_errors import (
    BodyErrorArrays,
    Displacements,
    are_below,
    error_after,
    means_of,
    set_error,
)
from .error_samples import (
    CHOOSE,
    ESTIMATE,
    CheckSchedule,
    ErrorSampleArrays,
    action_in,
    sample_chunk,
)
from .iterations import Progress, end

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


@wp.func
def find_error(
    b: int,
    done: int,
    compared: int,
    total: wp.vec3d,
    displacement: Displacements,
    fall: wp.float64,
    accuracy: wp.float64,
    bodies: BodyErrorArrays,
):
    """Estimate the error of a body, and set its goal; `compared` is the number of cycles of the
    last move, and `fall` [m] a free fall in the substep.
    """
    cycles = wp.float64(compared)
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
    goal = accuracy * wp.min(motion, forced)
    if not is_touched:  # resting bodies would creep
        goal = wp.max(goal, wp.min(bodies.least[b], accuracy * fall))
    set_error(b, rate, error, motion, goal, displacement, bodies)


@wp.func
def find_body_error(
    b: int,
    lane: int,
    number: int,
    schedule: CheckSchedule,
    chunks: Chunks,
    samples: ErrorSampleArrays,
    gravity: wp.array[wp.vec3],
    demand: Demand,
    bodies: BodyErrorArrays,
):
    """Estimate the error of body b after the iteration `number`, by a block."""
    total, displacement = means_of(b, lane, chunks, samples.moves, samples.displacements, bodies)
    if lane == 0:
        fall = demand.step_time * demand.step_time * wp.float64(wp.length(gravity[0]))
        compared = schedule.compared[number]
        find_error(b, number + 1, compared, total, displacement, fall, demand.accuracy, bodies)


@wp.func
def decide(
    lane: int,
    action: int,
    schedule: CheckSchedule,
    collapsed: wp.array[int],
    bodies: BodyErrorArrays,
    has_fixed_period: wp.array[int],
    is_met: wp.array[int],
):
    """Decide if the accuracy is met, and perhaps if cycles have a fixed period, by a block.

    Remembered rates fade where cycles grow, which give no new rates: later substeps then try a
    fixed period again.
    """
    met = are_below(lane, wp.float64(0.0), collapsed, bodies)
    if lane == 0:
        is_met[0] = met
    if action & CHOOSE:
        is_fixed = are_below(lane, schedule.left, collapsed, bodies)
        if lane == 0:
            has_fixed_period[0] = is_fixed
        if is_fixed == 0:
            for k in range(lane, bodies.bound.shape[0], wp.block_dim()):
                bodies.slowest[k] = faded(bodies.slowest[k])


@wp.kernel
def find_errors(
    iteration: wp.array[int],
    schedule: CheckSchedule,
    chunks: Chunks,
    samples: ErrorSampleArrays,
    gravity: wp.array[wp.vec3],
    demand: Demand,
    collapsed: wp.array[int],
    # in and out
    bodies: BodyErrorArrays,
    ended: wp.array[int],
    has_fixed_period: wp.array[int],
    # out
    is_met: wp.array[int],
):
    """Estimate the error of every body: one block per body; the last one decides."""
    b, lane = wp.tid()
    number = iteration[0]
    action = action_in(number, schedule, has_fixed_period)
    if action & ESTIMATE == 0:
        return
    find_body_error(b, lane, number, schedule, chunks, samples, gravity, demand, bodies)
    if is_last_block(bodies.bound.shape[0], ended):
        decide(lane, action, schedule, collapsed, bodies, has_fixed_period, is_met)


@wp.kernel
def check_errors(
    schedule: CheckSchedule,
    chunks: Chunks,
    gravity: wp.array[wp.vec3],
    demand: Demand,
    collapsed: wp.array[int],
    # in and out
    samples: ErrorSampleArrays,
    bodies: BodyErrorArrays,
    ended: wp.array[int],
    turns: wp.array[int],
    progress: Progress,
):
    """Do what is due at the end of an iteration: sample all chunks, a block each; find errors
    behind them (`find_errors`); then, by the last block, end the iteration.
    """
    _block, lane = wp.tid()
    number = progress.iteration[0]
    action = action_in(number, schedule, progress.has_fixed_period)
    count, bodies_count = samples.moves.shape[0], bodies.bound.shape[0]
    turn = take_turn(turns)
    b = turn - count
    if turn < count:
        if action != 0:
            sample_chunk(turn, lane, action, chunks, samples)
    elif b == bodies_count:
        wait_for_turns(turn, turns)  # all others have read the number of the iteration
        end(lane, progress)
    elif action & ESTIMATE:
        wait_for_turns(count, turns)
        find_body_error(b, lane, number, schedule, chunks, samples, gravity, demand, bodies)
        if is_last_block(bodies_count, ended):
            is_fixed, is_met = progress.has_fixed_period, progress.is_met
            decide(lane, action, schedule, collapsed, bodies, is_fixed, is_met)
    end_turn(count + bodies_count + 1, turns)
