# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs: vertex-triangle and edge-edge pairs of all surfaces.

Side A of a pair is its vertex or first edge, side B the triangle or second edge. The weights of its
closest points have signs: A's weights add up to 1, B's to -1, so that Σ w_k x_k is the vector from
the closest point of B to that of A.
"""

import warp as wp

from ..device.options import OPTIONS
from .detection.bvh import TreeArrays
from .detection.distance import closest_on_segments, closest_on_triangle

wp.set_module_options(OPTIONS)

VERTEX_TRIANGLE = wp.constant(1)
EDGE_EDGE = wp.constant(2)

# `flat` of pairs of an edge or vertex inside a flat surface.
ONLY_SEPARATED = wp.constant(-1)

# A pair or touch is fetched from memory this many entries before it is needed.
PREFETCH_DISTANCE = wp.constant(6)

# Bits for bodies, b mod this number: those that a vertex crosses, or is excluded with.
BODY_BITS = wp.constant(31)

# Two sides that have each moved by less than this fraction of their gap since it was measured, and
# move no farther now, need no truncation: 2 q ≤ SAFETY (1 − 2 q).
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
    grain_start: int  # edges from this one up to there are grains: both ends are the same vertex
    flat_sides: wp.array[int]  # [collider triangle], a bit per side, of the opposite corner
    flat_edges: wp.array[int]  # [collider edge], 1 where it is flat
    flat_vertices: wp.array[int]  # [collider vertex], 1 where it is flat
    trees: TreeArrays  # of the places that all of them may reach before the next search
    bodies: int
    deformable: int  # number of bodies that are not colliders
    may_touch: wp.array[wp.int8]  # [body * body]
    closed: wp.array[int]  # [body], 1 where it has an inside
    support_rank: wp.array[int]  # [body], larger for the lower of two that begin in each other
    rigid: wp.array[int]  # [body], 1 where it is a rigid body
    side: wp.array[int]  # [body * body], for a < b: -1 where the two are the other way round
    # per body: the box that bounds its positions (broad_phase.py), and the overlapping ones
    body_low: wp.array[wp.vec3]
    body_high: wp.array[wp.vec3]
    neighbors: wp.array[int]
    neighbor: wp.array[int]
    # per vertex of the scene:
    joint: wp.array[int]  # equal numbers for vertices that are attached to each other
    body: wp.array[int]
    rest: wp.array[wp.vec3]
    start: wp.array[wp.vec3]  # positions at the start of the scene
    path: wp.array[wp.vec3]  # predicted displacement until the next search [m], ...
    trust_radius: wp.array[float]  # ... and the largest distance from that path [m]
    remaining_path: wp.array[wp.vec3]  # the rest of that path [m]
    facing: wp.array[wp.vec3]  # outer side of the surface at the last check for intersections
    moved: wp.array[int]  # 1 if the last search gave it a new trust region
    inside: wp.array[int]  # number of the body that contains the vertex, plus 1
    crosses: wp.array[int]  # bits of the bodies that an edge or triangle of the vertex crosses
    # bits of the bodies that are kinematic where the vertex is pinned (kinematic_pairs.py)
    excluded: wp.array[int]


@wp.func
def bodies_may_touch(a: int, b: int, surface: SurfaceArrays):
    """Return whether two bodies may touch."""
    return surface.may_touch[wp.int64(a) * wp.int64(surface.bodies) + wp.int64(b)] != wp.int8(0)


@wp.func
def bit_of(body: int):
    """Return the bit of a body."""
    return 1 << (body % BODY_BITS)


@wp.struct
class Pair:
    """One contact pair of a search; `kind` is also the number of its vertices on side A."""

    vertices: wp.vec4i
    plane_normal: wp.vec3  # of the separating plane, from B to A
    kind: int
    radius: float  # contact distance with the multiplier [m]; 0 for pairs that are only separated
    multiplier: float  # λ/k [m]
    friction: float
    full_stiffness: float  # k_c [N/m]
    with_rod: int  # 1 if one of two edges belongs to no triangle
    flat: int  # bits of the sides beyond which its triangle does not push, or ONLY_SEPARATED
    other: int  # the number of its triangle or second edge


@wp.struct
class Anchor:
    """Data of a pair that outlast a search: the number of its triangle or second edge, the
    tangential displacement of A against B at the end of the last step, the contact distance in this
    one, and the normal of the separating plane.
    """

    other: int
    pulled: wp.vec3  # [m]
    radius: float  # [m]
    multiplier: float  # [m]
    normal: wp.vec3


@wp.struct
class PreviousLists:
    """Ranges of the pairs of every query before a search."""

    end_of_vertices: wp.array[int]  # running sums, [query]
    end_of_edges: wp.array[int]
    counts: wp.array[int]
    anchors: wp.array[Anchor]


@wp.struct
class PairLists:
    """All pairs, and the entries 4 · pair + corner of every vertex of the scene."""

    pairs: wp.array[Pair]
    start: wp.array[int]  # [vertex + 1], in `entry`
    entry: wp.array[int]
    gap: wp.array[float]  # [entry], last measured gap of its pair [m]
    listed: wp.array[int]  # with embedded surfaces: 1 where points of the vertex have pairs


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
    """Ask the processor for the pair of entry k before a CPU would have to wait for it."""
    ...


@wp.struct
class PairState:
    """Results of a refresh of a pair."""

    gap: float  # distance that its sides may still approach, along its normal [m]
    near: int  # a bit for every corner on which the pair may act; its Touch is valid if not 0


@wp.struct
class Touch:
    """Data of a near pair for its vertices, in one piece, as of the last refresh."""

    vertices: wp.vec4i
    weights: wp.vec4  # of the closest points, signed
    normal: wp.vec3  # from B to A
    # From B to A at the start of the step, between the present closest points, less the tangential
    # displacement of earlier steps [m].
    start_gap: wp.vec3
    radius: float
    friction: float
    stiffness: float
    separates: int  # 1 if it resolves an intersection, up to the distance `radius`


@wp.func
def exact_gap(w: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return Σ w_k (x_k − x_0) [m], the vector from B to A, as a sum in float64.

    With corners 10 m away float32 has errors of 10⁻⁶ m: loads would flicker, and bodies that
    friction barely holds would creep.
    """
    base = wp.vec3d(x[v[0]])
    return wp.vec3(
        wp.float64(w[1]) * (wp.vec3d(x[v[1]]) - base)
        + wp.float64(w[2]) * (wp.vec3d(x[v[2]]) - base)
        + wp.float64(w[3]) * (wp.vec3d(x[v[3]]) - base)
    )


@wp.func
def gap_of(touch: Touch, x: wp.array[wp.vec3]):
    """Return the vector from B to A [m]."""
    return exact_gap(touch.weights, touch.vertices, x)


@wp.func
def signed_weights(kind: int, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return the weights of the closest points of a pair, B's negative."""
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
    """Return Σ w_k (x_k − x_0) [m], the vector from B to A, relative to the first vertex."""
    base = x[v[0]]
    return w[1] * (x[v[1]] - base) + w[2] * (x[v[2]] - base) + w[3] * (x[v[3]] - base)


@wp.func
def across(gap: wp.vec3, edge: wp.vec3):
    """Return the component of `gap` normal to an edge."""
    return gap - (wp.dot(gap, edge) / wp.length_sq(edge)) * edge


@wp.func
def pair_normal(kind: int, w: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3], toward: wp.vec3):
    """Return the unit vector from B to A, normal to the edges or the face with the closest points.

    `toward` points from B to A. The gap itself is normal to those only up to rounding of the
    elements' size; where that is large beside the gap, its direction would not separate them.
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
