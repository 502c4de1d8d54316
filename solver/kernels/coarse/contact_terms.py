# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts and attachments in the coarse matrix: springs at weighted points Σ w_c x_c.

A term with stiffness K between points adds (p_k p_lᵀ) ⊗ K to the block (k, l), p_k = Σ w_c p_c over
its corners c in aggregate k. Blocks between different matrices are left out. Where a matrix has no
place for one of the blocks, a term adds the diagonal blocks only: with some of the others missing
it would not be positive.
"""

import warp as wp

from ..contact.analytic_colliders import ContactModel, collider_force_hessian
from ..contact.detection.pair_counts import ALL
from ..contact.feasibility.collider_bounds import keep_in_front
from ..contact.law import ContactLaw, force_stiffness
from ..contact.pairs import PairState, Touch, gap_of
from ..device.options import OPTIONS
from ..scene.attachments import Attachments
from .matrix import Patches, are_apart, has_place
from .skyline import PANEL, Skyline, place

wp.set_module_options(OPTIONS | {"max_unroll": 2})

# The most corners of a term: an attachment of a point in a cell to one in another.
MOST_CORNERS = wp.constant(16)
vec16 = wp.types.vector(length=MOST_CORNERS, dtype=float)
vec16i = wp.types.vector(length=MOST_CORNERS, dtype=int)
mat164 = wp.types.matrix(shape=(MOST_CORNERS, 4), dtype=float)


@wp.struct
class Term:
    """Aggregates of a term, each at its first corner, and their p_k; -1 at other corners."""

    aggregate: vec16i
    mode: mat164


@wp.func
def term_of(count: int, corners: vec16i, weights: vec16, patches: Patches):
    """The `Term` of a spring between weighted points."""
    term = Term()
    for c in range(count):
        term.aggregate[c] = -1
        k = patches.of[corners[c]]
        if k >= 0 and weights[c] != 0.0:
            first = int(c)
            for b in range(c):
                if term.aggregate[b] == k:
                    first = b
            term.aggregate[first] = k
            p = weights[c] * patches.modes[corners[c]]
            for m in range(4):
                term.mode[first, m] += p[m]
    return term


@wp.func
def mode_of(term: Term, c: int):
    return wp.vec4(term.mode[c, 0], term.mode[c, 1], term.mode[c, 2], term.mode[c, 3])


@wp.func
def add_block(
    k: int,
    other: int,
    p_k: wp.vec4,
    p_l: wp.vec4,
    stiffness: wp.mat33,
    patches: Patches,
    skyline: Skyline,
    matrix: wp.array[wp.float64],
):
    """Add (p_k p_lᵀ) ⊗ K, rotated back by the turns, to the block (k, other), except above the
    diagonal.
    """
    below = patches.row[k] - patches.row[other]
    turned = wp.transpose(patches.turn[k]) * stiffness * patches.turn[other]
    for m in range(patches.mode_count[k]):
        for i in range(3):
            at = place(patches.first[k] + 3 * m + i, patches.row[other], skyline)
            for n in range(patches.mode_count[other]):
                both = p_k[m] * p_l[n]
                for j in range(3):
                    if below + 3 * m + i >= 3 * n + j:
                        value = wp.float64(both * turned[i, j])
                        wp.atomic_add(matrix, at + PANEL * (3 * n + j), value)


@wp.func
def has_all_places(count: int, term: Term, patches: Patches):
    """True where all blocks of a term have places, except those between matrices."""
    for c in range(count):
        k = term.aggregate[c]
        if k >= 0:
            for b in range(c):
                other = term.aggregate[b]
                if other >= 0:
                    if not are_apart(k, other, patches) and not has_place(k, other, patches):
                        return False
    return True


@wp.func
def add_term(
    count: int,
    term: Term,
    stiffness: wp.mat33,
    patches: Patches,
    skyline: Skyline,
    matrix: wp.array[wp.float64],
):
    """Add a term to its blocks, or to the diagonal ones only."""
    whole = has_all_places(count, term, patches)
    for c in range(count):
        k = term.aggregate[c]
        if k >= 0:
            p_k = mode_of(term, c)
            for b in range(count):
                other = term.aggregate[b]
                if other >= 0:
                    below = patches.row[other] <= patches.row[k]
                    if k == other or (whole and below and not are_apart(k, other, patches)):
                        p_l = mode_of(term, b)
                        add_block(k, other, p_k, p_l, stiffness, patches, skyline, matrix)


@wp.func
def touch_stiffness(touch: Touch, x: wp.array[wp.vec3], law: ContactLaw):
    """Stiffness [N/m] of a near pair; 0 where it does not touch."""
    stiffness = wp.mat33(0.0)
    n = touch.normal
    gap = gap_of(touch, x)
    distance = wp.dot(n, gap)
    along = touch.stiffness
    drag = float(0.0)
    if touch.separates == 0:
        if distance >= touch.radius:
            return stiffness
        _force, along, drag = force_stiffness(
            n,
            distance,
            touch.radius,
            gap - touch.start_gap,
            touch.friction,
            touch.stiffness,
            law,
        )
    return along * wp.outer(n, n) + wp.mat33(drag, 0.0, 0.0, 0.0, drag, 0.0, 0.0, 0.0, drag)


@wp.func
def widen_for(touch: Touch, most: int, skyline: Skyline, patches: Patches):
    """Add places for the blocks of a touch, in matrices of up to `most` rows."""
    for a in range(4):
        k = patches.of[touch.vertices[a]]
        if k >= 0 and touch.weights[a] != 0.0:
            for b in range(4):
                other = patches.of[touch.vertices[b]]
                if other >= 0 and touch.weights[b] != 0.0:
                    row = patches.row[other]
                    if row < patches.start[k] and not are_apart(k, other, patches):
                        if skyline.rows[skyline.matrix[patches.first[k] / PANEL]] <= most:
                            wp.atomic_min(patches.start, k, row)


@wp.kernel
def widen_patches(
    shares: int,
    counts: wp.array[int],
    x: wp.array[wp.vec3],
    touches: wp.array[Touch],
    state: wp.array[PairState],
    law: ContactLaw,
    most: int,
    skyline: Skyline,
    # in and out
    patches: Patches,
):
    """Add places for the pairs that touch, in matrices of up to `most` rows."""
    for k in range(wp.tid(), counts[ALL], shares):
        if state[k].near != 0:
            touch = touches[k]
            if wp.trace(touch_stiffness(touch, x, law)) > 0.0:
                widen_for(touch, most, skyline, patches)


@wp.kernel
def add_touches(
    shares: int,
    counts: wp.array[int],
    x: wp.array[wp.vec3],
    touches: wp.array[Touch],
    state: wp.array[PairState],
    law: ContactLaw,
    patches: Patches,
    skyline: Skyline,
    # out
    matrix: wp.array[wp.float64],
):
    """Add the stiffness of pairs that touch."""
    for k in range(wp.tid(), counts[ALL], shares):
        if state[k].near != 0:
            touch = touches[k]
            stiffness = touch_stiffness(touch, x, law)
            if wp.trace(stiffness) > 0.0:
                corners = vec16i()
                weights = vec16()
                for c in range(4):
                    corners[c] = touch.vertices[c]
                    weights[c] = touch.weights[c]
                term = term_of(4, corners, weights, patches)
                add_term(4, term, stiffness, patches, skyline, matrix)


@wp.kernel
def add_analytic_colliders(
    vertex: wp.array[int],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    model: ContactModel,
    patches: Patches,
    skyline: Skyline,
    # out
    matrix: wp.array[wp.float64],
):
    """Add the stiffness of analytic colliders in contact with vertices of aggregates."""
    i = vertex[wp.tid()]
    _force, stiffness, count, _active_set, _margin = collider_force_hessian(
        i, x[i], wp.vec3(0.0), x_start[i], model
    )
    if count > 0:
        k = patches.of[i]
        p = patches.modes[i]
        add_block(k, k, p, p, stiffness, patches, skyline, matrix)


@wp.kernel
def add_attachments(
    attachments: Attachments,
    patches: Patches,
    skyline: Skyline,
    # out
    matrix: wp.array[wp.float64],
):
    """Add the stiffness of attachments, which does not depend on x."""
    row = attachments.rows[wp.tid()]
    k = row.across[0]
    stiffness = wp.mat33(k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k)
    stiffness += (row.along[0] - k) * wp.outer(row.normal, row.normal)
    corners = vec16i()
    weights = vec16()
    for c in range(row.end - row.begin):
        corners[c] = attachments.corner[row.begin + c]
        weights[c] = attachments.share[row.begin + c]
    count = row.end - row.begin
    term = term_of(count, corners, weights, patches)
    add_term(count, term, stiffness, patches, skyline, matrix)


@wp.kernel
def bound_member_steps(
    vertex: wp.array[int],
    before: wp.array[wp.vec3],
    model: ContactModel,
    # in and out
    moved: wp.array[wp.vec3],
):
    """Shorten the steps of vertices that would take them through an analytic collider."""
    i = vertex[wp.tid()]
    moved[i] = before[i] + keep_in_front(i, before[i], moved[i] - before[i], model)
