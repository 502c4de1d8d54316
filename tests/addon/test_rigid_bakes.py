# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of rigid bodies from the scene to keyframes and back."""

import addon_utils
import bpy
import numpy as np
import pytest
from blender_scenes import (
    baked,
    empty_object,
    fall,
    frames,
    mesh_object,
    pin,
    shown,
    slab,
    slide,
    straighten,
)
from mathutils import Vector

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.baking.loading import load
from vbd.addon.baking.resuming import changes, saved_frames
from vbd.addon.gathering.reader import curves_of
from vbd.addon.playing import object_keys, preview

# Positions of single precision near the origin [m].
EXACT = 2e-5


@pytest.fixture
def scene(scene):
    frames(scene, 1, 9)
    scene.vbd.device, scene.vbd.substeps = "CPU", 4
    return scene


def crate(name="Crate", z=5.0, size=1.0, **vbd):
    """A box of a side, turned."""
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, z), rotation=(0.3, 0.2, 0.1), size=size)
    ob = bpy.context.object
    ob.name = name
    ob.vbd.role = "RIGID"
    for key, value in vbd.items():
        setattr(ob.vbd, key, value)
    return ob


def matrix(ob, frame):
    bpy.context.scene.frame_set(frame)
    return np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def test_a_free_fall_is_baked_to_the_height_of_the_object(scene):
    ob = crate()
    start = matrix(ob, 1)
    outcome = baked()
    assert outcome.frames == 8 and ob.vbd.baked and not ob.data.shape_keys
    for frame in (1, 4, 9):
        now = matrix(ob, frame)
        np.testing.assert_allclose(now[:3, :3], start[:3, :3], atol=EXACT)
        assert start[2, 3] - now[2, 3] == pytest.approx(fall(scene, frame - 1), abs=1e-4)
    bpy.ops.vbd.free_bake()
    assert ob.animation_data is None
    np.testing.assert_array_equal(matrix(ob, 9), start)


def test_a_second_bake_starts_from_the_place_before_the_first(scene):
    ob = crate()
    baked()
    first = [matrix(ob, frame) for frame in (1, 5, 9)]
    scene.frame_set(9)
    baked()
    for frame, then in zip((1, 5, 9), first, strict=True):
        np.testing.assert_array_equal(matrix(ob, frame), then)
    bpy.ops.vbd.free_bake()
    assert ob.animation_data is None and ob.location.z == 5.0


def test_it_follows_its_animation_and_then_flies_on(scene):
    """2.4 m/s along x until frame 5, which its keyframes would keep up until frame 9."""
    scene.use_gravity = False
    ob = crate(use_animation=True, animated_until=5)
    slide(ob, 0, 1, 5, 0.4)
    baked()
    for frame in range(1, 10):
        now = matrix(ob, frame)
        np.testing.assert_allclose(now[:3, 3], (0.1 * (frame - 1), 0.0, 5.0), atol=1e-4)
    assert not [line for line in bpy.context.scene.vbd.report if "Animated" in line]


def test_a_held_body_falls_when_it_is_let_go(scene):
    ob = crate(use_animation=True, animated_until=5)
    baked()
    for frame in (1, 3, 5):
        assert matrix(ob, frame)[2, 3] == pytest.approx(5.0, abs=1e-5)
    assert 5.0 - matrix(ob, 9)[2, 3] == pytest.approx(fall(scene, 4), abs=1e-3)


def test_a_thrown_body_keeps_the_animation_before_the_start(scene):
    frames(scene, 5, 9)
    scene.use_gravity = False
    ob = crate()
    ob.rotation_euler = (0.0, 0.0, 0.0)
    for frame in (1, 5):
        ob.location.x, ob.rotation_euler.z = 0.1 * frame, 0.2 * frame
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_euler", frame=frame)
    straighten(ob)
    baked()
    for frame in range(1, 10):
        scene.frame_set(frame)
        assert ob.location.x == pytest.approx(0.1 * frame, abs=1e-4)
        assert ob.rotation_euler.z == pytest.approx(0.2 * frame, abs=1e-3)


def test_below_a_moving_parent_it_falls_in_the_world(scene):
    cart = empty_object("Cart")
    ob = crate()
    ob.parent = cart
    slide(cart, 0, 1, 9, 4.0)
    cart.rotation_euler.z = 0.5
    start = matrix(ob, 1)
    speed = 24.0 * (start - matrix(ob, 0))[:3, 3]
    scene.frame_set(1)
    baked()
    for frame in (1, 4, 9):
        place = start[:3, 3] + speed * (frame - 1) / 24.0 - (0.0, 0.0, fall(scene, frame - 1))
        np.testing.assert_allclose(matrix(ob, frame)[:3, 3], place, atol=1e-3)


