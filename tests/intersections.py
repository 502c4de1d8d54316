# SPDX-License-Identifier: GPL-3.0-or-later
"""Intersecting triangles of a mesh, decided exactly and without anything of the solver.

Every question is one of signs of determinants of coordinates. A sign comes from float64 where the
error bound of its formula allows that, and otherwise from whole numbers without rounding. Touching
counts as intersecting: all triangles and segments contain their borders.

Source of the bounds: Shewchuk, Adaptive precision floating-point arithmetic and fast robust
geometric predicates (1997), stage A of ORIENT2D and ORIENT3D; they are rounded up here.
"""

import numpy as np

# Relative errors of the determinants below; the source has (3 + 16ε)ε and (7 + 56ε)ε, ε = 2⁻⁵³.
ERROR_2D, ERROR_3D = 4.0e-16, 8.0e-16
# Pairs of boxes that are compared in one batch: bounds the memory at some 100 MB.
PAIRS_AT_ONCE = 1 << 21
# The remaining coordinates of points seen along x, y and z.
VIEWS = ((1, 2), (2, 0), (0, 1))


def intersecting_pairs(points, triangles):
    """Pairs of triangles that have more in common than their common vertices, int [n, 2].

    `points` [vertex, 3], `triangles` [triangle, 3]; several meshes are tested against each other
    when they are `joined`. Neighbors intersect when one of them reaches through the other beyond
    the vertex that they share, or when they are folded flat onto each other at their common edge.
    """
    points, triangles = np.asarray(points, dtype=np.float64), np.asarray(triangles)
    first, second = overlapping_boxes(points[triangles].min(axis=1), points[triangles].max(axis=1))
    same = triangles[first][:, :, None] == triangles[second][:, None, :]
    shared = same.sum(axis=(1, 2))
    found = shared == 3
    for count, test in ((0, _apart), (1, _at_a_vertex), (2, _at_an_edge)):
        at = np.flatnonzero(shared == count)
        found[at] = test(points, triangles[first[at]], triangles[second[at]], same[at])
    pairs = np.sort(np.stack([first[found], second[found]], axis=1), axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]


def segment_hits(points, edges, triangles):
    """Pairs (edge, triangle) that meet and have no vertex in common, int [n, 2]."""
    return _edges_in_triangles(_segment_meets_triangle, points, edges, triangles)


def piercings(points, edges, triangles):
    """Pairs (edge, triangle) where the inside of the edge passes through the inside of the triangle
    from one side to the other: touching is not enough, int [n, 2].
    """
    return _edges_in_triangles(_segment_pierces_triangle, points, edges, triangles)


def _edges_in_triangles(test, points, edges, triangles):
    """Pairs (edge, triangle) without a common vertex that pass a test, int [n, 2]."""
    points, edges = np.asarray(points, dtype=np.float64), np.asarray(edges)
    triangles = np.asarray(triangles)
    corners = points[np.concatenate([edges[:, [0, 1, 1]], triangles])]
    first, second = np.sort(overlapping_boxes(corners.min(axis=1), corners.max(axis=1)), axis=0)
    mixed = (first < len(edges)) & (second >= len(edges))
    edge, triangle = first[mixed], second[mixed] - len(edges)
    apart = (edges[edge][:, :, None] != triangles[triangle][:, None, :]).all(axis=(1, 2))
    edge, triangle = edge[apart], triangle[apart]
    hit = test(points, edges[edge], triangles[triangle])
    pairs = np.stack([edge[hit], triangle[hit]], axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]


def is_knotted(points):
    """Return whether a curve [point, 3] with its ends pulled apart cannot become straight.

    Corners are cut off as long as nothing reaches through the swept triangle (Koniaris and
    Muthukumar, Self-entanglement in ring polymers, 1991); a trefoil keeps some.
    """
    points = np.asarray(points, dtype=np.float64)
    left = list(range(len(points)))
    before = 0
    while len(left) != before:
        before, k = len(left), 1
        while k < len(left) - 1:
            corner = left[k - 1 : k + 2]
            others = np.stack([left[:-1], left[1:]], axis=1)
            others = others[(others[:, 1] < corner[0]) | (others[:, 0] > corner[2])]
            if _segment_meets_triangle(points, others, np.tile(corner, (len(others), 1))).any():
                k += 1
            else:
                del left[k]
    return len(left) > 2


def joined(meshes):
    """One mesh out of several (points, triangles), and which of them every triangle is from."""
    first = np.cumsum([0, *(len(points) for points, _ in meshes)])
    triangles = [np.asarray(t) + start for (_, t), start in zip(meshes, first, strict=False)]
    owner = np.repeat(np.arange(len(meshes)), [len(t) for t in triangles])
    return np.concatenate([p for p, _ in meshes]), np.concatenate(triangles), owner


