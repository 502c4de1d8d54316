# SPDX-License-Identifier: GPL-3.0-or-later
"""The notice that soft bodies of version 0.1 are softer now, until it is dismissed.

Every object whose role was set in a later version is marked (`object.vbd.made_of_cells`);
dismissing the notice marks the others. So nothing is done when a file is opened, and objects
appended from an old file are noticed as well.
"""

import bpy
from bpy.types import Operator

from ...solver.messages import message
from ..objects.tetmesh import TETS
from .advice import draw_wrapped


def softer(objects):
    """Objects that are soft bodies of version 0.1 and were stiffer there."""
    return [ob for ob in objects if _is_softer(ob)]


def _is_softer(ob):
    return (
        ob.vbd.role == "SOFT"
        and not ob.vbd.made_of_cells
        and ob.is_editable  # else a mark would be lost, and the notice would return
        and ob.type == "MESH"
        and TETS not in ob.data  # tets are unchanged
    )


def draw_softness(layout, context):
    draw_wrapped(layout, context, message("bake.softness"), "INFO")
    layout.operator("vbd.dismiss_softness")


class VBD_OT_dismiss_softness(Operator):
    bl_idname = "vbd.dismiss_softness"
    bl_label = "Dismiss"
    bl_description = (
        "Hide the notice about softer bodies for all soft bodies that are in the file now"
    )
    bl_options = {"UNDO", "INTERNAL"}

    def execute(self, _context):
        for ob in softer(bpy.data.objects):
            ob.vbd.made_of_cells = True
        return {"FINISHED"}


classes = (VBD_OT_dismiss_softness,)
