# SPDX-License-Identifier: GPL-3.0-or-later
"""The points of an object in a frame of the bake that it plays."""

import numpy as np

from ...solver.messages import message
from ..objects.curves import is_curve, key_points
from ..objects.stored_records import bake_record
from . import follower
from .playback import PREFIX


def shown_points(ob, frame):
    """The simulated points of an object in a scene frame, float32 [point, 3] in object space;
    ValueError if its bake has no such frame.
    """
    record, holder = bake_record(ob), ob
    if record.get("follows"):
        holder = follower.holder_of(ob, record["mesh_cache"])
        record = bake_record(holder) if holder else {}
    keys = holder.data.shape_keys if holder else None
    blocks = [keys.key_blocks.get(name) for name in record.get("blocks", ())] if keys else []
    number = blocks and record["blocks"][0].removeprefix(PREFIX).partition(".")[0]
    if not blocks or None in blocks or not number.lstrip("-").isdecimal():
        raise ValueError(message("free.no_keys_of", name=ob.name))
    first = int(number)
    if not 0 <= frame - first < len(blocks):
        last = first + len(blocks) - 1
        raise ValueError(
            message("free.not_baked", name=ob.name, frame=frame, first=first, last=last)
        )
    block = blocks[frame - first]
    if is_curve(holder):
        return key_points(block, holder)
    points = np.empty((len(block.points), 3), np.float32)
    block.points.foreach_get("co", points.ravel())
    return points
