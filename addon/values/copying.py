# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator that copies the material of the active object to the other selected ones."""

from bpy.types import Menu, Operator

from ...solver.messages import message
from ..objects.participants import SIMULATED
from .presets import MATERIAL_VALUES, RIGID_VALUES


def receivers(context):
    """Selected objects that can take the material of the active one: those of its role."""
    ob = context.object
    return [
        other
        for other in context.selected_objects
        if other != ob and other.vbd.role == ob.vbd.role and other.is_editable
    ]


def refusal(context):
    """The reason why the material cannot be copied now, or None."""
    ob = context.object
    if ob is None or ob.vbd.role not in SIMULATED:
        return message("role.select_simulated")
    if context.window_manager.vbd.baking:
        return message("bake.running")
    if not receivers(context):
        return message("role.select_others", name=ob.name)
    return None


class VBD_OT_copy_material(Operator):
    bl_idname = "vbd.copy_material"
    bl_label = "Copy to Selected"
    bl_description = (
        "Give the other selected objects with the same role the material and friction of the "
        "active one. What is painted or about the shape stays theirs"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        source, chosen = context.object.vbd, receivers(context)
        is_rigid = context.object.vbd.role == "RIGID"
        names = RIGID_VALUES if is_rigid else (*MATERIAL_VALUES, "use_friction")
        for ob in chosen:
            for name in names:
                setattr(ob.vbd, name, getattr(source, name))
        others = len(context.selected_objects) - 1 - len(chosen)
        text = message("role.copied", count=len(chosen))
        if others:
            text += message("role.not_copied", count=others)
        self.report({"INFO"}, text)
        return {"FINISHED"}


class VBD_MT_material(Menu):
    bl_label = "Material"

    def draw(self, _context):
        self.layout.operator("vbd.copy_material", icon="COPYDOWN")


classes = (VBD_OT_copy_material, VBD_MT_material)
