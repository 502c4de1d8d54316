# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the examples: meshes from arrays, and roles as a click in the sidebar gives them."""

from pathlib import Path

import bpy

BUILD = Path(__file__).resolve().parent.parent / "build"


def add_object(name, points, faces, location=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0)):
    """A mesh object from points [vertex, 3] in m and lists of corners of any number."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([[*map(float, p)] for p in points], [], [[*map(int, f)] for f in faces])
    ob = bpy.data.objects.new(name, mesh)
    ob.location, ob.rotation_euler = location, rotation
    bpy.context.collection.objects.link(ob)
    return ob


def simulate_as(ob, role, **values):
    """Give an object its role in the simulation, as a click in the sidebar would."""
    for other in bpy.context.selected_objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.vbd.add(role=role)
    for name, value in values.items():
        setattr(ob.vbd, name, value)
