# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of a rigid body: its mass, and the frame up to which its animation leads it."""

from bpy.types import Panel

from ...solver.messages import message
from ..objects.rigid_mass import in_words, is_filled, shown_mass
from ..values.presets import MATERIAL_PRESETS
from .drawing import PhysicsPanel, draw_field, draw_presets, lock


class VBD_PT_rigid(PhysicsPanel, Panel):
    bl_label = "Rigid Body"
    bl_parent_id = "VBD_PT_physics"
    roles = ("RIGID",)

    def draw(self, context):
        lock(self.layout, context)
        layout, ob = self.layout, context.object
        vbd = ob.vbd
        row = draw_presets(layout, vbd, *MATERIAL_PRESETS["RIGID"])
        row.menu("VBD_MT_material", text="", icon="DOWNARROW_HLT")
        column = layout.column(align=True)
        draw_field(column, vbd, "density", "Density (kg/m³)", active=not vbd.use_mass)
        row = column.row(align=True)
        row.prop(vbd, "use_mass", text="")
        value = row.row()
        value.active = vbd.use_mass
        value.prop(vbd, "mass")
        mass = None if vbd.use_mass else shown_mass(ob)
        if mass is not None:
            layout.label(text=message("bake.mass", mass=in_words(mass)), icon="INFO")
        column = layout.column(align=True)
        column.prop(vbd, "is_hollow")
        row = column.row()
        row.active = not is_filled(ob)
        row.prop(vbd, "walls_mm")
        column.prop(vbd, "drag")
        layout.operator("vbd.break_into_pieces")


class VBD_PT_rigid_animation(PhysicsPanel, Panel):
    bl_label = "Animated"
    bl_parent_id = "VBD_PT_rigid"
    bl_options = {"DEFAULT_CLOSED"}
    roles = ("RIGID",)

    def draw_header(self, context):
        lock(self.layout, context)
        self.layout.prop(context.object.vbd, "use_animation", text="")

    def draw(self, context):
        lock(self.layout, context)
        layout, vbd = self.layout, context.object.vbd
        layout.active = vbd.use_animation
        layout.prop(vbd, "animated_until")


classes = (VBD_PT_rigid, VBD_PT_rigid_animation)
