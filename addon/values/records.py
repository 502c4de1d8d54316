# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of an object that users do not see: what freeing and undoing give back."""

from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from .declared import OVERRIDABLE

HIDDEN = {"options": {"HIDDEN"}, "override": OVERRIDABLE}


def record_properties():
    """Annotations for `object.vbd`."""
    return {
        "start_shape": StringProperty(
            name="Start Shape",
            description="The points with which the next bake starts, if they are not the object's",
            **HIDDEN,
        ),
        "flesh_record": StringProperty(
            name="Flesh Record",
            description="What pressing Soft Flesh on Rig again gives back",
            **HIDDEN,
        ),
        "baked": BoolProperty(
            name="Baked",
            description="The object plays back a baked simulation",
            default=False,
            **HIDDEN,
        ),
        "bake_record": StringProperty(
            name="Bake Record",
            description="What freeing the bake gives back",
            **HIDDEN,
        ),
        "bake_scene": StringProperty(
            name="Bake Scene",
            description="Name of the scene when the object was baked in it",
            **HIDDEN,
        ),
        "bake_id": StringProperty(
            name="Bake ID",
            description="What the cache of the bake is found by",
            **HIDDEN,
        ),
        "bake_vertices": IntProperty(
            name="Vertices Baked",
            description="Vertices that the mesh had when it was baked; 0 if unknown",
            **HIDDEN,
        ),
        "bake_fps": FloatProperty(
            name="Rate Baked",
            description="Frames per second that the scene had when it was baked; 0 if unknown",
            **HIDDEN,
        ),
    }
