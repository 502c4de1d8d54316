# SPDX-License-Identifier: GPL-3.0-or-later
"""The force of contact pairs on a vertex (pair_forces.py), eight at a time in the lanes of the
processor, where every vertex is its own surface.
"""

from functools import cache

import warp as wp

from ..device.lane_functions import either, gather_of, least, smallest, total
from ..device.lanes import (  # noqa: F401 (operators)
    WIDTH,
    add,
    code,
    div,
    dot,
    floats,
    in_all,
    ints,
    largest,
    magnitude,
    mul,
    scaled_identity,
    square,
    sub,
    vec3s,
    vec6s,
)
from ..lattice.embedding import Embedding
from .law import ContactLaw, extend_active_set, force_stiffness
from .pair_forces import Contacts, prefetch_touches
from .pairs import Touch

# Distance [m] of what never touches.
NEVER = wp.constant(1.0e30)
vec4s = wp.types.matrix(shape=(4, WIDTH), dtype=float)
vec4is = wp.types.matrix(shape=(4, WIDTH), dtype=int)


@wp.func_native(
    code("""wp::vec_t<WIDTH, int> r;
for (int l = 0; l < WIDTH; ++l) r[l] = list.data[first + (l < count ? l : count - 1)];
return r;""")
)
def entries(list: wp.array[int], first: int, count: int) -> ints:
    """Up to eight entries of a list; those that are left repeat the last one."""
    ...


@wp.func_native(
    code("""wp::vec_t<WIDTH, int> r;
for (int l = 0; l < WIDTH; ++l) r[l] = entry[l] >> 2;
return r;""")
)
def pairs_of(entry: ints) -> ints: ...


@wp.func_native(
    code("""floats r;
for (int l = 0; l < WIDTH; ++l) r[l] = l < count ? weights.data[entry[l] & 3][l] : 0.0f;
return r;""")
)
def own_weights(weights: vec4s, entry: ints, count: int) -> floats:
    """The weights of the corners that entries belong to; 0 where there are none."""
    ...


@wp.func_native(
    code("""floats r;
for (int l = 0; l < WIDTH; ++l) {
    r[l] = 0.0f;
    for (int c = 0; c < 4; ++c) {
        const int i = vertices.data[c][l];
        r[l] += i >= color[0] && i < color[1] ? __builtin_fabsf(weights.data[c][l]) : 0.0f;
    }
}
return r;""")
)
def weights_together(weights: vec4s, vertices: vec4is, color: wp.vec2i) -> floats:
    """Σ |∂d/∂x_j| over the vertices j from color[0] to color[1]."""
    ...


@wp.func_native(
    code("""vec3s r;
for (int k = 0; k < 3; ++k)
for (int l = 0; l < WIDTH; ++l) {
    const double base = x.data[vertices.data[0][l]][k];
    double sum = 0.0;
    for (int c = 1; c < 4; ++c) {
        const double corner = x.data[vertices.data[c][l]][k], weight = weights.data[c][l];
        sum += weight * (corner - base);
    }
    r.data[k][l] = sum;
}
return r;""")
)
def gaps(weights: vec4s, vertices: vec4is, x: wp.array[wp.vec3]) -> vec3s:
    """The vectors from B to A [m], as float64 adds them up (`exact_gap`)."""
    ...


@wp.func_native(code("floats r; for (int l = 0; l < WIDTH; ++l) r[l] = l < count; return r;"))
def are_there(count: int) -> floats:
    """1 in so many lanes, 0 in the others."""
    ...


@wp.func_native(code("floats r; for (int l = 0; l < WIDTH; ++l) r[l] = numbers[l] != 0; return r;"))
def are_not_zero(numbers: ints) -> floats:
    """1 where a number is not 0, else 0."""
    ...


@wp.func_native(
    code("int r = 0; for (int l = 0; l < WIDTH; ++l) r |= (a[l] > 0.0f) << l; return r;")
)
def bits(a: floats) -> int:
    """A bit for every lane: whether its number is positive."""
    ...


@wp.func_native("return __builtin_popcount(bits);")
def count_of(bits: int) -> int: ...


@cache
def pair_forces_in_lanes() -> wp.Function:
    """What finds what pairs do to a vertex."""
    touches_of = gather_of(Touch)

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
        """As that of pair_forces.py, with groups of pairs in the active set."""
        touching = int(0)
        active_set = int(0)
        none = vec3s()
        force = vec3s()
        block = vec6s()
        margin = floats(NEVER)
        prefetch_touches(contacts, i + 1, i + 2)
        end = contacts.end[i]
        for k in range(contacts.start[i], end, WIDTH):
            count = wp.min(end - k, WIDTH)
            entry = entries(contacts.entry, k, count)
            touch = touches_of(contacts.touches, pairs_of(entry))
            weight = own_weights(touch.weights, entry, count)
            is_there = are_there(count)
            separates = are_not_zero(touch.separates) * is_there
            normal = touch.normal
            gap = gaps(touch.weights, touch.vertices, x)
            d = dot(normal, gap)
            beyond = d - touch.radius
            own = magnitude(weight)
            together = largest(weights_together(touch.weights, touch.vertices, color), own)
            rate = either(own, either(weight, together, -1.0 * together), 0.0 * own)
            near = magnitude(beyond) / largest(1.0, together)
            margin = smallest(margin, either(is_there, near, NEVER))
            after = beyond + rate * dot(normal, in_all(step))
            active = separates + is_there * either(-1.0 * after, 1.0, 0.0)
            here = bits(active)
            active_set = extend_active_set(active_set, here)
            touching += count_of(here)
            f, slope, drag = force_stiffness(
                normal,
                d,
                touch.radius,
                gap - touch.start_gap,
                touch.friction,
                touch.stiffness,
                law,
            )
            bound = own * together
            stiffness = own * touch.stiffness
            push = -1.0 * weight * touch.stiffness * beyond
            f = either(separates, push * normal, weight * f)
            slope = either(separates, stiffness, bound * slope)
            drag = either(separates, 0.0, bound * drag)
            force += either(active, f, none)
            block += square(either(active, slope, 0.0), normal)
            block += scaled_identity(either(active, drag, 0.0))
        return total(force), total(block), touching, active_set, least(margin)

    return pairs_force_hessian
