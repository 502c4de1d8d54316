# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, center and inertia of rigid bodies against closed forms."""

import numpy as np
import pytest

from vbd.solver.bodies import RigidBody
from vbd.solver.settings import Material
from vbd.solver.topology.inertia import shell_properties, solid_properties

QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
TRIANGLES = np.array([t for q in QUADS for t in (q[:3], [q[0], q[2], q[3]])])
SHEET = np.array([[0, 1, 3], [0, 3, 2]])
HALF = np.array([0.3, 0.1, 0.02])
AT = np.array([3.0, -1.0, 20.0])


def box(half):
    return np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * half


def turned(points, angle=0.7):
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def test_box_has_the_inertia_of_a_box():
    found = solid_properties(box(HALF) + AT, TRIANGLES, 1000.0)
    mass = 8000.0 * HALF.prod()
    assert found.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(found.center, AT, rtol=1e-12)
    squares = HALF**2 * mass / 3.0
    np.testing.assert_allclose(
        found.inertia, np.diag(squares.sum() - squares), atol=1e-12 * squares.max()
    )


def test_tet_has_the_inertia_of_a_tet():
    """Of the unit tet the second moment about the origin has 1/60 on, 1/120 beside the diagonal."""
    corners = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    found = solid_properties(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), 6.0)
    about_origin = 6.0 * (np.full((3, 3), 1 / 120) + np.eye(3) / 120)
    np.testing.assert_allclose(found.center, [0.25] * 3)
    np.testing.assert_allclose(found.second, about_origin - 1 / 16, atol=1e-14)


def test_sheet_has_the_inertia_of_a_thin_box():
    sides, thickness = 2.0 * HALF[:2], 0.01
    sheet = box(HALF)[:4] * [1, 1, 0] + AT
    found = shell_properties(sheet, SHEET, thickness, 500.0)
    mass = 500.0 * sides.prod() * thickness
    squares = np.array([*sides, thickness]) ** 2 * mass / 12.0
    assert found.mass == pytest.approx(mass)
    np.testing.assert_allclose(found.second, np.diag(squares), atol=1e-13)


@pytest.mark.parametrize("given", [{}, {"mass": 3.0}, {"thickness": 0.002}])
def test_four_points_have_the_mass_center_and_inertia_of_the_body(given):
    body = RigidBody(turned(box(HALF)) + AT, TRIANGLES, Material(density=700.0), **given)
    quarter, center = body.properties.mass / 4.0, body.properties.center
    np.testing.assert_allclose(body.points.mean(axis=0), center, rtol=1e-12)
    arms = body.points - center
    np.testing.assert_allclose(quarter * arms.T @ arms, body.properties.second, atol=1e-12)
    np.testing.assert_allclose(body.surface.points(body.points), body.mesh_points, atol=1e-12)


def test_mesh_that_faces_inwards_is_turned():
    body = RigidBody(box(HALF), TRIANGLES[:, ::-1])
    assert body.properties.mass > 0.0
    a, b, c = body.mesh_points[body.triangles].transpose(1, 0, 2)
    outwards = np.einsum("ti,ti->t", a + b + c, np.cross(b - a, c - a))
    assert (outwards > 0.0).all()


def test_velocity_of_points_follows_velocity_and_spin():
    body = RigidBody(box(HALF), TRIANGLES, velocity=(1, 0, 0), angular_velocity=(0, 0, 2.0))
    np.testing.assert_allclose(body.velocity_at([[0.3, 0.1, 0.0]]), [[0.8, 0.6, 0.0]])


def test_pose_is_found_from_mesh_points():
    body = RigidBody(box(HALF) + AT, TRIANGLES)
    rotation = turned(np.eye(3)).T
    points = body.points_at([1.0, 2.0, 3.0], rotation)
    center, found = body.pose_of(points.astype(np.float32))
    np.testing.assert_allclose(center, [1.0, 2.0, 3.0], atol=1e-6)
    np.testing.assert_allclose(found, rotation, atol=5e-6)


@pytest.mark.parametrize(
    ("points", "triangles", "given", "words"),
    [
        (box(HALF), TRIANGLES[:-1], {}, "open"),
        (box(HALF) * [1, 1, 0], TRIANGLES, {}, "no volume|no area"),
        (box(HALF) * np.nan, TRIANGLES, {}, "not numbers"),
        (box(HALF), TRIANGLES[:0], {}, "no faces"),
        (box(HALF), TRIANGLES, {"mass": 0.0}, "mass is 0"),
        (box(HALF), TRIANGLES, {"thickness": -1.0}, "thickness is -1"),
        (box(HALF), TRIANGLES, {"velocity": (1, np.inf, 0)}, "velocity"),
        (box(HALF), TRIANGLES, {"material": Material(friction=np.ones(8))}, "one number"),
    ],
)
def test_bodies_without_mass_are_refused_in_words(points, triangles, given, words):
    with pytest.raises(ValueError, match=words):
        RigidBody(points, triangles, name="Crate", **given)
