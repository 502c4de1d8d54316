# SPDX-License-Identifier: GPL-3.0-or-later
"""During a bake: finished frames in the viewport, and the remaining time."""

from threading import Event

import bpy
import numpy as np
import pytest
from blender_scenes import (
    empty_object,
    frames,
    mesh_object,
    pin,
    sheet,
    shown,
    slab,
    slide,
    tet_block,
)

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.baking.time_left import TimeLeft, in_words
from vbd.addon.playing import preview
from vbd.solver import simulate as simulate_module


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, 6)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    monkeypatch.setattr(preview, "PAUSE", -1.0)  # every frame
    return scene


def quietly(steps):
    return run_to_end(steps, show=lambda _: None)


def seen(ob, steps):
    """Positions that the viewport shows of an object after each visit of the bake, with the scene's
    frame, by the number of the frame that was solved last."""
    pictures, last = {}, 0
    while True:
        try:
            solved = next(steps)
        except StopIteration as end:
            return pictures, end.value
        if solved is not None:
            last = solved.index
        pictures.setdefault(last, []).append((bpy.context.scene.frame_current, shown(ob)))


def leftovers(ob):
    return (
        [modifier.name for modifier in ob.modifiers],
        sorted(layer.name for layer in ob.data.attributes),
        len(bpy.data.node_groups),
        ob.modifiers.active and ob.modifiers.active.name,
    )


def swinging_sheet():
    """A cloth on a moving object, whose pins another object pulls."""
    ob = sheet()
    pin(ob, [0, 4])
    slide(ob, 0, 1, 6, 1.0)
    hand = empty_object("Hand")
    slide(hand, 2, 1, 6, 0.5)
    modifier = ob.modifiers.new("Hook", "HOOK")
    modifier.object, modifier.vertex_group = hand, "Pins"
    return ob


def smooth_sheet():
    ob = sheet()
    ob.modifiers.new("Subdivision", "SUBSURF")
    return ob


def sheet_with_keys():
    ob = sheet()
    ob.shape_key_add(name="Basis", from_mix=False)
    ob.shape_key_add(name="Up", from_mix=False).points[0].co.z += 0.2
    ob.data.shape_keys.key_blocks["Up"].value = 1.0
    return ob


@pytest.mark.parametrize("make", [tet_block, swinging_sheet, sheet_with_keys])
def test_the_viewport_shows_the_frame_that_was_solved_last(scene, make):
    ob = make()
    scene.frame_set(1)
    pictures, outcome = seen(ob, bake_steps(bpy.context, visible=True))
    assert outcome.frames == 5 and set(pictures) >= {1, 2, 3, 4, 5}
    moving = len(ob.modifiers) > 0
    for index, views in pictures.items():
        result = shown(ob, 1 + index)
        for frame, view in views:
            np.testing.assert_allclose(view, result, atol=1e-5)
            assert not moving or frame == 1 + index


@pytest.mark.parametrize("make", [tet_block, swinging_sheet, smooth_sheet, sheet_with_keys])
def test_showing_frames_does_not_change_the_result(scene, make):
    ob = make()
    scene.frame_set(1)
    quietly(bake_steps(bpy.context))
    plain = [shown(ob, frame) for frame in range(1, 7)]
    for _ in range(2):  # the second time over the first bake
        quietly(bake_steps(bpy.context, visible=True))
        for frame, points in enumerate(plain, 1):
            np.testing.assert_array_equal(shown(ob, frame), points)


def test_until_the_first_frame_the_input_state_is_shown(scene, monkeypatch):
    simulate, held = simulate_module.simulate, Event()

    def waiting(*arguments, **options):
        held.wait(60.0)
        yield from simulate(*arguments, **options)

    monkeypatch.setattr(simulate_module, "simulate", waiting)
    ob = swinging_sheet()
    scene.frame_set(5)
    steps = bake_steps(bpy.context, visible=True)
    for _ in range(6):  # meanwhile the scene is read ahead
        assert next(steps) is None
    frame, view = scene.frame_current, shown(ob)
    held.set()
    quietly(steps)
    assert frame == 1
    np.testing.assert_allclose(view, shown(ob, 1), atol=1e-6)


