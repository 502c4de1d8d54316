# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths as the interface shows them, in metres; Blender stores its own units."""

import bpy

# Subtypes that the interface multiplies by the unit scale of the scene.
SCALED = {"LENGTH", "VELOCITY", "ACCELERATION"}


def unit_scale(scene):
    """Metres in a unit of Blender; without a unit system the interface shows plain numbers."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else units.scale_length


def shown(group, name):
    """A property of the current scene or of an object in it, as the interface shows it."""
    value = getattr(group, name)
    if group.bl_rna.properties[name].unit in SCALED:
        return unit_scale(bpy.context.scene) * value
    return value


def gravity_of(scene):
    """Gravity as the interface shows it [m/s²], zero if it is disabled."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    return tuple(unit_scale(scene) * component for component in scene.gravity)
