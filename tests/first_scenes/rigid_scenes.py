# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies as a beginner adds them: boxes, dominoes, and others that soft things carry."""

from math import radians

import bpy
import numpy as np
from building import add, floor, keyed, material, pin, subdivided
from expected import Expected, scene
from rod_scenes import line


def box(z, size=(1.0, 1.0, 1.0), at=(0.0, 0.0), turn=(0.0, 0.0, 0.0), role="RIGID"):
    """A box of some size, with its middle at a height."""
    ob = add("cube", role, z, at, size=1.0)
    ob.scale, ob.rotation_euler = size, [radians(angle) for angle in turn]
    return ob


def top_of(baked, name):
    return baked.end(name)[:, 2].max()


@scene
def rigid_cube():
    """The default cube falls on an edge and comes to lie on a face."""
    box(3.0, (2.0, 2.0, 2.0), turn=(30.0, 10.0, 0.0))
    floor()
    return Expected(90, heights={"Cube": 2.0}, rests=True)


@scene
def rigid_ball():
    ball = add("uv_sphere", "RIGID", z=2.0)
    bpy.ops.object.shade_smooth()
    floor()
    return Expected(60, heights={ball.name: 2.0})


@scene
def rigid_monkey():
    """An open mesh, which is a shell."""
    monkey = add("monkey", "RIGID", z=2.0)
    floor()

    def lies(baked):
        assert top_of(baked, monkey.name) < 2.2

    return Expected(100, also=lies)


@scene
def stack_of_boxes():
    names = [box(0.55 + 1.05 * k).name for k in range(5)]
    floor()

    def stands(baked):
        assert abs(top_of(baked, names[-1]) - 5.0) < 0.05

    return Expected(80, rests=True, also=stands)


@scene
def dominoes():
    stones = [
        box(0.5, (0.15, 0.5, 1.0), at=(0.6 * k, 0.0), turn=(0.0, 10.0 * (k == 0), 0.0))
        for k in range(10)
    ]
    stones[0].location = (0.06, 0.0, 0.53)
    names = [stone.name for stone in stones]
    floor(size=20.0)

    def all_fall(baked):
        assert max(baked.height(name) for name in names) < 0.8

    return Expected(110, also=all_fall)


@scene
def ball_rolls_into_boxes():
    """A ball that its keyframes throw; it lands, rolls and pushes three boxes on each other."""
    boxes = [box(0.51 + 1.01 * k).name for k in range(3)]
    floor(size=20.0)
    ball = material(add("uv_sphere", "RIGID", z=1.5, at=(-4.0, 0.0), radius=0.5), "Stone")
    keyed(ball, 0, (-9, -6.0), (1, -4.0))
    for curve in _curves(ball):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"

    def pushed(baked):
        places = np.array([baked.end(name).mean(axis=0) for name in boxes])
        assert (places[:, 0] > 0.1).all() and abs(places[:, 1]).max() < 0.1
        assert np.allclose(places[:, 2], [0.5, 1.5, 2.5], atol=0.05)

    return Expected(70, also=pushed)


def _curves(ob):
    from vbd.addon.gathering.reader import curves_of

    return list(curves_of(ob.animation_data.action))


@scene
def ball_in_a_hammock():
    cloth = add("grid", "CLOTH", 2.0, size=2.0, x_subdivisions=20, y_subdivisions=20)
    pin(cloth, lambda x, y, z: abs(x) > 0.99)
    ball = add("uv_sphere", "RIGID", z=2.6, radius=0.3)
    floor()

    def lies_in_it(baked):
        low = baked.end(ball.name)[:, 2].min()
        sheet = baked.end(cloth.name)
        assert 0.3 < low < 2.0
        assert np.hypot(*baked.end(ball.name)[:, :2].mean(axis=0)) < 0.7
        assert sheet[:, 2].min() < low

    return Expected(100, also=lies_in_it)


@scene
def crate_on_a_mattress():
    """A block of stone of 170 kg on foam: 10 kPa press on 40 kPa, a fifth of its 30 cm at most."""
    mattress = subdivided(box(0.15, (2.0, 1.4, 0.3), role="SOFT"), 7)
    material(mattress, "Foam")
    crate = material(box(0.7, (0.4, 0.4, 0.4), turn=(0.0, 0.0, 20.0)), "Stone")
    floor()

    def sinks_a_little(baked):
        low = baked.end(crate.name)[:, 2].min()
        around = np.quantile(baked.end(mattress.name)[:, 2], 0.9)
        assert around - 0.06 < low < around - 0.005

    return Expected(100, also=sinks_a_little, warns=True)


@scene
def coin_on_jelly():
    jelly = subdivided(box(0.15, (0.4, 0.4, 0.3), role="SOFT"), 5)
    material(jelly, "Gelatin")
    coin = add("cylinder", "RIGID", 0.5, radius=0.05, depth=0.01)
    material(coin, "Steel")
    coin.rotation_euler.x = radians(20.0)
    floor()

    def lies_on_it(baked):
        assert 0.2 < baked.end(coin.name)[:, 2].mean() < 0.31

    return Expected(80, also=lies_on_it, keeps_volume=False, warns=True)


@scene
def weight_on_a_rope():
    """A rope of two metres, pinned at an end, with a wooden ball of 16 kg at the other."""
    rope = line(20)
    rope.location.z = 3.0
    pin(rope, lambda x, y, z: x < -0.99)
    ball = material(add("uv_sphere", "RIGID", 3.0, at=(1.25, -1.0), radius=0.2), "Wood")
    item = ball.vbd.attachments.add()
    item.target = rope

    def swings(baked):
        assert baked.end(ball.name)[:, 2].mean() < 2.5
        arm = np.linalg.norm(baked.end(ball.name).mean(axis=0) - (-1.0, -1.0, 3.0))
        assert abs(arm - 2.25) < 0.1

    return Expected(30, floor=None, also=swings, warns=True)
