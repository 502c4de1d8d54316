# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments, seams and stiff springs against statics, and the augmented Lagrangian."""

import numpy as np
import pytest
from shapes import block, box, chain, grid, in_cells

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.bodies.solids import CELL_CORNERS
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

GRAVITY = 9.81


def last(bodies, settings, frames):
    *_, frame = simulate(bodies, settings, frames)
    return frame


def jelly(offset=(0.0, 0.0, 0.0), **options):
    """A block of 0.2 m and 8 kg."""
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    return Solid(points + offset, tets, Material(youngs_modulus=5e4, damping=0.02), **options)


def top(body):
    return np.flatnonzero(body.points[:, 2] > body.points[:, 2].max() - 1e-6)


@pytest.mark.parametrize("stiffness", [1e3, 1e7])
def test_a_body_hung_on_attachments_stretches_them_by_its_weight(stiffness):
    body = jelly()
    vertices = top(body)
    ties = Attachment(body, vertices, stiffness, points=body.points[vertices])
    frame = last([body, ties], Settings(substeps=4, iterations=60), 60)
    gaps = frame.positions[0][vertices].astype(float) - body.points[vertices]
    # The nine carry 8 kg together; the stiff ones stretch by less than float32 shows.
    carried = -gaps[:, 2].sum() * stiffness
    if stiffness < 1e5:
        assert carried == pytest.approx(8.0 * GRAVITY, rel=0.01)
    else:
        assert np.abs(gaps).max() < 2e-5


def test_an_attachment_follows_its_moving_point():
    body = jelly()
    vertices = top(body)
    frames = [body.points[vertices] + [0.05 * k, 0.0, 0.0] for k in range(25)]
    ties = Attachment(body, vertices, 1e6, points=frames)
    frame = last([body, ties], Settings(gravity=(0, 0, 0), iterations=60), 24)
    np.testing.assert_allclose(frame.positions[0][vertices], frames[24], atol=2e-3)


def test_a_seam_between_two_bodies_keeps_their_momentum():
    left, right = jelly(velocities=[0.5, 0.0, 0.0]), jelly((0.25, 0.0, 0.0))
    near = np.flatnonzero(left.points[:, 0] > 0.2 - 1e-6)
    far = np.flatnonzero(right.points[:, 0] < 0.25 + 1e-6)
    seam = Attachment(left, near, 2e4, other=right, corners=far, offset=None)
    settings = Settings(gravity=(0, 0, 0), iterations=200)
    frame = last([left, right, seam], settings, 24)
    weight = np.bincount(left.tets.ravel(), minlength=27).astype(float)
    center = sum((weight @ p) / weight.sum() for p in frame.positions) / 2.0
    start = sum((weight @ b.points) / weight.sum() for b in (left, right)) / 2.0
    # Equal masses: the common center moves at half the speed for one second.
    np.testing.assert_allclose(center - start, [0.25, 0.0, 0.0], atol=1e-4)


def test_a_seam_pulls_two_sheets_together():
    points, triangles = grid(4, 0.4)
    material = Material(youngs_modulus=1e5, density=0.3, damping=0.02)
    left = Cloth(points, triangles, material)
    right = Cloth(points + [0.45, 0.0, 0.0], triangles, material)
    near, far = (np.flatnonzero(np.isclose(points[:, 0], x)) for x in (0.4, 0.0))
    seam = Attachment(left, near, 1e4, other=right, corners=far)
    frame = last([left, right, seam], Settings(gravity=(0, 0, 0), iterations=60), 24)
    gaps = frame.positions[0][near] - frame.positions[1][far]
    assert np.abs(gaps).max() < 1e-3


