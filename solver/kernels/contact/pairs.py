# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs: vertex-triangle and edge-edge pairs of all surfaces.

Side A of a pair is its vertex or first edge, side B the triangle or second edge. A pair knows the
weights of its closest points as one signed sum: A's weights add up to 1, B's to -1, so that
Σ w_k x_k is the vector from the closest point of B to that of A.
"""

import warp as wp

from ..device.options import QUICK
from .detection.bvh import TreeArrays
from .detection.distance import closest_on_segments, closest_on_triangle

wp.set_module_options(QUICK)

VERTEX_TRIANGLE = wp.constant(1)
EDGE_EDGE = wp.constant(2)

# A pair or touch is fetched from memory this many entries before it is needed.
AHEAD = wp.constant(6)

# Bodies have so many bits in turns, for whom a vertex crosses and where it is clasped.
BODY_BITS = wp.constant(31)

# Sides that have gone less than this part of their gap each since it was measured, and go no
# farther now, keep to what truncation keeps of it: 2 q ≤ KEPT (1 − 2 q).
QUIET = wp.constant(0.2)


@wp.struct
class SurfaceArrays:
    """The surfaces of all bodies, then those of all colliders."""

    vertices: wp.array[int]
    edges: wp.array[wp.vec2i]
    triangles: wp.array[wp.vec3i]
    body_edges: int  # the first edges and triangles are those of bodies
    body_triangles: int
    kinematic_start: int  # the first vertex that animation moves
    collider_start: int  # the first vertex of a collider
    point_start: int  # the first embedded point of a body
    rod_start: int  # edges from this one up to `body_edges` belong to no triangle
    trees: TreeArrays  # of where all that may get to before the next search
    bodies: int
    deformable: int  # so many of the bodies, the others are colliders
    may_touch: wp.array[int]  # [body * body]
    closed: wp.array[int]  # per body: whether it has an inside
    ground: wp.array[int]  # who lies below when two bodies begin in each other: the larger, [body]
    side: wp.array[int]  # [body * body], of each couple a < b: -1 where it lies the other way round
    # per body: the box of where it may be (broad_phase.py), and with which others that overlaps
    body_low: wp.array[wp.vec3]
    body_high: wp.array[wp.vec3]
    neighbors: wp.array[int]
    neighbor: wp.array[int]
    # per vertex of the scene:
    joint: wp.array[int]  # the same number for what is attached to each other
    body: wp.array[int]
    rest: wp.array[wp.vec3]
    start: wp.array[wp.vec3]  # where the scene begins
    path: wp.array[wp.vec3]  # where the vertex may go until the next search [m], ...
    trust_radius: wp.array[float]  # ... and how far from that way [m]
    remaining_path: wp.array[wp.vec3]  # what is left of that way [m]
    front: wp.array[wp.vec3]  # where the surface faces, as of the last look for intersections
    moved: wp.array[int]  # whether the last search gave it a new trust region
    inside: wp.array[int]  # number of the body a vertex is inside of, plus 1
    crosses: wp.array[int]  # the bits of bodies that an edge or triangle of the vertex crosses
    # the bits of those where it is pinned and they are led (kinematic_pairs.py)
    excluded: wp.array[int]


@wp.func
def bit_of(body: int):
    """The bit that marks a body."""
    return 1 << (body % BODY_BITS)


@wp.struct
class Pair:
    """One contact pair as it was found; `kind` is also the number of its vertices on side A."""

    vertices: wp.vec4i
    found_normal: wp.vec3  # from B to A
    kind: int
    radius: float  # contact distance with the multiplier [m]; 0 for what is only kept apart
    multiplier: float  # λ/k [m]
    friction: float
    full_stiffness: float  # k_c [N/m]
    with_rod: int  # whether one of two edges belongs to no triangle
    other: int  # the number of its triangle or second edge


@wp.struct
class Anchor:
    """What is remembered of a pair: the number of its triangle or second edge, how far A was pulled
    aside against B by the end of the last step, how far it reaches in this one, and the normal that
    parts its sides.
    """

    other: int
    pulled: wp.vec3  # [m]
    radius: float  # [m]
    multiplier: float  # [m]
    normal: wp.vec3


@wp.struct
class Listed:
    """Where the pairs of every query stood before a search."""

    end_of_vertices: wp.array[int]  # running sums, per vertex that was asked
    end_of_edges: wp.array[int]
    counts: wp.array[int]
    anchors: wp.array[Anchor]


@wp.struct
class PairLists:
    """All pairs, and the entries 4 · pair + corner of every vertex of the scene."""

    pairs: wp.array[Pair]
    start: wp.array[int]  # [vertex + 1], in `entry`
    entry: wp.array[int]
    gap: wp.array[float]  # [entry], that of its pair as it was measured last [m]
    listed: wp.array[int]  # whether what the vertex carries has pairs, where surfaces are embedded


@wp.func_native(
    snippet="""
