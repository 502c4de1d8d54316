# SPDX-License-Identifier: GPL-3.0-or-later
"""A Solidify behind the bake whose shell reaches into the object below is reported."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, mesh_object, pin, sheet, shown, slab, slide
from shapes import grid

OFFSETS = {-1.0: "set its Offset to 1", 1.0: "set its Offset to -1"}


def cover(scene, thickness, offset, upside_down=False, height=0.02):
    """A sheet of 1 m, faces up, that has fallen onto a floor, and the lines about its shell."""
    frames(scene, 1, 8)
    ob = sheet(cells=12)
    ob.location.z = height
    if upside_down:
        ob.data.flip_normals()
    modifier = ob.modifiers.new("Thick", "SOLIDIFY")
    modifier.thickness, modifier.offset = thickness, offset
    return ob, [line for line in baked().lines() if "thickens" in line.text]


def test_a_shell_that_contact_leaves_room_for_is_not_told_of(scene):
    slab()
    assert not cover(scene, 0.004, -1.0)[1]  # of 5 mm


@pytest.mark.parametrize(("offset", "upside_down"), [(-1.0, False), (1.0, True)])
def test_a_shell_that_reaches_into_the_floor_is_named_until_it_is_turned(
    scene, offset, upside_down
):
    slab()
    ob, (line,) = cover(scene, 0.02, offset, upside_down)
    assert shown(ob, 8)[:, 2].min() < -0.01
    assert line.text == (
        "Sheet: Thick thickens it by 20 mm towards what it touches, but contact leaves only 5 mm; "
        f"{OFFSETS[offset]}"
    )
    assert line.objects == ("Sheet",) and not line.warns
    ob.modifiers["Thick"].offset = -offset
    assert shown(ob, 8)[:, 2].min() > 0.0
    assert not [line for line in baked().lines() if "thickens" in line.text]


def test_half_of_a_shell_counts_with_the_offset_in_the_middle(scene):
    slab()
    assert not cover(scene, 0.008, 0.0)[1]


def test_a_shell_of_what_touches_nothing_is_none(scene):
    assert not cover(scene, 0.02, -1.0)[1]
    slab("Far", height=-9.0)
    assert not [line for line in baked().lines() if "thickens" in line.text]


def test_a_shell_between_two_is_told_to_be_thick_on_both_sides(scene):
    slab()
    points, triangles = grid(12)
    lid = mesh_object("Lid", points, faces=triangles, role="COLLIDER")
    lid.location.z = 0.009
    _, (line,) = cover(scene, 0.04, 0.0, height=0.0045)
    assert line.text.endswith("set its Offset to 0, and Thickness (Collision) of Sheet to 20 mm")


def test_a_solidify_that_is_simulated_or_only_a_rim_is_none(scene):
    slab()
    ob, _ = cover(scene, 0.02, -1.0)
    bpy.ops.vbd.free_bake()
    ob.modifiers["Thick"].use_rim, ob.modifiers["Thick"].use_rim_only = True, True
    assert not [line for line in baked().lines() if "thickens" in line.text]
    ob.modifiers["Thick"].use_rim_only = False
    ob.vbd.stack_place, ob.vbd.stack_modifier = "AFTER", "Thick"
    assert not [line for line in baked().lines() if "thickens" in line.text]


def test_the_shell_of_a_large_object_is_as_thick_as_it_is_drawn(scene):
    slab(size=20.0)
    ob, lines = cover(scene, 0.004, -1.0)
    assert not lines
    bpy.ops.vbd.free_bake()
    ob.scale = (3.0, 3.0, 3.0)
    scene.view_layers[0].update()
    assert not [line for line in baked().lines() if "thickens" in line.text]
    np.testing.assert_allclose(np.ptp(shown(ob, 1)[:, 2]), 0.012, rtol=1e-3)


def test_what_is_carried_by_its_pins_is_looked_at_where_it_ends(scene):
    slab()
    frames(scene, 1, 8)
    ob = sheet(cells=12)
    pin(ob, [0])
    slide(ob, 0, 1, 8, 0.5)
    ob.location.z = 0.006
    ob.modifiers.new("Thick", "SOLIDIFY").thickness = 0.02
    (line,) = [line for line in baked().lines() if "thickens" in line.text]
    assert line.text.endswith("set its Offset to 1")
