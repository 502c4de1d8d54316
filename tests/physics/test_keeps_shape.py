# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that keep their shape stand in it under gravity, and swing about it."""

import numpy as np
import pytest
from shapes import box, cell_box, chain, grid, tet_ball, tet_mesh

from vbd.solver.attachments import Attachment
from vbd.solver.bodies import Cells, Cloth, EmbeddedSurface, Pins, Rod, Solid
from vbd.solver.rest_shapes.store import RestShapes
from vbd.solver.scene.directors import with_directors
from vbd.solver.scene.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# A body stands if no vertex leaves its place by more than this part of the size of the body.
STANDS = 1e-3
SETTINGS = Settings(threads=1)


def size(body):
    return np.linalg.norm(np.ptp(body.points, axis=0))


def ways(bodies, frames=48, settings=SETTINGS, others=(), **options):
    """The largest way of a vertex from its start over the size, [frame, body]."""
    solved = simulate([*bodies, *others], settings, frames, **options)
    return np.array(
        [
            [
                np.linalg.norm(x - body.points, axis=1).max() / size(body)
                for body, x in zip(bodies, frame.exact_positions, strict=True)
            ]
            for frame in solved
        ]
    )


def drop(body):
    """The drop of a body without a rest shape of its own at equilibrium, over the size."""
    body.keeps_shape = False
    still = Settings(threads=1, quasistatic=True, substeps=1, iterations=200)
    (way,) = ways([body], 1, still)[0]
    body.keeps_shape = True
    return way


def stands(body, **others):
    shapes = RestShapes()
    assert ways([body], rest_shapes=shapes, **others).max() < STANDS
    assert not shapes.sags()


def clamped(points):
    return Pins(np.flatnonzero(points[:, 0] < 1e-9))


def tet_bar(modulus, ratio):
    """A bar of 1 m, clamped at one end."""
    points, tets = box((16, 2, 2), (1.0, 0.1, 0.1))
    material = Material(youngs_modulus=modulus, poisson_ratio=ratio, density=1000.0)
    return Solid(points, tets, material, clamped(points), keeps_shape=True)


def cell_bar(across, modulus, ratio):
    points, cells = cell_box((10 * across, across, across), (1.0, 0.1, 0.1))
    material = Material(youngs_modulus=modulus, poisson_ratio=ratio, density=1000.0)
    return Cells(points, cells, material, clamped(points), keeps_shape=True)


@pytest.mark.parametrize("ratio", [0.3, 0.45])
@pytest.mark.parametrize(
    ("wanted", "moduli"), [(0.12, (5.7e6, 3.4e6)), (0.3, (2.2e6, 1.4e6)), (0.5, (1.15e6, 7.5e5))]
)
def test_a_bar_of_tets_stands(wanted, moduli, ratio):
    body = tet_bar(moduli[ratio > 0.4], ratio)
    assert drop(body) == pytest.approx(wanted, rel=0.2)
    stands(body)


@pytest.mark.parametrize("ratio", [0.3, 0.45])
@pytest.mark.parametrize("across", [1, 2, 4])
@pytest.mark.parametrize(("wanted", "modulus"), [(0.12, 1.2e7), (0.3, 4.5e6), (0.5, 2.2e6)])
def test_a_bar_of_cells_stands(wanted, modulus, across, ratio):
    body = cell_bar(across, modulus, ratio)
    assert drop(body) == pytest.approx(wanted, rel=0.2)
    stands(body)


def test_a_bar_that_is_moved_swings_about_its_shape():
    body = cell_bar(1, 4.5e6, 0.3)
    start = body.points[body.pins.indices]
    body.pins = Pins(body.pins.indices, lambda time: start + [0.0, 0.0, 0.2 * min(8.0 * time, 1.0)])
    body.material = Material(youngs_modulus=4.5e6, poisson_ratio=0.3, density=1000.0, damping=0.05)
    tip = [
        frame.exact_positions[0][-1, 2] - body.points[-1, 2] - 0.2
        for frame in simulate([body], SETTINGS, 96)
    ]
    assert min(tip) < -0.1
    assert max(tip) > 0.03
    assert abs(tip[-1]) < 2e-3


def test_a_bar_without_a_stable_rest_shape_sags_and_says_by_how_much():
    body, shapes = tet_bar(4e5, 0.3), RestShapes()
    simulate([body], SETTINGS, 1, rest_shapes=shapes)
    # It would hang down.
    assert shapes.sags()["Solid"] > 0.5


@pytest.mark.parametrize("place", ["hangs", "stands"])
def test_the_bunny_keeps_its_shape(place):
    points, tets = tet_mesh("bunny_small")
    points = points if place == "hangs" else points[:, [2, 0, 1]]
    height = (points[:, 2] - points[:, 2].min()) / np.ptp(points[:, 2])
    pins = Pins(np.flatnonzero(height > 0.85 if place == "hangs" else height < 0.15))
    modulus = 4e4 if place == "hangs" else 1.5e5
    material = Material(youngs_modulus=modulus, poisson_ratio=0.3, density=1000.0)
    body = Solid(points, tets, material, pins, keeps_shape=True)
    assert drop(body) > 0.08
    stands(body)


