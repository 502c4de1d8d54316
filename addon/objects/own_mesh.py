# SPDX-License-Identifier: GPL-3.0-or-later
"""What is baked needs a mesh or curve of its own in this file, since it gets the shape keys."""

import bpy
from bpy.types import Operator

from .curves import is_simulated_as_points
from .participants import BODIES

REMEDY = "press Give Each Its Own Mesh in the VBD tab"


def missing(ob):
    """Why the mesh of an object cannot take its bake, or None.

    Keys of a mesh that is overridden do not survive reloading the file.
    """
    if not (ob.is_editable and ob.data.is_editable) or ob.data.override_library:
        return f"{ob.name}: its mesh is linked from another file and cannot be baked; {REMEDY}"
    sharing = _sharing(ob)
    if not sharing:
        return None
    more = f" and {len(sharing) - 1} more" if sharing[1:] else ""
    return f"{ob.name} shares its mesh with {sharing[0]}{more}; {REMEDY}"


def _sharing(ob):
    """Names of the other objects with the same mesh."""
    if ob.data.users < 2:
        return []
    others = (other for other in bpy.data.objects if other.data == ob.data and other != ob)
    return [other.name for other in others if other.users]  # else as good as deleted


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
            cls.poll_message_set("Wait until the bake has ended, or cancel it")
            return False
        if context.mode != "OBJECT" or not without_own_mesh(context.scene):
            cls.poll_message_set("All objects to be baked have meshes of their own")
            return False
        return True

    def execute(self, context):
        done, linked = [], []
        for ob in without_own_mesh(context.scene):
            if not missing(ob):  # the one that it shared with has got another one
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
                f"{linked[0]} is in a linked collection: make a library override of that first "
                "(Object > Library Override > Make)",
            )
            return {"FINISHED"} if done else {"CANCELLED"}
        self.report({"INFO"}, f"{', '.join(done)}: local now")
        return {"FINISHED"}


classes = (VBD_OT_make_mesh_local,)
