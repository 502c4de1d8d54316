# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback of a rigid body: keyframes of its object's location and rotation, exact at frames.

They lie in a copy of the user's action, marked as ours; `object.vbd.kept_action` holds the one of
both that is not assigned. The record has "object_keys", the number of the first frame, and the
state to restore.
"""

import bpy
import numpy as np

from .key_curves import add_linear_keys, copy_curve, curves_of_block, remove_strips, strips_of
from .rotations import channels, nearest_rotations, own_rotation, rotation_path

# Beginning of records in JSON, so that a redraw can tell them from others without parsing.
RECORD_BEGINS = '{"object_keys"'
# The custom property of actions with the keyframes of a bake.
MARK = "vbd_bake"
# Rows of a frame: the axes of `Object.matrix_basis` and its origin, in the units of the scene.
ROWS = 4
# A scale that changes by less than this factor is constant.
CONSTANT = 1e-5


def plays(ob):
    """Return whether an object plays its bake by keyframes of its own."""
    return ob.vbd.bake_record.startswith(RECORD_BEGINS)


def is_lost(ob):
    """Return whether the keyframes of such a bake are gone, or others are assigned."""
    data = ob.animation_data
    actions = [data.action, *(strip.action for _, strip in strips_of(data))] if data else []
    return not any(map(is_ours, (*actions, ob.vbd.kept_action)))


def is_ours(action):
    """Return whether an action has the keyframes of a bake."""
    return action is not None and MARK in action


def rows_of(basis):
    """The rows of a frame [4, 3] for a `matrix_basis` [4, 4]."""
    return basis[:3].T


def space_of(ob, depsgraph):
    """The transform [4, 4] from an object's own location, rotation and scale to the world now: its
    parent, without its constraints.
    """
    evaluated = ob.evaluated_get(depsgraph)
    parent = np.array(evaluated.matrix_world) @ np.linalg.inv(np.array(evaluated.matrix_local))
    return parent @ np.array(evaluated.matrix_parent_inverse)


def write(ob, frames, frame_start, pace):
    """Let an object play `frames`, float32 [4, 3] `rows_of` its basis each, from scene frame
    `frame_start` on, and before them the keyframes of its own. Returns the record of the bake.
    """
    frames = np.array(list(frames), np.float64)
    record, before = _state(ob, frame_start), _delta(ob)
    moves = _moves(ob, frames, *before)
    data = ob.animation_data or ob.animation_data_create()
    action, slot = data.action, _slot(data)
    if action is not None:
        ob.vbd.kept_action, record["slot"] = action, slot
        data.action = action.copy()
        _set_slot(data, slot)
        data.action.name = f"{ob.name} VBD"
    data.action_blend_type, data.action_influence = "REPLACE", 1.0
    data.action_extrapolation = "HOLD"
    _, _, curves = curves_of_block(ob)
    data.action[MARK] = True
    times = pace * np.arange(frame_start, frame_start + len(frames))
    for path, values in moves.items():
        record["paths"].append(path)
        for index, column in enumerate(values.T):
            curve = curves.find(path, index=index)
            earlier, places = _earlier(curve, times[0], pace)
            if curve is not None:
                curves.remove(curve)
            curve = curves.new(path, index=index)
            add_linear_keys(curve, np.append(earlier, times), np.append(places, column))
    record["our_slot"] = _slot(data)
    return record


def _state(ob, frame_start):
    """The record of an object as it is before its bake."""
    data, rotation = ob.animation_data, rotation_path(ob)
    paths = ("location", rotation, "scale")
    drivers = [curve for curve in data.drivers if curve.data_path in paths] if data else []
    names = ("action_blend_type", "action_influence", "action_extrapolation")
    return {
        "object_keys": frame_start,
        "paths": [],
        "values": {path: list(getattr(ob, path)) for path in paths},
        "constraints": [c.name for c in ob.constraints if not c.mute],
        "drivers": [[curve.data_path, curve.array_index] for curve in drivers if not curve.mute],
        "blending": {name: getattr(data, name) for name in names} if data else {},
        "had_animation": data is not None,
        "slot": None,
    }


def _delta(ob):
    """The delta location [3] and rotation [3, 3] of an object, and the signs [3] of its scale."""
    basis = np.array(ob.matrix_basis)
    signs = np.sign(np.array(ob.scale) * np.array(ob.delta_scale))
    turn = nearest_rotations((basis[:3, :3] * signs)[None])[0]
    return basis[:3, 3] - ob.location, turn @ own_rotation(ob).T, signs


def _moves(ob, frames, delta, turn, signs):
    """The values [frame, channel] of every path."""
    axes = frames[:, :3].transpose(0, 2, 1)
    sizes = np.linalg.norm(axes, axis=1)
    rotations = np.einsum("ji,fjk->fik", turn, nearest_rotations(axes * (signs / sizes)[:, None]))
    path = rotation_path(ob)
    moves = {
        "location": frames[:, 3] - delta,
        path: channels(rotations, ob.rotation_mode, tuple(getattr(ob, path))),
    }
    factor = sizes / sizes[0]
    if np.abs(factor - 1.0).max() > CONSTANT:  # its parent changes its size
        moves["scale"] = factor * np.array(ob.scale)
    return moves


def _earlier(curve, start, pace):
    """Times before `start` at which the user's curve moves, and its values there."""
    if curve is None or not len(curve.keyframe_points):
        return np.empty(0), np.empty(0)
    first = curve.keyframe_points[0].co[0]
    count = int(np.ceil((start - first) / pace)) if first < start else 0
    times = start - pace * np.arange(count, 0, -1)
    return times, np.array([curve.evaluate(time) for time in times])


