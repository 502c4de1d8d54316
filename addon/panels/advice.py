# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of the last bake in the panel, and the buttons that follow its advice."""

import blf
from bpy.props import EnumProperty, IntProperty
from bpy.types import Operator

from ...solver.messages import message
from ..baking import outdated, report
from ..baking.bake import free_bakes
from ..objects.cell_count import update_cell_count
from ..objects.participants import select_only
from ..objects.subdividing import cannot_subdivide, subdivide
from ..playing.baked import edits, warnings

ADVISED = ("iterations", "substeps")
# Roles whose faces can be subdivided.
SUBDIVIDED = ("SOFT", "CLOTH")

# Default width of the sidebar, in units of the interface.
SIDEBAR = 280
# Width of tabs, margins and an icon in the sidebar; about as much is beside text in Properties.
BESIDE_TEXT = 88
# Regions that show panels.
WITH_PANELS = ("UI", "WINDOW")


def is_shown(scene):
    """Return whether there is a report of a bake that still exists."""
    return bool(scene.vbd.report) and any(ob.vbd.baked for ob in scene.objects)


def lines_of(scene):
    return report.loads(scene.vbd.report)[0]


def objects_of(line, scene):
    """The existing objects that a line is about."""
    return [scene.objects[name] for name in line.objects if name in scene.objects]


def text_width(context):
    """Width for text beside an icon in a panel, in units of the interface."""
    region = context.region
    if region is None or region.type not in WITH_PANELS:
        return SIDEBAR - BESIDE_TEXT
    left, right = (region.view2d.region_to_view(x, 0)[0] for x in (0, region.width))
    return (right - left) / context.preferences.system.ui_scale - BESIDE_TEXT


def measured(context):
    """A function that returns the width of a text, in units of the interface."""
    preferences = context.preferences
    # Letters are placed on whole pixels, so they are measured at the size at which they are drawn.
    scale = preferences.system.ui_scale or 1.0  # 0 without a window
    blf.size(0, preferences.ui_styles[0].widget.points * scale)
    return lambda text: blf.dimensions(0, text)[0] / scale


def draw_wrapped(layout, context, text, icon):
    """Draw a text in as many labels as needed, with the icon before the first."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for part in report.wrapped(text, text_width(context), measured(context)):
        column.label(text=part, icon=icon, translate=False)
        icon = "BLANK1"


def draw_line(layout, context, line, index, icon):
    scene = context.scene
    text = f"{line.lead}:" if line.setting else line.text
    draw_wrapped(layout, context, text, icon)
    objects = objects_of(line, scene)
    if not (line.setting or objects):
        return
    row = layout.row(align=True)
    if line.operator and objects:
        row.operator(line.operator).line = index
    if line.setting and getattr(scene.vbd, line.setting) >= line.value:
        row.label(text=message("report.are_set", setting=line.label), icon="BLANK1")
    elif line.setting:
        button = row.operator("vbd.set_number", text=f"Set {line.label} to {line.value}")
        button.name, button.value = line.setting, line.value
    if objects and line.operator != "vbd.select_faces":
        text = "" if line.setting or line.operator else "Select"
        row.operator("vbd.select_named", text=text, icon="RESTRICT_SELECT_OFF").line = index


def draw_report(layout, context):
    """Draw the state of the bake, and its report; a partial bake is part of the report."""
    scene = context.scene
    for text in edits(scene) if is_shown(scene) else warnings(scene):
        draw_wrapped(layout, context, text, "ERROR")
    if not is_shown(scene):
        return
    was = report.made_with(scene.vbd.report)
    changed = was and outdated.settings_changed(scene, was)
    if changed:
        draw_wrapped(layout, context, changed, "INFO")
    shown, _ = report.shortened(lines_of(scene))
    fine = not any(line.warns for line in shown)
    for index, line in enumerate(shown):
        good = "CHECKMARK" if fine and index == 0 else "INFO"
        draw_line(layout, context, line, index, "ERROR" if line.warns else good)


def draw_statistics(layout, context):
    lines, numbers = report.loads(context.scene.vbd.report)
    _, rest = report.shortened(lines)
    for index, line in enumerate(rest, len(lines) - len(rest)):
        draw_line(layout, context, line, index, "ERROR" if line.warns else "INFO")
    for text in numbers:
        draw_wrapped(layout, context, text, "NONE")


def refusal(context):
    """The reason why advice cannot be followed now, or None."""
    if context.window_manager.vbd.baking:
        return message("bake.running")
    if not context.scene.is_editable:
        return message("bake.scene_linked")
    return None


class VBD_OT_set_number(Operator):
    bl_idname = "vbd.set_number"
    bl_label = "Set Number"
    bl_description = "Change a number of the solver as the last bake advises; then bake again"
    bl_options = {"UNDO", "INTERNAL"}

    name: EnumProperty(
        name="Name",
        description="The number to change",
        items=[
            (name, report.FIELDS[name]["label"], report.FIELDS[name]["text"]) for name in ADVISED
        ],
    )
    value: IntProperty(name="Value", description="What to set it to", default=1, min=1)

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        setattr(context.scene.vbd, self.name, self.value)
        return {"FINISHED"}


class VBD_OT_select_named(Operator):
    bl_idname = "vbd.select_named"
    bl_label = "Select"
    bl_description = "Select the objects that this line is about"
    bl_options = {"UNDO", "INTERNAL"}

    line: IntProperty(name="Line", description="Line of the report, from 0", default=0, min=0)

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set(message("bake.object_mode"))
            return False
        return True

    def execute(self, context):
        lines = lines_of(context.scene)
        named = objects_of(lines[self.line], context.scene) if self.line < len(lines) else []
        visible = [ob for ob in named if ob.visible_get()]
        if not visible:
            names = ", ".join(ob.name for ob in named) or message("report.object_of_line")
            self.report({"WARNING"}, message("report.not_visible", names=names))
            return {"CANCELLED"}
        select_only(context, visible)
        return {"FINISHED"}


class VBD_OT_subdivide_faces(Operator):
    bl_idname = "vbd.subdivide_faces"
    bl_label = "Subdivide Faces"
    bl_description = (
        "Subdivide the faces of soft bodies until they are as small as their cells, and those of "
        "cloth once, so that they show how these bend. Frees their bake; then bake again"
    )
    bl_options = {"REGISTER", "UNDO"}

    line: IntProperty(
        name="Line",
        description="Line of the report, from 0; -1 for the selected objects, or for the active "
        "one if it is not selected",
        default=-1,
        min=-1,
    )

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason is None and context.mode != "OBJECT":
            reason = message("bake.object_mode")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        chosen = [ob for ob in self._objects(context) if ob.vbd.role in SUBDIVIDED]
        reasons = {ob: cannot_subdivide(ob) for ob in chosen}
        able = [ob for ob, reason in reasons.items() if reason is None]
        for text in filter(None, reasons.values() if chosen else [message("report.select_bodies")]):
            self.report({"WARNING"}, text)
        if not able:
            return {"CANCELLED"}
        remains = free_bakes(context.scene, [ob for ob in able if ob.vbd.baked])
        if remains:
            self.report({"WARNING"}, remains)
        for ob in able:
            subdivide(ob)
            update_cell_count(ob.vbd, context)
        return {"FINISHED"}

    def _objects(self, context):
        if self.line < 0:
            ob, chosen = context.object, context.selected_objects
            return chosen if ob is None or ob in chosen else [ob]
        lines = lines_of(context.scene)
        return objects_of(lines[self.line], context.scene) if self.line < len(lines) else []


classes = (VBD_OT_set_number, VBD_OT_select_named, VBD_OT_subdivide_faces)
