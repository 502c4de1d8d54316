# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth skin of soft bodies of cells: what it is, and that contact holds it."""

from dataclasses import replace

import numpy as np
import pytest
from intersections import intersecting_pairs, joined
from shapes import bumpy_ball, in_cells, plane, rotation
from surfaces import sphere

from vbd.solver.attachments import Attachment
from vbd.solver.bodies import Cells, Collider, EmbeddedSurface, Pins
from vbd.solver.bodies.skin import lattice_neighbors, skin_offsets
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Restart, Simulation, simulate

FLESH = Material(youngs_modulus=15e3, collision_thickness=0.0025)


def ball(height=0.0, smooth=None, **more):
    """A soft ball of 1 m with 8 cells across, and their lattice."""
    points, triangles = sphere()
    points = 0.5 * points + [0.0, 0.0, height]
    cells = lattice(points, triangles, 8)
    surface = EmbeddedSurface(*embed(points, cells), triangles, smooth)
    known = {"filling": cells.filling, "surface": surface} | more
    return Cells(cells.points, cells.cells, FLESH, **known), cells


def great_circles(cells, count=40):
    """Points on great circles of the ball in steps of 1/16 cell, [point, 3] each."""
    random, around = np.random.default_rng(1), int(16.0 * np.pi / cells.cell_size)
    angle = 2.0 * np.pi * np.arange(around)[:, None] / around
    for _ in range(count):
        u, v = np.linalg.qr(random.standard_normal((3, 2)))[0].T
        yield 0.5 * (np.cos(angle) * u + np.sin(angle) * v)


def second_differences(moved, cell):
    """Mean squares of second differences of the displacement along a circle: of steps across the
    border of two cells, and within one.
    """
    second = np.roll(moved, 1, axis=0) - 2.0 * moved + np.roll(moved, -1, axis=0)
    within = (np.roll(cell, 1) == cell) & (cell == np.roll(cell, -1))
    squares = (second**2).sum(axis=1)
    return [squares[~within], squares[within]]


@pytest.mark.parametrize(("smooth", "least", "most"), [(None, 0.0, 1.5), (False, 4.0, np.inf)])
def test_no_trace_of_cells_shows_on_a_ball_that_is_shaken(smooth, least, most):
    """Held inside, the skin of a ball of 15 kPa is as smooth across cells as within them."""
    body, cells = ball(smooth=smooth)
    inside = np.flatnonzero(np.linalg.norm(body.points, axis=1) < 0.2)
    rest = body.points[inside]
    body.pins = Pins(inside, lambda t: rest + [0.15 * np.sin(4.0 * np.pi * t), 0.0, 0.0])
    circles = list(great_circles(cells))
    surfaces = [
        EmbeddedSurface(*embed(circle, cells), body.surface.triangles) for circle in circles
    ]
    for surface in surfaces:
        surface.neighbors = body.surface.neighbors
    found = [[], []]
    for frame in simulate([body], Settings(), 20):
        for circle, surface in zip(circles, surfaces, strict=True):
            moved = surface.points(frame.exact_positions[0]) - circle
            squares = second_differences(moved, surface.corners[:, 0])
            for values, more in zip(found, squares, strict=True):
                values.append(more)
    across, within = (np.sqrt(np.concatenate(values).mean()) for values in found)
    assert least < across / within < most
    assert within > 1e-5  # m: it is shaken


def test_affine_motion_has_no_offset():
    body, _cells = ball()
    random = np.random.default_rng(2)
    turned = body.points @ (rotation((0.6, 0.0, 0.8), 1.0) + 0.3 * random.random((3, 3))).T
    assert np.abs(body.surface.offsets(turned + [1.0, 2.0, 3.0])).max() < 1e-14
    assert np.abs(body.surface.offsets(body.points**3)).max() > 1e-4


def test_slopes_are_continuous_across_doubled_corners():
    """Cells along x with a crack: two copies of a cell beside one, which share an edge each."""
    cells = np.array([[0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 3, 9, 5, 10, 7, 11]])
    cells = np.concatenate([cells, [[1, 12, 3, 13, 5, 14, 7, 15]]])
    neighbors = lattice_neighbors(cells, 16)
    x = np.random.default_rng(3).standard_normal((16, 3))
    h = 1e-4
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)])
    for cell in (1, 2):
        ends = []
        for number, t_x in ((0, (1.0 - h, 1.0)), (cell, (0.0, h))):
            at = np.array([[t, 0.3, 0.6] for t in t_x])
            weights = np.where(bits, at[:, None], 1.0 - at[:, None]).prod(axis=2)
            corners = np.repeat(cells[[number]], 2, axis=0)
            points = np.einsum("pk,pki->pi", weights, x[corners])
            points += skin_offsets(x, corners, weights, neighbors)
            ends.append((points[1] - points[0]) / h)
        np.testing.assert_allclose(*ends, atol=1e-2)