def test_a_moving_collider_stands_where_it_was_in_the_frame_shown(scene):
    block, hand = tet_block(), slab(height=-2.0)
    slide(hand, 1, 1, 6, 0.5)
    scene.frame_set(1)
    at = {frame: shown(hand, frame) for frame in range(1, 7)}
    scene.frame_set(1)
    pictures, _ = seen(hand, bake_steps(bpy.context, visible=True))
    assert set(pictures) >= {1, 2, 3, 4, 5} and not block.modifiers
    for index, views in pictures.items():
        for _, view in views:
            np.testing.assert_array_equal(view, at[1 + index])


def run_out(steps):
    assert quietly(steps).frames == 5


def cancel(steps):
    while next(steps) is None:
        pass
    bpy.ops.vbd.cancel_bake()
    assert quietly(steps).frames


def drop(steps):
    while next(steps) is None:
        pass
    steps.close()


@pytest.mark.parametrize("end", [run_out, cancel, drop])
def test_nothing_of_the_preview_is_left_behind(scene, end):
    ob = smooth_sheet()
    bend = ob.modifiers.new("Bend", "SIMPLE_DEFORM")
    ob.modifiers.active = bend
    before = leftovers(ob)
    end(bake_steps(bpy.context, visible=True))
    assert leftovers(ob) == before


def test_an_error_in_the_middle_leaves_nothing_behind(scene):
    frames(scene, 1, 60)
    block, hand = tet_block(), slab(height=-2.0)
    slide(hand, 1, 1, 6, 0.5)
    before = leftovers(block)
    steps = bake_steps(bpy.context, visible=True)
    while next(steps) is None:
        pass
    bpy.data.objects.remove(hand)
    assert "Slab was deleted during" in quietly(steps).error
    assert leftovers(block) == before


def test_the_time_left_follows_the_pace_of_the_last_frames():
    now = [0.0]
    left = TimeLeft(250, clock=lambda: now[0])
    said = {}
    for index in range(1, 251):
        now[0] += 1.0 if index <= 100 else 4.0
        said[index] = left.after(index)
    assert said[1] == said[3] == ""  # no estimate yet
    assert said[10] == "about 4 min left"
    assert said[100] == "about 2 min left"
    assert said[150] == "about 7 min left"
    assert said[240] == "about 40 s left"
    assert said[250] == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "5 s"),
        (41, "40 s"),
        (57, "1 min"),
        (1500, "25 min"),
        (3600, "1 h"),
        (12100, "3 h 20 min"),
    ],
)
def test_a_time_is_told_as_roughly_as_it_is_known(seconds, words):
    assert in_words(seconds) == words


def test_the_status_tells_the_time_left(scene):
    tet_block()
    frames(scene, 1, 9)
    state, told = bpy.context.window_manager.vbd, []
    for solved in bake_steps(bpy.context):
        if solved is not None:
            told.append(state.status)
    assert told[0] == "Baking 1/8"
    assert told[4] == "Baking 5/8, about 5 s left"
    assert told[7] == "Baking 8/8"


def test_the_spheres_of_grains_move_with_them(scene):
    ob = mesh_object("Sand", [(0.1, 0.0, 1.0), (0.4, 0.0, 1.0)], role="GRAINS")
    steps = bake_steps(bpy.context, visible=True)
    while shown(ob)[:, 2].max() > 0.99:
        next(steps)
    spheres = [
        np.array(instance.matrix_world.translation)
        for instance in bpy.context.evaluated_depsgraph_get().object_instances
        if instance.is_instance
    ]
    points = shown(ob)
    outcome = quietly(steps)
    np.testing.assert_allclose(spheres, points, atol=1e-6)
    assert not any("instances" in note for note in outcome.notes)
