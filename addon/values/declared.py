# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties made from the solver's own declarations in `solver/settings`: names, defaults,
ranges, units and tooltips of numbers. Only the numbers of decimals are set here.
"""

from dataclasses import fields

import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ...solver.bodies.deformable import KEYED
from ...solver.settings import Material, Settings

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}

# Values that Blender takes from the scene; users never type them.
FROM_SCENE = ("frame_time", "gravity")
# For scripts that call the solver; users have Young's modulus and density instead.
SCRIPT_ONLY = ("spring_stiffness", "vertex_mass", "mu", "lam")

SETTINGS = tuple(f for f in fields(Settings) if f.name not in FROM_SCENE)
MATERIAL = tuple(f for f in fields(Material) if f.name not in SCRIPT_ONLY)

# Units that Blender can show and convert. All others are written into the label.
BLENDER_UNITS = {"m": "LENGTH", "s": "TIME_ABSOLUTE"}
# Blender would show a length times the unit scale of the scene; these belong to a material, as its
# modulus does, and presets set them in metres at any scale.
WITHOUT_UNIT_SCALE = ("thickness", "crease_radius")
# Properties that may have keyframes; all others are constant in a bake.
ANIMATED = ("pressure", *KEYED)
# Values of objects whose role is of version 0.1; setting a role brings the default of the solver
# (addon/properties.py).
OF_OLD_FILES = {"adapt_folds": False}
DECIMALS = {
    "youngs_modulus": 0,
    "collision_stiffness": 0,
    "bending_stiffness": 6,
    "thickness": 4,
    "crease_radius": 4,
    "weft_modulus": 0,
    "shear_modulus": 0,
    "accuracy": 4,
    "collision_thickness": 6,
    "acceleration": 4,
}
DECIMALS_ELSE = 3


def inward(low, high):
    """The widest range of float32, which Blender stores, that lies inside [low, high]."""
    low32, high32 = np.float32(low), np.float32(high)
    if float(low32) < low:
        low32 = np.nextafter(low32, np.float32(np.inf))
    if float(high32) > high:
        high32 = np.nextafter(high32, np.float32(-np.inf))
    return float(low32), float(high32)


def blender_property(f, default, animated=()):
    """The Blender property of a dataclass field `f`; it may have keyframes if it is `animated`."""
    data = f.metadata
    if "label" not in data:
        raise TypeError(f"{f.name} has no label; declare it with number(), switch() or choice()")
    unit = data.get("unit", "")
    label = data["label"]
    blender_unit = BLENDER_UNITS.get(unit, "NONE")
    if f.name in WITHOUT_UNIT_SCALE:
        blender_unit = "NONE"
    if unit and blender_unit == "NONE":
        label = f"{label} ({unit})"
    shared = {
        "name": label,
        "description": data["text"],
        "default": default,
        "options": {"ANIMATABLE"} if f.name in animated else set(),
        "override": OVERRIDABLE,
    }
    if isinstance(default, bool):
        return BoolProperty(**shared)
    if "names" in data:
        items = tuple((key, text, "") for key, text in data["names"].items())
        return EnumProperty(items=items, **shared)
    shared["soft_min"], shared["soft_max"] = data["soft_low"], data["soft_high"]
    if isinstance(default, int):
        return IntProperty(min=data["low"], max=data["high"], **shared)
    low, high = inward(data["low"], data["high"])
    return FloatProperty(
        min=low,
        max=high,
        precision=DECIMALS.get(f.name, DECIMALS_ELSE),
        unit=blender_unit,
        **shared,
    )


def settings_properties():
    return {f.name: blender_property(f, f.default) for f in SETTINGS}


def material_properties():
    """Properties of a material. A number left to the scene starts with the scene's default."""
    scene = {f.name: f.default for f in SETTINGS}
    defaults = {f.name: scene[f.name] if f.default is None else f.default for f in MATERIAL}
    defaults |= OF_OLD_FILES
    return {f.name: blender_property(f, defaults[f.name], ANIMATED) for f in MATERIAL}
