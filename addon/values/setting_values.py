# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of properties from text, as a command line has them."""

import argparse

from .declared import SETTINGS

# What a solve depends on; all else of `scene.vbd` is shown in a viewport or kept by the add-on.
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
        raise argparse.ArgumentTypeError(
            f'"{text}" is not a frame range; write it as 1:250'
        ) from None


def set_value(group, name, text):
    """Set a property of `scene.vbd` from text."""
    setattr(group, name, value_of(group, name, text))


def value_of(group, name, text):
    """The value of a property of `scene.vbd` in text; Blender itself would clamp, this refuses."""
    known = {name: group.bl_rna.properties[name] for name in NAMES}
    if name not in known:
        raise ValueError(f'there is no setting "{name}"; there are {", ".join(sorted(known))}')
    prop = known[name]
    if prop.type == "ENUM":
        choices = {item.identifier.lower(): item.identifier for item in prop.enum_items}
        if text.lower() not in choices:
            raise ValueError(f'{name} is "{text}"; it must be one of {", ".join(choices)}')
        return choices[text.lower()]
    if prop.type == "BOOLEAN":
        words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
        if text.lower() not in words:
            raise ValueError(f'{name} is "{text}"; it must be true or false')
        return words[text.lower()]
    kind, word = (int, "a whole number") if prop.type == "INT" else (float, "a number")
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f'{name} is "{text}"; it must be {word}') from None
    if not prop.hard_min <= value <= prop.hard_max:
        raise ValueError(
            f"{name} is {value:g}; it must lie between {prop.hard_min:g} and {prop.hard_max:g}"
        )
    return value
