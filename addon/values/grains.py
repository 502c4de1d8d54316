# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of objects of grains."""

import bpy
from bpy.props import FloatProperty, PointerProperty

from ..objects.grains import update_spheres
from .declared import OVERRIDABLE


def grain_properties():
    """Annotations for `object.vbd`."""
    return {
        "grain_radius": FloatProperty(
            name="Radius",
            description="Radius of all grains of the object. They need that room from the start, "
            "so it may not have keyframes",
            default=0.02,
            min=1e-6,
            soft_min=1e-3,
            soft_max=1.0,
            precision=4,
            unit="LENGTH",
            options=set(),
            override=OVERRIDABLE,
            update=lambda group, _context: update_spheres(group.id_data),
        ),
        "grain_source": PointerProperty(
            type=bpy.types.Object,
            name="Fills",
            description="The closed mesh that Fill Again fills with grains of the radius",
            options=set(),
            override=OVERRIDABLE,
        ),
    }
