# SPDX-License-Identifier: GPL-3.0-or-later
"""Break into Pieces: Voronoi cells of a closed mesh, or its loose parts, become rigid bodies that
fixed joints hold together until they break.
"""

import bmesh
import bpy
import numpy as np
from bpy.props import FloatProperty, IntProperty
from bpy.types import Operator

from ...solver.messages import message
from .mesh_pieces import (
    loose_parts,
    neighbors_of_cells,
    neighbors_of_parts,
    seeds_in,
    volume_of,
    voronoi_cells,
)
from .participants import select_only
from .units import unit_scale

# Pieces smaller than this fraction of the mean are left out.
CRUMB = 1e-4


def break_into_pieces(context, ob, count, seed, gap, stress):
    """Make the pieces of a rigid object, joined to their neighbors; returns them.

    `gap` is the width of the cuts, `stress` [Pa] that at which they open. The object itself is
    hidden, without a role.
    """
    mesh = _closed_copy(context, ob)
    scale = abs(ob.matrix_world.determinant()) ** (1.0 / 3.0)
    try:
        cells = loose_parts(mesh)
        if cells:
            cracks = list(neighbors_of_parts(cells, gap / scale))
        else:
            cells = voronoi_cells(mesh, seeds_in(mesh, count, seed), gap / scale)
            cracks = list(neighbors_of_cells(cells))
    finally:
        bpy.data.meshes.remove(mesh)
    volumes = {n: volume_of(cell) for n, cell in cells.items()}
    whole = sum(volumes.values())
    crumbs = [n for n in cells if volumes[n] <= CRUMB * whole / len(cells)]
    if len(cells) - len(crumbs) < 2:
        crumbs = list(cells)
    for number in crumbs:
        bpy.data.meshes.remove(cells.pop(number))
    if not cells:
        raise ValueError(message("joint.no_room", name=ob.name))
    collection = bpy.data.collections.new(message("joint.pieces", name=ob.name))
    context.scene.collection.children.link(collection)
    pieces = {number: _piece(ob, cell, collection) for number, cell in cells.items()}
    unit = unit_scale(context.scene)
    for number, piece in pieces.items():
        piece.vbd.collision_thickness = 0.5 * gap * unit
        if piece.vbd.use_mass:
            piece.vbd.mass *= volumes[number] / whole
    for number, other, area in cracks if stress > 0.0 else ():
        if number in pieces and other in pieces:
            _join(pieces[number], pieces[other], stress * area * (scale * unit) ** 2)
    ob.vbd.role = "NONE"
    ob.hide_set(True)
    ob.hide_render = True
    return list(pieces.values())


def _closed_copy(context, ob):
    """A copy of the mesh of an object as it is seen; refuses one that is not closed."""
    evaluated = ob.evaluated_get(context.evaluated_depsgraph_get())
    mesh = bpy.data.meshes.new_from_object(evaluated)
    work = bmesh.new()
    work.from_mesh(mesh)
    is_open = not work.faces or any(not edge.is_manifold for edge in work.edges)
    work.free()
    if is_open:
        bpy.data.meshes.remove(mesh)
        raise ValueError(message("joint.open_mesh", name=ob.name))
    return mesh


def _piece(ob, mesh, collection):
    """A copy of a rigid object with the mesh of a piece, whose origin is in its middle."""
    piece = ob.copy()
    piece.modifiers.clear()
    piece.data = mesh
    piece.animation_data_clear()
    collection.objects.link(piece)
    middle = np.mean([vertex.co for vertex in mesh.vertices], axis=0)
    for vertex in mesh.vertices:
        vertex.co -= type(vertex.co)(middle)
    world = ob.matrix_world.copy()
    world.translation = ob.matrix_world @ type(mesh.vertices[0].co)(middle)
    piece.parent = None
    piece.matrix_world = world
    piece.vbd.attachments.clear()
    return piece


def _join(piece, other, force):
    """Join a piece to another one until a force [N]."""
    item = piece.vbd.attachments.add()
    item.name, item.kind, item.target = other.name, "FIXED", other
    item.breaking_force, item.collides = force, True


class VBD_OT_break_into_pieces(Operator):
    bl_idname = "vbd.break_into_pieces"
    bl_label = "Break into Pieces"
    bl_description = (
        "Make rigid pieces of the active object, which hold together until the load on a crack "
        "exceeds its strength"
    )
    bl_options = {"REGISTER", "UNDO"}

    count: IntProperty(
        name="Pieces",
        description="Number of pieces. A mesh of loose parts breaks into these instead",
        default=20,
        min=2,
        max=1000,
        soft_max=100,
    )
    seed: IntProperty(name="Seed", description="Where the cracks are", default=0, min=0)
    gap: FloatProperty(
        name="Gap",
        description="Width of the cracks",
        default=0.002,
        min=1e-6,
        soft_max=0.1,
        precision=4,
        unit="LENGTH",
    )
    strength: FloatProperty(
        name="Strength (kPa)",
        description="Tension at which a crack opens; 0 lets the pieces fall apart at once",
        default=100.0,
        min=0.0,
        soft_max=1e5,
    )

    @classmethod
    def poll(cls, context):
        ob, reason = context.object, None
        if ob is None or ob.type != "MESH" or ob.vbd.role != "RIGID":
            reason = message("joint.select_rigid")
        elif context.window_manager.vbd.baking:
            reason = message("bake.running")
        elif ob.vbd.baked:
            reason = message("role.baked", name=ob.name)
        elif not ob.is_editable:
            reason = message("role.linked", name=ob.name)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        try:
            pieces = break_into_pieces(
                context, context.object, self.count, self.seed, self.gap, 1e3 * self.strength
            )
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        select_only(context, pieces)
        self.report({"INFO"}, message("joint.broken_into", count=len(pieces)))
        return {"FINISHED"}


classes = (VBD_OT_break_into_pieces,)
