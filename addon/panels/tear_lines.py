# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines along which a cloth may tear: cut in the mesh and sewn with seams that can break.

So a bake has constant vertices, torn pieces collide as all other bodies do, and shape keys play it
back.
"""

from itertools import pairwise

import bmesh
from bpy.types import Operator

from ...solver.messages import message
from ..playing.playback import is_baked

# Temporary layer of the cut: the original vertex of each copy.
ORIGIN = "vbd origin"
# The force at which an edge of a seam tears, if none is set [N].
SOME_FORCE = 1.0


def cut_and_sew(mesh, is_chosen):
    """Cut a `BMesh` along the edges for which `is_chosen` is true and that have a face on both
    sides, and sew the copies of each vertex by edges of length zero; returns their number.
    """
    layer = mesh.verts.layers.int.new(ORIGIN)
    for number, vertex in enumerate(mesh.verts):
        vertex[layer] = number
    edges = [edge for edge in mesh.edges if len(edge.link_faces) == 2 and is_chosen(edge)]
    bmesh.ops.split_edges(mesh, edges=edges)
    copies = {}
    for vertex in mesh.verts:
        copies.setdefault(vertex[layer], []).append(vertex)
    count = 0
    for together in copies.values():
        for pair in pairwise(together):
            mesh.edges.new(pair)
            count += 1
    mesh.verts.layers.int.remove(layer)
    return count


class VBD_OT_cut_and_sew(Operator):
    bl_idname = "vbd.cut_and_sew"
    bl_label = "Cut and Sew"
    bl_description = (
        "Cut the cloth along the selected edges and sew it there with seams that tear, vertex by "
        "vertex, where their force limit is reached"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob, reason = context.object, None
        if ob is None or ob.vbd.role != "CLOTH":
            reason = message("pin.select_cloth")
        elif context.window_manager.vbd.baking:
            reason = message("bake.running")
        elif is_baked(ob):
            reason = message("report.free_to_edit")
        elif context.mode != "EDIT_MESH":
            reason = message("pin.select_edges")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        ob = context.object
        mesh = bmesh.from_edit_mesh(ob.data)
        count = cut_and_sew(mesh, lambda edge: edge.select)
        bmesh.update_edit_mesh(ob.data)
        if not count:
            self.report(
                {"ERROR"},
                message("pin.nothing_parts", name=ob.name),
            )
            return {"CANCELLED"}
        vbd = ob.vbd
        vbd.use_sewing = vbd.sewing_tears = True
        vbd.sewing_force = vbd.sewing_force or SOME_FORCE
        self.report({"INFO"}, message("pin.cut", count=count, force=vbd.sewing_force))
        return {"FINISHED"}


classes = (VBD_OT_cut_and_sew,)
