# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of properties from text, as a command line has them."""

import argparse

import bpy

from ...solver.messages import message
from .declared import MATERIAL, SETTINGS

# Properties that affect a solve; all others of `scene.vbd` belong to a viewport or the add-on.
OF_SCENES = {f.name for f in SETTINGS} | {
    "device",
    "frame_end",
    "frame_start",
    "restart_every",
    "time_scale",
}
OF_OBJECTS = {f.name for f in MATERIAL}
# Of an object only if its switch is on; otherwise that of the scene acts.
WITH_OWN_FRICTION = ("friction", "static_friction")


def frame_range(text):
    """First and last frame in a text such as 1:250."""
    first, colon, last = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return int(first), int(last)
    except ValueError:
        raise argparse.ArgumentTypeError(message("command.frame_range", text=text)) from None


def set_value(scene, name, text):
    """Set a property of `scene.vbd`, such as substeps, or one of the material of an object, such as
    Cube.density, from text.
    """
    owner, _, short = name.rpartition(".")
    value = value_of(name, text)
    if not owner:
        setattr(scene.vbd, short, value)
        return
    simulated = {ob.name: ob for ob in scene.objects if ob.vbd.role != "NONE"}
    if owner not in simulated:
        names = ", ".join(sorted(simulated))
        raise ValueError(message("command.unknown_object", name=owner, names=names))
    material = simulated[owner].vbd
    if short in WITH_OWN_FRICTION:
        material.use_friction = True
    setattr(material, short, value)


def value_of(name, text):
    """The value in text of a property that `set_value` sets; refuses what Blender would clamp."""
    owner, _, name = name.rpartition(".")
    group = bpy.types.Object if owner else bpy.types.Scene
    properties = group.bl_rna.properties["vbd"].fixed_type.properties
    known = {name: properties[name] for name in (OF_OBJECTS if owner else OF_SCENES)}
    if name not in known:
        names = ", ".join(sorted(known))
        raise ValueError(message("command.unknown_setting", name=name, names=names))
    prop = known[name]
    if prop.type == "ENUM":
        choices = {item.identifier.lower(): item.identifier for item in prop.enum_items}
        if text.lower() not in choices:
            raise ValueError(
                message("command.one_of", name=name, text=text, names=", ".join(choices))
            )
        return choices[text.lower()]
    if prop.type == "BOOLEAN":
        words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
        if text.lower() not in words:
            raise ValueError(message("command.true_or_false", name=name, text=text))
        return words[text.lower()]
    kind = int if prop.type == "INT" else float
    try:
        value = kind(text)
    except ValueError:
        which = "command.whole_number" if kind is int else "command.number"
        raise ValueError(message(which, name=name, text=text)) from None
    if not prop.hard_min <= value <= prop.hard_max:
        raise ValueError(
            message("material.range", name=name, value=value, low=prop.hard_min, high=prop.hard_max)
        )
    return value