@pytest.mark.parametrize("corners", [3, 4])
def test_a_vertex_hangs_on_a_point_of_a_triangle_or_a_tet_and_both_feel_it(corners):
    carrier = jelly((0.0, 0.0, 1.0), pins=Pins(top(jelly())))
    points, edges = chain(3, 0.1)
    rod = Rod(
        np.stack([points[:, 1], points[:, 2], 0.9 - points[:, 0]], axis=1),
        edges,
        Material(spring_stiffness=1e4, vertex_mass=0.2, damping=0.02),
    )
    below = carrier.tets[0][:corners]
    tie = Attachment(rod, [0], 500.0, other=carrier, corners=[below], offset=None)
    settings = Settings(iterations=80)
    frame = last([carrier, rod, tie], settings, 72)
    point = carrier.points[below].mean(axis=0) - rod.points[0]
    gap = frame.positions[0][below].astype(float).mean(axis=0) - frame.positions[1][0] - point
    # Three particles of 0.2 kg hang on 500 N/m.
    assert gap[2] == pytest.approx(0.6 * GRAVITY / 500.0, rel=0.02)
    bare = last([carrier], settings, 72)
    pulled = (bare.positions[0] - frame.positions[0])[below, 2].mean()
    assert pulled > 1e-4


def soft_block(height, **options):
    """A block of cells, 0.2 m and 8 kg, whose center is at a height [m]."""
    points, triangles = block((0.2, 0.2, 0.2), (0.0, 0.0, height))
    material = Material(youngs_modulus=5e4, damping=0.02)
    return in_cells(points, triangles, 3, material=material, **options)


def in_cell(body, point):
    """Corners [1, 8] and weights [1, 8] of a point [m] in a body of cells."""
    side = body.sides()[0]
    lowest = body.points[body.cells[:, 0]]
    number = int(np.abs(lowest + 0.5 * side - point).max(axis=1).argmin())
    inner = (point - lowest[number]) / side
    return body.cells[[number]], np.where(CELL_CORNERS, inner, 1.0 - inner).prod(axis=1)[None]


def where(corners, weights, positions):
    """Position of a point in a cell [m]."""
    return weights[0] @ positions[corners[0]].astype(float)


@pytest.mark.parametrize("stiffness", [1e3, 1e7])
def test_a_body_hung_on_a_point_in_a_cell_stretches_the_attachment_by_its_weight(stiffness):
    body, point = soft_block(0.0), np.array([0.0, 0.0, 0.08])
    corners, weights = in_cell(body, point)
    tie = Attachment(body, corners, stiffness, points=[point], own_weights=weights)
    frame = last([body, tie], Settings(quasistatic=True, iterations=60), 10)
    gap = where(corners, weights, frame.positions[0]) - point
    expected = [0.0, 0.0, -8.0 * GRAVITY / stiffness]
    np.testing.assert_allclose(gap, expected, atol=1e-3 * 8.0 * GRAVITY / stiffness + 1e-7)


def test_points_in_cells_of_two_bodies_tied_to_each_other_keep_their_momentum():
    low, high = soft_block(0.0, velocities=[0.5, 0.0, 0.0]), soft_block(0.25)
    ends = [in_cell(low, [0.03, 0.0, 0.09]), in_cell(high, [0.01, 0.02, 0.16])]
    tie = Attachment(
        low, ends[0][0], 2e4, None, high, *ends[1], offset=None, own_weights=ends[0][1]
    )
    start = where(*ends[0], low.points) - where(*ends[1], high.points)
    settings = Settings(gravity=(0, 0, 0), iterations=200)
    weight = np.bincount(low.cells.ravel()).astype(float)
    for frame in simulate([low, high, tie], settings, 24):
        center = sum((weight @ p) / weight.sum() for p in frame.exact_positions) / 2.0
        time = frame.index * settings.frame_time
        np.testing.assert_allclose(center, [0.25 * time, 0.0, 0.125], atol=1e-4)
        now = where(*ends[0], frame.positions[0]) - where(*ends[1], frame.positions[1])
        assert np.abs(now - start).max() < 3e-3


def test_points_in_neighboring_cells_of_one_body_are_tied():
    # Corners of both cells appear once, with the difference of the weights.
    body = soft_block(0.0)
    one, other = in_cell(body, [0.02, 0.0, 0.0]), in_cell(body, [0.06, 0.0, 0.0])
    assert np.isin(one[0], other[0]).sum() == 4
    nearer = [-0.03, 0.0, 0.0]
    seam = Attachment(body, one[0], 1e7, None, body, *other, nearer, own_weights=one[1])
    frame = last([body, seam], Settings(gravity=(0, 0, 0), iterations=60), 24)
    gap = where(*one, frame.positions[0]) - where(*other, frame.positions[0])
    np.testing.assert_allclose(gap, nearer, atol=2e-4)  # 4 cm at the start


