# SPDX-License-Identifier: GPL-3.0-or-later
"""A flat collider mesh acts as the plane that it is, whatever its triangles."""

import numpy as np
import pytest
from shapes import block, grid, plane

from vbd.solver.bodies import Collider, Rod, Solid
from vbd.solver.contact.detection.flat_sides import FLAT, NEARLY_FLAT, FlatSides
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.graphs import unique_edges

CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
# A cube of five tets: without symmetry in any direction.
FIVE_TETS = np.array([[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]])


def bounce_sideways(collider, place):
    """Return the largest speed sideways [m/s] of a cube that falls onto a collider and bounces
    without friction or damping.
    """
    material = Material(youngs_modulus=1e5, friction=0.0, damping=0.0, collision_thickness=0.005)
    body = Solid(CORNERS + [*place, 0.8], FIVE_TETS, material)
    settings = Settings(iterations=40, friction=0.0)
    centers = [
        frame.positions[0].mean(axis=0) for frame in simulate([body, collider], settings, 30)
    ]
    assert np.diff(centers, axis=0)[:, 2].max() * 24 > 0.5  # it has bounced
    return np.linalg.norm(np.diff(centers, axis=0)[:, :2], axis=1).max() * 24


FLOORS = {
    "two triangles": Collider(*plane()),
    "grid": Collider(grid(7, 10.0)[0] - [5.0, 5.0, 0.0], grid(7, 10.0)[1], thickness=0.005),
    "box": Collider(*block((10.0, 10.0, 1.0), (0.0, 0.0, -0.5))),
}


@pytest.mark.parametrize("place", [(-0.5, -0.5), (-0.2, -0.4)])
@pytest.mark.parametrize("floor", FLOORS)
def test_what_falls_on_a_flat_floor_does_not_leave_sideways(floor, place):
    # 4 m/s at the impact. An analytic plane gives 1 to 2 mm/s, from iterations left undone; pushes
    # of edges inside the floor and of triangles beside the corners gave 50 to 200 mm/s.
    assert bounce_sideways(FLOORS[floor], place) < 2.5e-3


def flat_parts(points, triangles):
    """Return the flat sides [triangle, 3], edges [edge, 2] and vertices of a mesh."""
    edges = unique_edges(triangles)
    sides, is_flat, vertices = FlatSides(triangles, edges).at(points)
    return sides, edges[is_flat], np.flatnonzero(vertices)


def test_inside_a_flat_grid_all_is_flat_and_its_border_is_not():
    sides, edges, vertices = flat_parts(*grid(3))
    assert len(edges) == 33 - 12 and sides.sum() == 2 * len(edges)
    assert vertices.tolist() == [5, 6, 9, 10]


def test_only_the_diagonals_of_a_box_are_flat():
    sides, edges, vertices = flat_parts(*block((1.0, 2.0, 3.0), (5.0, 0.0, 0.0)))
    assert len(edges) == 6 and len(vertices) == 0
    assert (sides.sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    "angle, is_flat, pushes_once",
    [(0.1 * FLAT, 1, True), (0.5 * NEARLY_FLAT, 0, True), (2.0 * NEARLY_FLAT, 0, False)],
)
def test_a_bent_edge_is_flat_up_to_an_angle(angle, is_flat, pushes_once):
    points, triangles = grid(1)
    axis = points[1] - points[3]  # the diagonal turns around it
    points[0] += [0.0, 0.0, np.tan(angle) * np.linalg.norm(axis) / 2.0]
    if [1, 3] not in unique_edges(triangles).tolist():
        points[0, 2], points[1, 2] = 0.0, points[0, 2]
    sides, edges, _ = flat_parts(points, triangles)
    assert len(edges) == is_flat
    assert sides.any() == pushes_once


def test_a_fold_onto_itself_is_not_flat():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.9, 0]], dtype=float)
    sides, edges, _ = flat_parts(points, np.array([[0, 1, 2], [1, 0, 3]]))
    assert len(edges) == 0 and not sides.any()


def test_three_triangles_at_an_edge_are_not_flat():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]], dtype=float)
    sides, edges, _ = flat_parts(points, np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]]))
    assert len(edges) == 0 and not sides.any()


def test_what_bends_while_it_moves_is_not_flat_any_more():
    # A floor of two triangles whose diagonal rises: a rod across it, whose ends lie beyond, must be
    # carried by the edge.
    points, triangles = plane(2.0)
    ends = unique_edges(triangles)
    shared = next(
        e for e in ends.tolist() if sum(set(e) <= set(t) for t in triangles.tolist()) == 2
    )

    def at(time):
        now = points.copy()
        now[shared, 2] += min(time, 0.5)
        return now

    across = np.setxor1d(*triangles)
    line = np.linspace(0.8, 0.2, 2)[:, None] * (points[across[0]] - points[across[1]])
    line += points[across[1]] + [0.0, 0.0, 0.02]
    rod = Rod(line, [[0, 1]], Material(youngs_modulus=1e6, collision_thickness=0.01))
    *_, frame = simulate([rod, Collider(at, triangles)], Settings(), 12)
    middle = frame.positions[0].mean(axis=0)
    assert middle[2] > 0.45
