# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene to shape keys and back, in the real Blender."""

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
    slide,
    tet_block,
)
from mathutils import Matrix
from short_bakes import baked, close, short_scene

from vbd.addon.baking.bake_steps import bake_steps, cache_folder
from vbd.solver import simulate as simulate_module
from vbd.solver.cache import Cache


@pytest.fixture
def scene(scene):
    return short_scene(scene)


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
