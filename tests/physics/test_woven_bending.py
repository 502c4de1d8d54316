# SPDX-License-Identifier: GPL-3.0-or-later
"""Woven cloth bends along warp and weft by its stiffness there."""

import numpy as np
import pytest
from elastica import sag_of_elastica
from shapes import grid

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.elements.hinges import dihedral_angles, hinges_of
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

RIGIDITY, RATIO, WEIGHT = 2e-3, 0.3, 4.0
TURNED = {"warp": [0, 1], "weft": [1, 0]}


def woven(**others):
    """Poisson's ratio 0, so that a strip is a beam. Its weight stretches it by less than 0.001;
    rounding of a much stiffer one would weigh as much as the strip.
    """
    stiff = {"youngs_modulus": 2e4, "weft_modulus": 2e4, "shear_modulus": 1e4, "poisson_ratio": 0.0}
    given = {"bending_stiffness": RIGIDITY, "weft_bending": RATIO, "membrane": "orthotropic"}
    given["adapt_folds"] = False
    return Material(**(stiff | given | others))


def sheet(along):
    """A sheet 1 m long and 4 m wide that hangs by its long side and bends along its warp or weft.

    Two rows are pinned: the hinges over the second bend a sheet that begins halfway between the
    two, which is the place of the clamp. A narrow strip would not bend as a beam: it twists with
    the diagonals of its triangles, as far as its sides are free.
    """
    cells, rows = 10, 39
    x = (np.arange(cells + 1) - 0.5) / (cells - 0.5)
    y = (np.arange(rows) - rows // 2) / (cells - 0.5)
    points = np.array([[a, b, 0.0] for a in x for b in y])
    first = (np.arange(cells)[:, None] * rows + np.arange(rows - 1)).ravel()
    halves = [[0, rows, rows + 1], [0, rows + 1, 1]]
    triangles = np.concatenate([first[:, None] + half for half in halves])
    rigidity = RIGIDITY * (RATIO if along == "weft" else 1.0)
    material = woven(density=WEIGHT * rigidity / 9.81)
    pins = Pins(np.flatnonzero(points[:, 0] < 0.1))
    return Cloth(points, triangles, material, pins, uv=points[:, TURNED[along]]), -rows // 2


@pytest.mark.parametrize("along", TURNED)
def test_cloth_hangs_as_the_elastica_of_its_own_direction(along):
    body, middle = sheet(along)
    *_, frame = simulate([body], Settings(quasistatic=True, iterations=40), 3)
    reach, sag = sag_of_elastica(WEIGHT)
    x, _, z = frame.positions[0][middle]
    np.testing.assert_allclose([x, z], [reach, sag], atol=0.02 * abs(sag))


def energy_over_plate(cells, direction, curvature=1e-2):
    """Energy of a woven sheet bent along a direction, over ½ D κ² A with the warp's D."""
    points, triangles = grid(cells)
    body = Cloth(points, triangles, woven(), uv=points[:, :2])
    hinges = hinges_of(body, Settings())
    bent = points.copy()
    bent[:, 2] = 0.5 * curvature * (points[:, :2] @ direction) ** 2
    energy = 0.5 * (hinges.stiffness * dihedral_angles(bent, hinges.corners) ** 2).sum()
    return energy / (0.5 * RIGIDITY * curvature**2)


@pytest.mark.parametrize(
    ("degrees", "wanted"), [(0.0, 1.0), (90.0, RATIO), (45.0, 0.25 * (1.0 + np.sqrt(RATIO)) ** 2)]
)
def test_between_warp_and_weft_it_bends_as_an_orthotropic_plate(degrees, wanted):
    angle = np.radians(degrees)
    found = energy_over_plate(32, [np.cos(angle), np.sin(angle)])
    # The border has no hinges (1/32 of it); threads across take a tenth more at 45 degrees.
    assert found == pytest.approx(wanted, rel=0.1 if degrees == 45.0 else 0.035)


def test_one_stiffness_for_all_directions_is_the_bending_of_any_cloth():
    points, triangles = grid(4)
    plain = Cloth(points, triangles, Material(bending_stiffness=RIGIDITY, adapt_folds=False))
    alike = Cloth(points, triangles, woven(weft_bending=1.0), uv=points[:, :2])
    one, other = (hinges_of(body, Settings()).stiffness for body in (plain, alike))
    np.testing.assert_array_equal(one, other)


def test_what_is_painted_multiplies_both_directions():
    points, triangles = grid(4)
    weights = np.where(points[:, 0] > 0.6, 0.1, 1.0)
    bodies = [
        Cloth(
            points,
            triangles,
            woven(bending_stiffness=RIGIDITY * part, weft_bending=ratio),
            uv=points[:, :2],
        )
        for part in (1.0, weights)
        for ratio in (1.0, RATIO)
    ]
    same, woven_so, painted, both = (hinges_of(body, Settings()).stiffness for body in bodies)
    # In a hinge at the border of the painted region, each side has its own share.
    np.testing.assert_allclose(both / painted, woven_so / same, rtol=0.02)
