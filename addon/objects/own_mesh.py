# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked objects need a mesh or curve of their own in this file, since it gets the shape keys."""

import bpy
from bpy.types import Operator

from ...solver.messages import message
from .curves import is_simulated_as_points
from .participants import BODIES


def missing(ob):
    """The reason why the mesh of an object cannot store its bake, or None; that of a rigid body
    need not.

    Keys of a mesh that is overridden do not survive reloading the file.
    """
    if ob.vbd.role == "RIGID":
        return None if ob.is_editable else message("role.linked", name=ob.name)
    if not (ob.is_editable and ob.data.is_editable) or ob.data.override_library:
        return message("mesh.linked", name=ob.name)
    sharing = _sharing(ob)
    if not sharing:
        return None
    others = sharing[0]
    if sharing[1:]:
        others = message("report.names", names=others, count=len(sharing) - 1)
    return message("mesh.shared", name=ob.name, others=others)


def _sharing(ob):
    """Names of the other objects with the same mesh."""
    if ob.data.users < 2:
        return []
    others = (other for other in bpy.data.objects if other.data == ob.data and other != ob)
    return [other.name for other in others if other.users]  # others are as good as deleted


def without_own_mesh(scene):
    """Objects of a scene that would be baked and have no mesh of their own."""
    chosen = (ob for ob in scene.objects if ob.vbd.role in BODIES and is_simulated_as_points(ob))
    return [ob for ob in chosen if missing(ob)]


def make_own(ob):
    """Give an object, which is of this file or a library override, a mesh of its own."""
    mesh = ob.data.copy()
    if mesh.override_library:
        mesh.make_local(clear_liboverride=True)
    ob.data = mesh


class VBD_OT_make_mesh_local(Operator):
    bl_idname = "vbd.make_mesh_local"
    bl_label = "Give Each Its Own Mesh"
    bl_description = (
        "Give every object to be baked, whose mesh is linked from another file or shared, a mesh "
        "of its own in this file. Library overrides stay overrides"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if context.window_manager.vbd.baking:
            cls.poll_message_set(message("bake.running"))
            return False
        if context.mode != "OBJECT" or not without_own_mesh(context.scene):
            cls.poll_message_set(message("mesh.all_own"))
            return False
        return True

    def execute(self, context):
        done, linked = [], []
        for ob in without_own_mesh(context.scene):
            if not missing(ob):  # the other object of a shared mesh has a copy by now
                continue
            if ob.library and all(c.library is None for c in ob.users_collection):
                ob = ob.override_create(remap_local_usages=True)
            if ob.library:
                linked.append(ob.name)
                continue
            make_own(ob)
            done.append(ob.name)
        if linked:
            self.report(
                {"ERROR"},
                message("mesh.linked_collection", name=linked[0]),
            )
            return {"FINISHED"} if done else {"CANCELLED"}
        self.report({"INFO"}, message("mesh.local_now", names=", ".join(done)))
        return {"FINISHED"}


classes = (VBD_OT_make_mesh_local,)
