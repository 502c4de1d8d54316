# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of contact pairs on a vertex.

With embedded surfaces the surface vertices x_c of a pair may be sums of vertices: the generalized
force on vertex i is (Σ_c w_c ∂x_c/∂x_i) f with the weights w_c of the pair.
"""

from functools import cache
from typing import Any

import warp as wp

from ..device.lane_functions import either, least, smallest, total
from ..device.lanes import (  # noqa: F401 (operators)
    WIDTH,
    add,
    are_not_zero,
    bits,
    broadcast,
    div,
    dot,
    floats,
    largest,
    magnitude,
    mul,
    scaled_identity,
    square,
    sub,
    vec3s,
    vec6s,
)
from ..device.teams import ALONE, Team
from ..lattice.embedding import Embedding, spread_of, surface_functions
from .law import ContactLaw, extend_active_set, force_stiffness
from .pairs import PREFETCH_DISTANCE, Touch, exact_gap
from .pairs_in_lanes import gaps, own_weights, pairs_of, touches_of, used_lanes, weights_of_corners

# Corners of a touch. Where surfaces are embedded the loops over them are not ranges of constant
# length: unrolled, they would take minutes to compile for a GPU.
CORNERS = wp.constant(4)


@wp.struct
class Contacts:
    """All near pairs, and the entries 4 · pair + corner of those that may act on a vertex."""

    start: wp.array[int]  # [vertex + 1]
    end: wp.array[int]  # [vertex]
    entry: wp.array[int]
    listed: wp.array[int]  # with embedded surfaces: 1 where points of the vertex have pairs
    touches: wp.array[Touch]


@wp.func_native("""
#if !defined(__CUDA_ARCH__)
    const int vertices = contacts.start.shape[0] - 1;
    const int* entry = contacts.entry.data;
    if (later < vertices) {
        const char* entries = (const char*)(entry + contacts.start.data[later]);
        __builtin_prefetch(entries);
        __builtin_prefetch(entries + 64);
    }
    if (next < vertices) {
        const int begin = contacts.start.data[next], end = contacts.end.data[next];
        for (int k = begin; k < end && k < begin + 16; ++k) {
            const char* touch = (const char*)(contacts.touches.data + (entry[k] >> 2));
            __builtin_prefetch(touch);
            __builtin_prefetch(touch + 64);
        }
    }
#endif
""")
def prefetch_touches(contacts: Contacts, next: int, later: int):
    """Ask the processor for the touches of the `next` vertex, and the entries of a `later` one,
    before they are needed.
    """
    ...


@wp.func_native(
    snippet="""
#if !defined(__CUDA_ARCH__)
    const char* address = (const char*)(contacts.touches.data + (contacts.entry.data[k] >> 2));
    __builtin_prefetch(address);
    __builtin_prefetch(address + 64);
