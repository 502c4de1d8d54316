# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a joint in the list of attachments."""


def draw_joint(layout, item):
    """Draw a joint, an item of the list of a rigid body."""
    angular = item.kind == "HINGE"
    layout.prop(item, "target")
    layout.prop(item, "axis_object")
    if item.axis_object and item.kind in {"HINGE", "SLIDER"}:
        layout.row().prop(item, "axis", expand=True)
    if item.kind in {"HINGE", "SLIDER"}:
        _draw_limits(layout, item, "angle" if angular else "distance")
        _draw_motor(layout, item, angular)
    column = layout.column(align=True)
    column.use_property_split = False
    column.prop(item, "breaking_force")
    layout.prop(item, "collides")


def _draw_limits(layout, item, what):
    row = layout.row(align=True, heading="Limits")
    row.prop(item, "use_limits", text="")
    values = row.column(align=True)  # side by side both would be truncated
    values.active = item.use_limits
    values.prop(item, f"low_{what}", text="")
    values.prop(item, f"high_{what}", text="")


def _draw_motor(layout, item, angular):
    layout.prop(item, "motor")
    if item.motor == "OFF":
        return
    drives = {
        ("SPEED", True): "motor_turns",
        ("SPEED", False): "motor_speed",
        ("POSITION", True): "motor_angle",
        ("POSITION", False): "motor_distance",
    }
    column = layout.column(align=True)
    column.use_property_split = False  # beside the field the label of the speed would be truncated
    column.prop(item, drives[item.motor, angular])
    column.prop(item, "motor_torque" if angular else "maximum_force")
