# SPDX-License-Identifier: GPL-3.0-or-later
"""Button that lets a soft body be simulated after the modifier that subdivides it."""

from bpy.props import IntProperty
from bpy.types import Operator

from ...solver.messages import message
from ..objects.refining import keep_levels
from ..objects.subdividing import subdivider_of
from .advice import lines_of, objects_of, refusal


class VBD_OT_simulate_after(Operator):
    bl_idname = "vbd.simulate_after"
    bl_label = "Simulate After"
    bl_description = (
        "Simulate soft bodies after the last modifier that subdivides them, with the higher one of "
        "its levels everywhere; then bake again"
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
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        lines, chosen = lines_of(context.scene), [context.object]
        if self.line >= 0:
            chosen = objects_of(lines[self.line], context.scene) if self.line < len(lines) else []
        soft = [ob for ob in chosen if ob and ob.vbd.role == "SOFT" and ob.is_editable]
        found = {ob: modifier for ob in soft if (modifier := subdivider_of(ob))}
        if not found:
            self.report({"WARNING"}, message("mesh.no_subdivider"))
            return {"CANCELLED"}
        for ob, modifier in found.items():
            ob.vbd.stack_place, ob.vbd.stack_modifier = "AFTER", modifier.name
            keep_levels(ob)
        return {"FINISHED"}


classes = (VBD_OT_simulate_after,)