def test_an_attachment_may_be_stiff_along_one_direction_only():
    points, edges = chain(2, 0.1)
    rod = Rod(points, edges, Material(spring_stiffness=1e4, vertex_mass=0.1, damping=0.02))
    # A rail along x: held in z by two attachments, free in x.
    rail = Attachment(rod, [0, 1], 1e4, points=points, normal=[0.0, 0.0, 1.0])
    settings = Settings(gravity=(1.0, 0.0, -GRAVITY), iterations=200)
    frame = last([rod, rail], settings, 24)
    h = settings.step_time
    moved = frame.positions[0].astype(float) - points
    np.testing.assert_allclose(moved[:, 0], 0.5 * h * h * 96 * 97, rtol=1e-3)
    np.testing.assert_allclose(moved[:, 2], -0.1 * GRAVITY / 1e4, atol=2e-5)


def test_an_attachment_breaks_beyond_its_strength():
    points, edges = chain(2, 0.1)
    for strength, holds in ((1.5 * 0.2 * GRAVITY, False), (4.0 * 0.2 * GRAVITY, True)):
        rod = Rod(points, edges, Material(spring_stiffness=1e4, vertex_mass=0.1))
        # Dropped onto its attachment, the rod pulls with up to twice its weight.
        tie = Attachment(rod, [0, 1], 50.0, points=points, strength=strength / 2.0)
        frame = last([rod, tie], Settings(substeps=16, iterations=40), 24)
        assert (frame.stats.broken == 0) == holds
        assert [(torn.name, torn.rows) for torn in frame.stats.torn] == [("Attachment", 2)] * (
            not holds
        )
        assert (frame.positions[0][:, 2].min() > -0.2) == holds


def contrast_chain(augmented, iterations=100, frames=240, **settings):
    """A hanging chain of soft and 10,000 times stiffer springs in turn: stretch, exact stretch."""
    count, link = 12, 0.1
    points, edges = chain(count, link)
    stiffness = np.where(np.arange(count - 1) % 2 == 0, 1e3, 1e7)
    mass = np.full(count, 0.1)
    rod = Rod(
        np.stack([points[:, 1], points[:, 2], -points[:, 0]], axis=1),
        edges,
        Material(spring_stiffness=stiffness, vertex_mass=mass),
        pins=Pins([0]),
    )
    settings = Settings(
        frame_time=1 / 60, substeps=1, iterations=iterations, augmented=augmented, **settings
    )
    frame = last([rod], settings, frames)
    lengths = np.linalg.norm(np.diff(frame.positions[0].astype(float), axis=0), axis=1)
    carried = np.cumsum(mass[::-1])[::-1][1:] * GRAVITY
    return lengths - link, carried / stiffness


def test_a_chain_of_very_unequal_springs_hangs_as_statics_says():
    # The VBD paper's Fig. 24: such a chain is far from converged after 100 plain iterations.
    stretch, exact = contrast_chain(augmented=True)
    np.testing.assert_allclose(stretch, exact, atol=2e-5)
    alone = {"augmented": False, "coarse_correction": False}
    plain, exact = contrast_chain(**alone, initial_guess="inertia")
    assert np.abs(plain - exact).max() > 100 * 2e-5


@pytest.mark.parametrize("stiffness", [1e5, 1e7])
def test_what_hangs_on_a_light_rope_gains_no_energy(stiffness):
    # 24 kg on a rope of 40 g: multipliers that follow only the vertices of the rope come steps too
    # late for the weight, and throw it up.
    points, edges = chain(21, 0.05)
    points = np.stack([points[:, 1], points[:, 2], -points[:, 0]], axis=1)
    material = Material(spring_stiffness=4e5, vertex_mass=0.002)
    rope = Rod(points, edges, material, pins=Pins([0]))
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    points += [-0.1, -0.1, -1.2]
    body = Solid(points, tets, Material(youngs_modulus=1e5, density=3000.0))
    middle = top(body)[np.abs(points[top(body)] - [0.0, 0.0, -1.0]).sum(axis=1).argmin()]
    tie = Attachment(rope, [20], stiffness, other=body, corners=[[middle]])
    energies, heights = [], []
    for frame in simulate([rope, body, tie], Settings(), 72):
        energies.append(frame.stats.energy)
        heights.append(frame.positions[1][:, 2].mean())
    # Implicit Euler only loses energy. The error of 20 iterations may be a thousandth of the weight
    # times its height, 0.3 J; late multipliers make 20 to 30 J.
    assert max(energies) < energies[0] + 1e-3 * 24.0 * GRAVITY * 1.1
    assert max(heights) < points[:, 2].mean() + 1e-3


