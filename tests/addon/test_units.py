# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths in the interface are metres of the simulation at every unit scale."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    fall,
    frames,
    gathered,
    mesh_object,
    pin,
    sheet,
    shown,
    slab,
    slide,
    tet_block,
)
from shapes import block

from vbd.addon.gathering.gather import participants, prepared
from vbd.addon.objects.units import gravity_of
from vbd.solver.scene.analytic_colliders import Plane, Sphere


def set_scale(scene, scale):
    """A unit scale, and the gravity that is the earth's at it."""
    scene.unit_settings.scale_length = scale
    scene.gravity = (0.0, 0.0, -9.81 / scale)


def same(values, expected):
    """Assert equality up to the float32 in which Blender stores the unit scale."""
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-7)


def test_without_a_unit_system_numbers_are_metres(scene):
    sheet()
    scene.unit_settings.scale_length = 0.01
    scene.unit_settings.system = "NONE"
    same(gathered().bodies[0].points.max(axis=0), (1.0, 1.0, 0.0))
    assert gathered().settings.gravity[2] == pytest.approx(-9.81)


@pytest.mark.parametrize("system", ["METRIC", "IMPERIAL"])
def test_gravity_is_what_the_interface_shows(scene, system):
    scene.unit_settings.system, scene.unit_settings.scale_length = system, 0.01
    assert scene.bl_rna.properties["gravity"].unit == "ACCELERATION"
    same(gravity_of(scene), (0.0, 0.0, -0.0981))
    scene.use_gravity = False
    assert gravity_of(scene) == (0.0, 0.0, 0.0)


def test_lengths_of_settings_are_what_the_interface_shows_and_constants_are_in_si(scene):
    ob = sheet()
    scene.unit_settings.scale_length = 0.01
    scene.vbd.ground_height, ob.vbd.collision_thickness = -300.0, 0.5
    group = gathered()
    same(group.settings.ground_height, -3.0)
    same(group.settings.friction_velocity, scene.vbd.friction_velocity)
    material = group.bodies[0].material
    same(material.collision_thickness, 0.005)
    same(material.thickness, ob.vbd.thickness)
    same(material.density, ob.vbd.density)


def test_colliders_and_bounds_are_what_the_interface_shows(scene):
    sheet()
    floor = slab(size=400.0, height=-100.0)
    floor.vbd.collision_thickness = 0.25
    for name, shape in (("Floor", "PLANE"), ("Ball", "SPHERE"), ("Room", "BOX")):
        points, faces = block([200.0, 200.0, 200.0], [0.0, 0.0, 0.0])
        ob = mesh_object(name, points, faces=faces, role="COLLIDER")
        ob.vbd.collider_shape, ob.location = shape, (300.0, 0.0, 0.0)
    scene.unit_settings.scale_length = 0.01
    _, collider, plane, ball, *room = gathered().bodies
    same(collider.points.min(axis=0), (-2.0, -2.0, -1.0))
    same(collider.thickness, 0.0025)
    assert isinstance(plane, Plane)
    same(plane.point, (3.0, 0.0, 0.0))
    assert isinstance(ball, Sphere)
    same(ball.center, (3.0, 0.0, 0.0))
    same(ball.radius, np.sqrt(3.0))
    same(sorted(side.point[0] for side in room if abs(side.normal[0]) > 0.5), (2.0, 4.0))


def test_a_collider_that_moves_by_little_in_small_units_does_move(scene):
    sheet()
    ball = mesh_object("Ball", *block([1.0, 1.0, 1.0], [0.0, 0.0, 5.0])[:1], role="COLLIDER")
    ball.vbd.collider_shape = "SPHERE"
    slide(ball, 0, 1, 5, 0.1)
    frames(scene, 1, 5)
    scene.unit_settings.scale_length = 1e-6
    (ball,) = (body for body in gathered().bodies if isinstance(body, Sphere))
    assert ball.motion is not None


def test_free_fall_obeys_the_gravity_shown(scene):
    """9.81 left as it is shows 0.0981 m/s² at a scale of 0.01: that many metres a second, squared,
    and so many hundred units."""
    ob = sheet()
    frames(scene, 1, 13)
    scene.unit_settings.scale_length = 0.01
    bpy.ops.vbd.bake()
    dropped = -shown(ob, 13)[:, 2].mean()
    assert dropped == pytest.approx(fall(scene, 12), rel=1e-3)  # in units: 0.0981 / 0.01 is 9.81
    set_scale(scene, 0.01)
    bpy.ops.vbd.bake()
    assert -shown(ob, 13)[:, 2].mean() == pytest.approx(100.0 * fall(scene, 12), rel=1e-3)


