# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of Blender's force fields on an object: by their kinds, and those of a collection."""

import bpy
from bpy.props import FloatProperty, PointerProperty

from ..values.declared import OVERRIDABLE
from .force_fields import KINDS, field_objects

# Kinds in the order of Blender's own panel, with their labels.
LABELS = {
    "FORCE": "Force",
    "VORTEX": "Vortex",
    "MAGNET": "Magnetic",
    "HARMONIC": "Harmonic",
    "WIND": "Wind",
    "TURBULENCE": "Turbulence",
    "DRAG": "Drag",
    "TEXTURE": "Texture",
}
PLAIN = {"options": set(), "override": OVERRIDABLE}


def weight_name(kind):
    """The property of `object.vbd` with the weight of a kind of fields."""
    return f"field_{KINDS[kind]}"


def _weight(name, description):
    return FloatProperty(
        name=name,
        description=description,
        default=1.0,
        min=0.0,
        max=200.0,
        soft_max=1.0,
        precision=3,
        subtype="FACTOR",
        **PLAIN,
    )


def field_weight_properties():
    """Annotations for `object.vbd`."""
    weights = {
        weight_name(kind): _weight(label, description="How much of force fields of this kind acts")
        for kind, label in LABELS.items()
    }
    return {
        "field_collection": PointerProperty(
            type=bpy.types.Collection,
            name="Effector Collection",
            description="Only force fields of this collection act; all of the scene without one",
            **PLAIN,
        ),
        "field_all": _weight("All", description="How much of all force fields acts"),
        **weights,
    }


def field_weights(ob):
    """Weights of all force fields on an object, by their names; None if all are 1."""
    vbd = ob.vbd
    inside = vbd.field_collection and set(vbd.field_collection.all_objects)
    weights = {
        field.name: vbd.field_all
        * getattr(vbd, weight_name(field.field.type))
        * (inside is None or field in inside)
        for field in field_objects(bpy.context.scene)
    }
    return None if all(weight == 1.0 for weight in weights.values()) else weights
