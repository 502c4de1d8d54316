# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments, joints, pins and painted values that change while Live runs."""

import bpy
import numpy as np
import pytest
from blender_scenes import empty_object, frames, mesh_object, pin, sheet, shown

from vbd.addon.gathering.reader import Reader
from vbd.addon.live import live_run, watching
from vbd.addon.live.session import LiveSession
from vbd.addon.live.weights import WeightWatch


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, 60)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 10
    monkeypatch.setattr(live_run, "rate", lambda scene: 1e6)  # does not wait for real time
    monkeypatch.setattr(watching, "EVERY", 0.0)
    monkeypatch.setattr(watching, "REST", 0.0)
    scene.frame_set(1)
    return scene


def live(change, after=5):
    """Run Live to its end, and call `change` once after a frame; returns the session."""
    session = LiveSession(bpy.context)
    while session.advance(0.01):
        if change is not None and session.newest >= after:
            change()
            change = None
    assert session.outcome.frames == 59, session.reason
    return session


def group(ob, name, vertices):
    ob.vertex_groups.new(name=name).add(list(vertices), 1.0, "REPLACE")
    return name


def attach(ob, target, vertices=(), **more):
    item = ob.vbd.attachments.add()
    item.target, item.name = target, target.name
    if vertices:
        item.vertex_group = group(ob, target.name, vertices)
    for name, value in more.items():
        setattr(item, name, value)
    return item


def test_an_attachment_that_is_added_catches(scene):
    ob, hook = sheet(), empty_object(location=(0.0, 0.0, 0.2))
    pin(ob, [24])
    session = live(lambda: attach(ob, hook, [0], keep_distance=False))
    assert session.run.solver.cache.header.edited
    np.testing.assert_allclose(shown(ob, 60)[0], hook.location, atol=0.02)
    motion = np.array([shown(ob, frame)[24] for frame in range(1, 61)])
    np.testing.assert_allclose(motion, motion[:1].repeat(60, axis=0), atol=1e-6)


def test_an_attachment_that_is_off_lets_go(scene):
    ob, hook = sheet(), empty_object()
    item = attach(ob, hook, [0])
    pin(ob, [24])
    live(lambda: setattr(item, "enabled", False), after=20)
    # A spring that few iterations solve gives way by some centimetres.
    assert np.linalg.norm(shown(ob, 20)[0]) < 0.1 and shown(ob, 60)[0][2] < -0.3


def test_a_target_that_is_moved_takes_the_cloth_along(scene):
    ob, hook = sheet(), empty_object()
    attach(ob, hook, [0], keep_distance=False)
    pin(ob, [24])
    live(lambda: setattr(hook.location, "z", 0.4))
    np.testing.assert_allclose(shown(ob, 60)[0], (0.0, 0.0, 0.4), atol=0.02)


def test_a_joint_that_is_added_holds(scene):
    boxes = []
    for x in (0.0, 1.5):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0.0, 0.0))
        boxes.append(bpy.context.object)
        bpy.context.object.vbd.role = "RIGID"
    hook = empty_object(location=(0.0, 0.0, 0.0))
    attach(boxes[0], hook, kind="BALL")

    def change():
        attach(boxes[1], boxes[0], kind="FIXED")

    live(change, after=2)
    scene.frame_set(60)
    a, b = (ob.matrix_world.translation for ob in boxes)
    # The second one would have fallen by 30 m.
    assert (a - b).length == pytest.approx(1.5, abs=0.1) and a.length < 0.1


def test_pins_that_are_painted_hold(scene):
    ob = sheet()
    pin(ob, [0])
    session = live(lambda: pin(ob, [24]))
    z = np.array([shown(ob, frame)[24][2] for frame in range(1, 61)])
    edited = session.run.solver.cache.header.edited
    # Vertices that are pinned meanwhile stay where they are.
    assert 5 <= edited < 30 and z[edited - 1] < -1e-3
    np.testing.assert_allclose(z[edited + 1 :], z[59], atol=1e-6)


def test_painted_values_act(scene):
    ob = sheet()
    pin(ob, [0, 4])
    item = ob.vbd.painted.add()
    item.what, item.value, item.vertex_group = "density", 0.1, group(ob, "Heavy", range(25))
    own = ob.vbd.density

    def change():
        ob.vertex_groups["Heavy"].add(range(20, 25), 0.0, "REPLACE")

    session = live(change)
    (body,) = session.run.gathered.simulated()
    density = np.asarray(body.material.density)
    assert density.min() < 0.5 * (0.1 + own) and density.max() == pytest.approx(own)


def test_weights_are_read_in_slices(scene):
    points = np.random.default_rng(1).random((2500, 3))
    ob, look = mesh_object("Points", points), WeightWatch()
    ob.vertex_groups.new(name="Group").add(range(2500), 0.5, "REPLACE")
    assert len(list(look.begin([ob]))) == 3 and not list(look.begin([ob]))
    for _ in range(6):
        look.look([ob])
    assert not look.changes["Points"]
    ob.vertex_groups[0].add([2400], 0.6, "REPLACE")
    for _ in range(3):
        look.look([ob])
    assert look.changes["Points"] == 1


def painted(count):
    """An object with one group, and its `WeightWatch`, which has read it."""
    points = np.random.default_rng(1).random((count, 3))
    ob, look = mesh_object("Points", points), WeightWatch()
    ob.vertex_groups.new(name="Group").add(range(count), 0.5, "REPLACE")
    list(look.begin([ob]))
    return ob, look


def test_a_stroke_over_many_slices_is_one_change_even_before_the_first_look(scene):
    ob, look = painted(10_000)
    ob.vertex_groups[0].add(range(10_000), 0.6, "REPLACE")
    for _ in range(20):
        look.look([ob])
    assert look.changes["Points"] == 1


def test_what_is_being_painted_is_read_at_once(scene):
    others = [mesh_object(f"Other {k}", np.zeros((5000, 3))) for k in range(3)]
    for other in others:
        other.vertex_groups.new(name="Group").add(range(5000), 0.5, "REPLACE")
    ob, look = painted(10_000)
    list(look.begin(others))
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    ob.vertex_groups[0].add([4321], 0.6, "REPLACE")
    look.look([*others, ob])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert look.changes == {"Points": 1}


def test_groups_that_are_added_to_a_mesh_without_any_are_found(scene):
    ob, look = mesh_object("Points", np.zeros((10, 3))), WeightWatch()
    assert not list(look.begin([ob]))
    ob.vertex_groups.new(name="Group")
    look.look([ob])
    assert not look.changes["Points"]
    ob.vertex_groups[0].add([3], 0.5, "REPLACE")
    look.look([ob])
    assert look.changes["Points"] == 1


def test_what_changes_while_the_animation_is_read_acts(scene, monkeypatch):
    ob = sheet()
    pin(ob, [0])
    survey, done = Reader.survey, []

    def painted_meanwhile(reader):
        if not done:
            done.append(pin(ob, [24]))
        yield from survey(reader)

    monkeypatch.setattr(Reader, "survey", painted_meanwhile)
    session = live(None)
    assert session.run.solver.cache.header.edited
    z = [shown(ob, frame)[24][2] for frame in (30, 60)]
    assert z[0] == pytest.approx(z[1], abs=1e-6)
