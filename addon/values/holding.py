# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of pins, seams, and attachments to other objects."""

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .declared import OVERRIDABLE
from .joints import joint_properties

# Options of a property by default: stored, shown, not animated.
PLAIN = {"options": set(), "override": OVERRIDABLE}


def _can_be_target(attachment, ob):
    return ob != attachment.id_data


class VBD_PG_attachment(bpy.types.PropertyGroup):
    """One attachment of an object: an item of `object.vbd.attachments`."""

    __annotations__ = {
        "enabled": BoolProperty(
            name="Enabled", description="Take part in the next bake", default=True, **PLAIN
        ),
        "target": PointerProperty(
            type=bpy.types.Object,
            name="Target",
            description="What the object is attached to. If the simulation moves it, it feels the "
            "attachment in turn; otherwise it only drives the object",
            poll=_can_be_target,
            **PLAIN,
        ),
        "vertex_group": StringProperty(
            name="Vertex Group",
            description="Vertices that are attached, each to the nearest place of the target. "
            "Without a group the nearest one, or all within the distance",
            **PLAIN,
        ),
        "distance": FloatProperty(
            name="Within",
            description="Attach only vertices that are this near to the target; 0 is no limit",
            default=0.0,
            min=0.0,
            soft_max=1.0,
            unit="LENGTH",
            **PLAIN,
        ),
        "keep_distance": BoolProperty(
            name="Keep Distance",
            description="Keep the distance that there is at the start, instead of pulling the "
            "vertices onto the target",
            default=True,
            **PLAIN,
        ),
        "stiffness": FloatProperty(
            name="Stiffness (N/m)",
            precision=0,
            description="Force of the whole attachment per metre that it is stretched",
            default=1e5,
            min=0.0,
            max=1e9,
            soft_max=1e6,
            **PLAIN,
        ),
        "damping": FloatProperty(
            name="Damping",
            description="How strongly swinging on the attachment is slowed, as a time: this times "
            "the stiffness is the damping coefficient. 0 is off",
            default=0.01,
            min=0.0,
            max=100.0,
            soft_max=1.0,
            precision=3,
            unit="TIME_ABSOLUTE",
            **PLAIN,
        ),
        "strength": FloatProperty(
            name="Strength",
            description="Factor on the stiffness; with keyframes the attachment lets go and "
            "catches again",
            default=1.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            options={"ANIMATABLE"},
            override=OVERRIDABLE,
        ),
        "maximum_force": FloatProperty(
            name="Force Limit (N)",
            description="The most that the whole attachment pulls with; 0 is no limit",
            default=0.0,
            min=0.0,
            soft_max=1e4,
            **PLAIN,
        ),
        "tears": BoolProperty(
            name="Tear",
            description="Let go for good, vertex by vertex, where the force limit is reached",
            default=False,
            **PLAIN,
        ),
        **joint_properties(),
    }


def holding_properties():
    """Annotations for `object.vbd`."""
    return {
        "pin_group": StringProperty(
            name="Pin Group",
            description="Vertex group of the vertices that follow the animation instead of the "
            "simulation",
            **PLAIN,
        ),
        "pin_start": BoolProperty(
            name="Pin Start",
            description="The first edge of every spline follows the animation instead of the "
            "simulation, with its direction",
            default=False,
            **PLAIN,
        ),
        "pin_end": BoolProperty(
            name="Pin End",
            description="The last edge of every open spline follows the animation instead of the "
            "simulation, with its direction",
            default=False,
            **PLAIN,
        ),
        "pin_axes": BoolVectorProperty(
            name="Axes",
            description="Axes of the world along which pins hold. Along the others their vertices "
            "move as if they were not pinned",
            size=3,
            subtype="XYZ",
            default=(True, True, True),
            **PLAIN,
        ),
        "soft_pins": BoolProperty(
            name="Soft Pins",
            description="A weight below 1 is a spring towards the animated place, and weights that "
            "change let go and catch again. Without it weights from 0.5 on pin, others do nothing",
            default=False,
            **PLAIN,
        ),
        "pin_stiffness": FloatProperty(
            name="Pull (N/m per kg)",
            precision=0,
            description="Stiffness of a soft pin, to be multiplied by its weight: a body on soft "
            "pins sags by gravity over this product. Weight 1 always holds hard",
            default=1000.0,
            min=0.0,
            max=1e9,
            soft_max=1e5,
            **PLAIN,
        ),
        "pin_damping": FloatProperty(
            name="Damping",
            description="How strongly swinging around the animated place is slowed, as a time: "
            "this times the stiffness is the damping coefficient. 0 is off",
            default=0.01,
            min=0.0,
            max=100.0,
            soft_max=1.0,
            precision=3,
            unit="TIME_ABSOLUTE",
            **PLAIN,
        ),
        "pin_depth": FloatProperty(
            name="Flesh Depth",
            description="How deep the flesh of a soft body is below the skin where the weight is "
            "0, and in proportion less where it is more. What is deeper follows the animation at "
            "any Strength, as bones hold it. 0 is off: only the skin is held",
            default=0.0,
            min=0.0,
            soft_max=1.0,
            precision=3,
            unit="LENGTH",
            **PLAIN,
        ),
        "pin_strength": FloatProperty(
            name="Strength",
            description="Factor on all weights; with keyframes the pins let go and catch again",
            default=1.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            options={"ANIMATABLE"},
            override=OVERRIDABLE,
        ),
        "use_sewing": BoolProperty(
            name="Sewing",
            description="Edges without a face are seams that draw their ends together",
            default=False,
            **PLAIN,
        ),
        "sewing_speed": FloatProperty(
            name="Speed",
            description="How fast seams become shorter; 0 closes them at once",
            default=1.0,
            min=0.0,
            soft_max=10.0,
            unit="VELOCITY",
            **PLAIN,
        ),
        "sewing_force": FloatProperty(
            name="Force Limit (N)",
            description="The most that each edge of a seam pulls with; 0 is no limit",
            default=0.0,
            min=0.0,
            soft_max=100.0,
            options={"ANIMATABLE"},
            override=OVERRIDABLE,
        ),
        "sewing_tears": BoolProperty(
            name="Tear",
            description="Seams let go for good, edge by edge, where the force limit is reached",
            default=False,
            **PLAIN,
        ),
        "attachments": CollectionProperty(
            type=VBD_PG_attachment,
            name="Attachments",
            description="What the object is attached to",
            options=set(),
            override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
        ),
        "attachment": IntProperty(
            name="Active Attachment",
            description="The attachment that is shown",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }


classes = (VBD_PG_attachment,)
