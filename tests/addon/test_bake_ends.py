# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of a bake: cancelled, refused, with warnings, and with a longer timeline."""

from dataclasses import replace

import bpy
import pytest
from blender_scenes import (
    fall,
    frames,
    pin,
    sheet,
    shown,
    slab,
    slide,
    tet_block,
)
from short_bakes import baked, close, short_scene

from vbd.addon.baking import report
from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.solver import simulate as simulate_module


@pytest.fixture
def scene(scene):
    return short_scene(scene)


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
