# SPDX-License-Identifier: GPL-3.0-or-later
"""A torso of human size, held at its back, of every soft preset: by how much it drops.

Run `python examples/torso.py` where `vbd` and bpy are installed. It prints a table with the drop of
the torso's height without and with Keep Shape: the first at rest, the second the
farthest in a second of motion.
"""

import bpy
import numpy as np
from scene_objects import add_object, simulate_as

import vbd
from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.values.presets import VBD_MT_soft_presets, apply_shipped_material, shipped_files

HEIGHT, WIDTH, DEPTH, BELLY = 0.7, 0.5, 0.36, 0.15  # [m]
ROWS, AROUND = 16, 32
# The layer of fat over another material [m].
FAT, LAYER = "Fat", 0.03


def torso_mesh():
    """Points [vertex, 3] and faces of a trunk with a belly in front, towards −y."""
    v, u = np.meshgrid(
        np.linspace(0.0, np.pi, ROWS + 2)[1:-1],
        np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False),
        indexing="ij",
    )
    ball = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], axis=-1)
    points = 0.5 * ball.reshape(-1, 3) * [WIDTH, DEPTH, HEIGHT]
    front = np.maximum(-points[:, 1] / (0.5 * DEPTH), 0.0) ** 2
    points[:, 1] -= BELLY * front * np.exp(-(((points[:, 2] + 0.08) / 0.15) ** 2))
    poles = [[0.0, 0.0, 0.5 * HEIGHT], [0.0, 0.0, -0.5 * HEIGHT]]
    i = np.arange(AROUND)
    j, top, last = (i + 1) % AROUND, ROWS * AROUND, (ROWS - 1) * AROUND
    faces = [(top, a, b) for a, b in zip(i, j, strict=True)]
    for row in AROUND * np.arange(ROWS - 1):
        across = zip(i, j, strict=True)
        faces += [(row + a, row + AROUND + a, row + AROUND + b, row + b) for a, b in across]
    faces += [(top + 1, last + b, last + a) for a, b in zip(i, j, strict=True)]
    return np.concatenate([points, poles]), faces


def add_torso(material, layer=None, resolution=12):
    """The torso of a preset, with a layer of another one; the back holds it."""
    points, faces = torso_mesh()
    ob = add_object("Torso", points, faces)
    simulate_as(ob, "SOFT", resolution=resolution)
    if layer:
        apply_shipped_material(bpy.context, ob, layer)
        outside = ob.vbd.youngs_modulus, ob.vbd.density
    apply_shipped_material(bpy.context, ob, material)
    if layer:
        for what, value in zip(("youngs_modulus", "density"), outside, strict=True):
            bpy.ops.vbd.add_painted()
            row = ob.vbd.painted[-1]
            row.what, row.value, row.depth, row.vertex_group = what, value, LAYER, ""
    held = np.flatnonzero(points[:, 1] > 0.06)
    ob.vertex_groups.new(name="Back").add([int(v) for v in held], 1.0, "REPLACE")
    ob.vbd.pin_group = "Back"
    return ob


def heights(ob, frame):
    """Heights of the vertices in a frame [m]."""
    bpy.context.scene.frame_set(frame)
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    return points[:, 2].astype(float)


def drop(material, layer=None, keeps_shape=False, frames=24, **options):
    """The farthest drop of a vertex over the height, and what the report warns of."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    ob = add_torso(material, layer, **options)
    ob.vbd.keeps_shape = keeps_shape
    scene.vbd.frame_start, scene.vbd.frame_end = 1, 1 + frames if keeps_shape else 2
    scene.vbd.quasistatic, scene.vbd.iterations = not keeps_shape, 30 if keeps_shape else 300
    outcome = run_to_end(bake_steps(bpy.context), show=lambda _: None)
    start = heights(ob, 1)
    sunk = [start - heights(ob, frame) for frame in range(2, scene.vbd.frame_end + 1)]
    warnings = [line.text for line in outcome.lines() if line.warns]
    return np.max(sunk) / HEIGHT, warnings


def main():
    vbd.register()
    names = sorted(path.stem for path in shipped_files(VBD_MT_soft_presets))
    print("| Material | Drop | With Keep Shape | Warnings |\n| --- | --- | --- | --- |")
    for name, layer in [*((name, None) for name in names), ("Muscle", FAT)]:
        label = f"{name} under {100 * LAYER:.0f} cm of {layer}" if layer else name.replace("_", " ")
        free, warned = drop(name, layer)
        kept, others = drop(name, layer, keeps_shape=True)
        told = "; ".join([*warned, *others])
        print(f"| {label} | {free:.1%} | {kept:.2%} | {told} |", flush=True)
    vbd.unregister()


if __name__ == "__main__":
    main()
