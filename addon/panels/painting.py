# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of painted properties, with their list."""

from bpy.types import Operator, Panel, UIList

from ...solver.messages import message
from ..objects.curves import is_curve
from ..objects.participants import BODIES
from ..values.measured import measured_name
from ..values.painting import (
    OF_ELEMENTS,
    ROLE_NAMES,
    ROLES_OF,
    is_layer,
    label,
    shown_in,
    start_value,
    unit,
)
from .drawing import PhysicsPanel, lock, with_unit
from .lists import ListOperator, RemoveOperator, draw_list


class VBD_UL_painted(UIList):
    """The painted properties of an object."""

    def draw_item(self, _context, layout, data, item, _icon, _active_data, _active_property):
        row = layout.row()
        row.active = data.role in ROLES_OF[item.what]
        icon = "GROUP_VERTEX" if item.vertex_group or is_layer(item) else "ERROR"
        # Two names side by side would both be truncated.
        row.label(text=label(item.what), icon=icon)


def _draw_row(layout, context, item):
    ob, name = context.object, item.what
    row = layout.row()
    row.use_property_split = False  # names of properties need the whole width
    row.prop(item, "what", text="")
    if ob.vbd.role not in ROLES_OF[name]:
        layout.label(
            text=message("material.not_for_role", role=ROLE_NAMES[ob.vbd.role]), icon="INFO"
        )
        return
    layout.prop_search(item, "vertex_group", ob, "vertex_groups", text="Group")
    if ob.vbd.role == "SOFT" and name in OF_ELEMENTS:
        column = layout.column()
        column.use_property_split = False
        column.prop(item, "depth")
    measured = shown_in(item)
    measure = measured.unit if measured else unit(name, ob.vbd.role)
    column = layout.column(align=True)
    column.use_property_split = False
    value = "shown_value" if measured else "value"
    column.prop(item, value, text=with_unit("Unpainted", measure))
    scene = name == "friction" and not ob.vbd.use_friction
    owner = context.scene.vbd if scene else ob.vbd
    own = measured_name(name, ob.vbd.role) if measured else name
    column.prop(owner, own, text=with_unit("Painted", measure))


class VBD_PT_painted(PhysicsPanel, Panel):
    bl_label = "Painted"
    bl_parent_id = "VBD_PT_material"
    bl_options = {"DEFAULT_CLOSED"}
    roles = BODIES

    @classmethod
    def poll(cls, context):
        return super().poll(context) and not is_curve(context.object)

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        item = draw_list(
            layout, context, "painted", "painted_row", kind="painted", show="show_painted"
        )
        if item is not None:
            _draw_row(layout, context, item)


class VBD_OT_add_painted(ListOperator, Operator):
    bl_idname = "vbd.add_painted"
    bl_label = "Add Painted Property"
    bl_description = "Let the active vertex group give a property of the material"

    def execute(self, context):
        ob = context.object
        vbd = ob.vbd
        taken = {item.what for item in vbd.painted}
        fitting = [name for name, roles in ROLES_OF.items() if vbd.role in roles]
        item = vbd.painted.add()
        item.what = next((name for name in fitting if name not in taken), fitting[0])
        start_value(item, context)
        group = ob.vertex_groups.active
        item.vertex_group = group.name if group else ""
        vbd.painted_row = len(vbd.painted) - 1
        return {"FINISHED"}


class VBD_OT_remove_painted(RemoveOperator, Operator):
    bl_idname = "vbd.remove_painted"
    bl_label = "Remove Painted Property"
    bl_description = "Remove the painted property that is shown; the vertex group stays"
    items, active = "painted", "painted_row"


classes = (VBD_UL_painted, VBD_OT_add_painted, VBD_OT_remove_painted, VBD_PT_painted)
