# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished frames -> shape keys, or keyframes of a rigid body's object, and restoring the state
before the bake.

A mesh without keys of its own gets absolute keys and one straight `eval_time` curve, which plays at
the same speed for any number of frames. A mesh with keys of its own gets relative keys, each with
its own curve, so that its keys stay; they are muted. `object.vbd.bake_record` stores the state to
restore.
"""

import json
from itertools import chain

import bpy
import numpy as np

from ...solver.messages import message
from ..objects.curves import free_handles, give_back_handles, is_curve, set_key
from ..objects.hair import is_hair
from ..objects.modifiers import reshaping
from ..objects.refining import restore
from ..objects.shape_keys import clear_keys
from ..objects.stored_records import bake_record
from . import follower, mesh_cache, object_keys
from .key_curves import add_linear_keys, add_tents, curves_of_block, remove_curves

PREFIX = "VBD "
# Blender computes a straight curve as rise * time / run in float32. With a slope of one key per
# frame and up to this many frames between keyframes, the product is an integer below 2^24, and so
# every frame shows its key exactly.
EXACT_RUN = 4095


def is_baked(ob):
    return bool(ob.vbd.bake_record)


def write(ob, frames, frame_start, deforming, pace=1.0):
    """Make `frames` the motion of an object from scene frame `frame_start` on.

    `frames`: float32 [vertex, 3] arrays in object space; of a rigid body [4, 3] (object_keys.py).
    `deforming`: names of the modifiers whose
    effect they contain; these are disabled. `pace`: time in curves per scene frame. An existing
    bake is freed.
    """
    if ob.vbd.role == "RIGID":
        if _take_away(ob):
            clear_keys(ob)
        record = object_keys.write(ob, frames, frame_start, pace)
        ob.vbd.bake_record, ob.vbd.baked = json.dumps(record), True
        resume(ob)
        return
    if is_hair(ob) or reshaping(ob):
        if _take_away(ob):
            clear_keys(ob)
        _write_follower(ob, frames, frame_start, pace)
        return
    # A Key that is deleted and made again in one step comes back from an undo empty, or crashes.
    kept = _take_away(ob)
    key = None if kept else ob.data.shape_keys
    own = len(key.key_blocks) if key else 0
    record = {
        "own_blocks": own,
        # An animated Key may have an `eval_time` curve of its own.
        "absolute": own < 2 and not (key and key.animation_data),
        "use_relative": key.use_relative if key else True,
        "eval_time": key.eval_time if key else 0.0,
        "mutes": {block.name: block.mute for block in key.key_blocks} if key else {},
        "active_index": ob.active_shape_key_index,
        "show_only": ob.show_only_shape_key,
        "had_animation": bool(key and key.animation_data),
        "modifiers": {
            name: [ob.modifiers[name].show_viewport, ob.modifiers[name].show_render]
            for name in deforming
        },
    }
    if is_curve(ob):
        record["handles"] = free_handles(ob)
    if not ob.data.shape_keys:
        ob.shape_key_add(name="Basis", from_mix=False)
    key = ob.data.shape_keys
    # To an absolute Key, Blender adds a block at the time that it shows; to a relative one 10 after
    # the block before, which adds up in float32 and drifts.
    key.use_relative = not record["absolute"]
    first = int(np.ceil(key.reference_key.frame)) + 1
    blocks = []
    for index, points in enumerate(frames):
        if record["absolute"]:
            key.eval_time = first + index
        block = ob.shape_key_add(name=f"{PREFIX}{frame_start + index}", from_mix=False)
        block.interpolation = "KEY_LINEAR"
        if is_curve(ob):
            set_key(block, ob, points)
        else:
            block.points.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
        blocks.append(block)
    for block in blocks:
        block.relative_key = key.reference_key
        block.value = 0.0  # 1 in Blender 5.0, and exporters read it
    record["blocks"] = [block.name for block in blocks]
    record["made_action"], record["made_slot"], curves = curves_of_block(key)
    times = (pace * np.arange(frame_start, frame_start + len(blocks))).astype(np.float32)
    if record["absolute"]:
        knots = np.unique([*range(0, len(blocks), EXACT_RUN), len(blocks) - 1])
        add_linear_keys(curves.new("eval_time"), times[knots], first + knots)
    else:
        add_tents(curves, blocks, times)
    ob.active_shape_key_index = record["active_index"]
    ob.vbd.bake_record = json.dumps(record)
    ob.vbd.baked = True
    resume(ob)


def _write_follower(ob, frames, frame_start, pace):
    """`write` for an object that follows a mesh with the keys."""
    frames = iter(frames)
    first = next(frames)
    holder, modifier = follower.add(ob, first)
    write(holder, chain([first], frames), frame_start, [], pace)
    record = {"mesh_cache": modifier.name, "modifiers": {}, "follows": True}
    ob.vbd.bake_record, ob.vbd.baked = json.dumps(record), True


def resume(ob):
    """Let a bake play again after `suspend`."""
    if not is_baked(ob):
        return
    record = bake_record(ob)
    if mesh_cache.show(ob, record, True) or object_keys.show(ob, record, True):
        return
    key = ob.data.shape_keys
    ob.show_only_shape_key = False
    if key:
        key.use_relative = not record["absolute"]
        mutes = _own_mutes(key, record)
        for block in key.key_blocks:
            block.mute = block.name in mutes
    for name in record["modifiers"]:
        modifier = ob.modifiers.get(name)
        if modifier:
            modifier.show_viewport = modifier.show_render = False
    ob.data.update_tag()


def suspend(ob):
    """Show an object as it was before its bake; `resume` plays the bake again."""
    if not is_baked(ob):
        return
    record = bake_record(ob)
    if mesh_cache.show(ob, record, False) or object_keys.show(ob, record, False):
        return
    key = ob.data.shape_keys
    ob.show_only_shape_key = record["show_only"]
    if key:
        # Relative baked keys have no value in absolute mode and are muted in the other one.
        key.use_relative = record["use_relative"] or record["absolute"]
        ours, mutes = set(record["blocks"]), _own_mutes(key, record)
        for block in key.key_blocks:
            block.mute = block.name in ours or mutes.get(block.name, block.mute)
    for name, (viewport, render) in record["modifiers"].items():
        modifier = ob.modifiers.get(name)
        if modifier:
            modifier.show_viewport, modifier.show_render = viewport, render
    ob.data.update_tag()


def is_absolute(ob):
    """Return whether an object plays its bake with absolute keys."""
    keys = getattr(ob.data, "shape_keys", None)  # hair never has keys
    return bool(keys and bake_record(ob).get("absolute"))


def make_relative(ob):
    """Turn the absolute keys of a bake into relative ones with equal motion, each with a curve.

    A bake whose curve was moved or stretched keeps its new timing.
    """
    record, key = bake_record(ob), ob.data.shape_keys
    data = key.animation_data
    if data and data.action and data.action.users > 1:  # a copied mesh shares it
        data.action = data.action.copy()
    _, _, curves = curves_of_block(key)
    curve = curves.find("eval_time")
    blocks = [key.key_blocks[name] for name in record["blocks"] if name in key.key_blocks]
    times = _times_shown(curve, blocks)
    if times is None:
        raise ValueError(message("free.curve_edited", name=ob.name))
    curves.remove(curve)
    for block in blocks:
        block.value = 0.0
    add_tents(curves, blocks, times)
    record["absolute"] = False
    ob.vbd.bake_record = json.dumps(record)
    resume(ob)


def _times_shown(curve, blocks):
    """Times at which an `eval_time` curve shows each of `blocks`; None if they are not in order."""
    if curve is None or not blocks:
        return None
    points = np.array([tuple(point.co) for point in curve.keyframe_points])
    straight = all(point.interpolation == "LINEAR" for point in curve.keyframe_points)
    frames = np.array([block.frame for block in blocks])
    times, values = points.T
    inside = values[0] - 0.5 < frames[0] and frames[-1] < values[-1] + 0.5
    if not (straight and inside and (np.diff(values) > 0.0).all()):
        return None
    return np.interp(frames, values, times).astype(np.float32)


def free(ob):
    """Remove the bake and restore exactly the state before it."""
    if _take_away(ob):
        clear_keys(ob)
    restore(ob)


def _take_away(ob):
    """`free`, but a Key made for the bake stays, with its Basis; returns whether it exists."""
    if not is_baked(ob):
        return False
    suspend(ob)
    record = bake_record(ob)
    if object_keys.remove(ob, record):
        _forget(ob)
        return False
    if is_hair(ob) or record.get("follows"):
        holder = follower.remove(ob, record.get("mesh_cache", ""))
        if holder is not None:
            free(holder)
            bpy.data.meshes.remove(holder.data)  # and the object
        _forget(ob)
        return False
    key, made_here = ob.data.shape_keys, False
    if not mesh_cache.remove(ob, record) and key:
        remove_curves(key, record)
        ours = [block for block in key.key_blocks if block.name in set(record["blocks"])]
        if len(ours) == len(key.key_blocks):  # the user deleted the Basis; a Key needs one block
            ours.pop(0).name = "Basis"
        for block in ours:
            ob.shape_key_remove(block)
        made_here = not record["own_blocks"] and len(key.key_blocks) == 1
        if not made_here:
            key.use_relative = record["use_relative"]
            key.eval_time = record["eval_time"]
            ob.active_shape_key_index = record["active_index"]
    if is_curve(ob):
        give_back_handles(ob, record.get("handles", []))
    _forget(ob)
    return made_here


def _forget(ob):
    """Reset an object to one that was never baked."""
    for name in ("bake_record", "baked", "bake_scene", "bake_id", "bake_vertices", "bake_fps"):
        ob.vbd.property_unset(name)


def _own_mutes(key, record):
    """Muted state of the user's own keys, by name; renamed ones are identified by their order."""
    mutes = record["mutes"]
    missing = [name for name in mutes if name not in key.key_blocks]
    known = {*mutes, *record["blocks"]}
    new = [block.name for block in key.key_blocks if block.name not in known]
    return mutes | {now: mutes[name] for name, now in zip(missing, new, strict=False)}
