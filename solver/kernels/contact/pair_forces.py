# SPDX-License-Identifier: GPL-3.0-or-later
"""The force of contact pairs on a vertex.

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
from ..lattice.embedding import Embedding, spread_of, surface_functions
from .law import ContactLaw, extend_active_set, force_stiffness
from .pairs import AHEAD, Touch, exact_gap
from .pairs_in_lanes import are_there, gaps, own_weights, pairs_of, touches_of, weights_of_corners

# Corners of a touch. Where surfaces are embedded the loops over them are not ranges of constant
# length: unrolled, they would take minutes to compile for a GPU.
CORNERS = wp.constant(4)


@wp.struct
class Contacts:
    """All near pairs, and the entries 4 · pair + corner of those that a vertex may feel."""

    start: wp.array[int]  # [vertex + 1]
    end: wp.array[int]  # [vertex]
    entry: wp.array[int]
    listed: wp.array[int]  # whether what the vertex carries has pairs, where surfaces are embedded
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
    """Ask the processor for the touch of entry k, of which a CPU would wait for each in turn."""
    ...


@wp.func
def most_together(touch: Touch, embedding: Embedding):
    """Σ |∂d/∂x_j| over all vertices: no less than over those that move at the same time, which
    takes longer to find.
    """
    together = float(0.0)
    c = int(0)
    while c < CORNERS:
        together += wp.abs(touch.weights[c]) * spread_of(touch.vertices[c], embedding)
        c += 1
    return together


@wp.func
def pair_force_hessian(
    touch: Any, weight: Any, together: Any, gap: Any, separates: Any, law: ContactLaw
):
    """Force [N] of a pair on a vertex with `weight` in its `gap` [m], and the bound a n nᵀ + b I
    [N/m] of its stiffness. `together` ≥ |weight| is that of all vertices that move at once.

    One pair, or eight in lanes.
    """
    normal = touch.normal
    d = dot(normal, gap)
    motion = gap - touch.start_gap
    f, along, drag = force_stiffness(
        normal, d, touch.radius, motion, touch.friction, touch.stiffness, law
    )
    own = magnitude(weight)
    bound = own * together
    apart = weight * touch.stiffness * (touch.radius - d)
    f = either(separates, apart * normal, weight * f)
    along = either(separates, own * touch.stiffness, bound * along)
    return f, square(along, normal) + scaled_identity(either(separates, 0.0, bound * drag))


@cache
def pair_forces(width: int, in_lanes: bool = False) -> wp.Function:
    """The function that adds up what pairs do to a vertex, in scenes whose embedded points have so
    many corners, or 0. Where that is 0, pairs may go eight at a time `in_lanes` of the processor.
    """
    surface, embedded = surface_functions(width), width > 0
    Number, Vector, Block = (floats, vec3s, vec6s) if in_lanes else (float, wp.vec3, wp.mat33)
    group = WIDTH if in_lanes else 1

    @wp.func
    def felt_range(i: int, contacts: Contacts, embedding: Embedding):
        """Where what moves with vertex i begins and ends, if any of it has pairs."""
        begin, end = surface.carried_range(i, embedding)
        if wp.static(embedded):
            if contacts.listed[i] == 0:
                end = begin
        return begin, end

    @wp.func
    def weight_and_corner(
        i: int, slot: int, s: int, corner: int, touch: Touch, embedding: Embedding
    ):
        """Weight of vertex i in the gap of a pair, and the first of the four corners it moves, one
        of which is s, what it carries in a slot.
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
                    of_corner = float(0.0)
                    if c == corner:
                        of_corner = touch.weights[c] * surface.share(slot, embedding)
                    elif v >= embedding.first:
                        of_corner = touch.weights[c] * surface.weight(i, v, embedding)
                    if of_corner != 0.0 and first == CORNERS:
                        first = c
                    weight += of_corner
                    c += 1
                    if (first < corner) or (c > corner and first == CORNERS):
                        break  # what comes behind changes neither
        return weight, first

    @wp.func
    def weight_of_corners(w: wp.vec4, v: wp.vec4i, color: wp.vec2i, embedding: Embedding):
        """Σ |∂d/∂x_j| over the vertices j from color[0] to color[1]."""
        together = float(0.0)
        if wp.static(embedded):
            c = int(0)
            while c < CORNERS:
                together += wp.abs(w[c]) * surface.weight_of_range(color, v[c], embedding)
                c += 1
        else:
            for c in range(4):
                if v[c] >= color[0] and v[c] < color[1]:
                    together += wp.abs(w[c])
        return together

    @wp.func
    def pair_at(
        i: int, slot: int, s: int, k: int, end: int, contacts: Contacts, embedding: Embedding
    ):
        """The touch of entry k, the weight of vertex i in its gap, and 1 if the vertex feels it."""
        prefetch(contacts, k + AHEAD)
        entry = contacts.entry[k]
        touch = contacts.touches[entry >> 2]
        weight, first = weight_and_corner(i, slot, s, entry & 3, touch, embedding)
        return touch, weight, wp.where(first == entry & 3, 1.0, 0.0)

    @wp.func
    def pairs_at(
        i: int, slot: int, s: int, k: int, end: int, contacts: Contacts, embedding: Embedding
    ):
        """These of up to eight entries from k on, in lanes."""
        count = wp.min(end - k, WIDTH)
        touch = touches_of(contacts.touches, pairs_of(contacts.entry, k, count))
        return touch, own_weights(touch.weights, contacts.entry, k, count), are_there(count)

    load, gap_between, weight_together = pair_at, exact_gap, weight_of_corners
    if in_lanes:
        load, gap_between, weight_together = pairs_at, gaps, weights_of_corners

    @wp.func
    def pairs_force_hessian(
        i: int,
        x: wp.array[wp.vec3],
        lead: wp.vec3,
        step: wp.vec3,
        color: wp.vec2i,
        contacts: Contacts,
        embedding: Embedding,
        law: ContactLaw,
    ):
        """Force [N], bound of the Hessian block [N/m] and number of the pairs that touch vertex i,
        which these are (`extend_active_set`), and how far it may go [m] without changing that.

        `lead` [m] is how far the vertex is ahead of where its embedded points know it.
        Those are the pairs that touch after `step` (0 for those of now), each with its Newton model
        at x. Vertices color[0] up to color[1] move at the same time: each sees a pair close as if
        all of them did what it does. With W = Σ |w_j| and a convex E,
        E(d + Σ w_j s_j) ≤ Σ |w_j|/W E(d ± W s_j), so that partners of one color never overshoot:
        neither those of a pair that touches, nor those that are about to close it.
        A vertex that moves several corners of a pair feels it at the first of them.
        """
        touching = Number(0.0)
        active_set = int(0)
        force = Vector()
        block = Block()
        margin = Number(wp.inf)
        if wp.static(in_lanes):
            prefetch_touches(contacts, i + 1, i + 2)
        begin, end = felt_range(i, contacts, embedding)
        for slot in range(begin, end):
            s = surface.carried(slot, embedding)
            last = contacts.end[s]
            for k in range(contacts.start[s], last, wp.static(group)):
                touch, weight, is_felt = load(i, slot, s, k, last, contacts, embedding)
                if wp.static(embedded):
                    if is_felt == 0.0:
                        continue
                gap = gap_between(touch.weights, touch.vertices, x)
                if wp.static(embedded):
                    if s >= embedding.first:
                        gap += weight * lead
                beyond = dot(touch.normal, gap) - touch.radius
                own = magnitude(weight)
                toward = either(weight, 1.0, -1.0) * dot(touch.normal, broadcast(step, weight))
                closing = either(own, toward, 0.0)
                if wp.static(embedded):
                    together = most_together(touch, embedding)
                    if beyond + together * wp.min(closing, 0.0) < 0.0:
                        together = weight_together(touch.weights, touch.vertices, color, embedding)
                else:
                    together = weight_together(touch.weights, touch.vertices, color, embedding)
                together = largest(together, own)
                margin = smallest(margin, magnitude(beyond) / largest(1.0, together))
                separates = are_not_zero(touch.separates)
                after = beyond + together * closing
                acts = either(separates, 1.0, -1.0 * after)
                here = bits(acts)
                if here != 0:
                    active = either(acts, is_felt, 0.0)
                    f, h = pair_force_hessian(touch, active * weight, together, gap, separates, law)
                    force += f
                    block += h
                    touching += active
                    active_set = extend_active_set(extend_active_set(active_set, k), here)
        return total(force), total(block), int(total(touching)), active_set, least(margin)

    return pairs_force_hessian
