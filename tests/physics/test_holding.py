# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft pins, compliance, release and catching again, and seams that close."""

import numpy as np
import pytest
from shapes import box, chain, grid

from vbd.solver.attachments import Attachment, soft_pins
from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

GRAVITY = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
MASS = 0.1


def link(**options):
    """Two particles of 0.1 kg, 0.1 m apart."""
    points, edges = chain(2, 0.1)
    return Rod(points, edges, Material(spring_stiffness=1e4, vertex_mass=MASS), **options)


def path(bodies, settings, frames):
    """Mean position of the first body at the end of every frame, [frame + 1, 3]."""
    found = [bodies[0].points.mean(axis=0)]
    for frame in simulate(bodies, settings, frames):
        found.append(frame.exact_positions[0].mean(axis=0))
    return np.array(found)


def crossings(values, time):
    """Times at which values pass through zero [s], linear between frames."""
    at = np.flatnonzero(values[:-1] * values[1:] < 0.0)
    return (at + values[at] / (values[at] - values[at + 1])) * time


@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_a_mass_on_a_soft_pin_swings_with_the_frequency_of_its_stiffness(weight):
    body = link()
    body.velocities = np.broadcast_to([0.0, 0.0, 1.0], (2, 3))
    pins = soft_pins(body, [0, 1], 400.0 * weight, points=body.points)
    settings = Settings(frame_time=1 / 96, substeps=8, iterations=20, gravity=WEIGHTLESS)
    z = path([body, pins], settings, 96)[:, 2]
    half = np.diff(crossings(z, settings.frame_time))
    # √κ [rad/s]; implicit Euler with ωh < 0.03 swings slower by less than (ωh)².
    np.testing.assert_allclose(half, np.pi / np.sqrt(400.0 * weight), rtol=0.02)


def test_damping_of_a_soft_pin_lets_it_swing_out_as_its_time_says():
    body, kappa, time = link(), 400.0, 0.01
    body.velocities = np.broadcast_to([0.0, 0.0, 1.0], (2, 3))
    pins = soft_pins(body, [0, 1], kappa, points=body.points, damping=time)
    settings = Settings(frame_time=1 / 192, substeps=8, iterations=20, gravity=WEIGHTLESS)
    z = path([body, pins], settings, 128)[:, 2]
    first, second = z[:70].max(), -z[40:110].min()
    # A half swing leaves exp(−ζπ/√(1−ζ²)), ζ = ω (time + h)/2: implicit Euler damps as an
    # additional time h would.
    ratio = 0.5 * np.sqrt(kappa) * (time + settings.step_time)
    assert second / first == pytest.approx(np.exp(-np.pi * ratio / np.sqrt(1 - ratio**2)), rel=0.02)


def test_what_hangs_on_soft_pins_sags_by_gravity_over_stiffness_whatever_its_mass():
    points, triangles = grid(4, 0.4)
    for density in (0.1, 2.0):
        sheet = Cloth(points, triangles, Material(density=density, youngs_modulus=1e5))
        pins = soft_pins(sheet, range(25), 200.0, points=points, damping=0.1)
        sag = path([sheet, pins], Settings(iterations=40), 48)[-1, 2]
        assert sag == pytest.approx(-GRAVITY / 200.0, rel=0.01)


def hanging_sheet(cells):
    points, triangles = grid(cells, 0.4)
    sheet = Cloth(points[:, [0, 2, 1]], triangles, Material(density=0.3, youngs_modulus=1e5))
    return sheet, 0.4


def hanging_block(cells):
    points, tets = box((cells,) * 3, (0.2, 0.2, 0.2))
    return Solid(points, tets, Material(youngs_modulus=1e6)), 0.2


@pytest.mark.parametrize("cells", [4, 8])
@pytest.mark.parametrize("hanging", [hanging_sheet, hanging_block])
def test_what_hangs_by_an_edge_or_a_face_sags_by_gravity_over_stiffness(hanging, cells):
    body, top = hanging(cells)
    held = np.flatnonzero(body.points[:, 2] == top)
    pins = soft_pins(body, held, 200.0, points=body.points[held], damping=0.1)
    frames = list(simulate([body, pins], Settings(iterations=60), 48))
    sag = top - frames[-1].exact_positions[0][held, 2]
    # Corners of a block have unequal shares of its weight by their triangles: it twists by 1.6 %.
    assert sag.mean() == pytest.approx(GRAVITY / 200.0, rel=0.03)


def test_soft_pins_all_over_hold_each_its_own_mass():
    body, _top = hanging_sheet(4)
    stiffness = soft_pins(body, range(25), np.linspace(0.0, 200.0, 25), points=body.points)
    share = np.bincount(body.triangles.ravel()) / body.triangles.size
    mass = share * 0.3 * 0.16
    np.testing.assert_allclose(stiffness.stiffness, np.linspace(0.0, 200.0, 25) * mass)


def test_soft_pins_beside_hard_ones_hold_their_part_of_what_is_connected_with_them():
    """Two sheets in one body; one is held by a pin and two springs, the other by a spring alone."""
    points, triangles = grid(2, 0.4)
    both = np.concatenate([points, points + [1.0, 0.0, 0.0]])
    body = Cloth(both, [*triangles, *(triangles + 9)], Material(density=0.3), pins=Pins([0]))
    stiffness = soft_pins(body, [2, 6, 10], 200.0, points=both[[2, 6, 10]]).stiffness
    share = np.bincount(triangles.ravel())[[0, 2, 6]]
    mass = np.append(share[1:] / share.sum(), 1.0) * 0.3 * 0.16
    np.testing.assert_allclose(stiffness, 200.0 * mass)


