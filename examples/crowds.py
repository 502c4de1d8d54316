# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of many bodies in the gallery, from frames that the benchmarks have kept.

    python -m vbd.benchmarks.piles bowl100 --keep bowl.npz
    python examples/crowds.py bowl bowl.npz
    python -m vbd.benchmarks.scale pile --sizes 1000000 --keep pile.npz
    python examples/crowds.py pile pile.npz
    python -m vbd.benchmarks.experiments.rigid_run teapot --meshes FOLDER --keep teapot.npz
    python examples/crowds.py teapot teapot.npz FOLDER
    python -m vbd.benchmarks.experiments.rigid_run links --keep links.npz
    python examples/crowds.py links links.npz

Renders contact_bowl, contact_million, rigid_teapot or rigid_links.jpg of docs/gallery where bpy is
installed. FOLDER holds the paper's meshes.
"""

import sys
from dataclasses import replace
from pathlib import Path

import bpy
import demo_look
import numpy as np
from drapes import render

from vbd.benchmarks import scale
from vbd.benchmarks.experiments.contact_shapes import tube
from vbd.benchmarks.experiments.figures import surface
from vbd.benchmarks.experiments.pile_scenes import SCENES
from vbd.benchmarks.experiments.rigid_scenes import links, teapot
from vbd.solver.bodies import Cells, Cloth, Collider, RigidBody, Rod

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
SIZE, WIDE, SAMPLES = (1000, 640), (1000, 400), 20


def shown(body, points):
    """The surface of a body with its vertices at points [vertex, 3]: points, triangles."""
    if isinstance(body, Cells):
        return body.surface.points(points), body.surface.triangles
    if isinstance(body, Cloth | RigidBody):
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


def add_moments(bodies, colliders, kept, apart=0.48):
    """All bodies and colliders once for every moment that was kept, side by side along x [m]."""
    moments = [*kept["moments"], kept["points"]]
    for number, points in enumerate(moments):
        shift = np.array([apart * (number - 0.5 * (len(moments) - 1)), 0.0, 0.0])
        positions = np.split(points + shift, np.cumsum(kept["counts"])[:-1])
        add_bodies(bodies, positions, color_of)
        add_colliders(replace(one, points=one.points + shift) for one in colliders)


def of_glass(ob):
    """Make an object of glass, which shows what lies in it."""
    shader = ob.active_material.node_tree.nodes["Principled BSDF"]
    ob.active_material.node_tree.links.remove(shader.inputs["Base Color"].links[0])
    shader.inputs["Base Color"].default_value = (0.93, 0.97, 0.98, 1.0)
    shader.inputs["Transmission Weight"].default_value = 1.0
    shader.inputs["Roughness"].default_value = 0.02


def color_of(number):
    """The color of a body."""
    return COLORS[(5 * number + number // 7) % len(COLORS)]


def add_colliders(colliders):
    for one in colliders:
        points = np.asarray(one.points)
        ob = add_mesh(one.name, points, one.triangles, np.broadcast_to(GROUND, points.shape))
        ob.data.shade_smooth()


def main(name, path, folder=None):
    kept = np.load(path)
    positions = np.split(kept["points"], np.cumsum(kept["counts"])[:-1])
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    given, view = {
        "bowl": lambda: (SCENES["bowl100"]().bodies, ((0.3, -3.4, 3.0), (0.0, -0.05, 0.35))),
        "pile": lambda: (
            scale.pile(int(kept["size"])),
            ((0.72, -3.05, 0.75), (-0.1, -1.2, 0.1)),
        ),
        "teapot": lambda: (teapot(folder).bodies, ((0.5, -3.35, 1.75), (-0.06, 0.0, 0.42))),
        "links": lambda: (links().bodies, ((0.4, -2.75, 0.1), (0.1, 0.0, -0.18))),
    }[name]()
    bodies = [body for body in given if not isinstance(body, Collider)]
    colliders = [body for body in given if isinstance(body, Collider)]
    if name == "links":
        add_moments(bodies, colliders, kept)
    else:
        add_colliders(colliders)
        add_bodies(bodies, positions, color_of)
    demo_look.light_and_camera(scene, *view)
    if name == "teapot":
        of_glass(bpy.data.objects["Teapot"])
        bpy.ops.mesh.primitive_plane_add(size=40.0, location=(0.0, 0.0, -0.005))
        demo_look.color(bpy.context.object, (0.34, 0.32, 0.30), roughness=0.7)
    picture = {"pile": "contact_million", "bowl": "contact_bowl"}.get(name, f"rigid_{name}")
    size, bounces = (WIDE if name == "links" else SIZE), (12 if name == "teapot" else 4)
    render(scene, GALLERY / f"{picture}.jpg", size, SAMPLES, bounces)


if __name__ == "__main__":
    main(*sys.argv[1:])
