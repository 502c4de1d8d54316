# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are renamed while they are simulated: frames and animation follow them."""

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
from vbd.addon.live.session import LiveSession


def bake_renamed(*objects, visible=True):
    """Bake, and exchange the names of `objects` after the first frame."""
    steps = bake_steps(bpy.context, visible=visible)
    while next(steps) is None:
        pass
    names = [ob.name for ob in objects]
    for ob in objects:
        ob.name = "Between"
    for ob, name in zip(objects, names[1:] or ["Other"], strict=False):
        ob.name = name
    objects[-1].name = names[0] if len(names) > 1 else "Other"
    return run_to_end(steps)


@pytest.fixture
def scene(scene):
    frames(scene, 1, 12)
    return scene


def rope():
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions = "3D"
    curve.splines.new("POLY").points.add(3)
    for at, point in enumerate(curve.splines[0].points):
        point.co = (0.3 * at, 0.0, 0.0, 1.0)
    ob = bpy.data.objects.new("Rope", curve)
    bpy.context.collection.objects.link(ob)
    ob.vbd.role = "ROD"
    return ob


def crate():
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.vbd.role = "RIGID"
    return bpy.context.object


def sand():
    return mesh_object("Sand", [(0.1, 0.0, 1.0), (0.4, 0.0, 1.0)], role="GRAINS")


def divided():
    ob = sheet()
    ob.vbd.stack_place = "AFTER"
    smooth = ob.modifiers.new("Smooth", "SUBSURF")
    smooth.levels = smooth.render_levels = 1
    ob.vbd.stack_modifier = smooth.name
    return ob


@pytest.mark.parametrize("make", [tet_block, sheet, rope, sand, divided, crate])
def test_its_frames_follow_it(scene, make):
    ob = make()
    outcome = bake_renamed(ob)
    assert ob.name == "Other" and ob.vbd.baked and outcome.frames == 11
    assert not [name for name in ob.modifiers.keys() if "Preview" in name]


def test_the_report_names_what_has_large_faces_as_it_is_called_now(scene):
    slab(size=20.0)
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 1.01))
    cube = bpy.context.object
    cube.vbd.role, cube.vbd.keep_coarse, cube.vbd.youngs_modulus = "SOFT", True, 4000.0
    lines = [line for line in bake_renamed(cube).lines() if "too large to show" in line.text]
    assert [line.objects for line in lines] == [("Other",)]
    assert lines[0].text.startswith("The faces of Other are")


def test_the_report_names_what_a_shell_belongs_to_as_it_is_called_now(scene):
    slab()
    ob = sheet(cells=12)
    ob.location.z, ob.modifiers.new("Thick", "SOLIDIFY").thickness = 0.02, 0.02
    lines = [line for line in bake_renamed(ob).lines() if "thickens" in line.text]
    assert [line.objects for line in lines] == [("Other",)]
    assert lines[0].text.startswith("Other: Thick")


def test_two_that_exchange_their_names_keep_their_own_frames(scene):
    free, held = sheet("Free"), sheet("Held")
    held.location.x = 3.0
    pin(held, range(25))
    bake_renamed(free, held)
    assert (free.name, held.name) == ("Held", "Free")
    assert shown(free, 12)[:, 2].max() < 0.0 == shown(held, 12)[:, 2].min()


def test_a_moving_collider_goes_on(scene):
    sheet()
    hand = slab(height=-2.0)
    slide(hand, 2, 1, 12, 0.5)
    assert not bake_renamed(hand).error


def test_a_moving_force_field_goes_on(scene):
    ob, fan = sheet(), empty_object("Fan")
    bpy.context.view_layer.objects.active = fan
    bpy.ops.object.forcefield_toggle()
    fan.field.type, fan.field.strength = "WIND", 100.0
    slide(fan, 0, 1, 12, 0.5)
    assert not bake_renamed(fan).error
    assert ob.vbd.baked


def test_live_keeps_its_frames_if_it_ends_at_once(scene):
    ob = tet_block()
    frames(scene, 1, 200)
    session = LiveSession(bpy.context)
    while session.newest < 3:
        assert session.advance(0.01)
    ob.name = "Other"
    session.finish()
    assert ob.vbd.baked and session.outcome.frames >= 3
    assert np.ptp(shown(ob, 4) - shown(ob, 1)) > 0.0
