# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that objects keep as JSON in text properties: what freeing and undoing give back.

A file may come from anywhere, so an entry of another type than we write counts as missing, and
those of a bake that are missing are those of a bake that changed nothing.
"""

import json

NUMBER = float | int
WHOLE = range(-(1 << 31), 1 << 31)
LEVEL = range(12)
HANDLE = frozenset({"FREE", "VECTOR", "ALIGNED", "AUTO"})
# Numbers of each channel that a rigid body's keyframes move.
CHANNELS = {
    "location": (NUMBER,) * 3,
    "rotation_euler": (NUMBER,) * 3,
    "rotation_quaternion": (NUMBER,) * 4,
    "rotation_axis_angle": (NUMBER,) * 4,
    "scale": (NUMBER,) * 3,
}
BLENDING = {
    "action_blend_type": frozenset({"REPLACE", "COMBINE", "ADD", "SUBTRACT", "MULTIPLY"}),
    "action_influence": NUMBER,
    "action_extrapolation": frozenset({"NOTHING", "HOLD", "HOLD_FORWARD"}),
}
# The types of the entries: a type, a range or set of values, a list of one type, a tuple with that
# of each item, or a dictionary of names, or of any names, and types.
REFINED = {"levels": {str: (LEVEL, LEVEL)}, "faces": (str, LEVEL)}
FLESH = {"values": {str: object}, "group": str, "active": WHOLE, "range": {str: object}}
BAKE = {
    "mesh_cache": str,
    "follows": bool,
    "own_blocks": int,
    "absolute": bool,
    "use_relative": bool,
    "eval_time": NUMBER,
    "mutes": {str: bool},
    "active_index": WHOLE,
    "show_only": bool,
    "had_animation": bool,
    "modifiers": {str: (bool, bool)},
    "handles": [(HANDLE, HANDLE)],
    "blocks": [str],
    "made_action": str,
    "made_slot": bool,
    "object_keys": int,
    "paths": [frozenset(CHANNELS)],
    "values": CHANNELS,
    "constraints": [str],
    "drivers": [(frozenset(CHANNELS), WHOLE)],
    "blending": BLENDING,
    "slot": int | None,
    "our_slot": int | None,
}
NOTHING_CHANGED = {
    "own_blocks": 1,
    "absolute": False,
    "use_relative": True,
    "eval_time": 0.0,
    "mutes": {},
    "active_index": 0,
    "show_only": False,
    "had_animation": True,
    "modifiers": {},
    "blocks": [],
    "made_action": "",
    "made_slot": False,
    "paths": [],
    "values": {},
    "constraints": [],
    "drivers": [],
    "blending": {},
    "slot": None,
    "our_slot": None,
}
NO_FLESH = {"values": {}, "group": "", "active": 0, "range": {}}


def bake_record(ob):
    """The record of the bake that an object plays (playback.py)."""
    record = NOTHING_CHANGED | parsed(ob.vbd.bake_record, BAKE)
    if "mesh_cache" not in record:
        record.pop("follows", None)
    return record


def flesh_record(ob):
    """The record of Soft Flesh on Rig."""
    return NO_FLESH | parsed(ob.vbd.flesh_record, FLESH)


def refined(ob):
    """The changes of modifiers that `refining` takes back."""
    return parsed(ob.vbd.refined, REFINED)


def parsed(text, types):
    """The entries of a text in JSON that are of these types."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    return {name: v for name, v in record.items() if name in types and is_of(v, types[name])}


def is_of(value, kind):
    """Return whether a value of JSON is of a type as in `BAKE`."""
    if isinstance(kind, dict):
        known = isinstance(value, dict) and (str in kind or value.keys() <= kind.keys())
        return known and all(is_of(v, kind.get(name, kind.get(str))) for name, v in value.items())
    if isinstance(kind, list):
        return isinstance(value, list) and all(is_of(each, kind[0]) for each in value)
    if isinstance(kind, tuple):
        same = isinstance(value, list) and len(value) == len(kind)
        return same and all(map(is_of, value, kind))
    if isinstance(kind, frozenset):
        return isinstance(value, str) and value in kind
    if isinstance(kind, range):
        return isinstance(value, int) and value in kind
    return isinstance(value, kind)
