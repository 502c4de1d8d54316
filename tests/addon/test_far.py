# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects kilometres apart are told before they are baked: their positions round too much."""

import numpy as np
import pytest
from blender_scenes import frames, gathered, mesh_object
from rigid_shapes import centers, cuboid, settings_of
from shapes import block, cell_box

from vbd.addon.gathering import far
from vbd.solver.bodies import Cells, RigidBody
from vbd.solver.scene.thickness import collision_thickness
from vbd.solver.settings import Material
from vbd.solver.simulate import simulate

SIDE = 0.2


def cube(name, x):
    return cuboid(0.5 * SIDE, (x, 0.0, 0.0), name=name)


def test_the_object_that_lies_apart_is_named_before_the_bake(scene):
    frames(scene, 1, 3)
    for name, x in (("Crate", 0.0), ("Lid", 1.0), ("Lost", 3000.0)):
        points, faces = block((SIDE,) * 3, (0.0, 0.0, 0.0))
        mesh_object(name, points, faces=faces, role="RIGID").location.x = x
    (note,) = [note for note in gathered().notes if "positions round" in note]
    assert note.startswith("Lost is 2999 m away from Lid, so positions round to 0.12 mm")
    assert "contact at 0.5 mm" in note
    scene.objects["Lost"].location.x = 300.0
    assert not [note for note in gathered().notes if "positions round" in note]


def test_the_place_of_the_whole_scene_does_not_matter():
    assert not list(far.notes([cube("One", 5e4), cube("Other", 5e4 + 2.0)]))
    assert list(far.notes([cube("One", 0.0), cube("Other", 5e4)]))
    assert not list(far.notes([cube("Only", 5e4)]))


def test_a_body_in_the_middle_of_a_large_one_is_not_apart():
    points, triangles = block((5e3, 5e3, 1.0), (0.0, 0.0, -2.0))
    fine = Material(collision_thickness=1e-4)
    assert not list(far.notes([RigidBody(points, triangles, fine), cube("On it", 0.0)]))


def resting(distance):
    """Heights [m] of the crates on two cushions this far apart, and the rounding of positions as a
    part of their contact distance.
    """
    points, cells = cell_box((4,) * 3, (SIDE,) * 3)
    bodies = []
    for x in (-0.5 * distance, 0.5 * distance):
        soft = Material(youngs_modulus=3e4)
        bodies.append(Cells(points + [x - 0.1, 0.0, 0.01], cells, soft))
        bodies.append(cuboid(0.05, (x, 0.1, 0.27), material=Material(density=500.0)))
    *_, last = simulate(bodies, settings_of(use_ground=True), 36)
    part = np.spacing(np.float32(0.5 * distance)) / np.min(collision_thickness(bodies[1]))
    return centers(last)[:, 2], part


def test_crates_on_cushions_rest_as_well_just_below_the_bound():
    near, _ = resting(2.0)
    away, part = resting(1000.0)
    assert 0.1 < part < far.FRACTION
    # Swing that is left, and a part of the contact distance. Beyond the bound they sink 20 mm more.
    assert away == pytest.approx(near, abs=5e-4)
