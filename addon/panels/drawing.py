# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of several panels: roles, presets and fields."""

import re

from ..objects.curves import is_simulated_as_points
from ..objects.participants import ROLE_ICONS
from ..values.presets import NONE_SHOWN, shown_preset

TITLE = "VBD Simulation"
# The unit at the end of a label.
UNIT = re.compile(r" \([^()]*\)$")

ROLE_BUTTONS = (
    ("SOFT", "Soft Body"),
    ("CLOTH", "Cloth"),
    ("ROD", "Rod"),
    ("RIGID", "Rigid"),
    ("GRAINS", "Grains"),
    ("COLLIDER", "Collider"),
)


class PhysicsPanel:
    """A panel in Properties > Physics, for objects with one of the `roles`, or for all."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    roles = ()

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or not is_simulated_as_points(ob):
            return False
        return not cls.roles or ob.vbd.role in cls.roles


def lock(layout, context):
    """Grey out fields that a running bake has read; Live reads them again."""
    state = context.window_manager.vbd
    layout.enabled = state.live or not state.baking


def with_unit(label, unit):
    """A label with another unit, or none."""
    label = UNIT.sub("", label)
    return f"{label} ({unit})" if unit else label


# Parts of a row for the labels of fields that Blender would truncate inside of them, or beside.
WIDE = {"density": 0.58, "stiffness": 0.55}


def draw_field(column, group, name, label=None, active=True):
    row = column.row(align=True)
    row.active = active
    if name in WIDE or group.bl_rna.properties[name].type == "ENUM":
        row = row.split(factor=WIDE.get(name, 0.35 if label else 0.5))
        row.label(text=label or group.bl_rna.properties[name].name)
        label = ""
    row.prop(group, name, text=label)


def draw_numbers(layout, group, *names):
    """Draw fields with their labels inside: beside them they would be truncated."""
    column = layout.column(align=True)
    column.use_property_split = False
    for name in names:
        draw_field(column, group, name)


def draw_roles(layout, ob, prefix="", columns=2):
    """Buttons that set the role of the selected objects; the active object's role is pressed.

    The `prefix` distinguishes them from Blender's own buttons beside them.
    """
    grid = layout.grid_flow(row_major=True, columns=columns, even_columns=True, align=True)
    for role, label in ROLE_BUTTONS:
        button = grid.operator(
            "vbd.add", text=prefix + label, icon=ROLE_ICONS[role], depress=ob.vbd.role == role
        )
        button.role = role
    if ob.vbd.role != "NONE":
        layout.operator("vbd.remove", text="Remove", icon="X")


def draw_presets(layout, group, menu, add_operator):
    """Draw the menu of presets with its buttons, in a row that is returned."""
    row = layout.row(align=True)
    row.menu(menu.__name__, text=shown_preset(menu, group) or NONE_SHOWN)
    row.operator(add_operator.bl_idname, text="", icon="ADD")
    row.operator(add_operator.bl_idname, text="", icon="REMOVE").remove_active = True
    return row
