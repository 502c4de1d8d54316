# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that give objects a role in the simulation, and that count a soft body's cells."""

import bpy
from bpy.props import EnumProperty

from ...solver.messages import message
from ..objects.cell_count import can_count, count_cells
from ..objects.curves import is_simulated_as_points
from ..objects.grains import fill, filling, new_grains, radius_of
from ..objects.hair import is_hair
from ..objects.participants import CONVERTIBLE, participants, select_only, unsuited
from ..values.presets import MATERIAL_VALUES, apply_shipped_material
from ..values.roles import ROLES
from ..values.scene_time import take_range
from .soft_flesh import make_rigid

# The shipped material that a new role starts with; other roles start with the defaults.
STARTING_MATERIAL = {"CLOTH": "Cotton", "ROD": "Rope", "RIGID": "Wood", "GRAINS": "Sand"}
# Hair is held at its roots, and its strands lie too close together for contact between them.
HAIR_MATERIAL = "Hair"
# Roles that start with self contact: thin bodies touch themselves in every drape and every knot, a
# soft body of one piece seldom.
SELF_CONTACT = ("CLOTH", "ROD")


def chosen_objects(context):
    """The selected meshes and curves; if nothing is selected, the active object."""
    return [ob for ob in _selected(context) if is_simulated_as_points(ob)]


def _selected(context):
    chosen = context.selected_objects or [context.object]
    return [ob for ob in chosen if ob is not None]


def refusal(context):
    """The reason why roles cannot change now, or None."""
    chosen = chosen_objects(context)
    if not chosen:
        refusals = [unsuited(ob, "ROD") for ob in _selected(context) if ob.type in CONVERTIBLE]
        return refusals[0] if refusals else message("role.select")
    if context.window_manager.vbd.baking:
        return message("bake.running")
    for ob in chosen:
        if ob.vbd.baked:
            return message("role.baked", name=ob.name)
        if not ob.is_editable:
            return message("role.linked", name=ob.name)
    return None


def reset_material(ob):
    for name in (*MATERIAL_VALUES, "use_friction", "use_mass"):
        ob.vbd.property_unset(name)


class VBD_OT_add(bpy.types.Operator):
    bl_idname = "vbd.add"
    bl_label = "Add to Simulation"
    bl_description = (
        "Give the selected objects a role in the simulation. A new role starts with a "
        "material that fits it"
    )
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(
        name="Role",
        description="What the objects are in the simulation",
        items=[item for item in ROLES if item[0] != "NONE"],
        default="SOFT",
    )

    @classmethod
    def description(cls, _context, properties):
        return next(text for name, _, text in ROLES if name == properties.role)

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        chosen = chosen_objects(context)
        reason = next(filter(None, (unsuited(ob, self.role) for ob in chosen)), None)
        if reason:
            self.report({"ERROR"}, reason)
            return {"CANCELLED"}
        try:  # all of them before any object changes
            fillings = _fillings(chosen) if self.role == "GRAINS" else {}
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not participants(context.scene):
            take_range(context.scene)
        if fillings:
            chosen = [
                new_grains(context, ob, *fillings[ob]) if ob in fillings else ob for ob in chosen
            ]
            select_only(context, chosen)
        for ob in chosen:
            if ob.vbd.role == self.role:
                continue
            ob.vbd.role = self.role
            reset_material(ob)
            ob.vbd.self_contact = self.role in SELF_CONTACT and not is_hair(ob)
            if is_hair(ob):
                ob.vbd.pin_start = True
                apply_shipped_material(context, ob, HAIR_MATERIAL)
            elif self.role in STARTING_MATERIAL:
                apply_shipped_material(context, ob, STARTING_MATERIAL[self.role])
        return {"FINISHED"}


def _fillings(objects):
    """The `filling` of those objects with faces that are no grains: their vertices are none."""
    return {
        ob: filling(ob, 0.0) for ob in objects if ob.vbd.role != "GRAINS" and len(ob.data.polygons)
    }


class VBD_OT_fill_again(bpy.types.Operator):
    bl_idname = "vbd.fill_again"
    bl_label = "Fill Again"
    bl_description = "Fill the mesh again, with grains of the present radius"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        reason = refusal(context)
        if reason is None and (ob is None or ob.vbd.role != "GRAINS" or not ob.vbd.grain_source):
            reason = message("role.select_filled")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        ob = context.object
        try:
            fill(ob, *filling(ob.vbd.grain_source, radius_of(ob)))
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, message("role.filled", name=ob.name, count=len(ob.data.vertices)))
        return {"FINISHED"}


class VBD_OT_remove(bpy.types.Operator):
    bl_idname = "vbd.remove"
    bl_label = "Remove from Simulation"
    bl_description = "Take the selected objects out of the simulation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason is None and all(ob.vbd.role == "NONE" for ob in chosen_objects(context)):
            reason = message("role.none_selected")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        for ob in chosen_objects(context):
            if ob.vbd.flesh_record:
                make_rigid(context, ob)
            ob.vbd.role = "NONE"
        return {"FINISHED"}


class VBD_OT_count_cells(bpy.types.Operator):
    bl_idname = "vbd.count_cells"
    bl_label = "Count Cells"
    bl_description = "Count the cells of the soft body again, after its mesh has changed"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        if context.object is None or not can_count(context.object):
            cls.poll_message_set(message("role.select_soft"))
            return False
        return True

    def execute(self, context):
        count_cells(context.object)
        return {"FINISHED"}


classes = (VBD_OT_add, VBD_OT_fill_again, VBD_OT_remove, VBD_OT_count_cells)
