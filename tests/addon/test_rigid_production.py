# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of rigid bodies in productions: overrides, undo, retimed scenes, the NLA editor."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, fall, frames, linked, reopened, slide

from vbd.addon.headless.command import run
from vbd.addon.playing import object_keys
from vbd.addon.playing.baked import warnings


@pytest.fixture
def scene(scene):
    frames(scene, 1, 9)
    scene.vbd.device, scene.vbd.substeps = "CPU", 4
    return scene


def crate(z=5.0):
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, z), rotation=(0.3, 0.2, 0.1), size=1.0)
    ob = bpy.context.object
    ob.name, ob.vbd.role = "Crate", "RIGID"
    return ob


def height(ob, frame):
    bpy.context.scene.frame_set(frame)
    return ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.z


def falls(ob, start=5.0, last=9):
    scene = bpy.context.scene
    assert height(ob, 1) == pytest.approx(start, abs=1e-5)
    assert height(ob, last) == pytest.approx(start - fall(scene, last - 1), abs=1e-3)


def settings():
    scene = bpy.context.scene
    frames(scene, 1, 9)
    scene.vbd.device, scene.vbd.substeps = "CPU", 4


def test_a_library_override_is_baked_without_a_mesh_of_its_own(scene, tmp_path):
    crate()
    ob = linked("Crate", tmp_path).override_create(remap_local_usages=True)
    settings()
    baked()
    falls(ob)
    reopened(tmp_path / "shot.blend")
    ob = next(o for o in bpy.data.objects if o.library is None)
    assert ob.override_library and ob.vbd.baked
    falls(ob)
    bpy.ops.vbd.free_bake()
    assert height(ob, 9) == pytest.approx(5.0) and not ob.vbd.baked


def test_a_linked_object_says_what_to_do(scene, tmp_path):
    crate()
    linked("Crate", tmp_path)
    settings()
    with pytest.raises(ValueError, match="make a library override first"):
        baked()


def test_undo_takes_a_bake_back_and_redo_repeats_it(scene):
    ob = crate()
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.vbd.bake()
    bpy.ops.ed.undo_push(message="Bake")
    falls(bpy.data.objects["Crate"])
    bpy.ops.ed.undo()
    ob = bpy.data.objects["Crate"]
    assert not ob.vbd.baked and ob.animation_data is None
    assert height(ob, 9) == pytest.approx(5.0)
    bpy.ops.ed.redo()
    falls(bpy.data.objects["Crate"])


def test_time_remapping_leaves_every_frame_in_its_place(scene):
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 50
    ob = crate()
    baked()
    falls(ob)


def test_an_nla_strip_comes_back(scene):
    """The bake overrides it meanwhile."""
    ob = crate()
    slide(ob, 0, 1, 9, 4.0)
    data = ob.animation_data
    data.nla_tracks.new().strips.new("Own", 1, data.action)
    data.action = None
    ob.vbd.use_animation, ob.vbd.animated_until = True, 5
    baked()
    assert height(ob, 5) == pytest.approx(5.0, abs=1e-4) and height(ob, 9) < 5.0
    bpy.ops.vbd.free_bake()
    assert len(ob.animation_data.nla_tracks) == 1 and ob.animation_data.action is None
    assert height(ob, 9) == pytest.approx(5.0, abs=1e-6)
    assert ob.matrix_world.translation.x == pytest.approx(4.0, abs=1e-5)


def test_a_slower_frame_rate_is_warned_of(scene):
    crate()
    baked()
    assert not warnings(scene)
    scene.render.fps = 12
    assert "Crate" in warnings(scene)[0]


def test_the_command_line_bakes_and_loads_rigid_bodies(scene, tmp_path):
    crate()
    path, out = str(tmp_path / "drop.blend"), str(tmp_path / "out.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert run(["bake", path, "--output", out, "--frames", "1:9"], "vbd") == 0
    bpy.ops.wm.open_mainfile(filepath=out)
    ob = bpy.data.objects["Crate"]
    falls(ob)
    assert object_keys.plays(ob)
    again = str(tmp_path / "again.blend")
    assert run(["bake", out, "--output", again, "--load"], "vbd") == 0
    falls(bpy.data.objects["Crate"])


def test_two_hundred_bodies_are_baked_and_freed_in_seconds(scene):
    mesh = crate(z=-50.0).data
    bpy.data.objects["Crate"].vbd.role = "NONE"
    frames(scene, 1, 4)
    made = []
    for place in np.ndindex(10, 10, 2):
        ob = bpy.data.objects.new("Small", mesh)
        bpy.context.collection.objects.link(ob)
        ob.location, ob.vbd.role = 2.0 * np.array(place), "RIGID"
        made.append(ob)
    baked()
    assert all(ob.vbd.baked for ob in made)
    for ob in made[::50]:
        start = ob.animation_data.action
        assert start is not None
    assert height(made[-1], 4) == pytest.approx(2.0 - fall(scene, 3), abs=1e-3)
    bpy.ops.vbd.free_bake()
    assert not any(map(object_keys.is_ours, bpy.data.actions))
