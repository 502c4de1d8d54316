# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels in Properties > Physics: an object's role, its material, collision, and fields."""

from bpy.types import Panel

from ...solver.messages import message
from ...solver.report.lengths import length
from ..gathering.field_weights import LABELS, weight_name
from ..objects.cell_count import known_cell_count
from ..objects.face_size import automatic_thickness
from ..objects.grains import material_socket
from ..objects.modifiers import may_be_refined
from ..objects.participants import BODIES, SIMULATED
from ..objects.start_shape import frame_of
from ..objects.tetmesh import TETS
from . import material, rigid
from .advice import draw_wrapped, text_width
from .drawing import TITLE, PhysicsPanel, draw_field, draw_numbers, draw_roles, lock
from .soft_flesh import draw_soft_flesh

# Width for text beside an icon from which two buttons of roles have room side by side, in units of
# the interface.
NARROW = 150


def _count_text(count, what):
    return f"{what.capitalize()} not counted" if count is None else f"{count:,} {what}"


class VBD_PT_physics(PhysicsPanel, Panel):
    bl_label = TITLE

    def draw(self, context):
        columns = 2 if text_width(context) > NARROW else 1
        draw_roles(self.layout, context.object, prefix="VBD ", columns=columns)
        draw_soft_flesh(self.layout, context.object)


class VBD_PT_lattice(PhysicsPanel, Panel):
    bl_label = "Detail"
    bl_parent_id = "VBD_PT_physics"
    roles = ("SOFT",)

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        ob = context.object
        own_tets = TETS in ob.data
        row = layout.row()
        row.active = not own_tets
        draw_numbers(row, ob.vbd, "resolution")
        row = layout.row()
        row.label(text=_count_text(known_cell_count(ob), "tets" if own_tets else "cells"))
        row.operator("vbd.count_cells", text="", icon="FILE_REFRESH")
        column = layout.column()
        column.active = not own_tets
        draw_numbers(column, ob.vbd, "contact_vertices")
        if column.active and len(ob.data.vertices) > ob.vbd.contact_vertices:
            draw_wrapped(column, context, message("bake.touches"), "INFO")
        if not own_tets:
            layout.operator("vbd.make_tets")


class VBD_PT_grains(PhysicsPanel, Panel):
    bl_label = "Grains"
    bl_parent_id = "VBD_PT_physics"
    roles = ("GRAINS",)

    def draw(self, context):
        lock(self.layout, context)
        layout, ob = self.layout, context.object
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(ob.vbd, "grain_radius")
        if socket := material_socket(ob):
            layout.prop(socket, "default_value", text="Material")
        layout.prop(ob.vbd, "grain_source")
        row = layout.row(align=True)
        row.label(text=_count_text(len(ob.data.vertices), "grains"))
        row.operator("vbd.fill_again", icon="FILE_REFRESH")


class VBD_PT_pressure(PhysicsPanel, Panel):
    bl_label = "Pressure"
    bl_parent_id = "VBD_PT_physics"
    bl_options = {"DEFAULT_CLOSED"}
    roles = ("CLOTH",)

    def draw(self, context):
        lock(self.layout, context)
        column, vbd = self.layout.column(), context.object.vbd
        draw_field(column, vbd, "pressure")
        column.prop(vbd, "keep_volume")
        column.prop(vbd, "fill_openings")


