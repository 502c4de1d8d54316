# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene frames on which the bake of an object has keys, counted in the keys themselves."""

from pathlib import Path

import bpy

from ..files.point_cache import HEADER
from ..objects.stored_records import bake_record
from ..playing import follower, object_keys
from ..playing.key_curves import curves_of_block


def keyed_frames(ob, first):
    """The frames, as a set; `first` is the scene's frame of the first key."""
    record = bake_record(ob)
    if object_keys.plays(ob):
        return set() if object_keys.is_lost(ob) else _of_object(ob, record, first)
    if "follows" in record:
        holder = follower.holder_of(ob, record["mesh_cache"])
        return set() if holder is None else keyed_frames(holder, first)
    if "mesh_cache" in record:
        return _in_file(ob.modifiers.get(record["mesh_cache"]), first)
    keys = getattr(ob.data, "shape_keys", None)
    blocks = keys.key_blocks if keys else ()
    return {first + at for at, name in enumerate(record["blocks"]) if name in blocks}


def _of_object(ob, record, first):
    """Frames on which all curves of a rigid body have a keyframe."""
    render = bpy.context.scene.render
    pace = render.frame_map_old / render.frame_map_new
    curves = [c for c in curves_of_block(ob)[2] if c.data_path in record["paths"]]
    times = [{round(point.co[0] / pace) for point in curve.keyframe_points} for curve in curves]
    return {frame for frame in set.intersection(*times) if frame >= first} if times else set()


def _in_file(modifier, first):
    """Frames of the .pc2 file that a modifier plays."""
    path = Path(bpy.path.abspath(modifier.filepath)) if modifier else None
    if path is None or not path.is_file():
        return set()
    with path.open("rb") as file:
        head = file.read(HEADER.size)
    if len(head) < HEADER.size:
        return set()
    *_, count = HEADER.unpack(head)
    return set(range(first, first + count))
