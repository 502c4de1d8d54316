# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene to shape keys and back, in the real Blender."""

from dataclasses import replace
from threading import Event

import bpy
import numpy as np
import pytest
from blender_scenes import (
    empty_object,
    fall,
    frames,
    linked,
    mesh_object,
    pin,
    sheet,
    shown,
    slab,
    slide,
    tet_block,
)
from mathutils import Matrix

from vbd.addon.baking import report
from vbd.addon.baking.bake_steps import bake_steps, cache_folder, run_to_end
from vbd.solver import simulate as simulate_module
from vbd.solver.cache import Cache


@pytest.fixture
def scene(scene):
    """An empty scene with few, short frames on the CPU."""
    frames(scene, 1, 6)
    scene.frame_end = 6
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    scene.gravity = (0.0, 0.0, -9.81)
    return scene


def baked(context=None):
    """Bake and return the outcome."""
    return run_to_end(bake_steps(context or bpy.context), show=lambda _: None)


def close(a, b, tolerance=1e-6):
    np.testing.assert_allclose(a, b, atol=tolerance)


def test_a_free_body_falls_by_its_keys_as_the_formula_says(scene):
    block = tet_block()
    start = shown(block)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    for frame in range(1, 7):
        close(shown(block, frame), start - [0, 0, fall(scene, frame - 1)], 1e-5)


def test_the_first_key_is_the_input_state_bit_for_bit(scene):
    ob = sheet()
    ob.location = (0.1, 0.2, 0.3)
    before = np.array([tuple(v.co) for v in ob.data.vertices])
    baked()
    np.testing.assert_array_equal(
        [tuple(p.co) for p in ob.data.shape_keys.key_blocks[1].points], before
    )


def test_between_frames_the_motion_is_a_straight_line(scene):
    ob = sheet()
    baked()
    middle = (shown(ob, 4) + shown(ob, 5)) / 2
    close(shown(ob, 4, 0.5), middle, 1e-6)


def test_before_and_after_the_range_the_shape_holds(scene):
    ob = sheet()
    frames(scene, 10, 13)
    start = shown(ob)
    baked()
    close(shown(ob, 3), start, 0)
    close(shown(ob, 99), shown(ob, 13), 0)


def test_a_lattice_body_falls_as_its_surface_says(scene):
    bpy.ops.mesh.primitive_monkey_add()
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 4
    start = shown(ob)
    baked()
    close(shown(ob, 6), start - [0, 0, fall(scene, 5)], 1e-4)


def test_a_rod_swings_from_its_pin(scene):
    ob = mesh_object("Rope", [(k * 0.1, 0, 0) for k in range(5)], [(k, k + 1) for k in range(4)])
    ob.vbd.role = "ROD"
    pin(ob, [0])
    baked()
    points = shown(ob, 6)
    close(points[0], [0, 0, 0])
    assert points[4, 2] < -0.05


def test_a_vertex_pinned_by_less_than_half_is_free_where_no_pins_are_soft(scene):
    ob = sheet()
    ob.vbd.soft_pins = False
    pin(ob, range(len(ob.data.vertices)), weight=0.49)
    start = shown(ob)
    baked()
    assert (shown(ob, 6)[:, 2] < start[:, 2] - 0.1).all()


def test_pins_follow_the_object(scene):
    ob = sheet()
    pin(ob, [0, 4])
    slide(ob, 0, 1, 6, 1.0)
    start = shown(ob, 1)
    baked()
    for frame in (1, 3, 6):
        moved = start[[0, 4]] + [(frame - 1) / 5, 0, 0]
        close(shown(ob, frame)[[0, 4]], moved, 1e-5)
    assert shown(ob, 6)[-1, 2] < -0.05  # the rest is free


def test_pins_follow_an_armature_and_its_modifier_is_off_while_baked(scene):
    ob = sheet()
    pin(ob, [0, 4])
    hook = empty_object("Hand")
    slide(hook, 2, 1, 6, 0.5)
    modifier = ob.modifiers.new("Hook", "HOOK")
    modifier.object, modifier.vertex_group = hook, "Pins"
    scene.frame_set(1)
    targets = {frame: shown(ob, frame)[[0, 4]] for frame in (1, 3, 6)}
    assert targets[6][0, 2] == pytest.approx(0.5)
    baked()
    assert not modifier.show_viewport and not modifier.show_render
    for frame, points in targets.items():
        close(shown(ob, frame)[[0, 4]], points, 1e-5)
    bpy.ops.vbd.free_bake()
    assert modifier.show_viewport and modifier.show_render


def pull_apart(ob):
    """Each side of a cube follows a hook of its own."""
    for side in (-1.0, 1.0):
        hand = empty_object("Hand")
        slide(hand, 0, 1, 6, 0.5 * side)
        modifier = ob.modifiers.new("Hook", "HOOK")
        modifier.object = hand
        modifier.vertex_indices_set([v.index for v in ob.data.vertices if v.co.x * side > 0.0])