#if !defined(__CUDA_ARCH__)
    const char* address = (const char*)(lists.pairs.data + (lists.entry.data[k] >> 2));
    __builtin_prefetch(address);
    __builtin_prefetch(address + 48);
#endif
"""
)
def prefetch_pair(lists: PairLists, k: int):
    """Ask the processor for the pair of entry k, of which a CPU would wait for each in turn."""
    ...


@wp.struct
class PairState:
    """What every refresh finds of a pair."""

    gap: float  # how much nearer its sides may come, along its normal [m]
    near: int  # a bit for every corner that may feel the pair; only then it has an up to date Touch


@wp.struct
class Touch:
    """All that the vertices of a near pair need of it, in one piece, as of the last refresh."""

    vertices: wp.vec4i
    weights: wp.vec4  # of the closest points, signed
    normal: wp.vec3  # from B to A
    # From B to A at the start of the step, between the points of now, less how far A was pulled
    # aside before [m].
    start_gap: wp.vec3
    radius: float
    friction: float
    stiffness: float
    separates: int  # whether it leads an intersection apart, to the distance `radius`


@wp.func
def exact_gap(w: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Σ w_k (x_k − x_0) [m]: the vector from B to A, as float64 adds it up.

    Beside corners 10 m away float32 leaves 10⁻⁶ m of it: loads would flicker, and what friction
    just holds would creep.
    """
    base = wp.vec3d(x[v[0]])
    return wp.vec3(
        wp.float64(w[1]) * (wp.vec3d(x[v[1]]) - base)
        + wp.float64(w[2]) * (wp.vec3d(x[v[2]]) - base)
        + wp.float64(w[3]) * (wp.vec3d(x[v[3]]) - base)
    )


@wp.func
def gap_of(touch: Touch, x: wp.array[wp.vec3]):
    """The vector from B to A [m]."""
    return exact_gap(touch.weights, touch.vertices, x)


@wp.func
def signed_weights(kind: int, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Weights of the closest points of a pair, B's negative."""
    a = x[v[0]]
    b = x[v[1]]
    c = x[v[2]]
    d = x[v[3]]
    if kind == VERTEX_TRIANGLE:
        w = closest_on_triangle(a, b, c, d)
        return wp.vec4(1.0, -w[0], -w[1], -w[2])
    st = closest_on_segments(a, b, c, d)
    return wp.vec4(1.0 - st[0], st[0], st[1] - 1.0, -st[1])


@wp.func
def weighted(w: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Σ w_k (x_k − x_0) [m]: the vector from B to A, seen from the first vertex."""
    base = x[v[0]]
    return w[1] * (x[v[1]] - base) + w[2] * (x[v[2]] - base) + w[3] * (x[v[3]] - base)


@wp.func
def across(gap: wp.vec3, edge: wp.vec3):
    """`gap` without its part along an edge."""
    return gap - (wp.dot(gap, edge) / wp.length_sq(edge)) * edge


@wp.func
def pair_normal(kind: int, w: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3], toward: wp.vec3):
    """Unit vector from B to A, normal to the edges or the face that hold the closest points.

    `toward` points from B to A; the gap between them is normal to those only up to rounding of the
    elements' size, which may be large beside it, and then it would not separate them.
    """
    u = x[v[1]] - x[v[0]]
    t = x[v[3]] - x[v[2]]
    n = toward
    if kind == EDGE_EDGE:
        on_a = w[0] > 0.0 and w[1] > 0.0
        on_b = w[2] < 0.0 and w[3] < 0.0
        both = wp.cross(u, t)
        if on_a and on_b and wp.length_sq(both) > 1.0e-5 * wp.length_sq(u) * wp.length_sq(t):
            n = wp.sign(wp.dot(both, toward)) * both
        else:
            if on_a:
                n = across(n, u)
            if on_b:
                n = across(n, t)
    elif w[1] < 0.0 and w[2] < 0.0 and w[3] < 0.0:
        face = wp.cross(x[v[2]] - x[v[1]], t)
        n = wp.sign(wp.dot(face, toward)) * face
    elif w[1] == 0.0 and w[2] < 0.0 and w[3] < 0.0:
        n = across(n, t)
    elif w[2] == 0.0 and w[1] < 0.0 and w[3] < 0.0:
        n = across(n, x[v[3]] - x[v[1]])
    elif w[3] == 0.0 and w[1] < 0.0 and w[2] < 0.0:
        n = across(n, x[v[2]] - x[v[1]])
    return wp.normalize(n)
