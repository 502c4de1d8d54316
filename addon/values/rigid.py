# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of rigid bodies: mass, walls and animation, and what their bake replaces."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty

from .declared import OVERRIDABLE
from .scene_time import FRAME_LIMIT


def rigid_properties():
    """Annotations for `object.vbd`."""
    plain = {"options": set(), "override": OVERRIDABLE}
    return {
        "use_mass": BoolProperty(
            name="Own Mass",
            description="Set the mass of the rigid body instead of its density",
            default=False,
            **plain,
        ),
        "mass": FloatProperty(
            name="Mass (kg)",
            description="Mass of the whole rigid body",
            default=1.0,
            min=1e-6,
            max=1e12,
            soft_min=0.001,
            soft_max=1e4,
            precision=3,
            **plain,
        ),
        "is_hollow": BoolProperty(
            name="Hollow",
            description="The mass lies in walls along the faces instead of the volume, as in a "
            "bottle. An open mesh is always hollow",
            default=False,
            **plain,
        ),
        "walls_mm": FloatProperty(
            name="Walls (mm)",
            description="Thickness of the walls of a hollow rigid body, for its mass: how near "
            "others come is the Thickness under Collision",
            default=1.0,
            min=1e-3,
            max=1e5,
            soft_min=0.1,
            soft_max=100.0,
            precision=3,
            **plain,
        ),
        "use_animation": BoolProperty(
            name="Animated",
            description="Follow the animation of the object up to a frame, then move freely with "
            "the speed that it has there",
            default=False,
            **plain,
        ),
        "animated_until": IntProperty(
            name="Until Frame",
            description="Last frame in which the rigid body follows its animation",
            default=50,
            min=-FRAME_LIMIT,
            max=FRAME_LIMIT,
            **plain,
        ),
        "kept_action": PointerProperty(
            type=bpy.types.Action,
            name="Kept Action",
            description="Action of a baked rigid body that is not assigned: its own, or that of a "
            "hidden bake",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }
