# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator that converts a bake for formats that support only weighted shapes."""

from bpy.types import Operator

from ...solver.messages import message
from ..playing import playback
from ..playing.baked import baked_here
from ..values.scene_time import refresh_frame
from .bake import refusal


def convertible(context):
    """Objects to convert: the selected ones, or else all of the scene."""
    found = [ob for ob in baked_here(context.scene) if playback.is_absolute(ob)]
    return [ob for ob in found if ob in context.selected_objects] or found


class VBD_OT_convert_to_relative(Operator):
    bl_idname = "vbd.convert_to_relative"
    bl_label = "Convert for glTF and FBX"
    bl_description = (
        "Give every baked frame of the selected objects, or of all, a curve of its own. The motion "
        "stays and glTF and FBX can export it; long bakes play slower"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason is None and not convertible(context):
            reason = message("free.none_absolute")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        converted = convertible(context)
        for ob in converted:
            try:
                playback.make_relative(ob)
            except ValueError as error:
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        refresh_frame(context.scene)
        objects = converted[0].name if len(converted) == 1 else f"{len(converted)} objects"
        self.report({"INFO"}, message("free.converted", names=objects))
        return {"FINISHED"}


classes = (VBD_OT_convert_to_relative,)
