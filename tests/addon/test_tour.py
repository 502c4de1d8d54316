# SPDX-License-Identifier: GPL-3.0-or-later
"""The five-minute tour of the README does what it says, with the numbers that stand there."""

import re

import bpy
import numpy as np
import pytest
from blender_scenes import shown
from messages import ROOT

from vbd.addon.panels.advice import lines_of

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = " ".join(TEXT.split("## Five-minute tour")[1].split("\n## ")[0].split())


def number(before):
    """The number that follows these words in the tour."""
    return float(re.search(re.escape(before) + r" (-?[\d.]+\d|\d)", TOUR)[1])


def select(ob):
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob


@pytest.mark.any_blender
def test_the_tour():
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
    said = [line for line in lines_of(scene) if line.subdivides]
    assert said and "**Subdivide Faces**" in TOUR
    bpy.ops.vbd.subdivide_faces(line=lines_of(scene).index(said[0]))
    preset = ROOT / "presets" / "vbd" / "material" / "soft" / "Rubber.py"
    exec(compile(preset.read_text(), str(preset), "exec"), {"bpy": bpy})
    cuts, height = int(number("Subdivisions to")), number("Location Z to")
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=cuts, y_subdivisions=cuts, size=number("Size to"), location=(0, 0, height)
    )
    sheet = bpy.context.object
    bpy.ops.vbd.add(role="CLOTH")
    scene.vbd.frame_end = end
    bpy.ops.vbd.bake()
    assert [line.warns for line in lines_of(scene)] == [False]
    cloth, block = shown(sheet, end), shown(cube, end)
    # The block stands on the floor, and the sheet lies on it and hangs down around it.
    top = block[:, 2].max()
    assert -0.05 < block[:, 2].min() < 0.05 and 1.8 < top < 2.05
    above = np.abs(cloth[:, :2]).max(axis=1) < 0.8
    assert above.any() and np.abs(cloth[above, 2] - top).max() < 0.1
    assert cloth[:, 2].min() < top - 0.5
