# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges inside flat faces of rigid bodies, which have no pairs of their own."""

import numpy as np
from fuzz.run import run_scene
from fuzz.scenes import Scene
from rigid_shapes import cuboid, settings_of, tilted
from shapes import chain, grid

from vbd.solver.bodies import RigidBody, Rod
from vbd.solver.contact.flat_faces import UNEVEN, flat_edges
from vbd.solver.contact.surface import contact_surface
from vbd.solver.model.assembly import assemble
from vbd.solver.settings import Material
from vbd.solver.topology.graphs import unique_edges


def edge_count(*bodies):
    settings = settings_of()
    return len(contact_surface(assemble(bodies, settings, []), bodies, [], settings).edges)


def test_diagonals_of_a_box_are_left_out():
    assert edge_count(cuboid(0.5, turn=tilted(33.0))) == 12


def test_all_edges_of_a_body_that_is_nowhere_flat_are_kept():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    tet = RigidBody(points, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], Material())
    assert edge_count(tet) == 6


def bent_strip(count, angle):
    """A strip of square quads with sides of 1/count, each turned by an angle [rad] from the last
    one.
    """
    points, triangles = grid(count)
    points = points[: 2 * (count + 1)]
    triangles = triangles[(triangles < len(points)).all(axis=1)]
    slope = angle * np.arange(count)
    x, z = (np.concatenate([[0.0], np.cumsum(of(slope))]) / count for of in (np.cos, np.sin))
    column = np.round(points[:, 0] * count).astype(int)
    return np.column_stack([x[column], points[:, 1], z[column]]), triangles


def flat_edges_of_strip(count, angle, thickness=1e-2):
    points, triangles = bent_strip(count, angle)
    near = np.full(len(points), thickness)
    return flat_edges(points, triangles, unique_edges(triangles), near)


def test_a_face_is_flat_as_a_whole_and_not_only_from_edge_to_edge():
    """Each quad is within the tolerance of its neighbors, but the last one far off the first."""
    angle = 0.5 * UNEVEN * 1e-2 * 60
    assert flat_edges_of_strip(60, 0.0).sum() == 60 + 59
    assert flat_edges_of_strip(60, angle * 1e-3).sum() == 60 + 59
    assert not flat_edges_of_strip(60, angle).any()


def test_a_rod_that_crosses_a_plate_between_its_ends_stays_above_it():
    """It meets no vertex of the plate, and its own ends are beyond the rim."""
    points, edges = chain(3, 0.5)
    points = points - points.mean(axis=0) + [0.1, 0.03, 0.1]
    rod = Rod(points, edges, Material(youngs_modulus=1e9, thickness=0.01, density=5.0))
    plate = cuboid((0.3, 0.3, 0.01), turn=tilted(4.0), material=Material(density=8000.0))
    outcome = run_scene(
        Scene("", [rod, plate], settings_of(use_ground=True, ground_height=-0.5), 16)
    )
    assert outcome.is_scene and not outcome.findings, outcome.findings
