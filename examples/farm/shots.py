# SPDX-License-Identifier: GPL-3.0-or-later
"""Eight shots for a farm, and a file for a sweep: a jelly, a crate and a cloth fall on the ground.

Run `python examples/farm/shots.py FOLDER` where `vbd` and bpy are installed. FOLDER gets
shot_01.blend to shot_08.blend, and wedge.blend.
"""

import math
import sys
from pathlib import Path

import bpy

import vbd

SHOTS = 8


def build(turn, frames=48, cells=6, faces=20):
    """The open file with the three objects, turned about the vertical by `turn` [rad]."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.35, location=(0.0, 0.0, 0.5))
    jelly = _simulated("Jelly", "SOFT")
    jelly.vbd.youngs_modulus, jelly.vbd.resolution = 2e4, cells
    bpy.ops.mesh.primitive_cube_add(
        size=0.3, location=(0.3 * math.cos(turn), 0.3 * math.sin(turn), 1.2)
    )
    _simulated("Crate", "RIGID").vbd.density = 300.0
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=faces, y_subdivisions=faces, size=1.6, location=(0.0, 0.0, 1.6)
    )
    # Blender may show a bent quad by its other diagonal, through which things look.
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.quads_convert_to_tris()
    bpy.ops.object.mode_set(mode="OBJECT")
    _simulated("Cloth", "CLOTH")
    scene = bpy.context.scene
    scene.vbd.use_ground = True
    scene.vbd.frame_start, scene.vbd.frame_end = 1, frames
    return scene


def _simulated(name, role):
    """The new object with its name and role."""
    ob = bpy.context.object
    ob.name = name
    bpy.ops.vbd.add(role=role)
    return ob


def save_all(folder, **size):
    """Save the files into a folder; returns the paths of the shots and that of the sweep."""
    shots = [folder / f"shot_{number:02d}.blend" for number in range(1, SHOTS + 1)]
    wedge = folder / "wedge.blend"
    for number, path in enumerate((*shots, wedge)):
        build(2.0 * math.pi * number / SHOTS, **size)
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return shots, wedge


if __name__ == "__main__":
    vbd.register()
    place = Path(sys.argv[1]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    save_all(place)
    vbd.unregister()
