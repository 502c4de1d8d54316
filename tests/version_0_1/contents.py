# SPDX-License-Identifier: GPL-3.0-or-later
"""A small scene that version 0.1 has saved and baked: its contents, and the script that made it.

    PYTHONPATH=FOLDER:CHECKOUT/tests python tests/version_0_1/contents.py

with a link FOLDER/vbd to a checkout of that version writes `scene.blend` and its cache.
"""

import sys
from pathlib import Path

import bpy  # noqa: TID251

sys.path.append(str(Path(__file__).resolve().parents[1]))

from blender_scenes import mesh_object, pin, sheet, slab, tet_block

FOLDER = Path(__file__).resolve().parent
BLEND = FOLDER / "scene.blend"
FIRST, LAST = 3, 8

SCENE = {
    "frame_start": FIRST,
    "frame_end": LAST,
    "device": "CPU",
    "substeps": 5,
    "iterations": 12,
    "collision_stiffness": 2e4,
    "friction": 0.3,
    "damping": 0.002,
    "friction_velocity": 0.02,
    "relaxation": 1.4,
    "coarse_correction": False,
    "acceleration": 0.0,
    "line_search": False,
    "initial_guess": "inertia_acceleration",
    "quasistatic": False,
    "augmented": False,
    "collision_interval": 4,
    "collision_damping": 0.001,
    "truncation": True,
    "use_ground": True,
    "ground_height": -0.5,
    "threads": 1,
}
# Settings of that version that no longer exist.
GONE = {"estimate_acceleration": False, "tolerance": 1e-4}
OBJECTS = {
    "Ball": {
        "role": "SOFT",
        "solid_model": "neo_hookean_log",
        "youngs_modulus": 4e4,
        "poisson_ratio": 0.35,
        "density": 900.0,
        "damping": 0.01,
        "collision_thickness": 0.02,
        "self_contact": True,
        "use_friction": True,
        "friction": 0.7,
        "resolution": 3,
        "contact_vertices": 2000,
    },
    "Block": {"role": "SOFT", "solid_model": "corotated", "youngs_modulus": 8e4},
    "Sheet": {
        "role": "CLOTH",
        "membrane": "orthotropic",
        "youngs_modulus": 3e5,
        "weft_modulus": 2e5,
        "shear_modulus": 2e4,
        "poisson_ratio": 0.2,
        "thickness": 0.002,
        "density": 0.25,
        "bending_stiffness": 2e-4,
        "rest_flat": True,
        "pin_group": "Pins",
    },
    "String": {"role": "ROD", "thickness": 0.004, "density": 0.03, "pin_group": "Pins"},
    "Floor": {"role": "COLLIDER", "use_friction": True, "friction": 0.9},
    "Wall": {"role": "COLLIDER", "collider_shape": "PLANE"},
}


def owners():
    """The property groups of the open file, and their expected values."""
    yield bpy.context.scene.vbd, SCENE
    for name, values in OBJECTS.items():
        yield bpy.data.objects[name].vbd, values


def build():
    """The scene before its bake."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.3, location=(0.0, 0.0, 0.5))
    bpy.context.object.name = "Ball"
    tet_block().location = (1.0, 0.0, 0.1)
    cloth = sheet(cells=4)
    cloth.location = (-2.0, 0.0, 1.0)
    pin(cloth, [0, 4])
    along = cloth.data.uv_layers.new(name="UVMap").data
    for loop in cloth.data.loops:
        along[loop.index].uv = cloth.data.vertices[loop.vertex_index].co[:2]
    string = mesh_object(
        "String", [(0.1 * k, 2.0, 1.0) for k in range(6)], edges=[(k, k + 1) for k in range(5)]
    )
    pin(string, [0])
    slab("Floor")
    slab("Wall", height=-1.0)
    for owner, values in (*owners(), (bpy.context.scene.vbd, GONE)):
        for name, value in values.items():
            setattr(owner, name, value)


def main():
    import vbd
    from vbd.addon.baking.bake_steps import bake_steps, run_to_end

    vbd.register()
    build()
    bpy.context.preferences.filepaths.save_version = 0
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND), compress=True)
    run_to_end(bake_steps(bpy.context))
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND), compress=True)
    vbd.unregister()


if __name__ == "__main__":
    main()
