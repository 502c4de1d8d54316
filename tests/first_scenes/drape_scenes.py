# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that drapes, hangs and flutters, with 20 to 40 faces a side, as a beginner makes it."""

from math import radians

import bpy
import numpy as np
import pytest
from building import add, floor, keyed, material, pin, subdivided
from expected import Expected, drape, hangs_over


def grid(faces, size, z, fabric, at=(0.0, 0.0), wide=1.0, upright=False):
    """A square of cloth, or one that is `wide` times as wide as it is long."""
    across = round(faces * wide)
    ob = add("grid", "CLOTH", z, at, size=size, x_subdivisions=across, y_subdivisions=faces)
    ob.scale.x = wide
    if upright:
        ob.rotation_euler = (radians(90.0), 0.0, 0.0)
    return material(ob, fabric) if fabric else ob


def beyond(half_x, half_y):
    """Distance of a point of a flat sheet from the rectangle that lies on a box."""
    return lambda x, y: np.hypot(max(abs(x) - half_x, 0.0), max(abs(y) - half_y, 0.0))


def hangs_from_a_rail(top, length, widest):
    """A judge: it hangs down its length, with a hem of that width at most."""

    def judge(baked):
        end = baked.end("Grid")
        assert end[:, 2].mean() == pytest.approx(top - 0.5 * length, abs=0.05 * length)
        assert end[:, 2].min() == pytest.approx(top - length, abs=0.05 * length)
        hem = end[baked.start("Grid")[:, 2] < top - 0.99 * length]
        assert np.ptp(hem[:, 0]) < widest

    return judge


@drape("Silk")
def throw_on_a_block(fabric):
    """The end of the five-minute tour."""
    block = subdivided(add("cube", z=1.0), 7)
    material(block, "Rubber")
    floor()
    grid(30, 4.0, 2.2, fabric)
    return Expected(80, drapes=0.04, also=hangs_over("Grid", beyond(1.0, 1.0)))


@drape("Linen")
def napkin(fabric):
    """A napkin of 40 cm on a bun."""
    radius = 0.08
    add("uv_sphere", "COLLIDER", z=radius, radius=radius)
    grid(20, 0.4, 0.2, fabric)
    floor(size=2.0)

    def drop(x, y):
        """Along a meridian, then straight down to the floor."""
        along = np.hypot(x, y) / radius
        if along < 0.5 * np.pi:
            return radius * (1.0 - np.cos(along))
        return min(radius * (1.0 + along - 0.5 * np.pi), 2.0 * radius)

    return Expected(40, drapes=0.1, also=hangs_over("Grid", drop, within=0.2))


@drape("Linen")
def bed_sheet(fabric):
    bed = add("cube", "COLLIDER", z=0.25, size=1.0)
    bed.scale = (1.6, 2.0, 0.5)
    grid(40, 2.4, 0.7, fabric)
    floor()
    return Expected(60, drapes=0.04, also=hangs_over("Grid", beyond(0.8, 1.0)))


@drape("Velvet")
def cape(fabric):
    """A cape behind a body that takes a step."""
    body = add("cylinder", "COLLIDER", z=0.9, radius=0.2, depth=1.8)
    ob = grid(30, 1.2, 1.1, fabric, at=(0.0, 0.25), upright=True)
    collar = np.linspace(-0.6, 0.6, 6)
    pin(ob, lambda x, y, z: y > 0.59 and np.abs(collar - x).min() < 0.01)
    keyed(ob, 0, (1, 1.0), (20, 0.6), what="scale")
    for moved, start in ((body, 0.0), (ob, 0.25)):
        keyed(moved, 1, (10, start), (40, start - 1.0))
    floor()
    return Expected(90, drapes=0.1, also=hangs_from_a_rail(1.7, 1.2, widest=1.1))


@drape("Nylon")
def flag_in_the_wind(fabric):
    ob = grid(20, 1.0, 2.0, fabric, wide=1.5, upright=True)
    pin(ob, lambda x, y, z: x < -0.49)
    bpy.ops.object.effector_add(type="WIND", location=(-3.0, 0.0, 2.0))
    wind = bpy.context.object
    wind.rotation_euler = (0.0, radians(90.0), radians(10.0))
    wind.field.strength = 1000.0
    wind.field.noise = 1.0
    wind.field.seed = 1

    def flies(baked):
        end = baked.end("Grid")
        assert end[:, 2].mean() > 1.8 and np.ptp(end[:, 0]) > 0.8 * 1.5

    # Cotton flutters in this wind all the time, and some of its faces with it. Fluttering faces are
    # creased for a moment here and there: at most 3 of 1,150 edges in 120 frames of ten flags.
    return Expected(60, floor=None, drapes=0.04 if fabric else 0.1, creases=0.005, also=flies)


@drape("Velvet")
def curtain_drawn_aside(fabric):
    """Held by six rings, which come together."""
    ob = grid(40, 2.0, 1.2, fabric, upright=True)
    rings = np.linspace(-1.0, 1.0, 6)
    pin(ob, lambda x, y, z: y > 0.99 and np.abs(rings - x).min() < 0.01)
    keyed(ob, 0, (1, 1.0), (40, 0.5), what="scale")
    return Expected(100, drapes=0.1, also=hangs_from_a_rail(2.2, 2.0, widest=1.25))