def overlapping_boxes(low, high):
    """Index arrays (first, second) of all pairs of boxes [box, 3] that touch, each pair once.

    Boxes are put into strips along one axis and swept within a strip along another.
    """
    count = len(low)
    if count < 2:
        return np.zeros((2, 0), dtype=np.int64)
    strips, sweep, other = np.argsort(low.max(axis=0) - low.min(axis=0))[[1, 2, 0]]
    width = max(2.0 * np.median(high - low, axis=0)[strips], np.ptp(low[:, strips]) / 1000, 1e-30)
    bottom = low[:, strips].min()
    strip = np.floor((low[:, strips] - bottom) / width).astype(np.int64)
    last = np.floor((high[:, strips] - bottom) / width).astype(np.int64)
    last = np.minimum(last, strip.max())
    # One entry for every box in every strip that it reaches; ranks stand for places on the sweep.
    box = np.repeat(np.arange(count), last - strip + 1)
    start = np.cumsum(last - strip + 1) - (last - strip + 1)
    entry_strip = strip[box] + np.arange(len(box)) - start[box]
    order = np.argsort(low[:, sweep], kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    reach = np.searchsorted(low[order, sweep], high[:, sweep], side="right")
    key = entry_strip * count + rank[box]
    sort = np.argsort(key)
    box, entry_strip, key = box[sort], entry_strip[sort], key[sort]
    end = np.searchsorted(key, entry_strip * count + reach[box])
    partners = end - np.arange(len(box)) - 1
    found = [np.zeros((2, 0), dtype=np.int64)]
    batch = np.cumsum(partners) // PAIRS_AT_ONCE
    for at in np.split(np.arange(len(box)), np.flatnonzero(np.diff(batch)) + 1):
        entry = np.repeat(at, partners[at])
        before = np.cumsum(partners[at]) - partners[at]
        partner = entry + 1 + np.arange(len(entry)) - np.repeat(before, partners[at])
        a, b = box[entry], box[partner]
        # A pair that shares several strips counts in the first of them.
        keep = entry_strip[entry] == np.maximum(strip[a], strip[b])
        for axis in (other, strips):
            a, b = a[keep], b[keep]
            keep = (low[a, axis] <= high[b, axis]) & (low[b, axis] <= high[a, axis])
        found.append(np.stack([a[keep], b[keep]]))
    return np.concatenate(found, axis=1)


def _apart(points, one, other, _same):
    """Triangles without a common vertex: an edge of one meets the other."""
    near = np.arange(len(one))
    for a, b in ((one, other), (other, one)):
        sides = np.stack([_side(points, *a[near].T, b[near, k]) for k in range(3)])
        near = near[(sides.min(axis=0) <= 0) & (sides.max(axis=0) >= 0)]
    meets = np.zeros(len(one), dtype=bool)
    for a, b in ((one, other), (other, one)):
        for ends in ((0, 1), (1, 2), (2, 0)):
            left = near[~meets[near]]
            meets[left] = _segment_meets_triangle(points, a[left][:, ends], b[left])
    return meets


def _at_a_vertex(points, one, other, same):
    """Triangles with one common vertex: the edge opposite to it meets the other triangle.

    If a further common point is not on such an edge, the line from the common vertex through it
    stays within both triangles until it meets one.
    """
    meets = np.zeros(len(one), dtype=bool)
    for a, b, corner in (
        (one, other, same.any(axis=2).argmax(axis=1)),
        (other, one, same.any(axis=1).argmax(axis=1)),
    ):
        opposite = (corner[:, None] + [1, 2]) % 3
        left = np.flatnonzero(~meets)
        edges = np.take_along_axis(a[left], opposite[left], axis=1)
        meets[left] = _segment_meets_triangle(points, edges, b[left])
    return meets


def _at_an_edge(points, one, other, same):
    """Triangles with a common edge: both in one plane and on the same side of the edge."""
    rows = np.arange(len(one))
    tip = same.any(axis=2).argmin(axis=1)
    u, v, a = (one[rows, (tip + k) % 3] for k in (1, 2, 0))
    b = other[rows, same.any(axis=1).argmin(axis=1)]
    folded = np.flatnonzero(_side(points, u, v, a, b) == 0)
    u, v, a, b = (index[folded] for index in (u, v, a, b))
    onto = np.zeros(len(folded), dtype=bool)
    for view in VIEWS:
        onto |= _turn(points, view, u, v, a) * _turn(points, view, u, v, b) > 0
    meets = np.zeros(len(one), dtype=bool)
    meets[folded] = onto
    return meets


def _segment_meets_triangle(points, segments, triangles):
    """True where segments [n, 2] and triangles [n, 3] have a common point; any may be degenerate.

    A segment that meets a plane in one point meets the triangle when its line has all three edges
    of the triangle on the same hand.
    """
    (p, q), (a, b, c) = segments.T, triangles.T
    from_p, from_q = _side(points, a, b, c, p), _side(points, a, b, c, q)
    meets = from_p * from_q <= 0
    flat = np.flatnonzero((from_p == 0) & (from_q == 0))
    meets[flat] = False
    at = np.flatnonzero(meets)
    p, q, a, b, c = (index[at] for index in (p, q, a, b, c))
    hands = np.stack([_side(points, p, q, *edge) for edge in ((a, b), (b, c), (c, a))])
    meets[at] = (hands.min(axis=0) >= 0) | (hands.max(axis=0) <= 0)
    meets[flat] = _flat_segment_meets_triangle(points, segments[flat], triangles[flat])
    return meets


def _segment_pierces_triangle(points, segments, triangles):
    """True where segments [n, 2] pass through the inside of triangles [n, 3]."""
    (p, q), (a, b, c) = segments.T, triangles.T
    pierces = _side(points, a, b, c, p) * _side(points, a, b, c, q) < 0
    at = np.flatnonzero(pierces)
    p, q, a, b, c = (index[at] for index in (p, q, a, b, c))
    hands = np.stack([_side(points, p, q, *edge) for edge in ((a, b), (b, c), (c, a))])
    pierces[at] = (hands.min(axis=0) > 0) | (hands.max(axis=0) < 0)
    return pierces


def _flat_segment_meets_triangle(points, segments, triangles):
    """True where segments in the plane of the triangle, or triangles without area, meet."""
    (p, q), (a, b, c) = segments.T, triangles.T
    corners = points[triangles]
    near = _boxes_touch(points[segments], corners)
    meets = np.zeros(len(p), dtype=bool)
    for one, other in ((a, b), (b, c), (c, a)):
        left = np.flatnonzero(near & ~meets)
        meets[left] = _segments_meet(points, p[left], q[left], one[left], other[left])
    for view in VIEWS:
        left = np.flatnonzero(near & ~meets)
        turns = np.stack(
            [
                _turn(points, view, one[left], other[left], p[left])
                for one, other in ((a, b), (b, c), (c, a))
            ]
        )
        area = _turn(points, view, a[left], b[left], c[left])
        meets[left] = (area != 0) & (turns * area >= 0).all(axis=0)
    return meets


def _segments_meet(points, p, q, a, b):
    """True where segments pq and ab have a point in common: they are in one plane, and meet as seen
    along every axis. One view alone is faithful unless it sees their plane from the side."""
    meets = _boxes_touch(points[np.stack([p, q], axis=1)], points[np.stack([a, b], axis=1)])
    left = np.flatnonzero(meets)
    meets[left] = _side(points, p[left], q[left], a[left], b[left]) == 0
    for view in VIEWS:
        for (s, t), (u, v) in (((p, q), (a, b)), ((a, b), (p, q))):
            left = np.flatnonzero(meets)
            u_side = _turn(points, view, s[left], t[left], u[left])
            v_side = _turn(points, view, s[left], t[left], v[left])
            meets[left] = u_side * v_side <= 0
    return meets


def _boxes_touch(one, other):
    """True where the boxes of points [n, k, 3] and [n, l, 3] touch."""
    low, high = one.min(axis=1), one.max(axis=1)
    return ((low <= other.max(axis=1)) & (other.min(axis=1) <= high)).all(axis=1)


def _side(points, a, b, c, d):
    """Sign of det[a − d, b − d, c − d], 0 for four points in a plane; takes indices [n]."""
    return _sign(_determinant_3d, ERROR_3D, points, a, b, c, d)


def _turn(points, view, a, b, c):
    """Sign of det[a − c, b − c] of points seen along an axis, 0 for three points in a line."""
    return _sign(_determinant_2d, ERROR_2D, points[:, view], a, b, c)


def _sign(determinant, error, points, *corners):
    value, size = determinant(*(points[index] for index in corners))
    sign = np.sign(value).astype(np.int8)
    # If all products are zero, so is the value.
    unsure = np.flatnonzero((np.abs(value) <= error * size) & (size > 0.0))
    if len(unsure):
        used, local = np.unique([index[unsure] for index in corners], return_inverse=True)
        whole = whole_numbers(points[used])
        value, _ = determinant(*(whole[index] for index in local.reshape(len(corners), -1)))
        sign[unsure] = (value > 0).astype(np.int8) - (value < 0).astype(np.int8)
    return sign


def whole_numbers(points):
    """The coordinates times a power of two that makes them whole, as Python's integers."""
    mantissa, exponent = np.frexp(points)
    shift = exponent - exponent[mantissa != 0.0].min(initial=0)
    return np.left_shift(
        (mantissa * 2.0**53).astype(np.int64).astype(object),
        np.where(mantissa != 0.0, shift, 0).astype(object),
    )


def _determinant_3d(a, b, c, d):
    """det[a − d, b − d, c − d] and the sum of the magnitudes of its products."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = ((corner - d).T for corner in (a, b, c))
    products = ((bx * cy, by * cx, az), (cx * ay, cy * ax, bz), (ax * by, ay * bx, cz))
    value = sum((plus - minus) * z for plus, minus, z in products)
    size = sum((abs(plus) + abs(minus)) * abs(z) for plus, minus, z in products)
    return value, size


def _determinant_2d(a, b, c):
    """det[a − c, b − c] and the sum of the magnitudes of its products."""
    (ax, ay), (bx, by) = ((corner - c).T for corner in (a, b))
    return ax * by - ay * bx, abs(ax * by) + abs(ay * bx)
