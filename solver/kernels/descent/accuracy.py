# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the bodies of a substep still are from where its iterations go, and whether that will do.

Cycles of sweeps and a coarse step shrink the error of a body by the same part again and again, and
so its moves: with moves a and b over two times as many cycles, the rate is s = b / a, and what is
left after the second is b s / (1 − s).

The first cycles do more than those that follow, which is why a slow part of the error hides behind
fast ones. How slow it is differs more from body to body than from one substep to the next: the rate
that the last cycles of a substep have told is remembered, and a cycle is believed to take away the
geometric mean of what it seems to and what it took then. Substeps that end at the first looks tell
no such rate: what is remembered weighs more there, and a typical one is taken where nothing is.
"""

import warp as wp

from ..device.chunks import Chunks
from ..device.options import QUICK

wp.set_module_options(QUICK)

# A rate nearer to 1 tells nothing: what has hardly moved is not known to be where it belongs.
SLOWEST = wp.constant(wp.float64(0.97))
# A first look compares two cycles of one iteration each, the next two of the first even ones. No
# cycle is believed to leave less than FASTEST.
FIRST_LOOK, SECOND_LOOK = wp.constant(3), wp.constant(6)
FASTEST = wp.constant(wp.float64(0.3))
# What a cycle is remembered to take away grows to this power of it with every substep that tells:
# what was slow may have gone.
FORGETTING = wp.constant(wp.float64(0.9))
# What cycles leave of slow parts, at the first looks of a body of which nothing is remembered. With
# 0.5 to 0.7 the estimates of 55 scenes are as good (benchmarks/experiments/error_estimate.py).
TYPICAL = wp.constant(wp.float64(0.6))
# How much what is remembered weighs. The moves that the first looks compare have two coarse steps
# and one, so that they tell less of a rate than those of even cycles.
WEIGHT_AT_FIRST, WEIGHT = (wp.constant(wp.float64(weight)) for weight in (2.0 / 3.0, 0.5))
# Rates of moves that are no more than so many times what rounding makes are not remembered.
ABOVE_ROUNDING = wp.constant(wp.float64(3.0))
# The estimate has to be below the goal by such a factor; the first rates of slow contacts come out
# too small by more.
CAUTION, CAUTION_IN_CONTACT = wp.constant(wp.float64(1.5)), wp.constant(wp.float64(2.5))


@wp.struct
class ErrorSampleArrays:
    """Positions [m] of vertices in a substep: at its start and after some of its iterations."""

    start: wp.array[wp.vec3]
    guess: wp.array[wp.vec3]  # where the iterations began
    inertial: wp.array[wp.vec3]  # where inertia and gravity alone would lead
    first: wp.array[wp.vec3]
    second: wp.array[wp.vec3]
    now: wp.array[wp.vec3]


@wp.struct
class BodyErrorArrays:
    """Of every body, all as root mean squares over its free vertices."""

    size: wp.array[wp.float64]  # number of these vertices
    least: wp.array[wp.float64]  # error that nobody sees, whatever the motion [m]
    rounding: wp.array[wp.float64]  # error that float32 leaves [m]
    error: wp.array[wp.float64]  # [m]
    bound: wp.array[wp.float64]  # what it hardly exceeds, which has to be below the goal [m]
    goal: wp.array[wp.float64]  # [m]
    motion: wp.array[wp.float64]  # in the substep [m]
    rate: wp.array[wp.float64]  # part that is left of the error by as many cycles as were compared
    slowest: wp.array[wp.float64]  # the part that a cycle is remembered to leave; 0: nothing is
    latest: wp.array[wp.float64]  # what is told of that by this substep; 0: nothing so far
    is_cut: wp.array[int]  # whether contact has ended the last step of any


# Squares of two ways [m²], and how many vertices are touched, and were held back.
Ways = wp.vec4d


@wp.func
def squares_of(i: int, marks: ErrorSampleArrays):
    """Squares [m²] of the moves of a vertex between the marks and of its way from the start."""
    before = marks.second[i] - marks.first[i]
    after = marks.now[i] - marks.second[i]
    way = marks.now[i] - marks.start[i]
    return wp.vec3d(
        wp.float64(wp.dot(before, before)),
        wp.float64(wp.dot(after, after)),
        wp.float64(wp.dot(way, way)),
    )


@wp.kernel
def add_moves(
    first: int,
    chunks: Chunks,
    marks: ErrorSampleArrays,
    # out
    moves: wp.array[wp.vec3d],
):
    """Sums of `squares_of` vertices. One thread per chunk."""
    chunk = first + wp.tid()
    total = wp.vec3d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        total += squares_of(chunks.vertex[q], marks)
    moves[chunk] = total


@wp.kernel
def add_touched_moves(
    first: int,
    chunks: Chunks,
    marks: ErrorSampleArrays,
    touched: wp.array[int],
    # out
    moves: wp.array[wp.vec3d],
):
    """The same of the vertices that are `touched` [vertex] in this substep."""
    chunk = first + wp.tid()
    total = wp.vec3d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        if touched[chunks.vertex[q]] != 0:
            total += squares_of(chunks.vertex[q], marks)
    moves[chunk] = total


@wp.kernel
def add_ways(
    first: int,
    chunks: Chunks,
    marks: ErrorSampleArrays,
    touched: wp.array[int],
    cut: wp.array[int],
    # out
    ways: wp.array[Ways],
):
    """Sums of squares [m²] of the ways from the guess, and from where inertia would lead; how many
    vertices are `touched` [vertex] in this substep, and of how many contact has `cut` [vertex] the
    last step short. One thread per chunk.
    """
    chunk = first + wp.tid()
    total = Ways()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        found = marks.now[i] - marks.guess[i]
        forced = marks.now[i] - marks.inertial[i]
        is_cut = wp.where(cut[i] != 0, 1, 0)
        total += Ways(
            wp.float64(wp.dot(found, found)),
            wp.float64(wp.dot(forced, forced)),
            wp.float64(touched[i]),
            wp.float64(is_cut),
        )
    ways[chunk] = total


@wp.struct
class Demand:
    """How large errors may be."""

    accuracy: wp.float64  # part of the motion, and of what forces have to do with it
    step_time: wp.float64  # [s]


@wp.func
def faded(slowest: wp.float64):
    """The part that a cycle is remembered to leave, a substep later."""
    return wp.float64(1.0) - wp.pow(wp.float64(1.0) - slowest, FORGETTING)


@wp.func
def begin_substep(bodies: BodyErrorArrays, b: int):
    """Remember what the substep before has told; what has told nothing is no reason to forget."""
    latest = bodies.latest[b]
    if latest > wp.float64(0.0):
        bodies.slowest[b] = wp.max(faded(bodies.slowest[b]), latest)
    bodies.latest[b] = wp.float64(0.0)


@wp.func
def remembered(rate: wp.float64, slowest: wp.float64, cycles: wp.float64, weight: wp.float64):
    """The rate [1] of so many cycles that is believed, by how the moves have shrunk, and by the
    rate of one cycle that is remembered, with a weight; 0: nothing is.
    """
    taken = wp.float64(1.0) - wp.pow(rate, wp.float64(1.0) / cycles)
    if slowest > wp.float64(0.0):
        slow = wp.pow(wp.float64(1.0) - slowest, weight)
        taken = wp.min(taken, wp.pow(taken, wp.float64(1.0) - weight) * slow)
    return wp.min(wp.pow(wp.float64(1.0) - taken, cycles), SLOWEST)


@wp.func
def left_after(move: wp.float64, rate: wp.float64, rounding: wp.float64):
    """The error [m] that is left after a last `move` [m]."""
    return wp.max(move * rate / (wp.float64(1.0) - rate), rounding)


@wp.kernel
def find_errors(
    iteration: wp.array[int],
    chunks: Chunks,
    moves: wp.array[wp.vec3d],
    ways: wp.array[Ways],
    gravity: wp.array[wp.vec3],
    demand: Demand,
    compared: wp.array[int],
    # in and out
    bodies: BodyErrorArrays,
):
    """The error of every body, and what it may be; `compared` [iterations done] is how many cycles
    the last move has taken. One thread per body.
    """
    b = wp.tid()
    total, way = wp.vec3d(), Ways()
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        total += moves[chunk]
        way += ways[chunk]
    total /= bodies.size[b]
    way /= bodies.size[b]
    done = iteration[0] + 1
    cycles = wp.float64(compared[done])
    before = wp.sqrt(total[0])
    rounding = bodies.rounding[b]
    # Rounding moves vertices to and fro, at a rate of 1.
    after = wp.sqrt(wp.max(total[1] - rounding * rounding, wp.float64(0.0)))
    rate = SLOWEST
    if after < SLOWEST * before:
        rate = after / before
    if done == FIRST_LOOK:
        begin_substep(bodies, b)
    elif done > SECOND_LOOK and after > ABOVE_ROUNDING * rounding:
        bodies.latest[b] = wp.pow(rate, wp.float64(1.0) / cycles)
    is_first = done <= SECOND_LOOK
    weight = wp.where(is_first, WEIGHT_AT_FIRST, WEIGHT)
    slowest = bodies.slowest[b]
    slowest = wp.where(is_first and slowest == wp.float64(0.0), TYPICAL, slowest)
    rate = remembered(wp.max(rate, wp.pow(FASTEST, cycles)), slowest, cycles, weight)
    error = left_after(after, rate, rounding)
    is_touched = way[2] > wp.float64(0.0)
    caution = wp.where(is_touched, CAUTION_IN_CONTACT, CAUTION)
    bodies.rate[b] = rate
    bodies.error[b] = error
    bodies.bound[b] = caution * error
    motion = wp.sqrt(total[2])
    bodies.motion[b] = motion
    # In motion an error acts as a force would: of its mass times it over h².
    forced = wp.sqrt(wp.max(way[0], way[1]))
    fall = demand.step_time * demand.step_time * wp.float64(wp.length(gravity[0]))
    goal = demand.accuracy * wp.min(motion, forced)
    if not is_touched:  # what lies on something would creep
        goal = wp.max(goal, wp.min(bodies.least[b], demand.accuracy * fall))
    bodies.goal[b] = wp.max(goal, caution * rounding)
    bodies.is_cut[b] = wp.where(way[3] > wp.float64(0.0), 1, 0)


@wp.kernel
def find_below(
    bodies: BodyErrorArrays,
    ruined: wp.array[int],
    cycles: wp.float64,
    # out
    is_below: wp.array[int],
):
    """Whether the errors of all bodies are surely below their goals after so many `cycles` more.
    Not where tets have collapsed, `ruined` [linkage]: they come back slowly, by many small moves.
    Nor where contact holds anything back: that it does not move tells nothing. One thread.
    """
    is_below[0] = 0
    for k in range(ruined.shape[0]):
        if ruined[k] != 0:
            return
    for b in range(bodies.bound.shape[0]):
        bound = bodies.bound[b] * wp.pow(bodies.rate[b], cycles)
        # What is not finite is not below.
        if not (bound <= bodies.goal[b]) or bodies.is_cut[b] != 0:
            return
    is_below[0] = 1


@wp.kernel
def fade(
    are_even: wp.array[int],
    # in and out
    bodies: BodyErrorArrays,
):
    """What is remembered of slow parts fades where cycles grow, which tell nothing of them: even
    ones are tried again then. One thread per body."""
    b = wp.tid()
    if are_even[0] == 0:
        bodies.slowest[b] = faded(bodies.slowest[b])