def grow(ob):
    for frame, size in ((1, 1.0), (6, 1.5)):
        ob.scale = (size, size, size)
        ob.keyframe_insert("scale", frame=frame)


@pytest.mark.parametrize("animate", [pull_apart, grow])
def test_pins_of_a_lattice_body_follow_though_they_do_not_move_rigidly(scene, animate):
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution, ob.vbd.keep_coarse = "SOFT", 4, True
    pin(ob, range(8))
    scene.gravity = (0, 0, 0)
    animate(ob)
    expected = {frame: shown(ob, frame) for frame in (1, 4, 6)}
    assert np.ptp(expected[6][:, 0]) == pytest.approx(3.0)
    baked()
    for frame, points in expected.items():
        close(shown(ob, frame), points, 0.005)


def test_an_animated_collider_pushes(scene):
    block = tet_block()
    scene.gravity = (0, 0, 0)
    scene.vbd.substeps, scene.vbd.iterations = 8, 20
    frames(scene, 1, 10)
    hand = slab(height=0.0)
    slide(hand, 2, 1, 10, 0.5)
    block.location.z = 0.1
    assert baked().frames == 9
    assert shown(block, 10)[:, 2].min() > 0.4


def test_a_body_rests_on_a_static_collider(scene):
    block = tet_block()
    block.location.z = 0.05
    slab()
    scene.vbd.substeps, scene.vbd.iterations = 4, 20
    frames(scene, 1, 12)
    baked()
    assert -0.02 < shown(block, 12)[:, 2].min() < 0.05


def test_keys_are_in_the_space_of_a_sheared_and_mirrored_parent(scene):
    parent = empty_object("Parent")
    parent.scale, parent.rotation_euler = (-2.0, 1.0, 0.5), (0.3, 0.2, 0.1)
    block = tet_block()
    block.parent, block.rotation_euler, block.location = parent, (0.0, 0.7, 0.4), (0, 0, 3)
    start = shown(block, 1)
    assert baked().frames == 5
    close(shown(block, 6), start - [0, 0, fall(scene, 5)], 1e-4)


def test_a_moving_object_without_pins_falls_straight(scene):
    block = tet_block()
    slide(block, 0, 1, 6, 2.0)
    start = shown(block, 1)
    baked()
    close(shown(block, 6), start - [0, 0, fall(scene, 5)], 1e-5)


def test_subdivision_stays_behind_the_keys(scene):
    ob = sheet()
    modifier = ob.modifiers.new("Subdivision", "SUBSURF")
    count = len(shown(ob))
    baked()
    assert modifier.show_viewport
    assert len(shown(ob, 6)) == count
    assert len(ob.data.shape_keys.key_blocks[1].points) == len(ob.data.vertices)


def test_a_deforming_modifier_behind_subdivision_is_named(scene):
    ob = sheet()
    ob.modifiers.new("Subdivision", "SUBSURF")
    ob.modifiers.new("Bend", "SIMPLE_DEFORM")
    level, text = baked().report()
    assert level == "WARNING"
    assert "Sheet: Bend comes after Subdivision" in text


def test_a_scene_without_animation_is_never_moved_to_another_frame(scene):
    tet_block()
    seen = []
    steps = bake_steps(bpy.context)
    scene.frame_set(4)
    while True:
        try:
            next(steps)
        except StopIteration:
            break
        seen.append(scene.frame_current)
    assert set(seen) == {4}


def test_the_frame_rate_and_its_base_set_the_time_of_a_frame(scene):
    scene.render.fps, scene.render.fps_base = 30, 1.25
    block = tet_block()
    start = shown(block)
    baked()
    close(shown(block, 6), start - [0, 0, fall(scene, 5)], 1e-5)


def test_time_remapping_does_not_part_pins_from_their_animation(scene):
    ob = sheet()
    pin(ob, [0, 4])
    hand = empty_object("Hand")
    slide(hand, 2, 1, 6, 1.0)
    modifier = ob.modifiers.new("Hook", "HOOK")
    modifier.object, modifier.vertex_group = hand, "Pins"
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 200
    scene.frame_set(1)
    expected = {frame: shown(ob, frame)[[0, 4]] for frame in (1, 3, 6)}
    baked()
    for frame, points in expected.items():
        close(shown(ob, frame)[[0, 4]], points, 1e-5)
    assert shown(ob, 6)[-1, 2] == pytest.approx(-fall(scene, 5), rel=0.2)


def test_the_current_frame_is_the_same_after_a_bake(scene):
    ob = sheet()
    slide(ob, 0, 1, 6, 1.0)
    scene.frame_set(3, subframe=0.25)
    baked()
    assert (scene.frame_current, scene.frame_subframe) == (3, 0.25)