@pytest.mark.parametrize("end", ["body", "hook", "sheet"])
def test_attachments_hold_rigid_bodies_and_pull_at_them(scene, end):
    """A crate on a hook, a crate on a crate that a frame holds, and a sheet that holds a crate."""
    frames(scene, 1, 25)
    ob = crate(z=2.0, size=0.2)
    ob.vertex_groups.new(name="Top").add([1], 1.0, "REPLACE")
    corner = shown(ob)[1]
    if end == "hook":
        target = empty_object(location=corner)
    elif end == "body":
        target = crate("Holder", z=2.4, size=0.2, use_animation=True, animated_until=25)
        bpy.context.view_layer.update()
        inside = target.matrix_world.inverted() @ Vector(corner)
        tie = np.array(target.matrix_world @ target.closest_point_on_mesh(inside)[1])
    else:
        sheet = mesh_object(
            "Sheet",
            [corner + d for d in ((0, 0, 0), (0.4, 0, 0), (0.4, 0, 0.4), (0, 0, 0.4))],
            faces=[(0, 1, 2, 3)],
            role="CLOTH",
        )
        pin(sheet, [2, 3])
        sheet.vertex_groups.new(name="Corner").add([0], 1.0, "REPLACE")
        item, target = sheet.vbd.attachments.add(), ob
        item.vertex_group = "Corner"
    if end != "sheet":
        item = ob.vbd.attachments.add()
        item.vertex_group = "Top"
    item.target, item.stiffness = target, 1e6
    baked()
    if end == "sheet":
        # Stiff ties to a body that turns are converged to a hundredth of its size.
        assert np.linalg.norm(shown(sheet, 25)[0] - shown(ob, 25)[1]) < 2e-3
        assert shown(ob, 25)[:, 2].mean() < corner[2]  # it swings below
    elif end == "body":  # at the end of a string of the length that the gap has
        length = np.linalg.norm(corner - tie)
        assert np.linalg.norm(shown(ob, 25)[1] - tie) == pytest.approx(length, abs=1e-3)
        assert shown(ob, 25)[1, 2] < corner[2]
    else:
        assert np.linalg.norm(shown(ob, 25)[1] - corner) < 1e-3
        np.testing.assert_allclose(shown(ob, 25)[:, 2].mean(), corner[2], atol=0.2)


def test_many_bodies_may_share_a_mesh(scene):
    ob = crate()
    other = bpy.data.objects.new("Other", ob.data)
    bpy.context.collection.objects.link(other)
    other.vbd.role, other.location = "RIGID", (3.0, 0.0, 8.0)
    baked()
    assert matrix(other, 9)[2, 3] == pytest.approx(8.0 - fall(scene, 8), abs=1e-3)
    assert matrix(ob, 9)[2, 3] == pytest.approx(5.0 - fall(scene, 8), abs=1e-3)


