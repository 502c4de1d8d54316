# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of muscle fibers."""

from bpy.types import Panel

from .drawing import PhysicsPanel, lock
from .material import draw_fields

FIELDS = (("fiber_stiffness_kpa", None), ("active_stress_kpa", None), ("activation", None))


class VBD_PT_fibers(PhysicsPanel, Panel):
    bl_label = "Muscle Fibers"
    bl_parent_id = "VBD_PT_material"
    bl_options = {"DEFAULT_CLOSED"}
    roles = ("SOFT",)

    def draw(self, context):
        lock(self.layout, context)
        layout, vbd = self.layout, context.object.vbd
        along = vbd.fibers_along
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(vbd, "fibers_along", text="Along")
        if along is not None and along.type == "ARMATURE":
            column.prop_search(vbd, "fiber_bone", along.data, "bones", text="Bone")
        column = layout.column(align=True)
        column.active = along is not None
        draw_fields(column, context, FIELDS)


classes = (VBD_PT_fibers,)