def build(size):
    """A kinematic sheet over a block, and a box, above a collider, `size` units to a metre."""
    cloth = sheet(cells=6)
    cloth.vbd.youngs_modulus, cloth.vbd.collision_thickness = 1e6, 0.01 * size
    cloth.scale, cloth.location = (size, size, size), (-0.2 * size, -0.2 * size, 0.8 * size)
    pin(cloth, [0, 1])
    bpy.context.view_layer.update()
    soft = tet_block("Soft")
    soft.vbd.youngs_modulus, soft.vbd.collision_thickness = 2e4, 0.01 * size
    soft.scale = (0.5 * size, 0.5 * size, 0.5 * size)
    soft.location.z = 0.05 * size
    box = mesh_object("Box", *_faces(0.4), role="SOFT")
    box.vbd.resolution = 3
    box.scale, box.location = (size, size, size), (1.5 * size, 0.0, 0.3 * size)
    slide(cloth, 1, 1, 12, 0.3 * size)
    slab("Floor", size=8.0 * size).vbd.collision_thickness = 0.01 * size
    return cloth, soft, box


def _faces(side):
    points, faces = block([side] * 3, [0.0, 0.0, 0.0])
    return points, (), faces


def test_the_same_scene_modeled_in_other_units_moves_the_same(scene):
    results = []
    for scale in (1.0, 0.01):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scene = bpy.context.scene
        set_scale(scene, scale)
        frames(scene, 1, 13)
        objects = build(1.0 / scale)
        assert bpy.ops.vbd.bake() == {"FINISHED"}
        results.append([[scale * shown(ob, frame) for ob in objects] for frame in (1, 6, 13)])
    for plain, scaled in zip(*results, strict=True):
        for here, there in zip(plain, scaled, strict=True):
            np.testing.assert_allclose(there, here, atol=1e-3)
    ways = [np.abs(end - start).max() for start, _, end in zip(*results[0], strict=True)]
    assert min(ways) > 0.05


def hints(scene):
    objects = participants(scene)
    with prepared(scene, objects) as notes:
        return [note for note in notes if "Gravity" in note]


def test_a_gravity_far_from_the_earth_s_is_pointed_out_at_a_unit_scale(scene):
    sheet()
    assert hints(scene) == []
    scene.unit_settings.scale_length = 0.01
    assert hints(scene) == [
        "Gravity is 0.0981 m/s² at the Unit Scale of 0.01; for the earth's set it to -9.81 m/s² "
        "(Scene Properties > Gravity)"
    ]
    scene.unit_settings.system = "NONE"
    assert hints(scene) == []
    scene.unit_settings.system = "METRIC"
    set_scale(scene, 0.01)
    assert hints(scene) == []
    scene.use_gravity = False
    assert hints(scene) == []


def test_gravity_that_was_chosen_at_plain_scale_is_no_matter(scene):
    sheet()
    scene.gravity = (0.0, 0.0, -1.62)  # the moon's
    assert hints(scene) == []


def test_a_material_means_the_same_at_every_unit_scale(scene):
    """Presets give the thickness of a cloth in metres, and the panel shows the effective one."""
    ob = sheet()
    scene.unit_settings.scale_length = 0.001
    prop = ob.vbd.bl_rna.properties["thickness"]
    assert (prop.unit, prop.name) == ("NONE", "Thickness (m)")
    ob.vbd.thickness = 0.0004
    same(gathered().bodies[0].material.thickness, 0.0004)


@pytest.mark.parametrize("scale", [1e-6, 1e4])
def test_the_defaults_can_be_baked_at_extreme_unit_scales(scene, scale):
    ob = sheet()
    set_scale(scene, scale)
    ob.scale = np.full(3, 1.0 / scale)
    frames(scene, 1, 3)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    dropped = -scale * shown(ob, 3)[:, 2].mean()
    assert dropped == pytest.approx(fall(scene, 2), rel=1e-3)


def test_what_is_modeled_a_hundred_times_too_large_is_told_of(scene):
    ob = sheet("Flag")
    slab(size=2000.0)
    assert not gathered().notes  # a large floor does not count
    ob.scale = (180.0, 180.0, 180.0)
    falls = "Flag is 180 m large, and so falls in slow motion; if it should be smaller, "
    assert gathered().notes == [f"{falls}set the Unit Scale to 0.01 (Scene Properties > Units)"]
    scene.unit_settings.system = "NONE"
    assert gathered().notes == [f"{falls}scale everything by 0.01"]
    scene.unit_settings.system = "METRIC"
    scene.gravity = (0.0, 0.0, -981.0)
    assert not gathered().notes  # it is known
    set_scale(scene, 0.01)
    assert not gathered().notes


def test_substeps_that_are_long_for_small_things_are_told_of(scene):
    ob, _ = sheet("Leaf"), slab()
    ob.scale = (0.02, 0.02, 0.02)
    assert not gathered().notes  # one alone converges
    sheet("Lawn").location.z = 1.0
    falls = "Leaf is only 20 mm large and falls past itself in 3.1 substeps; set Substeps to 11"
    assert gathered().notes == [falls]
    scene.vbd.substeps = 8
    assert not gathered().notes
    scene.vbd.substeps, scene.use_gravity = 4, False
    assert not gathered().notes


def test_a_long_rope_is_no_sign_of_a_wrong_scale(scene):
    mesh_object("Cable", [(0, 0, 0), (100, 0, 0), (200, 0, 0)], [(0, 1), (1, 2)], role="ROD")
    assert not gathered().notes