def belly():
    """A torso of 0.7 m with a belly, held at its back."""
    v, u = np.meshgrid(np.linspace(0.0, np.pi, 18)[1:-1], np.arange(32) / 16 * np.pi, indexing="ij")
    round_ = [np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)]
    points = np.stack(round_, axis=-1).reshape(-1, 3) * [0.25, 0.18, 0.35]
    front = np.maximum(-points[:, 1] / 0.18, 0.0) ** 2
    points[:, 1] -= 0.15 * front * np.exp(-(((points[:, 2] + 0.08) / 0.15) ** 2))
    points = np.concatenate([points, [[0.0, 0.0, 0.35], [0.0, 0.0, -0.35]]])
    i, rows = np.arange(32), 16
    j = (i + 1) % 32
    triangles = [np.stack([rows * 32 + 0 * i, i, j], 1)]
    for a in 32 * np.arange(rows - 1):
        triangles += [np.stack([a + i, a + 32 + i, a + j], 1)]
        triangles += [np.stack([a + j, a + 32 + i, a + 32 + j], 1)]
    last = 32 * (rows - 1)
    triangles += [np.stack([rows * 32 + 1 + 0 * i, last + j, last + i], 1)]
    return points, np.concatenate(triangles)


def test_a_torso_with_a_belly_stands():
    points, triangles = belly()
    cells = lattice(points, triangles, 12)
    surface = EmbeddedSurface(*embed(points, cells), triangles)
    material = Material(youngs_modulus=1.5e4, poisson_ratio=0.45, density=1000.0)
    pins = Pins(np.flatnonzero(cells.points[:, 1] > 0.06))
    body = Cells(
        cells.points,
        cells.cells,
        material,
        pins,
        filling=cells.filling,
        surface=surface,
        keeps_shape=True,
    )
    assert drop(body) > 0.05
    stands(body)


def skirt(bending):
    """A cone of cloth of 0.5 m with eight folds, pinned around its waist."""
    rows, around = 10, 32
    v, a = np.meshgrid(np.linspace(0, 1, rows + 1), np.arange(around) * np.pi / 16, indexing="ij")
    r = 0.15 + 0.25 * v + 0.04 * v * np.cos(8 * a)
    points = np.stack([r * np.cos(a), r * np.sin(a), -0.5 * v], axis=-1).reshape(-1, 3)
    at = around * np.arange(rows)[:, None] + np.arange(around)
    beside = around * np.arange(rows)[:, None] + (np.arange(around) + 1) % around
    a, b, c, d = (k.ravel() for k in (at, beside, beside + around, at + around))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    material = Material(youngs_modulus=2e4, thickness=1e-3, density=0.2, bending_stiffness=bending)
    return Cloth(points, triangles, material, Pins(np.arange(around)), keeps_shape=True)


def test_a_skirt_stands():
    body = skirt(1e-2)
    assert drop(body) > 0.02
    stands(body)


def test_a_rope_stands():
    line, edges = chain(21, 0.05)
    line[:, 2] = -0.3 * line[:, 0] ** 2
    points, directors = with_directors(line, edges)
    material = Material(youngs_modulus=5e7, thickness=0.02, density=0.1, bending_factor=1.0)
    pins = Pins([0, 1, directors[0]])
    body = Rod(points, edges, material, pins, directors=directors, keeps_shape=True)
    assert drop(body) > 0.2
    stands(body)


def test_a_limp_curtain_says_by_how_much_it_sags():
    points, triangles = grid(12)
    points = np.stack([0.9 * points[:, 0], 0.1 * np.sin(9 * points[:, 0]), points[:, 1]], axis=1)
    material = Material(youngs_modulus=2e4, thickness=1e-3, density=0.2, bending_stiffness=1e-5)
    body = Cloth(points, triangles, material, Pins([156, 168]), name="Curtain", keeps_shape=True)
    shapes = RestShapes()
    way = ways([body], rest_shapes=shapes).max()
    # It overshoots on the way there.
    assert 0.3 * way < shapes.sags()["Curtain"] / size(body) < way


def test_bodies_that_hang_on_each_other_stand_together():
    first, second = tet_bar(6e6, 0.3), tet_bar(6e6, 0.3)
    second.points = second.rest_points = second.points + [0.0, 0.0, -0.5]
    second.pins = Pins(second.pins.indices[:0])
    ends = np.flatnonzero(first.points[:, 0] > 0.99)
    near = np.flatnonzero(first.points[:, 0] < 0.01)
    rope = [
        Attachment(first, at, 1e5, other=second, corners=at, offset=None) for at in (ends, near)
    ]
    # Multipliers of stiff attachments begin at zero, so the ropes give way a little at first.
    assert ways([first, second], others=rope).max() < 2.0 * STANDS
    first.keeps_shape = second.keeps_shape = False
    assert ways([first, second], others=rope).max() > 0.1


def test_a_body_that_nothing_holds_rests_in_the_shape_that_it_has():
    points, tets = box((2, 2, 2))
    body = Solid(points, tets, Material(youngs_modulus=1e4), keeps_shape=True)
    shapes = RestShapes()
    simulate([body], SETTINGS, 1, rest_shapes=shapes)
    np.testing.assert_array_equal(shapes.shapes[0].points, body.points)
    assert not shapes.sags()


@pytest.mark.parametrize("keeps_air", [False, True])
def test_a_balloon_under_pressure_stands(keeps_air):
    points, tets = tet_ball(6, 0.5)
    ball = Solid(points, tets)
    outside, triangles = np.unique(ball.boundary, return_inverse=True)
    points, triangles = points[outside], triangles.reshape(-1, 3)
    material = Material(
        youngs_modulus=1e6,
        thickness=1e-3,
        density=2.0,
        bending_stiffness=1e-3,
        pressure=200.0,
        keep_volume=keeps_air,
    )
    pins = Pins(np.flatnonzero(points[:, 2] > 0.4))
    body = Cloth(points, triangles, material, pins, keeps_shape=True)
    assert drop(body) > 0.02
    stands(body)
