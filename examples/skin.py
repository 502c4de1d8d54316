# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball of soft flesh that is held inside and shaken: its cells show through on the left, and the
smooth skin, right, has no trace of them.

Run `python examples/skin.py` where `vbd` and bpy are installed: it simulates both, renders the
picture docs/gallery/skin.jpg and prints how far both surfaces are apart.
"""

from pathlib import Path

import bpy
import demo_look
import numpy as np
from scene_objects import add_object

from vbd.solver.bodies import Cells, EmbeddedSurface, Pins
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "gallery" / "skin.jpg"
RADIUS, CELLS, RINGS, FRAME = 0.5, 8, 96, 9
FLESH = Material(youngs_modulus=15e3)


def sphere(rings):
    """Points and triangles of a closed sphere."""
    theta, phi = np.meshgrid(
        np.pi * np.arange(1, rings) / rings, np.pi * np.arange(2 * rings) / rings, indexing="ij"
    )
    points = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], 2)
    points = RADIUS * np.concatenate([points.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    row, around = np.indices((rings - 2, 2 * rings)).reshape(2, -1)
    a, b = 2 * rings * row + around, 2 * rings * row + (around + 1) % (2 * rings)
    c, d = a + 2 * rings, b + 2 * rings
    k, last, poles = np.arange(2 * rings), 2 * rings * (rings - 2), len(points) - 2
    caps = [[np.full_like(k, poles), k, (k + 1) % (2 * rings)]]
    caps += [[np.full_like(k, poles + 1), last + (k + 1) % (2 * rings), last + k]]
    triangles = [np.stack(one, axis=1) for one in ((a, c, d), (a, d, b), *caps)]
    return points, np.concatenate(triangles)


def shaken(smooth):
    """Points and triangles of the ball in a frame."""
    points, triangles = sphere(RINGS)
    cells = lattice(points, triangles, CELLS)
    surface = EmbeddedSurface(*embed(points, cells), triangles, smooth)
    body = Cells(cells.points, cells.cells, FLESH, filling=cells.filling, surface=surface)
    inside = np.flatnonzero(np.linalg.norm(body.points, axis=1) < 0.2)
    rest = body.points[inside]
    body.pins = Pins(inside, lambda t: rest + [0.15 * np.sin(4.0 * np.pi * t), 0.0, 0.0])
    *_, frame = simulate([body], Settings(), FRAME)
    return surface.points(frame.exact_positions[0], frame.skins[0]), triangles


def main():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene, found = bpy.context.scene, [shaken(False), shaken(True)]
    print(f"{1e3 * np.abs(found[0][0] - found[1][0]).max():.0f} mm apart")
    for (points, triangles), x in zip(found, (-0.68, 0.68), strict=True):
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        ob = add_object("Ball", points - middle + [x, 0.0, 0.6], triangles)
        demo_look.smooth(ob)
        demo_look.color(ob, (0.75, 0.32, 0.22), roughness=0.28)
    demo_look.light_and_camera(scene, (0.0, -4.4, 1.0), (0.0, 0.0, 0.6))
    # Light from the side shows what is not smooth.
    bpy.data.objects["Key"].location = (-4.0, -1.2, 2.4)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.3
    demo_look.PICTURE_SIZE = (960, 480)
    demo_look.render_strip(scene, [1], PICTURE)


if __name__ == "__main__":
    main()
