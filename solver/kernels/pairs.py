# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs: vertex-triangle and edge-edge pairs of all surfaces, found by box queries.

Side A of a pair is its vertex or first edge, side B the triangle or second edge. A pair knows the
weights of its closest points as one signed sum: A's weights add up to 1, B's to -1, so that
Σ w_k x_k is the vector from the closest point of B to that of A.
"""

import warp as wp

from .distance import closest_on_segments, closest_on_triangle, parallelism

wp.set_module_options({"enable_backward": False})

VERTEX_TRIANGLE = wp.constant(1)
EDGE_EDGE = wp.constant(2)

# A pair farther apart than this many contact distances is not looked at in the coming sweep.
NEAR = wp.constant(1.5)
# Edges that cross farther from their ends than this part of their length count in full.
CROSSING = wp.constant(0.1)
# Distances below this part of the contact distance have no direction.
TOUCHING = wp.constant(1.0e-3)


@wp.struct
class Surface:
    """The surfaces of all bodies, then those of all colliders.

    Arrays per vertex of the scene: `body`, `radius` (what the surface keeps away by [m]), `cap`
    (how far the vertex may move until the next search [m]), `friction`, `stiffness`, `rest`.
    """

    vertices: wp.array[int]
    edges: wp.array[wp.vec2i]
    triangles: wp.array[wp.vec3i]
    body_edges: int  # the first edges and triangles are those of bodies
    body_triangles: int
    collider_start: int  # the first vertex of a collider
    point_start: int  # the first embedded point of a body
    rod_start: int  # edges from this one up to `body_edges` belong to no triangle
    edge_tree: wp.uint64
    triangle_tree: wp.uint64
    collider_edge_tree: wp.uint64
    collider_triangle_tree: wp.uint64
    bodies: int
    may_touch: wp.array[int]  # [body * body]
    joint: wp.array[int]  # per vertex: the same number for what is attached to each other
    closed: wp.array[int]  # per body: whether it has an inside
    body: wp.array[int]
    radius: wp.array[float]
    cap: wp.array[float]
    friction: wp.array[float]
    stiffness: wp.array[float]  # the most that a contact of the vertex may have [N/m]
    rest: wp.array[wp.vec3]
    inside: wp.array[int]  # number of the body a vertex is inside of, plus 1
    tangled: wp.array[int]  # whether an edge or triangle of the vertex crosses another one


@wp.struct
class Pair:
    """One contact pair; `kind` is also the number of its vertices on side A."""

    vertices: wp.vec4i
    weights: wp.vec4
    normal: wp.vec3  # from B to A, as of the last sweep
    found_normal: wp.vec3  # as of the search
    kind: int
    radius: float  # contact distance [m]; 0 for a pair that is only kept apart
    friction: float
    full_stiffness: float  # k_c [N/m]
    stiffness: float  # as of the last sweep
    with_rod: int  # whether one of two edges belongs to no triangle
    leads: int  # whether it leads a vertex out of a tangle, to the distance `radius`


@wp.struct
class PairState:
    """What every sweep finds of a pair."""

    gap: float  # between its sides, along the normal of the search [m]
    near: int  # a bit for every corner that may feel the pair; only then is the pair up to date


@wp.func
def pair_gap(pair: Pair, x: wp.array[wp.vec3], base: wp.vec3):
    """Σ w_k (x_k − base) [m]: from B to A; `base` nearby keeps the digits."""
    return (
        pair.weights[0] * (x[pair.vertices[0]] - base)
        + pair.weights[1] * (x[pair.vertices[1]] - base)
        + pair.weights[2] * (x[pair.vertices[2]] - base)
        + pair.weights[3] * (x[pair.vertices[3]] - base)
    )


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
    base = x[v[0]]
    return w[1] * (x[v[1]] - base) + w[2] * (x[v[2]] - base) + w[3] * (x[v[3]] - base)


@wp.func
def belongs(v: int, t: wp.vec3i, surface: Surface):
    """Whether vertex v is a corner of triangle t, or attached to one."""
    j = surface.joint[v]
    return surface.joint[t[0]] == j or surface.joint[t[1]] == j or surface.joint[t[2]] == j


@wp.func
def are_joined(e: wp.vec2i, f: wp.vec2i, surface: Surface):
    """Whether edges e and f have a vertex in common, or attached ones."""
    a = surface.joint[e[0]]
    b = surface.joint[e[1]]
    c = surface.joint[f[0]]
    d = surface.joint[f[1]]
    return a == c or a == d or b == c or b == d


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


@wp.func
def largest(values: wp.array[float], v: wp.vec3i):
    return wp.max(wp.max(values[v[0]], values[v[1]]), values[v[2]])


@wp.kernel
def bound_edges(
    first: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Boxes round edges from `first` on, with all that they may touch before the next search."""
    k = wp.tid()
    e = surface.edges[first + k]
    reach = surface.radius[e[0]] + wp.max(surface.cap[e[0]], surface.cap[e[1]])
    r = wp.vec3(reach, reach, reach)
    low[k] = wp.min(x[e[0]], x[e[1]]) - r
    high[k] = wp.max(x[e[0]], x[e[1]]) + r