#endif
"""
)
def prefetch(contacts: Contacts, k: int):
    """Ask the processor for the touch of entry k before a CPU would have to wait for it."""
    ...


@wp.func
def largest_weight_sum(touch: Touch, embedding: Embedding):
    """Return Σ |∂d/∂x_j| over all vertices: an upper bound of the sum over those that move at the
    same time, which is slower to compute.
    """
    weight_sum = float(0.0)
    c = int(0)
    while c < CORNERS:
        weight_sum += wp.abs(touch.weights[c]) * spread_of(touch.vertices[c], embedding)
        c += 1
    return weight_sum


@wp.func
def pair_force_hessian(
    touch: Any, weight: Any, weight_sum: Any, gap: Any, separates: Any, law: ContactLaw
):
    """Return the force [N] of a pair on a vertex with `weight` in its `gap` [m], and the bound
    a n nᵀ + b I [N/m] of its stiffness. `weight_sum` ≥ |weight| is Σ |w_j| of all vertices that
    move at once.

    One pair, or eight in lanes.
    """
    normal = touch.normal
    d = dot(normal, gap)
    motion = gap - touch.start_gap
    f, along, drag = force_stiffness(
        normal, d, touch.radius, motion, touch.friction, touch.stiffness, law
    )
    own = magnitude(weight)
    bound = own * weight_sum
    push = weight * touch.stiffness * (touch.radius - d)
    f = either(separates, push * normal, weight * f)
    along = either(separates, own * touch.stiffness, bound * along)
    return f, square(along, normal) + scaled_identity(either(separates, 0.0, bound * drag))


@cache
def pair_forces(width: int, in_lanes: bool = False, team: Team = ALONE) -> wp.Function:
    """Return the function that adds up the forces of pairs on a vertex, in scenes whose embedded
    points have `width` corners. If that is 0, it may take eight pairs at a time `in_lanes`. The
    lanes of a team share embedded points, or else pairs.
    """
    surface, embedded = surface_functions(width), width > 0
    Number, Vector, Block = (floats, vec3s, vec6s) if in_lanes else (float, wp.vec3, wp.mat33)
    group = WIDTH if in_lanes else 1
    of_slots, of_pairs = (team, ALONE) if embedded else (ALONE, team)

    @wp.func
    def range_with_pairs(i: int, contacts: Contacts, embedding: Embedding):
        """Return the range of slots that move with vertex i, empty if none of them has pairs."""
        begin, end = surface.carried_range(i, embedding)
        if wp.static(embedded):
            if contacts.listed[i] == 0:
                end = begin
        return begin, end

    @wp.func
    def weight_and_corner(
        i: int, slot: int, s: int, corner: int, touch: Touch, embedding: Embedding
    ):
        """Return the weight of vertex i in the gap of a pair, and the first of the four corners
        that it moves, one of which is s, the surface vertex in `slot`.
        """
        weight = touch.weights[corner]
        first = int(corner)
        if wp.static(embedded):
            # A vertex that is its own surface moves no other corner.
            if s >= embedding.first:
                weight = float(0.0)
                first = int(CORNERS)
                c = int(0)
                while c < CORNERS:
                    v = touch.vertices[c]
                    corner_weight = float(0.0)
                    if c == corner:
                        corner_weight = touch.weights[c] * surface.share(slot, embedding)
                    elif v >= embedding.first:
                        corner_weight = touch.weights[c] * surface.weight(i, v, embedding)
                    if corner_weight != 0.0 and first == CORNERS:
                        first = c
                    weight += corner_weight
                    c += 1
                    if (first < corner) or (c > corner and first == CORNERS):
                        break  # later corners change neither
        return weight, first

    @wp.func
    def weight_of_corners(w: wp.vec4, v: wp.vec4i, color: wp.vec2i, embedding: Embedding):
        """Return Σ |∂d/∂x_j| over the vertices j from color[0] to color[1]."""
        weight_sum = float(0.0)
        if wp.static(embedded):
            c = int(0)
            while c < CORNERS:
                weight_sum += wp.abs(w[c]) * surface.weight_of_range(color, v[c], embedding)
                c += 1
        else:
            for c in range(4):
                if v[c] >= color[0] and v[c] < color[1]:
                    weight_sum += wp.abs(w[c])
        return weight_sum

    @wp.func
    def pair_at(
        i: int, slot: int, s: int, k: int, end: int, contacts: Contacts, embedding: Embedding
    ):
        """Return the touch of entry k, the weight of vertex i in its gap, and 1 if it counts."""
        prefetch(contacts, k + PREFETCH_DISTANCE)
        entry = contacts.entry[k]
        touch = contacts.touches[entry >> 2]
        weight, first = weight_and_corner(i, slot, s, entry & 3, touch, embedding)
        return touch, weight, wp.where(first == entry & 3, 1.0, 0.0)

    @wp.func
    def pairs_at(
        i: int, slot: int, s: int, k: int, end: int, contacts: Contacts, embedding: Embedding
    ):
        """Return touches, weights and ones of up to eight entries from k on, in lanes."""
        count = wp.min(end - k, WIDTH)
        touch = touches_of(contacts.touches, pairs_of(contacts.entry, k, count))
        return touch, own_weights(touch.weights, contacts.entry, k, count), used_lanes(count)

    load, gap_between, find_weight_sum = pair_at, exact_gap, weight_of_corners
    if in_lanes:
        load, gap_between, find_weight_sum = pairs_at, gaps, weights_of_corners

    @wp.func
    def pairs_force_hessian(
        i: int,
        x: wp.array[wp.vec3],
        offset: wp.vec3,
        step: wp.vec3,
        color: wp.vec2i,
        contacts: Contacts,
        embedding: Embedding,
        law: ContactLaw,
    ):
        """Return the force [N], bound of the Hessian block [N/m] and number of the pairs that touch
        vertex i, their active set (`extend_active_set`), and the distance [m] that the vertex may
        move without changing that set.

        `offset` [m]: displacement of the vertex since its embedded points were updated.
        Pairs count that touch after `step` (0: now), each with its Newton model at x. Vertices
        color[0] up to color[1] move at the same time: each assumes that all of them take its step.
        With W = Σ |w_j| and a convex E, E(d + Σ w_j s_j) ≤ Σ |w_j|/W E(d ± W s_j), so that partners
        of one color never overshoot: neither in touching pairs, nor in pairs about to close.
        A pair with several corners that a vertex moves counts at the first of them.
        """
        touching = Number(0.0)
        active_set = int(0)
        force = Vector()
        block = Block()
        margin = Number(wp.inf)
        if wp.static(in_lanes):
            prefetch_touches(contacts, i + 1, i + 2)
        begin, end = range_with_pairs(i, contacts, embedding)
        for slot in range(begin + of_slots.lane(), end, wp.static(of_slots.stride)):
            s = surface.carried(slot, embedding)
            last = contacts.end[s]
            start = contacts.start[s] + of_pairs.lane()
            for k in range(start, last, wp.static(group * of_pairs.stride)):
                touch, weight, is_felt = load(i, slot, s, k, last, contacts, embedding)
                if wp.static(embedded):
                    if is_felt == 0.0:
                        continue
                gap = gap_between(touch.weights, touch.vertices, x)
                if wp.static(embedded):
                    if s >= embedding.first:
                        gap += weight * offset
                beyond = dot(touch.normal, gap) - touch.radius
                own = magnitude(weight)
                toward = either(weight, 1.0, -1.0) * dot(touch.normal, broadcast(step, weight))
                closing = either(own, toward, 0.0)
                if wp.static(embedded):
                    weight_sum = largest_weight_sum(touch, embedding)
                    if beyond + weight_sum * wp.min(closing, 0.0) < 0.0:
                        weight_sum = find_weight_sum(
                            touch.weights, touch.vertices, color, embedding
                        )
                else:
                    weight_sum = find_weight_sum(touch.weights, touch.vertices, color, embedding)
                weight_sum = largest(weight_sum, own)
                margin = smallest(margin, magnitude(beyond) / largest(1.0, weight_sum))
                separates = are_not_zero(touch.separates)
                after = beyond + weight_sum * closing
                acts = either(separates, 1.0, -1.0 * after)
                active_lanes = bits(acts)
                if active_lanes != 0:
                    active = either(acts, is_felt, 0.0)
                    f, h = pair_force_hessian(
                        touch, active * weight, weight_sum, gap, separates, law
                    )
                    force += f
                    block += h
                    touching += active
                    active_set = extend_active_set(extend_active_set(active_set, k), active_lanes)
        return total(force), total(block), int(total(touching)), active_set, least(margin)

    return pairs_force_hessian
