# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains: spheres that touch each other and everything else, bonds, mass ratios."""

import numpy as np
import pytest
from intersections import segment_hits
from shapes import box, chain, grid, plane, rotation

from vbd.solver.bodies import Cloth, Collider, Grains, Pins, Rod, Solid
from vbd.solver.contact.detection.bvh import Trees
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.device.launches import Launches
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.near_points import near_pairs

RADIUS = 0.01
SAND = Material(density=1500.0, friction=0.5)
WEIGHTLESS = Settings(gravity=(0.0, 0.0, 0.0))
# A load presses grains into each other by g h²/100 for each grain of their mass that it weighs: a
# hundredth of the diameter for 20 of them at four substeps.
PRESSED = 0.01


def distances(points):
    """Distances [pair] of all points nearer to each other than three radii."""
    one, other = near_pairs(points.astype(float), 3.0 * RADIUS).T
    return np.linalg.norm(points[one] - points[other], axis=1)


def after(bodies, settings, frames):
    *_, frame = simulate(bodies, settings, frames)
    return frame


def test_two_grains_that_meet_keep_their_momentum_and_their_distance():
    radius = np.array([RADIUS, 2.0 * RADIUS])
    mass = SAND.density * 4.0 / 3.0 * np.pi * radius**3
    velocities = np.array([[1.0, 0.0, 0.0], [-1.0, 0.2, 0.0]])
    pair = Grains([[0.0, 0.0, 0.0], [0.08, 0.004, 0.0]], radius, SAND, velocities=velocities)
    before, size = mass @ velocities, mass @ np.abs(velocities)
    start = mass @ pair.points
    met = False
    for frame in simulate([pair], WEIGHTLESS, 8):
        x, seconds = frame.positions[0].astype(float), frame.index / 24.0
        apart = np.linalg.norm(x[1] - x[0])
        met = met or apart < 1.05 * radius.sum()
        # An impact presses in by a step of the motion at most; nothing is pulled back.
        assert apart > 0.8 * radius.sum()
        gained = (mass @ x - start) / seconds - before
        assert np.abs(gained).max() < 1e-5 * size.max()
    assert met and apart > radius.sum()


def test_grains_pressed_together_rest_two_radii_apart():
    x = after(
        [Grains([[-0.05, 0.0, 0.0], [0.05, 0.0, 0.0]], RADIUS, SAND), tray(0.0)],
        Settings(gravity=(0.0, 0.0, -9.81)),
        24,
    ).positions[0]
    assert x[:, 2] == pytest.approx(RADIUS, rel=PRESSED)
    two = Grains([[0.0, 0.0, RADIUS], [0.0, 0.0, 3.0 * RADIUS]], RADIUS, SAND)
    low, high = after([two], Settings(use_ground=True), 24).positions[0][:, 2]
    assert high - low == pytest.approx(2.0 * RADIUS, rel=PRESSED)
    assert low == pytest.approx(RADIUS, rel=2.0 * PRESSED)


def tray(height, half=0.5, rim=0.0):
    """A square floor with its surface at a height, and walls as high as `rim`."""
    if not rim:
        points, triangles = plane(2.0 * half)
        return Collider(points + [0.0, 0.0, height], triangles, thickness=0.0)
    points = np.array(
        [[x, y, z] for z in (height, height + rim) for y in (-half, half) for x in (-half, half)]
    )
    sides = [[0, 2, 3, 1], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]]
    triangles = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    return Collider(points, triangles, thickness=0.0)


def test_a_grain_rests_its_radius_above_each_kind_of_body():
    """Beside the edges of a mesh as well as on its faces; the other side adds its thickness."""
    thin = 0.001
    places = [[0.0, 0.0, 0.03], [0.101, 0.0, 0.03], [0.055, 0.055, 0.03], [0.1, 0.1, 0.03]]
    rest = after([Grains(places, RADIUS, SAND), tray(0.0)], Settings(), 24).positions[0]
    assert rest[:, 2] == pytest.approx(RADIUS, rel=PRESSED)

    points, triangles = grid(8, 0.4)
    held = Pins(np.arange(len(points)))
    cotton = Material(collision_thickness=thin, density=0.2)
    sheet = Cloth(points - [0.2, 0.2, 0.0], triangles, cotton, held)
    rest = after([sheet, Grains(places, RADIUS, SAND)], Settings(), 24).positions[1]
    assert rest[:, 2] == pytest.approx(RADIUS + thin, rel=PRESSED)

    points, tets = box((2, 2, 1), (0.4, 0.4, 0.1))
    stiff = Material(youngs_modulus=1e7, collision_thickness=thin)
    low = Solid(points - [0.2, 0.2, 0.1], tets, stiff, Pins(np.arange(len(points))))
    rest = after([low, Grains(places, RADIUS, SAND)], Settings(), 24).positions[1]
    assert rest[:, 2] == pytest.approx(RADIUS + thin, rel=PRESSED)

    points, edges = chain(9, 0.05)
    wire = Rod(points - [0.2, 0.0, 0.0], edges, cotton, Pins(np.arange(9)))
    above = Grains([[0.0, 0.0, 0.03], [0.07, 0.0, 0.03]], RADIUS, SAND)
    rest = after([wire, above], Settings(), 24).positions[1]
    assert rest[:, 2] == pytest.approx(RADIUS + thin, rel=PRESSED)