def show(ob, record, shown):
    """Play a bake of keyframes, or show the object as it was before; returns whether it is one."""
    if "object_keys" not in record:
        return False
    data, kept = ob.animation_data, ob.vbd.kept_action
    if data is None:
        return True
    if is_ours(data.action) != shown and (is_ours(data.action) or is_ours(kept)):
        ob.vbd.kept_action, data.action = data.action, kept
        if kept is not None:
            _set_slot(data, record["our_slot" if shown else "slot"])
    for _, strip in strips_of(data):  # pushed down
        if is_ours(strip.action):
            strip.mute = not shown
    now = ("REPLACE", 1.0, "HOLD") if shown else record["blending"].values()
    for name, value in zip(record["blending"], now, strict=False):
        setattr(data, name, value)
    for path, index in record["drivers"]:
        driver = data.drivers.find(path, index=index)
        if driver:
            driver.mute = shown
    for name in record["constraints"]:
        if name in ob.constraints:
            ob.constraints[name].mute = shown
    if not shown:
        for path, values in record["values"].items():
            if path in record["paths"]:
                setattr(ob, path, values)
    ob.update_tag()
    return True


def remove(ob, record):
    """Remove the keyframes of a bake that is not shown; returns whether it is one. Curves of other
    properties that the user has added or changed since stay.
    """
    if "object_keys" not in record:
        return False
    kept, data = ob.vbd.kept_action, ob.animation_data
    ob.vbd.kept_action = None
    if data is None:
        return True
    remove_strips(data, is_ours)
    if is_ours(kept):
        _give_back(ob, kept, record)
    elif kept is not None and data.action is None:  # the bake was pushed down
        data.action = kept
        _set_slot(data, record["slot"])
    left = data.action or data.drivers or data.nla_tracks
    if not record["had_animation"] and not left:
        ob.animation_data_clear()
    return True


def _give_back(ob, ours, record):
    """Keep the curves of an action of a bake that are not of the bake, and remove the action."""
    data = ob.animation_data
    own, slot = data.action, _slot(data)
    data.action = ours
    _set_slot(data, record["our_slot"])
    curves = curves_of_block(ob)[2]
    for curve in [curve for curve in curves if curve.data_path in record["paths"]]:
        curves.remove(curve)
    if own is None and len(curves):
        del ours[MARK]
        return
    data.action = own
    if own is not None:
        _set_slot(data, slot)
        for curve in curves:
            copy_curve(curve, curves_of_block(ob)[2])
    if not ours.users:
        bpy.data.actions.remove(ours)


def _slot(data):
    """The number of the slot of the action that is assigned; None before Blender 4.4."""
    slot = getattr(data, "action_slot", None)
    return slot and slot.handle


def _set_slot(data, handle):
    """Choose the slot of the assigned action with this number."""
    if hasattr(data, "action_slot"):
        slots = data.action.slots
        data.action_slot = next((slot for slot in slots if slot.handle == handle), None)
