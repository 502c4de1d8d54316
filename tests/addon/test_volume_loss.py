# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies that are too soft to keep their volume are reported, with advice."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, slab
from shapes import box, grid

from vbd.addon.baking.volume_loss import VolumeLoss
from vbd.solver.bodies import Cells, Cloth, Collider, Filling, Pins, Solid
from vbd.solver.lattice.lattice import lattice
from vbd.solver.settings import Material

POINTS, TETS = box((2, 2, 2))


def jelly(ratio=0.48):
    return Solid(POINTS, TETS, Material(poisson_ratio=ratio), name="Jelly")


def told(body, *parts, others=()):
    """The lines about a body with these fractions of its volume, frame by frame."""
    report = VolumeLoss(SimpleNamespace(simulated=lambda: [body], bodies=[body, *others]))
    for part in parts:
        report.take([body.points * (1.0, 1.0, part)])
    return list(report.lines())


def test_what_keeps_its_volume_is_not_told_of():
    assert not told(jelly())
    assert not told(jelly(), *[0.9] * 10)


def test_what_loses_it_is_named_with_what_to_raise():
    (line,) = told(jelly(), *[1.0] * 5, *[0.7] * 5)
    assert line.text == (
        "Jelly is crushed to 70 % of its volume, too soft for its weight or the load on it; raise "
        "the Stiffness, or raise Keeps Volume to 0.49"
    )
    assert line.objects == ("Jelly",) and not line.warns
    (line,) = told(jelly(0.49), *[0.4] * 5)
    assert line.warns and line.text.endswith("the load on it; raise the Stiffness")


def test_what_animation_presses_is_told_nothing_of_its_stiffness():
    plate = Collider(lambda _time: POINTS, [[0, 1, 2]], name="Plate")
    (line,) = told(jelly(), *[0.7] * 5, others=[plate])
    assert line.text.endswith("; leave it more room, or raise Keeps Volume to 0.49")


def test_what_its_pins_shrink_is_none():
    body = jelly()
    body.pins = Pins(np.arange(len(POINTS)), lambda _time: 0.5 * POINTS)
    assert not told(body, *[0.1] * 5)
    body.pins = Pins([0, 1])
    assert told(body, *[0.1] * 5)


def test_an_impact_that_is_soon_over_is_none():
    assert not told(jelly(), *[1.0] * 9, 0.3)


@pytest.mark.parametrize(("ratio", "part"), [(0.4, 0.65), (0.25, 0.3), (0.0, 0.1)])
def test_what_its_material_lets_be_squashed_is_none(ratio, part):
    assert not told(jelly(ratio), *[part] * 5)


def test_of_cells_what_is_filled_counts():
    cells = lattice(POINTS, np.array([[0, 1, 2]]), 2, "Jelly")
    part = np.zeros(len(cells.cells))
    part[0] = 1.0
    filling = Filling(part, np.zeros((len(part), 3)), np.ones((len(part), 3)))
    body = Cells(cells.points, cells.cells, filling=filling, material=Material(poisson_ratio=0.48))
    moved = body.points.copy()
    others = np.setdiff1d(np.arange(len(moved)), body.elements[0])
    moved[others] *= 0.1
    report = VolumeLoss(SimpleNamespace(simulated=lambda: [body], bodies=[body]))
    report.take([moved])
    assert report.lost == {0: [pytest.approx(0.0, abs=1e-6)]}


def test_cloth_has_none():
    cloth = Cloth(*grid(2))
    assert not told(cloth, 0.1, 0.1)


def test_a_large_cube_of_fat_that_falls_is_told_of(scene):
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 2.0))
    fat = bpy.context.object.vbd
    fat.role, fat.resolution = "SOFT", 4
    fat.youngs_modulus, fat.poisson_ratio, fat.density = 2.3e3, 0.48, 950.0  # the preset
    slab(size=20.0)
    frames(scene, 1, 31)

    def said():
        return [line.text for line in baked().lines() if "% of its volume" in line.text]

    (line,) = said()
    assert line.startswith("Cube is crushed to ")
    fat.youngs_modulus = 2.3e4
    assert not said()