def test_a_second_bake_starts_from_the_rest_state_again(scene):
    ob = sheet()
    pin(ob, [0])
    baked()
    scene.frame_set(6)
    first = shown(ob, 6)
    baked()
    close(shown(ob, 6), first, 0)
    assert len(ob.data.shape_keys.key_blocks) == 7


def test_a_cancelled_bake_keeps_its_frames(scene):
    frames(scene, 1, 200)
    block = tet_block()
    start = shown(block)
    steps = bake_steps(bpy.context)
    while True:
        try:
            solved = next(steps)
        except StopIteration as end:
            outcome = end.value
            break
        if solved is not None and solved.index == 3:
            bpy.ops.vbd.cancel_bake()
    assert outcome.cancelled and 3 <= outcome.frames < 199
    assert len(block.data.shape_keys.key_blocks) == outcome.frames + 2
    close(shown(block, 3), start - [0, 0, fall(scene, 2)], 1e-5)
    assert outcome.report()[0] == "WARNING"
    assert not bpy.context.window_manager.vbd.baking


def test_a_bake_that_is_dropped_leaves_the_scene_as_it_was(scene):
    frames(scene, 1, 200)
    ob = sheet()
    pin(ob, [0])
    slide(ob, 0, 1, 6, 1.0)
    ob.modifiers.new("Subdivision", "SUBSURF")
    scene.frame_set(2)
    before = shown(ob)
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    steps.close()
    assert ob.data.shape_keys is None and not ob.vbd.bake_record
    assert ob.modifiers["Subdivision"].show_viewport
    assert scene.frame_current == 2
    close(shown(ob), before, 0)
    assert not bpy.context.window_manager.vbd.baking


def test_a_bad_scene_keeps_the_old_bake(scene):
    ob = sheet()
    baked()
    played = shown(ob, 6)
    ob.vbd.pin_group = "Nothing"
    with pytest.raises(RuntimeError, match="Nothing"):
        bpy.ops.vbd.bake()
    close(shown(ob, 6), played, 0)
    assert not ob.data.shape_keys.use_relative


def growing_collider(scene):
    """A slab far below that becomes two slabs in frame 4."""
    modifier = slab("Ball", height=-5.0).modifiers.new("Array", "ARRAY")
    for frame, count in ((1, 1), (3, 1), (4, 2)):
        modifier.count = count
        modifier.keyframe_insert("count", frame=frame)
    scene.frame_set(1)


def test_a_collider_whose_vertex_count_changes_is_refused_and_nothing_changes(scene):
    block = tet_block()
    growing_collider(scene)
    with pytest.raises(RuntimeError, match="Ball has 8 vertices in frame 4, but 4 at"):
        bpy.ops.vbd.bake()
    assert block.data.shape_keys is None and not block.vbd.baked
    assert scene.frame_current == 1


def test_a_bake_is_cancelled_while_it_looks_through_the_animation(scene):
    block = tet_block()
    growing_collider(scene)
    steps = bake_steps(bpy.context)
    assert next(steps) is None
    bpy.ops.vbd.cancel_bake()
    outcome = run_to_end(steps, show=lambda _: None)
    assert outcome.cancelled and outcome.frames == 0
    assert block.data.shape_keys is None
    assert scene.frame_current == 1


def test_vertices_that_could_not_be_solved_are_a_warning(scene, monkeypatch):
    tet_block()
    simulate = simulate_module.simulate

    def rejecting(*arguments, **options):
        for frame in simulate(*arguments, **options):
            stats = replace(frame.stats, rejected=1, rejected_bodies=("Block",))
            yield replace(frame, stats=stats)

    monkeypatch.setattr(simulate_module, "simulate", rejecting)
    level, text = baked().report()
    assert level == "WARNING"
    assert "Some vertices of Block could not be solved" in text


def test_a_bake_that_converged_is_plain_information(scene):
    tet_block()
    outcome = baked()
    assert outcome.report() == ("INFO", f"Baked 5 frames in {outcome.seconds:.0f} s")
    (line,), _ = report.loads(scene.vbd.report)
    assert line.text == outcome.report()[1]
    assert bpy.context.window_manager.vbd.status == ""


def test_a_bake_with_too_few_iterations_says_how_many_to_set(scene):
    ob = sheet(cells=8)
    pin(ob, [0, 8])
    ob.vbd.youngs_modulus = 1e8  # much too stiff for two iterations
    scene.vbd.iterations = 2
    level, text = baked().report()
    assert level == "WARNING"
    head, line = report.loads(scene.vbd.report)[0]
    assert head.text.startswith("Baked 5 frames")
    assert line.setting == "iterations" and line.value > 2
    assert f" look too soft: set iterations to {line.value}" in text


