# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of a Key that plays a bake: made in its action, and removed from it."""

import bpy
import numpy as np

LINEAR = 1  # the number of 'LINEAR' in Keyframe.interpolation


def curves_of_key(key):
    """(name of the action made here or "", whether a slot was made, the F-curves of a Key)."""
    data = key.animation_data or key.animation_data_create()
    made_action, made_slot = "", False
    if data.action is None:
        data.action = bpy.data.actions.new(f"{key.name} VBD")
        made_action = data.action.name
    action = data.action
    if not hasattr(action, "slots"):  # Blender 4.2 and 4.3
        return made_action, made_slot, action.fcurves
    slot = data.action_slot
    if slot is None:
        slot = action.slots.new(id_type="KEY", name=key.name)
        data.action_slot = slot
        made_slot = True
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return made_action, made_slot, strip.channelbag(slot, ensure=True).fcurves


def value_path(block):
    return f'key_blocks["{bpy.utils.escape_identifier(block.name)}"].value'


def own_paths(key, record):
    """Data paths of the curves of a bake on the Key that plays it."""
    blocks = set(record.get("blocks", ()))
    ours = {value_path(block) for block in key.key_blocks if block.name in blocks}
    return ours | {"eval_time"} if record.get("absolute") else ours


def add_linear_keys(curve, frames, values):
    """Keyframes joined by straight lines; before the first and after the last the value holds."""
    curve.keyframe_points.add(len(frames))
    points = np.column_stack([frames, values]).astype(np.float32)
    curve.keyframe_points.foreach_set("co", points.ravel())
    kinds = np.full(len(frames), LINEAR, np.int32)
    curve.keyframe_points.foreach_set("interpolation", kinds)
    curve.extrapolation = "CONSTANT"
    curve.update()


def add_tents(curves, blocks, times):
    """A value curve for each relative block: 1 at its time, 0 at those of its neighbors."""
    for index, block in enumerate(blocks):
        near = slice(max(index - 1, 0), index + 2)
        values = np.zeros(len(times), np.float32)
        values[index] = 1.0
        add_linear_keys(curves.new(value_path(block)), times[near], values[near])


def remove_curves(key, record):
    """Remove our curves from the Key's action, and the action too if it was made for them."""
    data = key.animation_data
    if data is None:
        return
    _remove_strips(data, record["made_action"])
    action = data.action
    if action and record["made_action"] and action.users > 1:  # a copied mesh uses it as well
        data.action = None
    elif action:
        _remove_from_action(key, record)
    left = data.action or data.drivers or data.nla_tracks
    if not record["had_animation"] and not left:
        key.animation_data_clear()


def _remove_strips(data, name):
    """Remove the action of a bake from NLA tracks, if it was pushed down there."""
    action = bpy.data.actions.get(name)
    if action is None or data.action == action:
        return
    for track in list(data.nla_tracks):
        mine = [strip for strip in track.strips if strip.action == action]
        for strip in mine:
            track.strips.remove(strip)
        if mine and not track.strips:
            data.nla_tracks.remove(track)
    if not action.users:
        bpy.data.actions.remove(action)


def _remove_from_action(key, record):
    data, (_, _, curves) = key.animation_data, curves_of_key(key)
    action = data.action
    ours = own_paths(key, record)
    for curve in [curve for curve in curves if curve.data_path in ours]:
        curves.remove(curve)
    if record["made_action"] and not len(curves):
        data.action = None
        if action.users == 0:
            bpy.data.actions.remove(action)
    elif record["made_slot"] and not len(curves):
        slot = data.action_slot
        data.action_slot = None
        action.slots.remove(slot)