def test_a_bake_resumes_to_what_it_would_have_been(scene, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    scene, ob = bpy.context.scene, crate(z=0.9)
    slab()
    frames(scene, 1, 12)
    baked()
    whole = [matrix(ob, frame) for frame in range(1, 13)]
    bpy.ops.vbd.free_bake()
    scene.vbd.frame_end = 6
    baked()
    scene.vbd.frame_end = 12
    assert not changes(bpy.context, saved_frames(scene))
    run_to_end(bake_steps(bpy.context, after=6), show=lambda _: None)
    for frame, then in zip(range(1, 13), whole, strict=True):
        np.testing.assert_array_equal(matrix(ob, frame), then)


def test_saved_frames_are_loaded_as_keyframes(scene, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    scene, ob = bpy.context.scene, crate()
    baked()
    whole = [matrix(ob, frame) for frame in range(1, 10)]
    bpy.data.objects.remove(ob)
    ob = crate()
    load(scene)
    for frame, then in zip(range(1, 10), whole, strict=True):
        np.testing.assert_allclose(matrix(ob, frame), then, atol=EXACT)
    ob.vbd.role = "CLOTH"
    with pytest.raises(ValueError, match="but 4 in the cache"):
        load(scene)


def test_frames_of_another_role_are_refused(scene, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    ob = crate()
    ob.vbd.role = "CLOTH"
    baked()
    bpy.data.objects.remove(ob)
    crate()
    with pytest.raises(ValueError, match="Crate is a rigid body now"):
        load(bpy.context.scene)


def test_the_viewport_shows_the_frame_that_was_solved_last(scene, monkeypatch):
    """Also of a body that its animation leads, which the solver reads meanwhile."""
    monkeypatch.setattr(preview, "PAUSE", -1.0)  # every frame
    ob = crate()
    ob.scale = (1.0, 2.0, 0.5)
    led = crate("Led", z=9.0, use_animation=True, animated_until=9)
    slide(led, 0, 1, 9, 2.0)
    before = list(ob.modifiers), len(bpy.data.node_groups)
    pictures, last, steps = {}, 0, bake_steps(bpy.context, visible=True)
    while True:
        try:
            solved = next(steps)
        except StopIteration:
            break
        last = last if solved is None else solved.index
        if last:
            pictures[last] = [shown(one) for one in (ob, led)]
    assert len(pictures) >= 7
    for index, both in pictures.items():
        for one, points in zip((ob, led), both, strict=True):
            np.testing.assert_allclose(points, shown(one, 1 + index), atol=EXACT)
    assert before == (list(ob.modifiers), len(bpy.data.node_groups))


def test_a_collider_that_was_a_rigid_body_plays_its_bake(scene):
    """It falls onto a cloth that is not there yet: the second bake has it as a collider."""
    ob = crate(z=0.0, size=0.5)
    scene.use_gravity = False
    slide(ob, 2, -3, 1, 0.4)
    baked()
    ob.vbd.role = "COLLIDER"
    sheet = mesh_object(
        "Sheet", [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)], faces=[(0, 1, 2, 3)]
    )
    sheet.vbd.role = "CLOTH"
    baked()
    assert object_keys.plays(ob) and list(curves_of(ob.animation_data.action))
    assert shown(sheet, 9)[:, 2].max() > 1.05


def alembic(path):
    bpy.ops.wm.alembic_export(filepath=path + ".abc", start=1, end=9)
    return lambda: bpy.ops.wm.alembic_import(filepath=path + ".abc")


def usd(path):
    bpy.ops.wm.usd_export(filepath=path + ".usdc", export_animation=True)
    return lambda: bpy.ops.wm.usd_import(filepath=path + ".usdc")


def gltf(path):
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.export_scene.gltf(filepath=path + ".glb")
    return lambda: bpy.ops.import_scene.gltf(filepath=path + ".glb")


def fbx(path):
    addon_utils.enable("io_scene_fbx")
    options = {"bake_anim_use_all_actions": False, "bake_anim_use_nla_strips": False}
    bpy.ops.export_scene.fbx(filepath=path + ".fbx", bake_anim_simplify_factor=0.0, **options)
    return lambda: bpy.ops.import_scene.fbx(filepath=path + ".fbx", anim_offset=0.0)


@pytest.mark.parametrize("export", [alembic, usd, gltf, fbx])
def test_exports_have_the_motion_without_a_conversion(scene, tmp_path, export):
    ob = crate(z=1.2)
    slab()
    frames(scene, 1, 9)
    scene.frame_start, scene.frame_end = 1, 9
    baked()
    before = {frame: shown(ob, frame) for frame in (1, 5, 9)}
    then_import = export(str(tmp_path / "crate"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    then_import()
    again = max((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: len(o.data.edges))
    for frame, points in before.items():
        now = shown(again, frame)
        gaps = np.linalg.norm(points[:, None] - now[None], axis=2).min(axis=1)
        assert gaps.max() < 1e-4


def test_there_is_no_point_cache_of_a_rigid_body(scene):
    ob = crate()
    ob.shape_key_add(name="Basis", from_mix=False)
    baked()
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.vbd.export_point_cache(directory="/tmp")


def test_wind_blows_what_has_air_drag_away(scene):
    scene.use_gravity = False
    still, blown = crate("Still"), crate("Blown", z=8.0)
    still.vbd.density = blown.vbd.density = 20.0
    blown.vbd.drag = 1.0
    bpy.ops.object.effector_add(type="WIND", location=(-3.0, 0.0, 6.0), rotation=(0.0, 1.5708, 0.0))
    bpy.context.object.field.strength = 2000.0
    baked()
    assert matrix(blown, 9)[0, 3] > 0.05
    np.testing.assert_allclose(matrix(still, 9)[:3, 3], (0.0, 0.0, 5.0), atol=EXACT)