def test_only_surfaces_finer_than_their_cells_are_smooth():
    points, triangles = bumpy_ball(0.3, rows=8)
    assert in_cells(points, triangles, resolution=4).surface.neighbors is not None
    assert in_cells(points, triangles, resolution=24).surface.neighbors is None


def test_the_solver_moves_free_skins_as_the_formula_says():
    body, _cells = ball()
    body.points = body.points + 0.05 * np.sin(9.0 * body.points[:, [1, 2, 0]])
    for frame in simulate([body], Settings(gravity=(0.0, 0.0, 0.0)), 2):
        wanted = body.surface.offsets(frame.exact_positions[0])
        # Rounded to float32.
        np.testing.assert_allclose(frame.skins[0], wanted, atol=1e-6)
        assert np.abs(wanted).max() > 1e-3


@pytest.mark.parametrize("on_mesh", [False, True])
def test_a_soft_ball_lands_on_the_ground_with_its_skin(on_mesh):
    body, _cells = ball(0.55)
    scene = [body, Collider(*plane(5.0))] if on_mesh else [body]
    lowest = []
    for frame in simulate(scene, Settings(use_ground=not on_mesh), 24):
        points = body.surface.points(frame.exact_positions[0], frame.skins[0])
        lowest.append(points[:, 2].min())
    assert min(lowest) > 0.0
    # The contact distance is 2.5 mm, a few of which are left where it lies.
    assert max(lowest[12:]) < 0.006


def test_skins_of_soft_bodies_that_collide_never_meet():
    points, triangles = bumpy_ball(0.3)
    soft = Material(youngs_modulus=8e3, collision_thickness=0.002)
    left = in_cells(points, triangles, material=soft, velocities=[2.0, 0.0, 0.0])
    right = in_cells(points + [0.36, 0.05, 0.03], triangles, material=soft)
    pairs, held_back = 0, 0.0
    for frame in simulate([left, right], Settings(substeps=4, iterations=8), 16):
        known = zip((left, right), frame.exact_positions, frame.skins, strict=True)
        meshes = []
        for body, x, skin in known:
            meshes.append((body.surface.points(x, skin), triangles))
            held_back = max(held_back, np.abs(skin - body.surface.offsets(x)).max())
        assert not len(intersecting_pairs(*joined(meshes)[:2])), frame.index
        pairs = max(pairs, frame.stats.pairs)
    assert pairs > 20
    assert held_back > 1e-5  # m: contact has held skins back


def test_a_skin_goes_on_from_a_frame_bit_for_bit():
    scene = [ball(0.52)[0], Collider(*plane(5.0))]
    first = list(Simulation(scene, Settings()).frames(3))
    states = []
    for frame in simulate(scene, Settings(), 3):
        states.append(frame.state())
    resumed = list(simulate(scene, Settings(), 3, restart=Restart(2, states[1])))
    assert np.array_equal(resumed[-1].exact_positions[0], first[-1].exact_positions[0])
    assert np.array_equal(resumed[-1].skins[0], first[-1].skins[0])
    assert np.abs(first[-1].skins[0]).max() > 1e-4


@pytest.mark.parametrize("quasistatic", [False, True])
def test_attachments_hold_on_to_the_skin(quasistatic):
    """Two places of a ball that is held inside are pulled away from each other."""
    body, _cells = ball()
    body.pins = Pins(np.flatnonzero(np.linalg.norm(body.points, axis=1) < 0.2))
    rest = body.surface.points(body.rest_points)
    near = [0.4, 0.2, 0.2], [-0.5, 0.0, 0.0]
    chosen = [np.argmin(np.linalg.norm(rest - goal, axis=1)) for goal in near]
    goals = 1.2 * rest[chosen]
    pull = Attachment(
        body,
        body.surface.corners[chosen],
        3e4,
        points=goals,
        own_weights=body.surface.weights[chosen],
    )
    settings = Settings(gravity=(0.0, 0.0, 0.0), quasistatic=quasistatic)
    body.material = replace(FLESH, damping=0.1)
    *_, frame = simulate([body, pull], settings, 12)
    x, skin = frame.exact_positions[0], frame.skins[0]
    of_cells = body.surface.points(x, 0.0 * skin)[chosen]
    drawn = body.surface.points(x, skin)[chosen]
    off = np.linalg.norm(drawn - goals, axis=1)
    # About 220 N stretch springs of 30 kN/m by 7.4 mm.
    assert off.max() < 0.009
    assert np.linalg.norm(of_cells - goals, axis=1).max() > 0.03