def panel(height, name):
    """A sheet of 18 g that hangs down from a height."""
    points, triangles = grid(6, 0.3)
    points = np.stack([np.full(len(points), 0.38), points[:, 0], height - points[:, 1]], axis=1)
    return Cloth(points, triangles, Material(density=0.2), name=name)


def sewn(one, other):
    """Attach one's top to the nearest points of another body, at their present distance."""
    rows = top(one)
    near = [np.linalg.norm(other.points - one.points[row], axis=1).argmin() for row in rows]
    options = {"offset": one.points[rows] - other.points[near], "strength": 1.0}
    return Attachment(one, rows, 1e6, other=other, corners=np.reshape(near, (-1, 1)), **options)


def test_what_is_heavy_does_not_hang_on_the_light_cloth_that_is_sewn_to_it():
    # Multipliers that follow 216 kg would throw panels of 18 g about by 40 cm, and tear at 0.03 N.
    points, tets = box((2, 2, 2), (0.6, 0.6, 0.6))
    heavy = Material(youngs_modulus=1e8, density=1000.0)
    block = Solid(points + [-0.3, -0.15, 1.7], tets, heavy, name="Block")
    panels = [panel(2.3, "Upper"), panel(1.96, "Lower")]
    seams = [sewn(panels[0], block), sewn(panels[1], panels[0])]
    floor = Plane((0.0, 0.0, 1.7))
    heights = []
    for frame in simulate([block, *panels, *seams, floor], Settings(), 36):
        heights.append(frame.positions[2][:, 2].mean())
        assert not any(frame.stats.torn)
    # It sags by 6 mm as it stretches, swings a little, and the block by 2 mm.
    assert np.ptp(heights) < 0.015


def refusals():
    body = jelly(name="Jelly")
    ends = body.points[:2]
    return {
        "a vertex that is not there": (
            lambda: Attachment(body, [27], 1.0, points=ends[:1]),
            r"vertex 27 is not one of the 27 of Jelly",
        ),
        "no other end": (lambda: Attachment(body, [0], 1.0), r"either points in space or another"),
        "too few points": (
            lambda: Attachment(body, [0, 1], 1.0, points=ends[:1]),
            r"1 target points for 2",
        ),
        "weights that are no mean": (
            lambda: Attachment(body, [0], 1.0, other=body, corners=[[1, 2]], weights=[[1.0, 1.0]]),
            r"must add up to 1",
        ),
        "corners that are missing": (
            lambda: Attachment(body, [0], 1.0, other=body),
            r"give the corners on the other body",
        ),
        "a point tied to itself": (
            lambda: last(
                [body, Attachment(body, [0, 3], 1.0, other=body, corners=[[1], [3]])], Settings(), 1
            ),
            r"row 1 ties a point to itself",
        ),
        "points that get fewer": (
            lambda: last(
                [
                    body,
                    Attachment(body, [0, 1], 1.0, points=lambda t: ends[: 2 if t == 0.0 else 1]),
                ],
                Settings(),
                1,
            ),
            r"1 target points for 2 vertices in frame 1 after the start",
        ),
        "a body that is not simulated": (
            lambda: simulate([jelly(), Attachment(body, [0], 1.0, points=ends[:1])], Settings(), 1),
            r"Jelly is not among the bodies",
        ),
    }


@pytest.mark.parametrize("what", refusals())
def test_a_bad_attachment_is_refused_in_words(what):
    make, message = refusals()[what]
    with pytest.raises(ValueError, match=message):
        make()
