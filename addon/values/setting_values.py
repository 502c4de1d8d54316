# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of properties from text, as a command line has them."""

import argparse

from ...solver.messages import message
from .declared import SETTINGS

# Properties that affect a solve; all others of `scene.vbd` belong to a viewport or the add-on.
NAMES = {f.name for f in SETTINGS} | {
    "device",
    "frame_end",
    "frame_start",
    "restart_every",
    "time_scale",
}


def frame_range(text):
    """First and last frame in a text such as 1:250."""
    first, colon, last = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return int(first), int(last)
    except ValueError:
        raise argparse.ArgumentTypeError(message("command.frame_range", text=text)) from None


def set_value(group, name, text):
    """Set a property of `scene.vbd` from text."""
    setattr(group, name, value_of(group, name, text))


def value_of(group, name, text):
    """The value of a property of `scene.vbd` in text; refuses values that Blender would clamp."""
    known = {name: group.bl_rna.properties[name] for name in NAMES}
    if name not in known:
        raise ValueError(
            message("command.unknown_setting", name=name, names=", ".join(sorted(known)))
        )
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
