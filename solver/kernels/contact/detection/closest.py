# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the triangles that a vertex touches, so that each contact counts once.

The closest point of a triangle on its edge or corner is that of all triangles around. A near pair
counts where its vertex lies in the block of the closest feature (features.py). Of triangles with a
common corner that push in about the same direction, the closest one counts: where a surface is a
little hollow, one after the other takes over, and forces do not jump. So flat meshes act as planes.

A pair that does not count keeps its `Touch`, from which friction goes on, and has its `near` bits
shifted by OUTSIDE or BEHIND.
"""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import PairState, Touch, exact_gap
from .features import Neighborhoods, is_in_block
from .pair_counts import OF_VERTICES

wp.set_module_options(OPTIONS)

# Shifts of the bits of pairs outside of the block, and of those behind a closer triangle.
OUTSIDE, BEHIND = wp.constant(5), wp.constant(10)
# Distances below this fraction of the contact distance have no direction.
TOUCHING = wp.constant(1.0e-3)
# Cosine of the angle between two directions in which only the closer of two triangles counts.
ALIKE = wp.constant(0.7)


@wp.func
def bits_of(near: int):
    """Return a bit for every corner on which a near pair may act if it counts."""
    return (near | (near >> OUTSIDE) | (near >> BEHIND)) & 15


@wp.func
def as_before(bits: int, near: int):
    """Return new bits, shifted as those of `near` are."""
    shifted = wp.where(near >> OUTSIDE & 15 != 0, bits << OUTSIDE, bits)
    return wp.where(near >> BEHIND & 15 != 0, bits << BEHIND, shifted)


@wp.func
def set_near(p: int, near: int, v: wp.vec4i, state: wp.array[PairState], changed: wp.array[int]):
    """Set `near` of pair p, and note its vertices v if it now counts or no more."""
    if near & 15 != state[p].near & 15:
        for c in range(4):
            changed[v[c]] = 1
    state[p].near = near


@wp.func
def has(t: wp.vec4i, corner: int):
    """Return whether the triangle of a pair has a corner."""
    return t[1] == corner or t[2] == corner or t[3] == corner


@wp.func
def is_behind(p: int, q: int, touches: wp.array[Touch], x: wp.array[wp.vec3]):
    """Return whether the triangle of pair q counts in place of that of pair p."""
    of_p = touches[p].vertices
    of_q = touches[q].vertices
    if not (has(of_p, of_q[1]) or has(of_p, of_q[2]) or has(of_p, of_q[3])):
        return False
    gap = exact_gap(touches[p].weights, of_p, x)
    other = exact_gap(touches[q].weights, of_q, x)
    farther = wp.length_sq(other) - wp.length_sq(gap)
    if farther > 0.0 or (farther == 0.0 and q > p):
        return False
    return wp.dot(touches[p].normal, touches[q].normal) >= ALIKE


@wp.func
def may_count(touch: Touch, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return whether a pair's vertex is in the block of the closest feature. Where it is so close
    that its direction is unknown, it counts as inside.
    """
    gap = exact_gap(touch.weights, touch.vertices, x)
    is_touching = wp.length(gap) <= TOUCHING * touch.radius
    return is_touching or is_in_block(touch.vertices, touch.weights, x, around)


@wp.kernel
def choose_closest(
    first: int,
    x: wp.array[wp.vec3],
    end: wp.array[int],
    counts: wp.array[int],
    touches: wp.array[Touch],
    around: Neighborhoods,
    # in and out
    state: wp.array[PairState],
    changed: wp.array[int],
):
    """Choose the near pairs of each query of a vertex that count; `end` [query] are the running
    sums of its pairs.
    """
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    last = wp.min(end[k], counts[OF_VERTICES])
    in_blocks = int(0)
    for p in range(begin, last):
        near = state[p].near
        if near != 0:
            touch = touches[p]
            bits = bits_of(near)
            if not may_count(touch, x, around):
                set_near(p, bits << OUTSIDE, touch.vertices, state, changed)
            else:
                in_blocks += 1
                if near >> OUTSIDE & 15 != 0:
                    state[p].near = bits << BEHIND
    if in_blocks == 0:
        return
    for p in range(begin, last):
        near = state[p].near
        if near != 0 and near >> OUTSIDE & 15 == 0:
            counts_now = bool(True)
            for q in range(begin, last):
                other = state[q].near
                if q != p and other != 0 and other >> OUTSIDE & 15 == 0:
                    if is_behind(p, q, touches, x):
                        counts_now = bool(False)
                        break
            bits = bits_of(near)
            after = wp.where(counts_now, bits, bits << BEHIND)
            if after != near:
                set_near(p, after, touches[p].vertices, state, changed)
