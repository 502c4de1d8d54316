# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of pins, seams and attachments, with the list of attachments."""

from itertools import count

from bpy.types import Operator, Panel, UIList

from ..objects.blender_constraints import constraints_of
from ..objects.curves import is_curve
from ..objects.next_step import lacks_target
from ..objects.participants import BODIES, SIMULATED
from .drawing import PhysicsPanel, draw_numbers, lock
from .joints import draw_joint
from .lists import ListOperator, RemoveOperator, draw_list


def _fields(layout, context):
    lock(layout, context)
    layout.use_property_split = True
    layout.use_property_decorate = False
    return context.object.vbd


class VBD_PT_pins(PhysicsPanel, Panel):
    bl_label = "Pins"
    bl_parent_id = "VBD_PT_physics"
    roles = BODIES

    def draw(self, context):
        vbd, layout = _fields(self.layout, context), self.layout
        if is_curve(context.object):  # curves have no vertex groups
            layout.prop(vbd, "pin_start")
            layout.prop(vbd, "pin_end")
        else:
            layout.prop_search(vbd, "pin_group", context.object, "vertex_groups")
            row = layout.row(align=True, heading="Axes")
            row.active = bool(vbd.pin_group)
            for axis, letter in enumerate("XYZ"):
                row.prop(vbd, "pin_axes", index=axis, text=letter, toggle=True)


class VBD_PT_soft_pins(PhysicsPanel, Panel):
    bl_label = "Soft Pins"
    bl_parent_id = "VBD_PT_pins"
    bl_options = {"DEFAULT_CLOSED"}
    roles = BODIES

    @classmethod
    def poll(cls, context):
        return super().poll(context) and not is_curve(context.object)

    def draw_header(self, context):
        lock(self.layout, context)
        self.layout.prop(context.object.vbd, "soft_pins", text="")

    def draw(self, context):
        vbd, layout = _fields(self.layout, context), self.layout
        layout.active = vbd.soft_pins and bool(vbd.pin_group)
        column = layout.column(align=True)
        column.use_property_split = False
        draw_numbers(column, vbd, "pin_stiffness", "pin_damping", "pin_strength")
        if vbd.role == "SOFT":
            draw_numbers(column, vbd, "pin_depth")


class VBD_PT_sewing(PhysicsPanel, Panel):
    bl_label = "Sewing"
    bl_parent_id = "VBD_PT_physics"
    bl_options = {"DEFAULT_CLOSED"}
    roles = ("CLOTH",)

    def draw_header(self, context):
        lock(self.layout, context)
        self.layout.prop(context.object.vbd, "use_sewing", text="")

    def draw(self, context):
        vbd, layout = _fields(self.layout, context), self.layout
        column = layout.column()
        column.active = vbd.use_sewing
        draw_numbers(column, vbd, "sewing_speed", "sewing_force")
        row = column.row()
        row.active = vbd.sewing_force > 0.0
        row.prop(vbd, "sewing_tears")
        layout.operator("vbd.cut_and_sew")


class VBD_UL_attachments(UIList):
    """The attachments of an object."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property):
        row = layout.row(align=True)
        row.use_property_split = False  # Blender 4.3 would leave out the check box
        row.active = item.enabled
        # Two names side by side would both be truncated.
        icon = "ERROR" if lacks_target(item.id_data, item) else "LINKED"
        row.prop(item, "name", text="", emboss=False, icon=icon)
        row.prop(item, "enabled", text="")


class VBD_PT_attachments(PhysicsPanel, Panel):
    bl_label = "Attachments"
    bl_parent_id = "VBD_PT_physics"
    bl_options = {"DEFAULT_CLOSED"}
    roles = SIMULATED

    def draw(self, context):
        _fields(self.layout, context)
        layout, ob = self.layout, context.object
        item = draw_list(
            layout, context, "attachments", "attachment", kind="attachment", show="show_attachments"
        )
        if ob.vbd.role == "RIGID" and constraints_of(context.scene):
            layout.operator("vbd.read_constraints")
        if item is None:
            return
        column = layout.column()
        column.active = item.enabled
        if ob.vbd.role == "RIGID":
            column.prop(item, "kind")
            if item.kind != "ATTACHMENT":
                draw_joint(column, item)
                return
        column.prop(item, "target")
        if not is_curve(ob):
            column.prop_search(item, "vertex_group", ob, "vertex_groups", text="Group")
        numbers = ("distance", "stiffness", "damping", "strength", "maximum_force")
        draw_numbers(column, item, "keep_distance", *numbers)
        row = column.row()
        row.active = item.maximum_force > 0.0
        row.prop(item, "tears")


class VBD_OT_add_attachment(ListOperator, Operator):
    bl_idname = "vbd.add_attachment"
    bl_label = "Add Attachment"
    bl_description = (
        "Attach the active object to another one that is selected too; without one, choose it "
        "below. Rigid bodies get a hinge, about the Z axis of an empty that is selected too, "
        "unless the other object bends"
    )
    roles = SIMULATED

    def execute(self, context):
        ob = context.object
        vbd = ob.vbd
        item = vbd.attachments.add()
        others = [other for other in context.selected_objects if other != ob]
        empties = [other for other in others if other.type == "EMPTY"]
        if ob.vbd.role == "RIGID":
            others = [other for other in others if other.type != "EMPTY"]
        if len(others) == 1:
            item.target = others[0]
        bends = item.target is not None and item.target.vbd.role in BODIES
        if ob.vbd.role == "RIGID" and not bends:
            item.kind = "HINGE"
            if len(empties) == 1:
                item.axis_object = empties[0]
        item.name = _free_name(
            item.target.name if item.target else "Attachment",
            {other.name for other in vbd.attachments},
        )
        vbd.attachment = len(vbd.attachments) - 1
        return {"FINISHED"}


def _free_name(name, taken):
    """The name, with a number behind it if it is taken."""
    numbered = (name if number == 1 else f"{name} {number}" for number in count(1))
    return next(found for found in numbered if found not in taken)


class VBD_OT_remove_attachment(RemoveOperator, Operator):
    bl_idname = "vbd.remove_attachment"
    bl_label = "Remove Attachment"
    bl_description = "Remove the attachment that is shown"
    items, active = "attachments", "attachment"
    roles = SIMULATED


classes = (
    VBD_UL_attachments,
    VBD_OT_add_attachment,
    VBD_OT_remove_attachment,
    VBD_PT_pins,
    VBD_PT_soft_pins,
    VBD_PT_sewing,
    VBD_PT_attachments,
)