def test_a_grain_on_a_slope_sticks_below_the_friction_angle_and_slides_above():
    """It slides, since it has no rotation: x = ½ a t (t + h) of implicit Euler."""
    friction = 0.5
    for degrees in (25.0, 32.0):
        angle = np.radians(degrees)
        gravity = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
        settings = Settings(use_ground=True, friction=friction, gravity=tuple(gravity))
        grain = Grains([[0.0, 0.0, RADIUS]], RADIUS, SAND)
        slid = after([grain], settings, 24).positions[0][0, 0]
        speeding = max(9.81 * (np.sin(angle) - friction * np.cos(angle)), 0.0)
        expected = 0.5 * speeding * (1.0 + settings.step_time)
        assert slid == pytest.approx(expected, rel=0.01, abs=0.01 * RADIUS)


def heavy_chain(modulus):
    """Twenty grains on springs, the last one a thousand times as heavy (VBD, Figure 21), and the
    largest strain of a spring at rest.
    """
    count, radius = 20, 0.02
    density = np.where(np.arange(count) == count - 1, 1e6, 1e3)
    material = Material(youngs_modulus=modulus, density=density, cohesion=1e12)
    points = 2.0 * radius * np.arange(count)[:, None] * [1.0, 0.0, 0.0]
    weight = 9.81 * 1e6 * 4.0 / 3.0 * np.pi * radius**3
    strain = weight / (modulus * np.pi * radius**2)
    return Grains(points, radius, material, pins=Pins([0])), 2.0 * radius, strain


@pytest.mark.parametrize("modulus", [1e8, 1e6])
def test_a_chain_with_a_mass_ratio_of_a_thousand_converges(modulus):
    """One substep of at most 100 iterations per frame, as in the paper. A pendulum let go at the
    height of its pivot pulls with three times its weight at its lowest place.
    """
    body, length, strain = heavy_chain(modulus)
    settings = Settings(frame_time=1.0 / 60.0, substeps=1, iterations=100)
    most = 0.0
    for frame in simulate([body], settings, 60):
        x = frame.positions[0].astype(float)
        strains = np.linalg.norm(np.diff(x, axis=0), axis=1) / length - 1.0
        assert frame.stats.verdict == "converged"
        most = max(most, strains.max())
        # All springs carry the heavy grain: one that had not converged would stretch alone.
        if strains.max() > 0.5 * strain:
            assert np.ptp(strains) < 0.05 * strains.max()
    assert 2.5 * strain < most < 3.1 * strain


def test_a_column_carries_a_grain_a_thousand_times_as_heavy():
    """By contact alone; the coarse matrix has the contacts. A contact of light grains is pressed in
    by g h²/100 for each of their weights: by 0.4 mm under 1000 at twenty substeps, and by twice
    that as the heavy one is let go.
    """
    count, radius = 20, 0.02
    density = np.where(np.arange(count) == count - 1, 1e6, 1e3)
    points = radius * (2.0 * np.arange(count)[:, None] + 1.0) * [0.0, 0.0, 1.0]
    column = Grains(points, radius, Material(density=density))
    settings = Settings(use_ground=True, substeps=20, collision_stiffness=1e8)
    for frame in simulate([column], settings, 12):
        assert frame.stats.verdict == "converged"
        x = frame.positions[0].astype(float)
        assert np.abs(x[:, :2]).max() < 1e-6
        assert np.diff(x[:, 2]).min() > 0.97 * 2.0 * radius


