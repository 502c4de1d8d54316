# SPDX-License-Identifier: GPL-3.0-or-later
"""The exact intersection test that judges contact: known cases, and the definition itself."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from intersections import (
    intersecting_pairs,
    is_knotted,
    overlapping_boxes,
    segment_hits,
)
from shapes import block, grid, rotation

FLOOR = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
# The smallest coordinate whose products of three do not underflow.
SMALL = 2.0**-300


def meet(one, other):
    """Return whether two triangles given by their corners intersect, in either order."""
    found = {
        len(intersecting_pairs(np.array([*a, *b]), [[0, 1, 2], [3, 4, 5]]))
        for a, b in ((one, other), (other, one))
    }
    assert len(found) == 1
    return bool(found.pop())


def turned(corners, seed=3):
    """Corners turned away from all axis-aligned planes; rounding moves them by about 1e-16."""
    axis = np.random.default_rng(seed).standard_normal(3)
    return np.array(corners) @ rotation(axis / np.linalg.norm(axis), 0.7).T


@pytest.mark.parametrize(
    ("tip", "wanted"),
    [
        ((1.0, 1.0, 0.0), True),
        ((2.0, 2.0, 0.0), True),
        ((4.0, 0.0, 0.0), True),
        ((0.0, 1.0, 0.0), True),
        ((1.0, 1.0, SMALL), False),
        ((1.0, 1.0, -SMALL), True),
        ((-SMALL, 1.0, 0.0), False),
        ((np.nextafter(2.0, 3.0), 2.0, 0.0), False),
        ((np.nextafter(2.0, 1.0), 2.0, 0.0), True),
    ],
)
def test_a_tip_that_touches_or_just_misses(tip, wanted):
    assert meet(FLOOR, [tip, [1.0, 1.0, 3.0], [2.0, 1.0, 3.0]]) == wanted


def test_edges_that_touch_or_just_miss():
    def roof(height):
        return [[1.0, -1.0, height], [1.0, 1.0, height], [1.0, 0.0, 5.0]]

    below = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 0.0, -4.0]]
    assert meet(below, roof(0.0))
    assert meet(below, roof(-SMALL))
    assert not meet(below, roof(SMALL))


@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        ([[1, 1, 0], [1.5, 1, 0], [1, 1.5, 0]], True),  # inside the other
        ([[-1, -1, 0], [9, -1, 0], [-1, 9, 0]], True),  # around the other
        ([[-1, 1, 0], [8, 1, 0], [8, 2, 0]], True),  # only edges cross
        ([[4, 0, 0], [5, 0, 0], [5, 1, 0]], True),  # a common corner by position, not by index
        ([[2, 2, 0], [5, 2, 0], [5, 5, 0]], True),  # a corner on an edge
        ([[4, 0, 0], [0, 4, 0], [4, 4, 0]], True),  # a whole edge
        ([[2.5, 2, 0], [5, 2, 0], [5, 5, 0]], False),  # beside, boxes overlap
        ([[9, 0, 0], [10, 0, 0], [9, 1, 0]], False),
    ],
)
def test_triangles_in_one_plane(other, wanted, turn):
    assert meet(np.roll(FLOOR, turn, axis=1), np.roll(other, turn, axis=1)) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ([[1, 1, -1], [1, 1, 0], [1, 1, 3]], True),
        ([[5, 5, -1], [5, 5, 0], [5, 5, 3]], False),
        ([[1, 1, 0], [2, 1, 0], [9, 1, 0]], True),
        ([[5, 1, 0], [6, 1, 0], [9, 1, 0]], False),
        ([[1, 1, 0], [1, 1, 0], [1, 1, 0]], True),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 1]], False),
        ([[3, 3, 0], [3, 3, 0], [3, 3, 0]], False),
    ],
)
def test_triangles_without_area_count_as_segments_or_points(line, wanted):
    assert meet(FLOOR, line) == wanted
    assert meet(line, line)


def pair_at_a_vertex(a, b, c, d):
    """Number of intersecting pairs of triangles (v, a, b) and (v, c, d) with v at the origin."""
    points = np.array([[0.0, 0.0, 0.0], a, b, c, d], dtype=float)
    return len(intersecting_pairs(points, [[0, 1, 2], [3, 4, 0]]))


def test_triangles_with_a_common_vertex_cross_only_beyond_it():
    assert not pair_at_a_vertex([1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0])
    assert not pair_at_a_vertex([1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1])
    assert pair_at_a_vertex([4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1])  # cd through vab
    assert pair_at_a_vertex([1, 1, -9], [1, 1, 9], [4, 0, 0], [0, 4, 0])
    assert not pair_at_a_vertex([4, 0, 0], [0, 4, 0], [1, -1, -1], [1, -1, 1])
    assert pair_at_a_vertex([4, 0, 0], [0, 4, 0], [2, 0, 0], [2, -1, 1])  # along a common line
    assert pair_at_a_vertex([4, 0, 0], [0, 4, 0], [1, 1, 0], [-1, 2, 0])  # overlap in one plane
    assert not pair_at_a_vertex([4, 0, 0], [0, 4, 0], [-1, 2, 0], [-1, -1, 0])


def test_triangles_with_a_common_edge_meet_only_when_folded_flat():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.9, 0.0]])
    triangles = [[0, 1, 2], [1, 0, 3]]
    for tip, wanted in (
        ([0.3, 0.9, 0.0], 1),
        ([0.3, -0.9, 0.0], 0),
        ([0.3, 0.9, SMALL], 0),
        ([0.3, 0.9, -SMALL], 0),
        ([0.3, 0.0, 0.0], 0),  # without area, on the edge
    ):
        points[3] = tip
        assert len(intersecting_pairs(points, triangles)) == wanted
    assert len(intersecting_pairs(points, [[0, 1, 2], [2, 1, 0]])) == 1


def test_a_sheet_and_a_closed_surface_do_not_intersect_themselves():
    for points, triangles in (grid(12), block((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))):
        for x in (points, turned(points), turned(points).astype(np.float32)):
            assert not len(intersecting_pairs(x, triangles))


def exact_crossing(points, one, other):
    """The definition, in fractions: an edge and a triangle without a common vertex share a point.

    Solves p + t (q − p) = a + u (b − a) + v (c − a); for triangles in general position.
    """
    for near, far in ((one, other), (other, one)):
        a, b, c = ([Fraction(float(x)) for x in points[k]] for k in far)
        for ends in combinations(near, 2):
            if set(ends) & set(far):
                continue
            p, q = ([Fraction(float(x)) for x in points[k]] for k in ends)
            columns = [
                [x - y for x, y in zip(*two, strict=True)] for two in ((p, q), (b, a), (c, a))
            ]
            right = [x - y for x, y in zip(p, a, strict=True)]
            whole = determinant(columns)
            if whole == 0:
                continue
            t, u, v = (
                determinant([right if k == at else column for k, column in enumerate(columns)])
                / whole
                for at in range(3)
            )
            if 0 <= t <= 1 and u >= 0 and v >= 0 and u + v <= 1:
                return True
    return False


def determinant(columns):
    (a, b, c), (d, e, f), (g, h, i) = columns
    return a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e)


@pytest.mark.parametrize("scale", [1.0, 1e-7])
def test_random_triangles_agree_with_the_definition(scale):
    """`scale` squeezes them towards a common plane."""
    rng = np.random.default_rng(11)
    points = rng.uniform(-1.0, 1.0, (24, 3)) * [1.0, 1.0, scale]
    triangles = np.array([rng.choice(24, 3, replace=False) for _ in range(40)])
    wanted = {
        (i, j)
        for i, j in combinations(range(40), 2)
        if len({*triangles[i]} & {*triangles[j]}) < 2
        and exact_crossing(points, triangles[i], triangles[j])
    }
    found = {
        (i, j)
        for i, j in map(tuple, intersecting_pairs(points, triangles))
        if len({*triangles[i]} & {*triangles[j]}) < 2
    }
    assert found == wanted
    assert 50 < len(wanted) < 700


def test_triangles_on_a_coarse_grid_agree_with_the_definition():
    """Whole coordinates put corners on planes and edges; only coplanar pairs are left out."""
    rng = np.random.default_rng(5)
    points = rng.integers(-2, 3, (40, 3)).astype(float)
    triangles = np.array([rng.choice(40, 3, replace=False) for _ in range(60)])
    found = {*map(tuple, intersecting_pairs(points, triangles))}
    compared = 0
    for i, j in combinations(range(60), 2):
        corners = points[np.union1d(triangles[i], triangles[j])]
        flat = np.linalg.matrix_rank(corners - corners[0]) < 3
        area = all(
            np.linalg.matrix_rank(points[t[1:]] - points[t[0]]) == 2
            for t in (triangles[i], triangles[j])
        )
        if flat or not area or len({*triangles[i]} & {*triangles[j]}) > 1:
            continue
        compared += 1
        # A segment that lies in the plane of the other triangle shows through the other's edges.
        if exact_crossing(points, triangles[i], triangles[j]):
            assert (i, j) in found
        else:
            assert (i, j) not in found or touches_in_a_plane(points, triangles[i], triangles[j])
    assert compared > 800


def touches_in_a_plane(points, one, other):
    """Return whether an edge of one lies in the plane of the other."""
    for near, far in ((one, other), (other, one)):
        normal = np.cross(points[far[1]] - points[far[0]], points[far[2]] - points[far[0]])
        if (((points[near] - points[far[0]]) @ normal) == 0.0).sum() > 1:
            return True
    return False


def test_boxes_are_paired_as_one_by_one():
    rng = np.random.default_rng(2)
    low = rng.uniform(0.0, 1.0, (300, 3)) * [1.0, 0.2, 3.0]
    high = low + rng.exponential(0.05, (300, 3))
    high[0] = low.max(axis=0)  # a box over everything above its corner
    wanted = {
        (i, j)
        for i, j in combinations(range(300), 2)
        if (low[i] <= high[j]).all() and (low[j] <= high[i]).all()
    }
    found = np.sort(overlapping_boxes(low, high).T, axis=1)
    assert {*map(tuple, found)} == wanted
    assert len(found) == len(wanted)


def test_segments_of_a_rod_meet_triangles():
    points = np.array([*FLOOR, [1, 1, 1], [1, 1, -1], [1, 1, -2], [0, 0, -1]], dtype=float)
    edges = [[3, 4], [4, 5], [5, 6], [6, 0]]
    assert segment_hits(points, edges, [[0, 1, 2]]).tolist() == [[0, 0]]


def test_a_knot_is_told_from_a_curl():
    t = np.linspace(-2.2, 2.2, 60)
    x, y = t**3 - 3.0 * t, t**4 - 4.0 * t**2
    # Crossings one above, one below, one above the other strand; or all of them above.
    assert is_knotted(np.stack([x, y, t**5 - 10.0 * t], axis=1))
    assert not is_knotted(np.stack([x, y, t], axis=1))
    assert not is_knotted(np.stack([np.cos(9.0 * t), np.sin(9.0 * t), t], axis=1))


def test_signs_survive_coordinates_that_doubles_cannot_subtract():
    """A plane through points near 1 and 1e-17: the difference of their heights rounds away."""
    below = [[0.0, 0.0, 1e-17], [4.0, 0.0, 1e-17], [0.0, 4.0, 1e-17]]
    for tip, wanted in ((2e-17, False), (1e-17, True), (0.5e-17, True)):
        assert meet(below, [[1.0, 1.0, tip], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]) == wanted