def test_what_reaches_its_maximum_force_gives():
    body, most = link(), 0.5 * MASS * GRAVITY
    tie = Attachment(
        body, [0, 1], 1e4, points=body.points, damping=0.01, maximum_force=[most, most]
    )
    settings = Settings(frame_time=1 / 96, substeps=8, iterations=20)
    z = path([body, tie], settings, 48)[:, 2]
    # Half of its weight remains to accelerate it.
    time = np.arange(49) / 96.0
    np.testing.assert_allclose(z[24:], -0.25 * GRAVITY * time[24:] ** 2, rtol=0.02)


def test_a_mass_on_a_length_is_a_pendulum():
    points, length = np.array([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0]]), 0.5
    body = Rod(points, [[0, 1]], Material(spring_stiffness=1e4, vertex_mass=MASS))
    angle = 0.1
    hook = points + [-length * np.sin(angle), 0.0, length * np.cos(angle)]
    ties = Attachment(body, [0, 1], 1e5, points=hook, length=length)
    settings = Settings(frame_time=1 / 96, substeps=8, iterations=40)
    found = path([body, ties], settings, 192)
    assert np.abs(np.linalg.norm(found - hook.mean(axis=0), axis=1) - length).max() < 1e-3
    half = np.diff(crossings(found[:, 0] - hook[:, 0].mean(), settings.frame_time))
    np.testing.assert_allclose(half, np.pi * np.sqrt(length / GRAVITY), rtol=0.02)


def test_a_grip_lets_go_and_catches_again():
    body = link()
    grip = np.ones((25, 2))
    grip[5:15] = 0.0
    places = [body.points + [0.0, 0.02 * frame, 0.0] for frame in range(25)]
    tie = Attachment(body, [0, 1], 100.0, points=places, grip=grip)
    settings = Settings(iterations=40)
    found = path([body, tie], settings, 24)
    there = np.array([points.mean(axis=0) for points in places])
    np.testing.assert_allclose(found[:5], there[:5], atol=1e-4)  # held as by a pin
    # Released in the course of the fifth frame, it falls.
    assert found[14, 2] < -0.5
    assert found[14, 1] == pytest.approx(0.02 * 14, abs=0.02)
    np.testing.assert_allclose(found[15:], there[15:], atol=1e-4)  # home within a frame


def seam_of_two_sheets(speed, **limits):
    """Two sheets 0.2 m apart, flying and turning, that a seam draws together."""
    points, triangles = grid(4, 0.4)
    material = Material(youngs_modulus=2e5, density=0.3)
    alone = {"collides_with": ()}
    sheets = [Cloth(points + [at, 0.0, 0.0], triangles, material, **alone) for at in (0.0, 0.6)]
    center = np.mean([s.points.mean(axis=0) for s in sheets], axis=0)
    for sheet in sheets:
        turning = np.cross([0.0, 0.3, 1.0], sheet.points - center)
        sheet.velocities = turning + [0.2, 0.0, 0.1]
    near, far = (np.flatnonzero(np.isclose(points[:, 0], x)) for x in (0.4, 0.0))
    gap = np.linalg.norm(sheets[0].points[near] - sheets[1].points[far], axis=1)
    seam = Attachment(
        sheets[0],
        near,
        200.0,
        other=sheets[1],
        corners=far,
        length=gap,
        shrink_speed=speed,
        **limits,
    )
    return sheets, seam, near, far


def impulses(sheets, frames, time):
    """Linear [kg m/s] and angular [kg m²/s] impulses on sheets between frames, [frame, 3] each.

    With velocities as implicit Euler has them: its own loss of spin is no torque of the seam.
    """
    mass = [np.bincount(s.triangles.ravel(), minlength=25) / 32 / 3 * 0.3 * 0.16 for s in sheets]
    push, turn = 0.0, 0.0
    for number, m in enumerate(mass):
        x = np.array([frame[number] for frame in frames])
        impulse = m[:, None] * np.diff(np.diff(x, axis=0) / time, axis=0)
        push = push + impulse.sum(axis=1)
        turn = turn + np.cross(x[2:], impulse).sum(axis=1)
    return push, turn


@pytest.mark.parametrize("limits", [{}, {"maximum_force": 0.5}], ids=["speed", "force"])
def test_a_seam_closes_and_keeps_the_momentum_of_what_it_sews(limits):
    sheets, seam, near, far = seam_of_two_sheets(0.4, **limits)
    settings = Settings(frame_time=1 / 384, substeps=1, iterations=60, gravity=WEIGHTLESS)
    frames = [[s.points for s in sheets]]
    frames += [f.exact_positions for f in simulate([*sheets, seam], settings, 384)]
    gap = [np.linalg.norm(f[0][near] - f[1][far], axis=1).max() for f in frames]
    if not limits:
        # At 0.4 m/s: half of it is closed after a quarter of a second.
        assert gap[96] == pytest.approx(0.1, abs=0.02)
    assert gap[384] < 0.01
    push, turn = impulses(sheets, frames, settings.frame_time)
    # A thousandth of the sheets' 0.021 kg m/s and 0.008 kg m²/s.
    assert np.linalg.norm(push.sum(axis=0)) < 1e-3 * 0.021
    assert np.linalg.norm(turn.sum(axis=0)) < 1e-3 * 0.008