def pile(count, half):
    """`count` grains above a box, in disorder."""
    side = int((2.0 * half - 2.0 * RADIUS) / (2.2 * RADIUS))
    k = np.arange(count)
    places = np.column_stack([k % side, k // side % side, k // side**2]) * 2.2 * RADIUS
    places[:, :2] -= 1.1 * RADIUS * (side - 1)
    places += np.random.default_rng(1).uniform(-0.05, 0.05, places.shape) * RADIUS
    return Grains(places + [0.0, 0.0, 0.02], RADIUS, SAND)


def test_two_hundred_grains_lie_in_a_box_without_overlap():
    """No center within the contact distance of another one by more than their load presses them,
    and none of the paths of centers through the box, by exact arithmetic.
    """
    wall = tray(0.0, half=0.06, rim=0.6)
    before = (grains := pile(200, 0.06)).points
    for frame in simulate([grains, wall], Settings(substeps=8), 36):
        x = frame.positions[0].astype(float)
        points = np.concatenate([before, x, wall.start])
        paths = np.arange(200)[:, None] + [0, 200]
        assert not len(segment_hits(points, paths, wall.triangles + 400))
        assert distances(x).min() > 0.9 * 2.0 * RADIUS  # as they fall
        before = x
    assert distances(x).min() > (1.0 - PRESSED) * 2.0 * RADIUS
    assert x[:, 2].min() > 0.98 * RADIUS
    assert np.abs(x[:, :2]).max() < 0.06 - 0.98 * RADIUS
    assert frame.stats.verdict == "converged"


def packing(cohesion):
    """A leaning pillar of 3 x 3 x 6 grains that touch, and falls."""
    k = np.arange(54)
    places = np.column_stack([k % 3, k // 3 % 3, k // 9]) * 2.0 * RADIUS
    clay = Material(density=1500.0, friction=0.2, youngs_modulus=1e6, cohesion=cohesion)
    places = places @ rotation((0.6, 0.8, 0.0), 0.4).T + [0.0, 0.0, 0.1]
    return Grains(places, RADIUS, clay, velocities=[0.0, 0.0, -1.0])


def test_cohesion_holds_and_breaks():
    """Measured by the mean distance from the middle: what is bonded keeps it."""
    spread = {}
    for cohesion in (0.0, 1e3, 1e7):
        body = packing(cohesion)
        assert len(body.bonds) == (2 * 2 * 3 * 6 + 3 * 3 * 5 if cohesion else 0)
        x = after([body], Settings(use_ground=True, substeps=8), 24).positions[0]
        far, start = (np.linalg.norm(p - p.mean(axis=0), axis=1) for p in (x, body.points))
        spread[cohesion] = far.mean() / start.mean()
    assert spread[1e7] == pytest.approx(1.0, rel=0.03)
    assert spread[0.0] > spread[1e3] > 1.1


def test_bonds_break_at_the_strength_of_their_section():
    """The lower of two grains hangs on the upper one, which is pinned."""
    section = np.pi * RADIUS**2
    weight = 1500.0 * 4.0 / 3.0 * np.pi * RADIUS**3 * 9.81
    for ratio, holds in ((0.6, True), (2.2, False)):
        # Let go at once, a mass on a spring pulls with twice its weight, less by implicit Euler.
        material = Material(
            density=1500.0, youngs_modulus=1e6, cohesion=2.0 * weight / section / ratio
        )
        body = Grains([[0.0, 0.0, 0.0], [0.0, 0.0, -0.02]], RADIUS, material, pins=Pins([0]))
        fallen = -after([body], Settings(), 6).positions[0][1, 2] - 0.02
        assert (fallen < 1e-3) == holds


def test_broken_bonds_leave_grains_that_touch():
    frame = after([packing(1e3)], Settings(use_ground=True, substeps=8), 24)
    assert distances(frame.positions[0]).min() > 0.95 * 2.0 * RADIUS


def test_a_restart_has_the_bits_of_a_run_without_a_break():
    def scene():
        points, triangles = grid(4, 0.2)
        sheet = Cloth(points - [0.1, 0.1, -0.06], triangles, Material(density=0.2), Pins([0, 4]))
        return [packing(5e3), sheet, tray(0.0)]

    settings, states, whole = Settings(substeps=2), {}, {}
    for frame in simulate(scene(), settings, 8):
        whole[frame.index], states[frame.index] = frame.positions, frame.state()
    for frame in simulate(scene(), settings, 8, restart=Restart(5, states[5])):
        for one, other in zip(frame.positions, whole[frame.index], strict=True):
            np.testing.assert_array_equal(one, other)
    assert frame.index == 8


def test_how_the_tree_is_sorted_changes_nothing(monkeypatch):
    def fall():
        return after([pile(100, 0.04), tray(0.0, half=0.04, rim=0.6)], Settings(), 6).positions[0]

    known, sorts = fall(), []
    monkeypatch.setattr(Trees, "sort_grains", lambda trees: sorts.append(len(trees.grains)))
    np.testing.assert_array_equal(fall(), known)
    assert sorts == 6 * [2]  # all grains, and those that have moved


def test_a_wide_device_gets_the_same_motion(monkeypatch):
    """Up to sums in another order, which a landing amplifies."""
    known = after([packing(1e6)], Settings(use_ground=True), 8).positions[0]
    monkeypatch.setattr(Launches, "are_wide", True)
    wide = after([packing(1e6)], Settings(use_ground=True), 8).positions[0]
    assert np.abs(wide - known).max() < 0.05 * RADIUS


def test_grains_in_one_place_and_wrong_radii_are_refused():
    with pytest.raises(ValueError, match="a grain is in the place of another one"):
        Grains([[0.0, 0.0, 0.0], [0.0, 0.0, 1e-12], [1.0, 0.0, 0.0]], RADIUS)
    with pytest.raises(ValueError, match="radius"):
        Grains([[0.0, 0.0, 0.0]], 0.0)
    with pytest.raises(ValueError, match="radius"):
        Grains([[0.0, 0.0, 0.0]], [0.1, 0.2])
    with pytest.raises(ValueError, match="no shape to keep"):
        Grains([[0.0, 0.0, 0.0]], RADIUS, keeps_shape=True)


def test_near_pairs_are_those_of_all_pairs():
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (200, 3))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    np.testing.assert_array_equal(near_pairs(points, 0.3), np.argwhere(np.triu(apart <= 0.3, 1)))
    assert near_pairs(points[:1], 0.3).shape == near_pairs(points[:0], 0.3).shape == (0, 2)
