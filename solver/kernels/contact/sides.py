# SPDX-License-Identifier: GPL-3.0-or-later
"""On which side of each other open bodies begin that are nearer than float32 can tell.

What is known of the gap of a single pair there is rounding, as positions lie on a grid. But where
all directions that tell the sides of pairs apart (`front.py`) do so the same way round, by however
little, two bodies are apart, and stay on these sides. Where some say otherwise they lie in each
other, and their numbers decide. What is closed or held has its side by rule, however they lie.
"""

import warp as wp

from ..options import HOT
from .front import common_direction, couple_of, is_parted
from .joined import are_joined, belongs
from .pairs import EDGE_EDGE, VERTEX_TRIANGLE, Pair, Surface, signed_weights, weighted
from .parting import leaves_any_gap, parting_normal
from .state import ContactState
from .tree import EDGES, TRIANGLES, first_in, next_in

wp.set_module_options(HOT)

# What pairs say of the side of a couple, two numbers each.
AS_RULED = wp.constant(0)
OTHERWISE = wp.constant(1)


@wp.func
def may_lie_behind(a: int, b: int, surface: Surface):
    """Whether nothing but the positions of two bodies tells which is in front."""
    may = surface.may_touch[a * surface.bodies + b] != 0
    return may and a != b and surface.ground[a] + surface.ground[b] == 0


@wp.func
def hear(
    kind: int,
    v: wp.vec4i,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    said: wp.array[int],
):
    """Note what a pair says of the side of its couple, if that is not known beyond rounding."""
    pair = Pair()
    pair.kind = kind
    pair.vertices = v
    pair.radius = state.radius[v[0]] + state.radius[v[kind]]
    weights = signed_weights(kind, v, x)
    gap = weighted(weights, v, x)
    if not is_parted(pair, gap, parting_normal(kind, weights, v, x, gap), x):
        n = common_direction(pair, weights, surface, x)
        couple = 2 * couple_of(surface.body[v[0]], surface.body[v[kind]], surface)
        if leaves_any_gap(kind, n, v, x):
            said[couple + AS_RULED] = 1
        if leaves_any_gap(kind, -n, v, x):
            said[couple + OTHERWISE] = 1


@wp.kernel
def hear_vertices(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    said: wp.array[int],
):
    """What vertices and triangles say of the sides of their bodies; `said` [body * body * 2] begins
    as 0.
    """
    v = surface.vertices[first + wp.tid()]
    if v < surface.collider_start or v >= surface.point_start:
        walk = first_in(surface.trees, TRIANGLES, x[v], x[v])
        while walk.entry >= 0:
            t = surface.triangles[walk.entry]
            may = may_lie_behind(surface.body[v], surface.body[t[0]], surface)
            if may and not belongs(v, t, surface):
                hear(VERTEX_TRIANGLE, wp.vec4i(v, t[0], t[1], t[2]), surface, state, x, said)
            walk = next_in(surface.trees, walk)


@wp.kernel
def hear_edges(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    said: wp.array[int],
):
    """The same of edges and edges."""
    k = first + wp.tid()
    e = surface.edges[k]
    low, high = wp.min(x[e[0]], x[e[1]]), wp.max(x[e[0]], x[e[1]])
    walk = first_in(surface.trees, EDGES, low, high)
    while walk.entry >= 0:
        f = surface.edges[walk.entry]
        may = walk.entry > k and may_lie_behind(surface.body[e[0]], surface.body[f[0]], surface)
        if may and not are_joined(e, f, surface):
            hear(EDGE_EDGE, wp.vec4i(e[0], e[1], f[0], f[1]), surface, state, x, said)
        walk = next_in(surface.trees, walk)
