# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies that cannot carry their weight are told before they are baked, with a remedy."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, mesh_object, pin, shown
from shapes import block, box

from vbd.addon.objects.next_step import next_step
from vbd.addon.values.presets import apply_preset
from vbd.solver.bodies import Pins, Solid
from vbd.solver.bodies.own_weight import own_load
from vbd.solver.settings import Material

GRAVITY = (0.0, 0.0, -9.81)


def column(**options):
    points, tets = box((2, 2, 5), (0.4, 0.4, 1.0))
    return Solid(points, tets, Material(youngs_modulus=1e4, density=1000.0), **options)


def test_the_load_of_a_column_is_its_weight_over_its_section_and_stiffness():
    assert own_load(column(), GRAVITY, []) == pytest.approx(0.981)
    assert own_load(column(), (-9.81, 0.0, 0.0), []) == pytest.approx(0.4 * 0.981)
    assert own_load(column(), (0.0, 0.0, 0.0), []) == 0.0


def test_the_load_of_what_is_held_is_that_of_what_hangs_free():
    body = column()
    held = np.flatnonzero(np.abs(body.points[:, :2] - 0.2).max(axis=1) < 0.01)
    assert own_load(body, GRAVITY, held) == pytest.approx(0.2 * 2.0**0.5 * 0.981)


def test_the_load_of_a_body_that_is_soft_in_part_is_between():
    body = column()
    soft = body.points[body.tets].mean(axis=1)[:, 2] > 0.5
    body.material = Material(youngs_modulus=np.where(soft, 1e4, 1e6), density=1000.0)
    assert own_load(body, GRAVITY, []) == pytest.approx(0.981 * (0.01 + 0.99 * soft.mean()))


@pytest.fixture
def torso(scene):
    """A trunk of human size of the preset Fat."""
    points, triangles = block((0.35, 0.25, 0.6), (0.0, 0.0, 0.35))
    ob = mesh_object("Torso", points, faces=triangles)
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.vbd.add(role="SOFT")
    apply_preset(bpy.context, "material", "Fat")
    ob.vbd.resolution = 6
    scene.vbd.use_ground = True
    frames(scene, 1, 3)
    return ob


def told():
    (note,) = [note for note in gathered().notes if "its weight over its section" in note] or [""]
    return note


def test_a_trunk_of_fat_is_told_with_a_stiffness_that_holds_it(torso):
    assert next_step(bpy.context) == "Torso is too soft for its weight"
    note = told()
    assert note.startswith("Torso: its weight over its section is 2.4 times its stiffness")
    assert "raise Stiffness to about 20 kPa" in note
    torso.vbd.youngs_modulus_kpa = 20.0
    assert not told()
    assert next_step(bpy.context) == "Ready: press Bake"


def test_the_warning_is_in_the_report_and_true(torso):
    level, text = baked().report()
    assert level == "WARNING"
    assert "Torso: its weight over its section" in text
    bpy.ops.vbd.free_bake("EXEC_DEFAULT")
    bpy.context.scene.vbd.quasistatic = True
    baked()
    assert np.ptp(shown(torso, 3)[:, 2]) < 0.6 * 0.6


def test_what_is_held_and_keeps_its_shape_is_not_told(torso):
    pin(torso, range(4))
    assert "its weight over its section" in told()
    torso.vbd.keeps_shape = True
    assert not told()


def test_a_small_piece_of_fat_and_no_gravity_are_not_told(torso, scene):
    torso.scale = (0.1, 0.1, 0.1)
    assert not told()
    torso.scale = (1.0, 1.0, 1.0)
    scene.use_gravity = False
    assert not told()
    assert next_step(bpy.context) == "Ready: press Bake"


def test_pins_at_the_end_of_a_solid_leave_its_length():
    body = column()
    body.pins = Pins(np.flatnonzero(body.points[:, 2] < 1e-9))
    assert own_load(body, GRAVITY, body.pins.indices) == pytest.approx(0.981)
