# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that joints hold, as a beginner joins them."""

import bpy
import numpy as np
from building import add, floor, keyed
from expected import Expected, scene
from rigid_scenes import box


def join(ob, kind, *others):
    """Select `others` and then `ob`, press + in its Attachments panel, and choose the Kind."""
    bpy.ops.object.select_all(action="DESELECT")
    for one in (*others, ob):
        one.select_set(True)
    bpy.context.view_layer.objects.active = ob
    assert bpy.ops.vbd.add_attachment() == {"FINISHED"}
    item = ob.vbd.attachments[-1]
    item.kind = kind
    return item


def empty(place, turn=(0.0, 0.0, 0.0)):
    """Add > Empty > Arrows."""
    bpy.ops.object.empty_add(type="ARROWS", location=place, rotation=turn)
    return bpy.context.object


@scene
def joined_pair():
    """Two boxes that a fixed joint holds at their edges land on one and topple as one piece."""
    low, high = box(1.0), box(2.1)
    high.location.x = 1.2
    join(high, "FIXED", low)
    floor()

    def stays_one(baked):
        points = [np.concatenate([baked.motion[ob.name][k] for ob in (low, high)]) for k in (0, -1)]
        before, after = (np.linalg.norm(p - p[:, None], axis=2) for p in points)
        assert np.abs(after - before).max() < 0.005
        assert points[1][:, 2].max() < 2.0 < points[0][:, 2].max()

    return Expected(60, rests=True, also=stays_one)


@scene
def hinge_door():
    """A door of wood hangs on a vertical hinge at its side; a ball that rolls in swings it open."""
    door = box(1.0, (1.0, 0.06, 1.9))
    hinge = empty((-0.5, 0.0, 0.1))
    join(door, "HINGE", hinge)
    floor()
    ball = add("uv_sphere", "RIGID", z=1.0, at=(0.2, -1.5), radius=0.15)
    keyed(ball, 1, (-9, -3.5), (1, -1.5))

    def swings(baked):
        points = baked.motion[door.name]
        side = points[0][:, 0] < -0.49
        moved = np.linalg.norm(points[-1][side] - points[0][side], axis=1).max()
        assert moved < 0.07  # by half of its thickness at most, about the axis in its middle
        assert abs(np.ptp(points[-1][:, 2]) - 1.9) < 0.005
        assert points[-1][~side, 1].max() > 0.3

    # The ball lands, and friction turns 2/7 of its speed into spin: it opens the door slowly.
    return Expected(90, also=swings)