@wp.kernel
def bound_triangles(
    first: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Boxes round triangles from `first` on, in the same way."""
    k = wp.tid()
    t = surface.triangles[first + k]
    reach = surface.radius[t[0]] + largest(surface.cap, t)
    r = wp.vec3(reach, reach, reach)
    low[k] = wp.min(wp.min(x[t[0]], x[t[1]]), x[t[2]]) - r
    high[k] = wp.max(wp.max(x[t[0]], x[t[1]]), x[t[2]]) + r


@wp.func
def triangle_is_tangled(v: int, t: wp.vec3i, surface: Surface):
    """Whether vertex v and triangle t are in a tangle, where contact would be on the wrong side.

    What is outside of another closed body is on its right side, however tangled its neighbors are.
    """
    here = surface.body[v] + 1
    there = surface.body[t[0]] + 1
    inside = surface.inside[v] == there
    tangled = int(0)
    for c in range(3):
        inside = inside or surface.inside[t[c]] == here
        tangled += surface.tangled[t[c]]
    if here != there and surface.closed[there - 1] != 0:
        tangled = 0
    return inside or (surface.tangled[v] != 0 and tangled > 0)


@wp.func
def edge_is_tangled(e: wp.vec2i, f: wp.vec2i, surface: Surface):
    """The same of two edges."""
    here = surface.body[e[0]] + 1
    there = surface.body[f[0]] + 1
    inside = (
        surface.inside[e[0]] == there
        or surface.inside[e[1]] == there
        or surface.inside[f[0]] == here
        or surface.inside[f[1]] == here
    )
    ours = surface.tangled[e[0]] + surface.tangled[e[1]]
    theirs = surface.tangled[f[0]] + surface.tangled[f[1]]
    return inside or (ours > 0 and theirs > 0)


@wp.func
def near_triangles(
    v: int,
    tree: wp.uint64,
    first_triangle: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    at: int,
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the triangles of a tree that vertex v may touch to found[at...]; returns how many."""
    p = x[v]
    reach = surface.radius[v] + surface.cap[v]
    r = wp.vec3(reach, reach, reach)
    n = count
    query = wp.bvh_query_aabb(tree, p - r, p + r)
    index = int(0)
    while wp.bvh_query_next(query, index):
        t = surface.triangles[first_triangle + index]
        own = belongs(v, t, surface)
        pairing = surface.body[v] * surface.bodies + surface.body[t[0]]
        if not own and surface.may_touch[pairing] != 0:
            w = closest_on_triangle(p, x[t[0]], x[t[1]], x[t[2]])
            gap = w[0] * (x[t[0]] - p) + w[1] * (x[t[1]] - p) + w[2] * (x[t[2]] - p)
            limit = reach + surface.radius[t[0]] + largest(surface.cap, t)
            if wp.length_sq(gap) < limit * limit and not triangle_is_tangled(v, t, surface):
                if n < slots:
                    found[at + n] = first_triangle + index
                n += 1
    return n


@wp.kernel
def find_triangles(
    first: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    slots: int,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Triangles near each surface vertex, up to `slots` of them; `count` tells how many there are.

    Vertices of colliders look for triangles of bodies only.
    """
    k = first + wp.tid()
    v = surface.vertices[k]
    at = k * slots
    n = int(0)
    if surface.body_triangles > 0:
        n = near_triangles(v, surface.triangle_tree, 0, surface, x, at, slots, n, found)
    of_collider = v >= surface.collider_start and v < surface.point_start
    if not of_collider and surface.body_triangles < surface.triangles.shape[0]:
        n = near_triangles(
            v,
            surface.collider_triangle_tree,
            surface.body_triangles,
            surface,
            x,
            at,
            slots,
            n,
            found,
        )
    count[k] = n


@wp.func
def near_edges(
    k: int,
    tree: wp.uint64,
    first_edge: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    at: int,
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the edges of a tree behind edge k that it may touch to found[at...]."""
    e = surface.edges[k]
    p = x[e[0]]
    q = x[e[1]]
    reach = surface.radius[e[0]] + wp.max(surface.cap[e[0]], surface.cap[e[1]])
    r = wp.vec3(reach, reach, reach)
    n = count
    query = wp.bvh_query_aabb(tree, wp.min(p, q) - r, wp.max(p, q) + r)
    index = int(0)
    while wp.bvh_query_next(query, index):
        other = first_edge + index
        if other > k:
            f = surface.edges[other]
            own = are_joined(e, f, surface)
            pairing = surface.body[e[0]] * surface.bodies + surface.body[f[0]]
            if not own and surface.may_touch[pairing] != 0:
                st = closest_on_segments(p, q, x[f[0]], x[f[1]])
                gap = st[0] * (q - p) - wp.lerp(x[f[0]] - p, x[f[1]] - p, st[1])
                limit = reach + surface.radius[f[0]] + wp.max(surface.cap[f[0]], surface.cap[f[1]])
                if wp.length_sq(gap) < limit * limit and not edge_is_tangled(e, f, surface):
                    if n < slots:
                        found[at + n] = other
                    n += 1
    return n


@wp.kernel
def find_edges(
    first: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    slots: int,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Edges near each edge of a body, every pair once; as `find_triangles`."""
    k = first + wp.tid()
    at = k * slots
    n = near_edges(k, surface.edge_tree, 0, surface, x, at, slots, 0, found)
    if surface.body_edges < surface.edges.shape[0]:
        n = near_edges(
            k,
            surface.collider_edge_tree,
            surface.body_edges,
            surface,
            x,
            at,
            slots,
            n,
            found,
        )
    count[k] = n


@wp.func
def make_pair(kind: int, v: wp.vec4i, surface: Surface, x: wp.array[wp.vec3]):
    """A pair as it is found. What is closer at rest than the contact distance is no contact."""
    other = v[kind]
    pair = Pair()
    pair.kind = kind
    pair.vertices = v
    pair.weights = signed_weights(kind, v, x)
    gap = weighted(pair.weights, v, x)
    pair.radius = surface.radius[v[0]] + surface.radius[other]
    pair.friction = wp.sqrt(surface.friction[v[0]] * surface.friction[other])
    pair.full_stiffness = wp.min(
        wp.min(surface.stiffness[v[0]], surface.stiffness[v[1]]),
        wp.min(surface.stiffness[v[2]], surface.stiffness[v[3]]),
    )
    pair.normal = pair_normal(kind, pair.weights, v, x, gap)
    pair.found_normal = pair.normal
    if surface.body[v[0]] == surface.body[other]:
        rest = weighted(signed_weights(kind, v, surface.rest), v, surface.rest)
        if wp.length(rest) < pair.radius:
            pair.radius = 0.0
    return pair


@wp.kernel
def fill_vertex_triangle(
    first: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    slots: int,
    end: wp.array[int],
    found: wp.array[int],
    # out
    pairs: wp.array[Pair],
):
    """Pairs of what `find_triangles` has found; `end` [vertex] are the running sums of counts."""
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    v = surface.vertices[k]
    for j in range(end[k] - begin):
        t = surface.triangles[found[k * slots + j]]
        pairs[begin + j] = make_pair(VERTEX_TRIANGLE, wp.vec4i(v, t[0], t[1], t[2]), surface, x)


@wp.kernel
def fill_edge_edge(
    first: int,
    surface: Surface,
    x: wp.array[wp.vec3],
    slots: int,
    offset: int,
    end: wp.array[int],
    found: wp.array[int],
    # out
    pairs: wp.array[Pair],
):
    """Pairs of what `find_edges` has found, behind the `offset` pairs of vertices."""
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    e = surface.edges[k]
    for j in range(end[k] - begin):
        other = found[k * slots + j]
        f = surface.edges[other]
        pair = make_pair(EDGE_EDGE, wp.vec4i(e[0], e[1], f[0], f[1]), surface, x)
        if k >= surface.rod_start or (other >= surface.rod_start and other < surface.body_edges):
            pair.with_rod = 1
        pairs[offset + begin + j] = pair


@wp.kernel
def list_corners(
    first: int,
    pairs: wp.array[Pair],
    # out
    vertex: wp.array[int],
    entry: wp.array[int],
):
    """The four vertices of every pair, to be sorted; an entry is 4 · pair + corner."""
    k = first + wp.tid()
    vertex[k] = pairs[k / 4].vertices[k % 4]
    entry[k] = k


@wp.kernel
def find_starts(
    count: int,
    vertex: wp.array[int],
    # out
    start: wp.array[int],
):
    """First entry of every vertex (and of one behind the last) in the sorted list."""
    v = wp.tid()
    low = int(0)
    high = int(count)
    while low < high:
        middle = (low + high) / 2
        if vertex[middle] < v:
            low = middle + 1
        else:
            high = middle
    start[v] = low


@wp.func
def gap_along(normal: wp.vec3, kind: int, v: wp.vec4i, x: wp.array[wp.vec3]):
    """How far the two sides of a pair are apart along a direction [m]."""
    base = x[v[0]]
    lowest = float(0.0)  # of side A
    highest = float(-1.0e30)  # of side B
    for c in range(1, 4):
        along = wp.dot(normal, x[v[c]] - base)
        if c < kind:
            lowest = wp.min(lowest, along)
        else:
            highest = wp.max(highest, along)
    return lowest - highest


@wp.func
def lines_cross(v: wp.vec4i, x: wp.array[wp.vec3]):
    """Whether the closest points of the lines through two edges lie inside of both edges."""
    r = x[v[0]] - x[v[2]]
    a = x[v[1]] - x[v[0]]
    b = x[v[3]] - x[v[2]]
    aa = wp.dot(a, a)
    bb = wp.dot(b, b)
    ab = wp.dot(a, b)
    ar = wp.dot(a, r)
    br = wp.dot(b, r)
    whole = aa * bb - ab * ab
    s = ab * br - ar * bb
    t = aa * br - ab * ar
    return s > 0.0 and s < whole and t > 0.0 and t < whole


@wp.func
def crossing(weights: wp.vec4):
    """1 for edges that cross well inside of both, falling smoothly to 0 at their ends.

    The end of an edge of a triangle is a vertex, whose pairs with triangles stand for it. Where two
    such vertices meet all their edges would else count once more, 36 times on a regular mesh.
    """
    inside = wp.min(wp.min(weights[0], weights[1]), wp.min(-weights[2], -weights[3]))
    c = wp.clamp(inside / CROSSING, 0.0, 1.0)
    return c * (2.0 - c)


@wp.kernel
def refresh_pairs(
    first: int,
    x: wp.array[wp.vec3],
    # out
    pairs: wp.array[Pair],
    state: wp.array[PairState],
):
    """Closest points and normals of pairs from `first` on that are near, as they are now."""
    p = first + wp.tid()
    v = pairs[p].vertices
    kind = pairs[p].kind
    reach = NEAR * pairs[p].radius
    leads = pairs[p].leads != 0
    triangles_only = kind == EDGE_EDGE and pairs[p].with_rod == 0
    gap = gap_along(pairs[p].found_normal, kind, v, x)
    near = int(0)
    if leads:
        near = 15
    elif gap < reach and (not triangles_only or lines_cross(v, x)):
        weights = signed_weights(kind, v, x)
        between = weighted(weights, v, x)
        distance = wp.length(between)
        stiffness = pairs[p].full_stiffness
        if triangles_only:
            stiffness *= crossing(weights)
            stiffness *= parallelism(x[v[1]] - x[v[0]], x[v[3]] - x[v[2]])
        if distance < reach and stiffness > 0.0:
            pairs[p].stiffness = stiffness
            pairs[p].weights = weights
            toward = pairs[p].found_normal
            if distance > TOUCHING * pairs[p].radius:
                toward = between
            pairs[p].normal = pair_normal(kind, weights, v, x, toward)
            for c in range(4):
                if weights[c] != 0.0:
                    near += 1 << c
    state[p].gap = gap
    state[p].near = near


@wp.kernel
def gather_near(
    first: int,
    start: wp.array[int],
    entry: wp.array[int],
    state: wp.array[PairState],
    # out
    near_entry: wp.array[int],
    near_end: wp.array[int],
    least_gap: wp.array[float],
):
    """The entries of each vertex that it may feel, from start[i] up to near_end[i], and the
    smallest gap [m] of all its pairs.
    """
    i = first + wp.tid()
    end = start[i]
    least = float(1.0e30)
    for k in range(start[i], start[i + 1]):
        of_pair = state[entry[k] / 4]
        least = wp.min(least, of_pair.gap)
        if (of_pair.near >> (entry[k] % 4)) & 1 == 1:
            near_entry[end] = entry[k]
            end += 1
    near_end[i] = end
    least_gap[i] = least
