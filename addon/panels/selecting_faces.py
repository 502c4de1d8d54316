# SPDX-License-Identifier: GPL-3.0-or-later
"""Button that selects the faces of a cloth that a bake leaves out."""

import bmesh
import bpy
from bpy.props import IntProperty
from bpy.types import Operator

from ...solver.messages import message
from ..objects.participants import select_only
from ..objects.read_mesh import matrix, positions, transformed
from ..objects.sound_faces import left_out
from .advice import lines_of, objects_of


def faces_left_out(ob):
    """Numbers of the faces of a mesh object that a bake as cloth leaves out."""
    return left_out(ob.data, transformed(matrix(ob), positions(ob.data))).faces


def select(mesh, faces):
    """Add faces of a mesh in Edit Mode, by their numbers, to the selection."""
    edited = bmesh.from_edit_mesh(mesh)
    edited.faces.ensure_lookup_table()
    for face in faces:
        edited.faces[face].select_set(True)
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


class VBD_OT_select_faces(Operator):
    bl_idname = "vbd.select_faces"
    bl_label = "Select"
    bl_description = (
        "Go to Edit Mode with the faces selected that the bake leaves out, since they have no area "
        "or are there twice"
    )
    bl_options = {"REGISTER", "UNDO"}

    line: IntProperty(
        name="Line",
        description="Line of the report, from 0; -1 for the active object",
        default=-1,
        min=-1,
    )

    @classmethod
    def poll(cls, context):
        reason = None
        if context.window_manager.vbd.baking:
            reason = message("bake.running")
        elif context.mode != "OBJECT":
            reason = message("bake.object_mode")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        chosen = [ob for ob in self._objects(context) if ob.type == "MESH" and ob.visible_get()]
        found = {ob: faces_left_out(ob) for ob in chosen if ob.data.is_editable}
        found = {ob: faces for ob, faces in found.items() if len(faces)}
        if not found:
            names = ", ".join(ob.name for ob in chosen) or message("report.object_of_line")
            which = "note.no_faces_left_out" if chosen else "report.not_visible"
            self.report({"WARNING"}, message(which, names=names))
            return {"CANCELLED"}
        select_only(context, list(found))
        context.tool_settings.mesh_select_mode = (False, False, True)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="DESELECT")
        for ob, faces in found.items():
            select(ob.data, faces)
        return {"FINISHED"}

    def _objects(self, context):
        if self.line < 0:
            return [context.object] if context.object else []
        lines = lines_of(context.scene)
        return objects_of(lines[self.line], context.scene) if self.line < len(lines) else []


classes = (VBD_OT_select_faces,)