def test_woven_cloth_without_a_uv_map_is_refused_by_name(scene):
    sheet().vbd.membrane = "orthotropic"
    with pytest.raises(RuntimeError, match="Sheet: woven cloth needs a UV map"):
        bpy.ops.vbd.bake()


def test_woven_cloth_stretches_along_its_soft_direction(scene):
    """Gravity pulls along x; turning the UV map by a right angle puts the stiff warp there."""
    scene.gravity = (9.81, 0.0, 0.0)
    scene.vbd.substeps, scene.vbd.iterations = 4, 40
    frames(scene, 1, 12)
    reach = {}
    for warp in (0, 1):
        ob = sheet(f"Sheet {warp}")
        ob.vbd.membrane, ob.vbd.density = "orthotropic", 1.0
        ob.vbd.youngs_modulus, ob.vbd.weft_modulus, ob.vbd.shear_modulus = 1e5, 1e4, 1e4
        points = np.array([tuple(v.co) for v in ob.data.vertices])
        pin(ob, np.flatnonzero(points[:, 0] < 1e-6))
        layer = ob.data.uv_layers.new()
        for loop in ob.data.loops:
            place = points[loop.vertex_index]
            layer.uv[loop.index].vector = (place[warp], place[1 - warp])
        baked()
        reach[warp] = max(shown(ob, frame)[:, 0].max() for frame in range(1, 13))
        bpy.data.objects.remove(ob)
    assert reach[1] - 1.0 > 4.0 * (reach[0] - 1.0) > 0.0


def test_the_cache_holds_what_the_keys_hold(scene):
    ob = sheet()
    baked()
    cache = Cache.open(cache_folder(scene))
    assert cache.finished() == 6
    key = [tuple(point.co) for point in ob.data.shape_keys.key_blocks[6].points]
    np.testing.assert_array_equal(np.array(key, np.float32), cache.read(5)[0])


def test_a_frame_is_saved_while_the_next_one_is_solved(scene, monkeypatch):
    sheet()
    second, write, solve = Event(), Cache.write, simulate_module.Simulation._solve
    waited = []

    def solved(self, stepper, measure, index, cancelled):
        if index == 2:
            second.set()
        return solve(self, stepper, measure, index, cancelled)

    def written(self, index, positions):
        if index == 1:
            waited.append(second.wait(60.0))
        write(self, index, positions)

    monkeypatch.setattr(simulate_module.Simulation, "_solve", solved)
    monkeypatch.setattr(Cache, "write", written)
    outcome = baked()
    assert waited == [True] and outcome.frames == 5


def test_each_object_plays_its_own_part_of_the_cache(scene):
    sheets = [sheet(f"Sheet {k}") for k in range(3)]
    for k, ob in enumerate(sheets):
        ob.location.x = 5.0 * k
        ob.data.transform(Matrix.Scale(1.0 + 0.1 * k, 4))
    baked()
    cache = Cache.open(cache_folder(scene))
    for at, name in enumerate(cache.header.names):
        key = [tuple(p.co) for p in bpy.data.objects[name].data.shape_keys.key_blocks[4].points]
        np.testing.assert_array_equal(np.array(key, np.float32), cache.read(3)[at])


def test_the_bake_of_a_linked_object_is_not_freed(scene, tmp_path):
    sheet()
    baked()
    linked("Sheet", tmp_path)
    with pytest.raises(RuntimeError, match="linked objects keep the bake of their file"):
        bpy.ops.vbd.free_bake()


def test_a_timeline_that_nobody_has_set_ends_where_the_bake_does(scene):
    def said():
        bpy.ops.vbd.bake(mode="NEW")
        (line,) = [
            x for x in report.loads(scene.vbd.report)[0] if "timeline" in x.text.lower()
        ] or [None]
        return scene.frame_end, line and line.text

    tet_block()
    scene.frame_end = 250  # Blender's default
    frames(scene, 1, 3)
    assert said() == (3, "The timeline now ends at frame 3, as the bake does")
    assert said() == (3, None)
    frames(scene, 1, 5)  # it follows as long as nobody sets it
    assert said() == (5, "The timeline now ends at frame 5, as the bake does")
    scene.frame_end = 4
    assert said() == (4, None)
    scene.frame_end = 9
    assert said() == (9, "The timeline goes on to frame 9, but the bake ends at 5")
    scene.frame_end = 250
    scene.frame_start = 100  # all of the timeline lies behind the bake
    assert said() == (250, "The timeline goes on to frame 250, but the bake ends at 5")


def test_a_bake_that_is_not_whole_leaves_the_timeline_alone(scene):
    tet_block()
    scene.frame_end = 250
    frames(scene, 1, 40)
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    bpy.ops.vbd.cancel_bake()
    outcome = run_to_end(steps, show=lambda _: None)
    assert outcome.cancelled and scene.vbd.frames_missing
    assert scene.frame_end == 250