class VBD_PT_rest_shape(PhysicsPanel, Panel):
    bl_label = "Rest Shape"
    bl_parent_id = "VBD_PT_physics"
    roles = tuple(role for role in BODIES if role != "GRAINS")

    def draw(self, context):
        lock(self.layout, context)
        layout, ob = self.layout, context.object
        layout.prop(ob.vbd, "keeps_shape")  # beside an indent the label would be truncated
        row = layout.row(align=True)
        row.operator("vbd.apply_as_rest")
        row.operator("vbd.apply_as_start")
        if ob.vbd.start_shape:
            row = layout.row()
            row.label(text=message("free.starts", frame=frame_of(ob)), icon="INFO")
            row.operator("vbd.clear_start", text="", icon="X")
        if ob.vbd.role != "CLOTH":
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        keys = ob.data.shape_keys
        row = layout.row()
        row.active = keys is not None and not ob.vbd.keeps_shape
        if keys is None:
            row.prop(ob.vbd, "rest_shape_key", text="Shape Key")
        else:
            row.prop_search(ob.vbd, "rest_shape_key", keys, "key_blocks", text="Shape Key")
        layout.prop(ob.vbd, "shrink")


class VBD_PT_stack(PhysicsPanel, Panel):
    bl_label = "Modifier Stack"
    bl_parent_id = "VBD_PT_physics"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 3  # after Field Weights
    roles = BODIES

    @classmethod
    def poll(cls, context):
        return super().poll(context) and context.object.type == "MESH"

    def draw(self, context):
        lock(self.layout, context)
        layout, ob = self.layout, context.object
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(ob.vbd, "stack_place", text="Simulate")
        if ob.vbd.stack_place == "AFTER":
            layout.prop_search(ob.vbd, "stack_modifier", ob, "modifiers", text="Modifier")
        if ob.vbd.role == "SOFT":
            row = layout.row()
            row.use_property_split = False
            row.active = ob.vbd.stack_place == "AUTO" and may_be_refined(ob)
            row.prop(ob.vbd, "keep_coarse")


class VBD_PT_collision(PhysicsPanel, Panel):
    bl_label = "Collision"
    bl_parent_id = "VBD_PT_physics"
    bl_order = 1  # after the panels of pins and attachments (holding.py)
    roles = (*SIMULATED, "COLLIDER")

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        vbd = context.object.vbd
        collider, grains = vbd.role == "COLLIDER", vbd.role == "GRAINS"
        # A collider without a mesh takes the distance of its partner, and collides with all.
        with_mesh = not collider or vbd.collider_shape == "MESH"
        if collider:
            layout.prop(vbd, "collider_shape")
        elif vbd.role in BODIES and not grains:
            layout.prop(vbd, "self_contact")
        column = layout.column()
        column.active = with_mesh
        if not grains:  # they touch at their radius, each other as well
            column.prop(vbd, "collision_thickness", text="Thickness")
        if vbd.collision_thickness == 0.0 and not (collider or grains):
            automatic = automatic_thickness(context.object)
            shown = "Automatic"
            if automatic is not None:
                shown = message("bake.thickness", thickness=length(automatic))
            column.label(text=shown, icon="INFO")
        row = layout.row(align=True, heading="Friction")
        row.prop(vbd, "use_friction", text="")
        value = row.row()
        value.active = vbd.use_friction
        value.prop(vbd, "friction", text="")
        static = layout.column()
        static.active = vbd.use_friction
        draw_numbers(static, vbd, "static_friction")
        column = layout.column()
        column.active = with_mesh
        column.prop(vbd, "collision_collection", text="Collection")


class VBD_PT_field_weights(PhysicsPanel, Panel):
    bl_label = "Field Weights"
    bl_parent_id = "VBD_PT_physics"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2  # after Collision
    roles = SIMULATED

    def draw(self, context):
        lock(self.layout, context)
        layout, vbd = self.layout, context.object.vbd
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(vbd, "field_collection", text="Collection")
        column = layout.column(align=True)
        column.use_property_split = False
        for name in ("field_all", *map(weight_name, LABELS)):
            column.prop(vbd, name, slider=True)


classes = (
    VBD_PT_physics,
    *material.classes,
    VBD_PT_grains,
    *rigid.classes,
    VBD_PT_lattice,
    VBD_PT_pressure,
    VBD_PT_rest_shape,
    VBD_PT_collision,
    VBD_PT_field_weights,
    VBD_PT_stack,
)
