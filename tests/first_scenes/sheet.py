# SPDX-License-Identifier: GPL-3.0-or-later
"""A contact sheet of the first scenes, to be looked at: middle and end of each.

    python tests/first_scenes/sheet.py [NAME ...] [--output build/first_scenes.png]

Run from the root of the checkout.
"""

import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import bpy
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LightSource, to_rgb
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import bake
from scenes import SCENES

import vbd

COLORS = {
    "SOFT": "#d08a3c",
    "CLOTH": "#4f8fbf",
    "ROD": "#b06070",
    "RIGID": "#7f9f6f",
    "COLLIDER": "#b8b8b8",
}
COLUMNS = 10


def draw(axes, baked, frame):
    """Draw all objects of the current scene at one of the frames of `baked`."""
    drawn = []
    for ob in bpy.context.scene.objects:
        if ob.type != "MESH" or ob.vbd.role == "NONE" or ob.vbd.collider_shape != "MESH":
            continue
        points = baked.motion[ob.name][min(frame, len(baked.motion[ob.name]) - 1)]
        role = ob.vbd.role
        color = to_rgb(COLORS[role])
        if role != "COLLIDER":
            drawn.append(points)
        if role == "ROD":
            edges = np.array([edge.vertices[:] for edge in ob.data.edges])
            axes.add_collection3d(Line3DCollection(points[edges], colors=color, linewidths=1.5))
            continue
        faces = points[baked.faces[ob.name]]
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        shade = 0.45 + 0.55 * LightSource(250, 50).shade_normals(normals, fraction=1.0)
        see_through = 0.25 if role == "COLLIDER" else 1.0
        colors = np.column_stack([np.outer(shade, color), np.full(len(faces), see_through)])
        axes.add_collection3d(Poly3DCollection(faces, facecolors=np.clip(colors, 0, 1)))
    everything = np.concatenate(drawn)
    middle, reach = everything.mean(axis=0), 0.6 * np.ptp(everything, axis=0).max()
    for limit, center in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle, strict=True):
        limit(center - reach, center + reach)
    axes.view_init(elev=12, azim=-60)
    axes.set_axis_off()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--output", type=Path, default=Path("build/first_scenes.png"))
    options = parser.parse_args()
    names = options.names or list(SCENES)
    vbd.register()
    rows = -(-len(names) * 2 // COLUMNS)
    figure = plt.figure(figsize=(1.9 * COLUMNS, 2.0 * rows))
    for at, name in enumerate(names):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        expected = SCENES[name]()
        baked = bake(expected.frames)
        print(name, *baked.outcome.report(), flush=True)
        for part, frame in enumerate((len(baked.frames) // 2, len(baked.frames) - 1)):
            axes = figure.add_subplot(rows, COLUMNS, 2 * at + part + 1, projection="3d")
            draw(axes, baked, frame)
            axes.set_title(f"{name} {baked.frames[frame]}", fontsize=6)
    figure.subplots_adjust(0, 0, 1, 0.98, 0, 0.06)
    options.output.parent.mkdir(exist_ok=True)
    figure.savefig(options.output, dpi=80)
    vbd.unregister()


if __name__ == "__main__":
    main()
