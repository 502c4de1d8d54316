# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of the direction of muscle fibers."""

import bpy
from bpy.props import PointerProperty, StringProperty

from .declared import OVERRIDABLE


def _is_another(group, ob):
    return ob != group.id_data


def fiber_properties():
    """Annotations for `object.vbd`."""
    return {
        "fibers_along": PointerProperty(
            type=bpy.types.Object,
            name="Fibers Along",
            description="What muscle fibers in the soft body run along, as it stands at the start: "
            "a curve (its nearest part), an armature (a bone, else the nearest one), or the local "
            "Z axis of any other object. Without one there are no fibers",
            poll=_is_another,
            options=set(),
            override=OVERRIDABLE,
        ),
        "fiber_bone": StringProperty(
            name="Bone",
            description="Bone that the fibers run along; without a name the nearest one",
            options=set(),
            override=OVERRIDABLE,
        ),
    }
