# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft Flesh on Rig: a button that makes a mesh on a rig soft, and as it was when pressed again."""

import json

from bpy.props import BoolProperty, CollectionProperty
from bpy.types import Operator, PropertyGroup

from ...solver.messages import message
from ..objects.flesh import MOST, flesh_of
from ..objects.modifiers import simulation_point
from ..objects.participants import participants
from ..objects.stiff_bones import armature_modifier, bones_of, is_stiff
from ..objects.stored_records import flesh_record
from ..objects.tetmesh import TETS
from ..values.measured import measured_properties
from ..values.presets import apply_shipped_material
from ..values.scene_time import take_range

GROUP, MATERIAL = "Flesh Pins", "Muscle"
# Properties that show others in other units.
SHOWN = measured_properties()
RANGE = ("frame_start", "frame_end")


def refusal(context):
    """The reason why the active object cannot become soft, or rigid again, or None."""
    ob = context.object
    if ob is None or ob.type != "MESH" or context.mode == "EDIT_MESH":
        return message("flesh.select")
    if context.window_manager.vbd.baking:
        return message("bake.running")
    if ob.vbd.baked:
        return message("role.baked", name=ob.name)
    if not ob.is_editable or ob.override_library:
        return message("role.linked", name=ob.name)
    if not ob.vbd.flesh_record and armature_modifier(ob) is None:
        return message("flesh.no_rig", name=ob.name)
    return None


def values_of(group):
    """Values of the stored properties of a group that are set, by name; no lists and pointers."""
    properties = (p for p in group.bl_rna.properties if p.identifier not in SHOWN)
    names = [p.identifier for p in properties if p.type not in ("POINTER", "COLLECTION")]
    found = {name: getattr(group, name) for name in names if group.is_property_set(name)}
    return {
        name: list(v) if hasattr(v, "__len__") and not isinstance(v, str) else v
        for name, v in found.items()
    }


def give_back(group, values):
    """Set the properties of a group to those that `values_of` returned, and reset all others."""
    names = sorted(values, key=lambda name: name != "role")  # first, as it sets others
    for name in set(values_of(group)) - set(values):
        group.property_unset(name)
    for name in filter(group.bl_rna.properties.get, names):
        try:
            setattr(group, name, values[name])
        except (AttributeError, TypeError, ValueError):  # the file is damaged
            group.property_unset(name)


class VBD_PG_rig_bone(PropertyGroup):
    """A bone of the rig in the options of the operator."""

    stiff: BoolProperty(
        name="Stiff",
        description="Keep what follows this bone stiff, as if it had no flesh",
        options=set(),
    )


class VBD_OT_soft_flesh(Operator):
    bl_idname = "vbd.soft_flesh"
    bl_label = "Soft Flesh on Rig"
    bl_description = (
        "Make the active mesh a soft body whose bones hold it from inside: hands, feet, neck and "
        "head stay stiff, other bones can be chosen in Adjust Last Operation. Pressed again, it "
        "takes all of it back"
    )
    bl_options = {"REGISTER", "UNDO"}

    bones: CollectionProperty(
        type=VBD_PG_rig_bone,
        name="Bones",
        description="Bones of the rig, with those that stay stiff",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def draw(self, _context):
        self.layout.label(text=message("flesh.stiff"))
        grid = self.layout.grid_flow(columns=2, even_columns=True, align=True)
        for bone in self.bones:
            grid.prop(bone, "stiff", text=bone.name, toggle=True, translate=False)

    def execute(self, context):
        ob = context.object
        if ob.vbd.flesh_record:
            self.bones.clear()
            make_rigid(context, ob)
            return {"FINISHED"}
        bones = bones_of(ob)
        if not self.bones:
            for bone in bones:
                item = self.bones.add()
                item.name, item.stiff = bone.name, is_stiff(bone)
        stiff = {item.name for item in self.bones if item.stiff}
        try:
            flesh = self._flesh(ob, bones, stiff)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        make_soft(context, ob, flesh)
        if flesh.resolution == MOST:
            self.report({"WARNING"}, message("flesh.thin", name=ob.name, most=MOST))
        return {"FINISHED"}

    def _flesh(self, ob, bones, stiff):
        if TETS in ob.data:
            raise ValueError(message("mesh.own_tets", name=ob.name))
        if not bones:
            raise ValueError(message("flesh.no_groups", name=ob.name))
        flesh = flesh_of(ob, stiff)
        if flesh is None:
            raise ValueError(message("flesh.none", name=ob.name))
        return flesh


def make_soft(context, ob, flesh):
    """Make a mesh object a soft body with this `Flesh`, and remember how it was."""
    vbd, scene = ob.vbd, context.scene
    record = {"values": values_of(vbd), "active": ob.vertex_groups.active_index}
    range_before = values_of(scene.vbd)
    if not participants(scene):
        take_range(scene)
    taken = set(values_of(scene.vbd)) - set(range_before)
    record["range"] = {name: getattr(scene.vbd, name) for name in RANGE if name in taken}
    vbd.role = "SOFT"
    apply_shipped_material(context, ob, MATERIAL)
    group = ob.vertex_groups.new(name=GROUP)
    for index, weight in enumerate(flesh.weights):
        group.add([index], float(weight), "REPLACE")
    record["group"] = vbd.pin_group = group.name
    vbd.pin_depth, vbd.resolution = flesh.depth, flesh.resolution
    vbd.soft_pins = vbd.self_contact = vbd.keeps_shape = True
    modifier = armature_modifier(ob)
    if modifier not in simulation_point(ob)[0]:
        vbd.stack_place, vbd.stack_modifier = "AFTER", modifier.name
    vbd.flesh_record = json.dumps(record)


def make_rigid(context, ob):
    """Undo `make_soft`."""
    record, scene = flesh_record(ob), context.scene
    give_back(ob.vbd, record["values"])
    group = ob.vertex_groups.get(record["group"])
    if group is not None:
        ob.vertex_groups.remove(group)
    ob.vertex_groups.active_index = record["active"]
    if not participants(scene):
        for name, value in record["range"].items():
            if name in RANGE and getattr(scene.vbd, name) == value:
                scene.vbd.property_unset(name)


classes = (VBD_PG_rig_bone, VBD_OT_soft_flesh)


def draw_soft_flesh(layout, ob):
    """Draw the button for a mesh on a rig."""
    if ob.type == "MESH" and (ob.vbd.flesh_record or armature_modifier(ob) is not None):
        layout.operator(
            VBD_OT_soft_flesh.bl_idname,
            icon="ARMATURE_DATA",
            depress=bool(ob.vbd.flesh_record),
        )
