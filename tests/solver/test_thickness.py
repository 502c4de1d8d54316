# SPDX-License-Identifier: GPL-3.0-or-later
"""Default contact distance of surfaces."""

import pytest
from shapes import box, bumpy_ball, caged, chain, grid

from vbd.solver.bodies import Cloth, Rod, Solid
from vbd.solver.scene.thickness import collision_thickness
from vbd.solver.settings import Material
from vbd.solver.simulate import Settings, simulate


def test_what_is_given_stays():
    sheet = Cloth(*grid(4), Material(collision_thickness=0.3))
    assert collision_thickness(sheet) == 0.3


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_body_keeps_a_part_of_its_size(scale):
    points, tets = box((3, 3, 3))
    assert collision_thickness(Solid(scale * points, tets)) == pytest.approx(0.0025 * scale)
    assert collision_thickness(Rod(*chain(11, 0.1 * scale))) == pytest.approx(0.0025 * scale)


def test_folds_of_a_fine_sheet_keep_at_most_half_an_edge():
    assert collision_thickness(Cloth(*grid(10))) == pytest.approx(0.0025)
    assert collision_thickness(Cloth(*grid(200))) == pytest.approx(0.25 / 200)


def test_of_a_caged_body_the_surface_counts():
    fine = caged(*bumpy_ball(1.0, rows=80), resolution=4)
    fine.material = Material()
    edge = 0.5 * 3.14 / 80
    assert collision_thickness(fine) < 0.25 * edge


def test_a_small_cube_rests_near_the_ground():
    points, tets = box((3, 3, 3), (0.01, 0.01, 0.01))
    cube = Solid(points + [0.0, 0.0, 0.0005], tets, Material(youngs_modulus=1e5, damping=0.01))
    *_, frame = simulate([cube], Settings(use_ground=True), 12)
    gap = frame.positions[0][:, 2].min()
    assert 0.0 < gap <= 0.0025 * 0.01
