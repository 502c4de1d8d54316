# SPDX-License-Identifier: GPL-3.0-or-later
"""The force of contact pairs on a vertex.

With embedded surfaces the surface vertices x_c of a pair may be sums of vertices: the generalized
force on vertex i is (Σ_c w_c ∂x_c/∂x_i) f with the weights w_c of the pair.
"""

from functools import cache

import warp as wp

from ..lattice.embedding import Embedding, spread_of, surface_functions
from .law import ContactLaw, extend_active_set, force_stiffness
from .pairs import AHEAD, Touch, gap_of

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


@wp.func
def off_diagonal(n: wp.vec3):
    """Entries xy, xz, yz of n nᵀ."""
    return wp.vec3(n[0] * n[1], n[0] * n[2], n[1] * n[2])


@wp.func
def symmetric(diagonal: wp.vec3, off: wp.vec3):
    """The matrix with this diagonal and entries xy, xz, yz."""
    return wp.mat33(
        diagonal[0], off[0], off[1], off[0], diagonal[1], off[2], off[1], off[2], diagonal[2]
    )


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
def separating_force(touch: Touch, weight: float, beyond: float):
    """Force [N] of what leads an intersection apart on a vertex with `weight` in its gap, which is
    `beyond` [m] its goal, and a, b [N/m] of the bound a n nᵀ + b I of its stiffness.
    """
    stiffness = touch.stiffness
    return -(weight * stiffness * beyond) * touch.normal, wp.abs(weight) * stiffness, 0.0


@wp.func
def touching_force(touch: Touch, weight: float, together: float, gap: wp.vec3, law: ContactLaw):
    """The same of a pair that touches; `together` ≥ |weight| is that of all who move at once."""
    f, along, drag = force_stiffness(
        touch.normal,
        wp.dot(touch.normal, gap),
        touch.radius,
        gap - touch.start_gap,
        touch.friction,
        touch.stiffness,
        law,
    )
    bound = wp.abs(weight) * together
    return weight * f, bound * along, bound * drag


@cache
def pair_forces(width: int) -> wp.Function:
    """What finds what pairs do to a vertex, in scenes whose embedded points have so many corners,
    or 0.
    """
    surface, embedded = surface_functions(width), width > 0

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
    def weight_together(touch: Touch, color: wp.vec2i, embedding: Embedding):
        """Σ |∂d/∂x_j| over the vertices j from color[0] to color[1]."""
        together = float(0.0)
        if wp.static(embedded):
            c = int(0)
            while c < CORNERS:
                together += wp.abs(touch.weights[c]) * surface.weight_of_range(
                    color, touch.vertices[c], embedding
                )
                c += 1
        else:
            for c in range(4):
                if touch.vertices[c] >= color[0] and touch.vertices[c] < color[1]:
                    together += wp.abs(touch.weights[c])
        return together

    @wp.func
    def most_together(touch: Touch, embedding: Embedding):
        """Σ |∂d/∂x_j| over all vertices: no less than over those that move at the same time, which
        takes longer to find.
        """
        together = float(0.0)
        if wp.static(embedded):
            c = int(0)
            while c < CORNERS:
                together += wp.abs(touch.weights[c]) * spread_of(touch.vertices[c], embedding)
                c += 1
        return together

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
        touching = int(0)
        active_set = int(0)
        force = wp.vec3(0.0)
        # As vectors the sums stay in registers.
        diagonal = wp.vec3(0.0)
        off = wp.vec3(0.0)
        margin = float(wp.inf)
        begin, end = felt_range(i, contacts, embedding)
        for slot in range(begin, end):
            s = surface.carried(slot, embedding)
            for k in range(contacts.start[s], contacts.end[s]):
                prefetch(contacts, k + AHEAD)
                entry = contacts.entry[k]
                touch = contacts.touches[entry >> 2]
                weight, first = weight_and_corner(i, slot, s, entry & 3, touch, embedding)
                if wp.static(embedded):
                    if first != entry & 3:
                        continue
                normal = touch.normal
                gap = gap_of(touch, x)
                if wp.static(embedded):
                    if s >= embedding.first:
                        gap += weight * lead
                beyond = wp.dot(normal, gap) - touch.radius
                closing = wp.where(weight != 0.0, wp.sign(weight) * wp.dot(normal, step), 0.0)
                together = most_together(touch, embedding)
                may_touch = beyond + together * wp.min(closing, 0.0) < 0.0
                if wp.static(not embedded) or may_touch:
                    together = wp.max(weight_together(touch, color, embedding), wp.abs(weight))
                near = wp.abs(beyond) / wp.max(together, 1.0)
                margin = wp.where(near < margin, near, margin)
                active = touch.separates != 0
                f = wp.vec3(0.0)
                along = float(0.0)
                drag = float(0.0)
                if active:
                    f, along, drag = separating_force(touch, weight, beyond)
                elif beyond + together * closing < 0.0:
                    active = True
                    f, along, drag = touching_force(touch, weight, together, gap, law)
                if active:
                    force += f
                    diagonal += along * wp.cw_mul(normal, normal)
                    diagonal += wp.vec3(drag)
                    off += along * off_diagonal(normal)
                    touching += 1
                    active_set = extend_active_set(active_set, k)
        return force, symmetric(diagonal, off), touching, active_set, margin

    return pairs_force_hessian
