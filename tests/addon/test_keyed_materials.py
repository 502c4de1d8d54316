# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes on materials, from the panel to the bake."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, gathered, sheet, shown

from vbd.addon.baking import outdated
from vbd.addon.values.declared import ANIMATED
from vbd.addon.values.measured import MEASURED
from vbd.solver.bodies.deformable import KEYED

END = 9


def keyed(ob, name, before, after, frame=3):
    """Key a value up to a frame, and another one from the next frame on."""
    for at, value in ((1, before), (frame, before), (frame + 1, after)):
        setattr(ob.vbd, name, value)
        assert ob.keyframe_insert(f"vbd.{name}", frame=at)


def sunk(ob):
    """The depth of the lowest vertex below where it began, in every frame [m]."""
    start = shown(ob, 1)[:, 2].min()
    return np.array([start - shown(ob, frame)[:, 2].min() for frame in range(2, END + 1)])


def pinned(ob, places):
    group = ob.vertex_groups.new(name="Pinned")
    group.add([int(v) for v in np.flatnonzero(places)], 1.0, "ADD")
    ob.vbd.pin_group = "Pinned"


def hung(role):
    """A bar, sheet or rope that hangs from its upper end."""
    if role == "SOFT":
        bpy.ops.mesh.primitive_cube_add(size=0.2)
        ob = bpy.context.object
    elif role == "CLOTH":
        ob = sheet()
        ob.rotation_euler.x = np.pi / 2.0
        bpy.ops.object.transform_apply(rotation=True)
    else:
        mesh = bpy.data.meshes.new("Rope")
        mesh.from_pydata(
            [(0.0, 0.0, -0.1 * k) for k in range(6)], [(k, k + 1) for k in range(5)], []
        )
        ob = bpy.data.objects.new("Rope", mesh)
        bpy.context.scene.collection.objects.link(ob)
    heights = np.array([v.co.z for v in ob.data.vertices])
    ob.vbd.role = role
    pinned(ob, heights > heights.max() - 1e-6)
    return ob


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("SOFT", "youngs_modulus_kpa"),
        ("CLOTH", "membrane_stiffness"),
        ("ROD", "youngs_modulus_mpa"),
    ],
)
def test_keyed_stiffness_pulls_up_what_hangs(scene, role, name):
    ob = hung(role)
    frames(scene, 1, END)
    scene.vbd.quasistatic = True
    soft = {"SOFT": 10.0, "CLOTH": 100.0, "ROD": 0.1}[role]
    ob.vbd.density = {"SOFT": 1000.0, "CLOTH": 1.0, "ROD": 0.1}[role]
    ob.vbd.bending_factor = 0.0
    keyed(ob, name, soft, 10.0 * soft)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    depth = sunk(ob)
    assert depth[-1] == pytest.approx(0.1 * depth[1], rel=0.1)


def test_keyed_friction_of_a_slope_lets_a_block_go(scene):
    frames(scene, 1, END)
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.0, 0.102))
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.youngs_modulus = "SOFT", 1e7
    ob.vbd.use_friction, ob.vbd.friction = True, 0.5
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    floor = bpy.context.object
    floor.vbd.role, floor.vbd.use_friction = "COLLIDER", True
    scene.gravity = (3.0, 0.0, -9.81)
    for shape in ("MESH", "PLANE"):
        floor.vbd.collider_shape = shape
        keyed(floor, "friction", 0.5, 0.0, 5)
        assert bpy.ops.vbd.bake() == {"FINISHED"}
        places = [shown(ob, frame)[:, 0].mean() for frame in range(1, END + 1)]
        assert abs(places[4] - places[0]) < 2e-3
        assert places[-1] - places[4] > 0.01


def test_what_may_have_keyframes_is_what_the_solver_follows(cube):
    known = cube.vbd.bl_rna.properties
    assert {n for n in known.keys() if known[n].is_animatable and n in ANIMATED} == set(ANIMATED)
    for name in KEYED:
        assert not bpy.context.scene.vbd.bl_rna.properties.get(name, known["role"]).is_animatable
    for name, of in MEASURED.items():
        assert known[name].is_animatable == (of.stored in KEYED)
    for name in ("poisson_ratio", "thickness", "collision_thickness", "bending_factor"):
        assert not known[name].is_animatable
        assert "keyframes" in known[name].description
    for name in ("substeps", "iterations"):
        assert "keyframes" in bpy.context.scene.vbd.bl_rna.properties[name].description


def test_a_painted_property_with_keyframes_is_refused(cube):
    cube.vbd.role = "SOFT"
    cube.vertex_groups.new(name="Half").add([0, 1], 1.0, "ADD")
    bpy.ops.vbd.add_painted()
    cube.vbd.painted[0].what, cube.vbd.painted[0].vertex_group = "density", "Half"
    keyed(cube, "density", 1000.0, 500.0)
    with pytest.raises(RuntimeError, match=r"Density.* is painted"):
        bpy.ops.vbd.bake()


def test_friction_of_the_scene_is_not_replaced_by_a_keyed_one_that_is_off(cube):
    cube.vbd.role = "SOFT"
    keyed(cube, "friction", 0.5, 0.1)
    assert gathered().bodies[0].keyed is None


def test_a_keyed_value_is_no_change_since_the_bake_and_others_are(cube, scene):
    cube.vbd.role = "SOFT"
    keyed(cube, "youngs_modulus_kpa", 10.0, 20.0)
    was = outdated.now(scene)
    scene.frame_set(8)
    assert outdated.settings_changed(scene, was) is None
    cube.vbd.density = 7.0
    assert "Density" in outdated.settings_changed(scene, was)
