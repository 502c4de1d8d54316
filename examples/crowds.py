# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of many bodies in the gallery, from frames that the benchmarks have kept.

    python -m vbd.benchmarks.piles bowl100 --keep bowl.npz
    python examples/crowds.py bowl bowl.npz
    python -m vbd.benchmarks.scale pile --sizes 1000000 --keep pile.npz
    python examples/crowds.py pile pile.npz

Renders docs/gallery/contact_bowl.jpg and docs/gallery/contact_million.jpg where bpy is installed.
"""

import sys
from pathlib import Path

import bpy
import demo_look
import numpy as np
from drapes import render

from vbd.benchmarks import scale
from vbd.benchmarks.experiments.contact_shapes import tube
from vbd.benchmarks.experiments.figures import surface
from vbd.benchmarks.experiments.pile_scenes import SCENES
from vbd.solver.bodies import Cells, Cloth, Collider, Rod

GALLERY = Path(__file__).resolve().parent.parent / "docs" / "gallery"
# Colors of bodies, one after the other, and of what they lie on.
COLORS = np.array(
    [
        [0.70, 0.08, 0.06],
        [0.85, 0.45, 0.05],
        [0.75, 0.62, 0.30],
        [0.10, 0.32, 0.18],
        [0.03, 0.30, 0.42],
        [0.08, 0.12, 0.40],
        [0.42, 0.10, 0.30],
    ]
)
GROUND = (0.20, 0.19, 0.18)
SIZE, SAMPLES = (1000, 640), 20


def shown(body, points):
    """The surface of a body with its vertices at points [vertex, 3]: points, triangles."""
    if isinstance(body, Cells):
        return body.surface.points(points), body.surface.triangles
    if isinstance(body, Cloth):
        return points, body.triangles
    if isinstance(body, Rod):
        return tube(points, body.material.collision_thickness, 8)
    return points, surface(body.tets)


def add_mesh(name, points, triangles, color):
    """A mesh with a color [0 to 1] for every point."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.astype(np.int32).ravel())
    mesh.polygons.add(len(triangles))
    starts = np.arange(0, triangles.size, 3, dtype=np.int32)
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.update()
    mesh.validate()
    colors = mesh.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    colors.data.foreach_set("color", np.column_stack([color, np.ones(len(color))]).ravel())
    ob = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(ob)
    demo_look.color(ob, GROUND, roughness=0.45)
    nodes, links = ob.active_material.node_tree.nodes, ob.active_material.node_tree.links
    attribute = nodes.new("ShaderNodeVertexColor")
    attribute.layer_name = "Color"
    links.new(attribute.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    return ob


def add_bodies(bodies, positions, color_of):
    """All bodies as one mesh; `color_of(number)` is the color of one."""
    points, triangles, colors, count = [], [], [], 0
    for number, (body, at) in enumerate(zip(bodies, positions, strict=True)):
        x, corners = shown(body, at)
        points.append(x)
        triangles.append(corners + count)
        colors.append(np.broadcast_to(color_of(number), (len(x), 3)))
        count += len(x)
    return add_mesh("Bodies", *map(np.concatenate, (points, triangles, colors)))


def add_colliders(colliders):
    for one in colliders:
        points = np.asarray(one.points)
        ob = add_mesh(one.name, points, one.triangles, np.broadcast_to(GROUND, points.shape))
        ob.data.shade_smooth()


def main(name, path):
    kept = np.load(path)
    positions = np.split(kept["points"], np.cumsum(kept["counts"])[:-1])
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    if name == "bowl":
        given, view = SCENES["bowl100"]().bodies, ((0.3, -3.4, 3.0), (0.0, -0.05, 0.35))
    else:
        given, view = scale.pile(int(kept["size"])), ((0.72, -3.05, 0.75), (-0.1, -1.2, 0.1))
    bodies = [body for body in given if not isinstance(body, Collider)]
    add_colliders(body for body in given if isinstance(body, Collider))
    add_bodies(bodies, positions, lambda number: COLORS[(5 * number + number // 7) % len(COLORS)])
    demo_look.light_and_camera(scene, *view)
    picture = {"bowl": "contact_bowl.jpg", "pile": "contact_million.jpg"}[name]
    render(scene, GALLERY / picture, SIZE, SAMPLES)


if __name__ == "__main__":
    main(*sys.argv[1:])
