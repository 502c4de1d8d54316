# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse cloth drapes like fine cloth at the default settings."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from elastica import sag_of_elastica

from vbd.benchmarks.cloth_resolution import measures, ours, scenes
from vbd.solver.bodies import Cloth, Pins
from vbd.solver.bodies.folds import mesh_rigidity
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# ---- The elastica


def clamped(cells, load, rigidity=2e-3):
    """A sheet 1 m long and 4 m wide that hangs by its long side, and the middle of its free end.

    Two rows are pinned: the hinges over the second bend a sheet that begins halfway between the
    two, which is the place of the clamp. Poisson's ratio 0: a strip of it is a beam.
    """
    rows = 4 * cells - 1
    x = (np.arange(cells + 1) - 0.5) / (cells - 0.5)
    y = (np.arange(rows) - rows // 2) / (cells - 0.5)
    points = np.array([[a, b, 0.0] for a in x for b in y])
    first = (np.arange(cells)[:, None] * rows + np.arange(rows - 1)).ravel()
    halves = [[0, rows, rows + 1], [0, rows + 1, 1]]
    triangles = np.concatenate([first[:, None] + half for half in halves])
    material = Material(
        youngs_modulus=2e4,
        thickness=1e-3,
        poisson_ratio=0.0,
        bending_stiffness=rigidity,
        density=load * rigidity / 9.81,
    )
    pins = Pins(np.flatnonzero(points[:, 0] < 1.0 / cells))
    return Cloth(points, triangles, material, pins), -rows // 2


def tip(cells, load, adapt):
    """Position (x, z) of the free end."""
    body, middle = clamped(cells, load)
    body.material = replace(body.material, adapt_folds=adapt)
    *_, frame = simulate([body], Settings(quasistatic=True, iterations=60), 3)
    return frame.positions[0][middle][[0, 2]]


# With Γ = 50 all of the bend is within a sixth of the length: 6 elements come to 2.9 % of it.
@pytest.mark.parametrize(("load", "cells"), [(1, 6), (1, 12), (10, 6), (10, 12), (50, 12)])
def test_a_sheet_hangs_as_the_elastica(load, cells):
    """Within 2 % of its length, with Γ = ρ g L³/D."""
    np.testing.assert_allclose(tip(cells, load, True), sag_of_elastica(load), atol=0.02)


@pytest.mark.parametrize("cells", [6, 12])
@pytest.mark.parametrize("load", [1, 10, 50])
def test_a_stiff_sheet_does_not_notice_that_folds_are_adapted(load, cells):
    body, _ = clamped(cells, load)
    m, area = body.material, 0.5 / (cells - 0.5) ** 2
    assert mesh_rigidity(m.bending_stiffness, m.density, 9.81, area) == m.bending_stiffness
    np.testing.assert_allclose(tip(cells, load, True), tip(cells, load, False), atol=1e-5)


# ---- A sheet that hangs from two corners


def sag(faces, **others):
    """Drop of the lowest vertex of a sheet of faces² below its corners [m]."""
    scene = scenes.corners(faces)
    uv = scene.sheet.points[:, :2] if others.get("membrane") == "orthotropic" else None
    return -ours.motion(scene, uv=uv, **others)[-1][:, 2].min()


# The preset Woven Cotton.
WOVEN = {
    "membrane": "orthotropic",
    "youngs_modulus": 11000.0 / ours.THICKNESS,
    "weft_modulus": 8000.0 / ours.THICKNESS,
    "shear_modulus": 60.0 / ours.THICKNESS,
    "bending_stiffness": 14.0e-6,
    "weft_bending": 9.0 / 14.0,
}


@pytest.mark.parametrize(
    "coarse",
    [
        pytest.param(
            16,
            marks=pytest.mark.xfail(
                reason="0.814 to 0.835 m, by which of several equilibria it comes to: 1 to 4 % off",
                strict=False,
            ),
        ),
        32,
    ],
)
def test_the_sag_of_a_sheet_that_hangs_from_two_corners_does_not_depend_on_its_mesh(coarse):
    sags = [sag(faces) for faces in (coarse, 64)]
    assert np.ptp(sags) < 0.02 * np.mean(sags)


@pytest.mark.parametrize(
    "others",
    [
        {"membrane": "neo_hookean"},
        pytest.param(
            WOVEN,
            marks=pytest.mark.xfail(
                reason="warp and weft of 11 kN/m are far from solved in 20 iterations (0.83 and "
                "0.57 m); 100 iterations come to 0.820 and 0.834 m, 1.8 % apart"
            ),
        ),
    ],
    ids=["neo-Hookean", "woven"],
)
def test_nor_does_that_of_other_membranes(others):
    sags = [sag(faces, **others) for faces in (16, 32)]
    assert np.ptp(sags) < 0.02 * np.mean(sags)


# ---- A tablecloth

# A box of 2 m. Measured by `python -m vbd.benchmarks.cloth_resolution drape box --faces 120`, which
# takes three minutes on one thread, too long for a test.
SIZE, CORNER, MEAN, RADIUS = 2.0, 0.605, 1.575, 1.648


# The edges of the box lie on edges of a mesh of 32² or 60² faces, and in the middle of faces of one
# of 30², whose vertices have to stay outside. That one has 0.714 m and 1.80 m.
BETWEEN = pytest.mark.xfail(
    reason="0.109 m and 9 to 10 % off: edges of the box in the middle of faces", strict=False
)
ALL, ALL_BUT = [30, 32, 60], [pytest.param(30, marks=BETWEEN), 32, 60]


@pytest.fixture(scope="module")
def draped():
    """The scene and the last positions of a tablecloth of faces²."""

    @cache
    def drape(faces):
        scene = scenes.box(faces)
        return scene, ours.motion(scene)[-1]

    return drape


@pytest.mark.parametrize("faces", ALL)
def test_a_tablecloth_lies_as_high_as_a_fine_one(draped, faces):
    """Within 5 % of the size of the box."""
    scene, x = draped(faces)
    assert measures.drape(scene, [x]).mean == pytest.approx(MEAN, abs=0.05 * SIZE)


@pytest.mark.parametrize("faces", ALL_BUT)
def test_its_corners_hang_as_low(draped, faces):
    scene, x = draped(faces)
    assert measures.drape(scene, [x]).corner == pytest.approx(CORNER, abs=0.05 * SIZE)


@pytest.mark.parametrize("faces", ALL_BUT)
def test_it_stands_out_as_far(draped, faces):
    scene, x = draped(faces)
    assert measures.drape(scene, [x]).radius == pytest.approx(RADIUS, rel=0.1)


@pytest.mark.parametrize("faces", ALL)
def test_every_corner_of_a_tablecloth_is_one_cone(draped, faces):
    np.testing.assert_array_equal(measures.cone_tips(*draped(faces)), 1)


def test_without_adapted_folds_corners_crumple():
    """The measure of cones can fail."""
    scene = scenes.box(30)
    x = ours.motion(scene, adapt_folds=False)[-1]
    assert (measures.cone_tips(scene, x) != 1).any()
