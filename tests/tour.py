# SPDX-License-Identifier: GPL-3.0-or-later
"""The five-minute tour of the README, followed by the operators of its menus and buttons, with the
numbers of its text.
"""

import re

import bpy  # noqa: TID251
from messages import ROOT

from vbd.addon.values.presets import apply_shipped_material

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = " ".join(TEXT.split("## Five-minute tour")[1].split("\n## ")[0].split())


def number(before):
    """The number that follows these words in the tour."""
    return float(re.search(re.escape(before) + r" (-?[\d.]+\d|\d)", TOUR)[1])


def select(ob):
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob


def walk():
    """Bake as in the tour; returns the sheet, which is selected, the cube and the last frame."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scene, cube = bpy.context.scene, bpy.data.objects["Cube"]
    assert "G, Z, 3, Enter" in TOUR and "S, 5, Enter" in TOUR
    cube.location.z += number("Move the cube up by")
    bpy.ops.mesh.primitive_plane_add(size=2.0 * 5.0)
    bpy.ops.vbd.add(role="COLLIDER")
    select(cube)
    bpy.ops.vbd.add(role="SOFT")
    end = int(number("Set **End** to"))
    scene.vbd.frame_end = 30  # the whole time is baked below
    bpy.ops.vbd.bake()
    assert cube.modifiers[0].name == "VBD Faces" and "**VBD Faces**" in TOUR
    assert "pick **Rubber**" in TOUR
    apply_shipped_material(bpy.context, cube, "Rubber")
    cuts, height = int(number("Subdivisions to")), number("Location Z to")
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=cuts, y_subdivisions=cuts, size=number("Size to"), location=(0, 0, height)
    )
    sheet = bpy.context.object
    bpy.ops.vbd.add(role="CLOTH")
    scene.vbd.frame_end = end
    bpy.ops.vbd.bake()
    return sheet, cube, end


def round_off(cube):
    """The last step, with the sheet selected."""
    assert "Press Ctrl 2." in TOUR and "Generate > **Subdivision Surface**" in TOUR
    bpy.ops.object.subdivision_set(level=2)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.object.modifier_add(type="SUBSURF")
    cube.select_set(True)
    assert "Object > **Shade Smooth**" in TOUR
    bpy.ops.object.shade_smooth()
