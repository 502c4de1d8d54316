# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of joints: attachments of a rigid body that are more than a pull."""

from math import pi

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty

from .declared import OVERRIDABLE

KINDS = (
    ("ATTACHMENT", "Attachment", "Pull vertices of the rigid body to the target"),
    ("BALL", "Ball", "Turn about a point, in any direction"),
    ("HINGE", "Hinge", "Turn about an axis, as a door does"),
    ("SLIDER", "Slider", "Move along an axis without turning, as a drawer does"),
    ("FIXED", "Fixed", "Neither turn nor move"),
)
MOTORS = (
    ("OFF", "No Motor", "Nothing drives the joint"),
    ("SPEED", "Speed", "Drive the joint at a speed; 0 brakes it"),
    ("POSITION", "Position", "Drive the joint to an angle or distance, which may have keyframes"),
)


def _is_empty(_item, ob):
    return ob.type == "EMPTY"


def joint_properties():
    """Annotations for an item of `object.vbd.attachments`."""
    plain = {"options": set(), "override": OVERRIDABLE}
    keyed = {"options": {"ANIMATABLE"}, "override": OVERRIDABLE}
    angle = {"soft_min": -pi, "soft_max": pi, "subtype": "ANGLE"}
    distance = {"soft_min": -10.0, "soft_max": 10.0, "unit": "LENGTH"}

    def limit(low, high, **kind):
        return FloatProperty(min=low, max=high, **kind, **plain)

    return {
        "kind": EnumProperty(
            name="Kind",
            description="How a rigid body is joined to the target",
            items=KINDS,
            default="ATTACHMENT",
            **plain,
        ),
        "axis_object": PointerProperty(
            type=bpy.types.Object,
            name="Axis",
            description="An empty at the place of the joint, with its axis. Without one "
            "the joint is where the two objects are nearest, with a vertical axis",
            poll=_is_empty,
            **plain,
        ),
        "axis": EnumProperty(
            name="Along",
            description="The local axis of the empty that is the axis of the joint",
            items=[(letter, letter, f"Local {letter}") for letter in "XYZ"],
            default="Z",
            **plain,
        ),
        "use_limits": BoolProperty(
            name="Limits",
            description="Stop the joint at two angles or distances from where it is at the start",
            default=False,
            **plain,
        ),
        "low_angle": limit(
            -pi,
            0.0,
            name="From",
            description="Least angle, counted from the start",
            default=-pi / 4,
            **angle,
        ),
        "high_angle": limit(
            0.0,
            pi,
            name="To",
            description="Largest angle, counted from the start",
            default=pi / 4,
            **angle,
        ),
        "low_distance": limit(
            -1e6,
            0.0,
            name="From",
            description="Least distance, counted from the start",
            default=0.0,
            **distance,
        ),
        "high_distance": limit(
            0.0,
            1e6,
            name="To",
            description="Largest distance, counted from the start",
            default=1.0,
            **distance,
        ),
        "motor": EnumProperty(
            name="Motor",
            description="What drives the joint",
            items=MOTORS,
            default="OFF",
            **plain,
        ),
        "motor_turns": FloatProperty(
            name="Speed (turns/s)",
            description="Turns about the axis per second",
            default=1.0,
            soft_min=-10.0,
            soft_max=10.0,
            **keyed,
        ),
        "motor_speed": FloatProperty(
            name="Speed",
            description="Speed along the axis",
            default=1.0,
            soft_min=-10.0,
            soft_max=10.0,
            unit="VELOCITY",
            **keyed,
        ),
        "motor_angle": FloatProperty(
            name="Angle",
            description="Angle about the axis, counted from the start",
            default=0.0,
            subtype="ANGLE",
            **keyed,
        ),
        "motor_distance": FloatProperty(
            name="Distance",
            description="Distance along the axis, counted from the start",
            default=0.0,
            unit="LENGTH",
            **keyed,
        ),
        "motor_torque": FloatProperty(
            name="Torque (N m)",
            description="The most that the motor turns with; 0 is no limit",
            default=0.0,
            min=0.0,
            soft_max=1e4,
            **plain,
        ),
        "breaking_force": FloatProperty(
            name="Breaks at (N)",
            description="Force at which the joint breaks for good; 0 never",
            default=0.0,
            min=0.0,
            soft_max=1e5,
            **plain,
        ),
        "collides": BoolProperty(
            name="Collide",
            description="The joined objects also collide with each other, those of a fixed joint "
            "once it is broken",
            default=False,
            **plain,
        ),
    }
