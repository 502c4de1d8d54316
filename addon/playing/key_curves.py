# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of a data-block that plays a bake: made in its action, and removed from it."""

import bpy
import numpy as np

LINEAR = 1  # the number of 'LINEAR' in Keyframe.interpolation
# What a keyframe has: its name, the type of its numbers and their count.
POINTS = (
    ("handle_left_type", np.int32, 1),
    ("handle_right_type", np.int32, 1),
    ("interpolation", np.int32, 1),
    ("easing", np.int32, 1),
    ("co", np.float32, 2),
    ("handle_left", np.float32, 2),
    ("handle_right", np.float32, 2),
)


def curves_of_block(block):
    """(name of the action made here or "", whether a slot was made, the F-curves) of a Key or an
    object.
    """
    data = block.animation_data or block.animation_data_create()
    made_action, made_slot = "", False
    if data.action is None:
        data.action = bpy.data.actions.new(f"{block.name} VBD")
        made_action = data.action.name
    action = data.action
    if not hasattr(action, "slots"):  # Blender 4.2 and 4.3
        return made_action, made_slot, action.fcurves
    slot = data.action_slot
    if slot is None:
        slot = action.slots.new(id_type=block.id_type, name=block.name)
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
    remove_strips(data, lambda action: action.name == record["made_action"])
    action = data.action
    if action and record["made_action"] and action.users > 1:  # a copied mesh uses it as well
        data.action = None
    elif action:
        _remove_from_action(key, record)
    left = data.action or data.drivers or data.nla_tracks
    if not record["had_animation"] and not left:
        key.animation_data_clear()


def strips_of(data):
    """(track, strip) of all NLA strips of the animation of a data-block."""
    return [(track, strip) for track in data.nla_tracks for strip in track.strips]


def remove_strips(data, is_ours):
    """Remove the actions of a bake from NLA tracks, if they were pushed down there."""
    for track, strip in strips_of(data):
        action = strip.action
        if action is None or action == data.action or not is_ours(action):
            continue
        track.strips.remove(strip)
        if not track.strips:
            data.nla_tracks.remove(track)
        if not action.users:
            bpy.data.actions.remove(action)


def copy_curve(curve, curves):
    """Put a copy of a curve into others, in place of the one of its property, unless both have the
    same keyframes.
    """
    there = curves.find(curve.data_path, index=curve.array_index)
    points = _points(curve)
    if there is not None:
        if all(np.array_equal(a, b) for a, b in zip(points, _points(there), strict=True)):
            return
        curves.remove(there)
    new = curves.new(curve.data_path, index=curve.array_index)
    new.keyframe_points.add(len(curve.keyframe_points))
    for (name, _, _), values in zip(POINTS, points, strict=True):
        new.keyframe_points.foreach_set(name, values)
    new.extrapolation = curve.extrapolation
    new.update()


def _points(curve):
    """The keyframes of a curve: an array for each of `POINTS`."""
    count, found = len(curve.keyframe_points), []
    for name, kind, width in POINTS:
        found.append(np.empty(count * width, kind))
        curve.keyframe_points.foreach_get(name, found[-1])
    return found


def _remove_from_action(key, record):
    data, (_, _, curves) = key.animation_data, curves_of_block(key)
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
