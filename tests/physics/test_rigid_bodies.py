# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies alone, on analytic colliders and each other, against known answers."""

import numpy as np
import pytest
from rigid_shapes import centers, cuboid, settings_of, speeds, tilted, tower

from vbd.solver.bounds import Plane
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material
from vbd.solver.simulate import Simulation, simulate

SLAB = (0.3, 0.1, 0.02)


def test_a_slab_in_free_flight_keeps_its_angular_momentum_and_flips_in_time():
    """About its middle axis rotation is unstable (Dzhanibekov). Integrated with small steps, it
    flips at 2.37 s; the midpoint rule of four steps a frame may be 0.03 s off.
    """
    slab = cuboid(SLAB, angular_velocity=(0.01, 5.0, 0.01))
    simulation = Simulation([slab], settings_of(gravity=(0.0, 0.0, 0.0)))
    before = simulation.model.rigid.struct.momentum.numpy()[0].copy()
    up, energy = [], []
    for frame in simulation.frames(120):
        up.append(frame.poses[0][1][1, 1])
        energy.append(frame.stats.kinetic_energy)
    flips = (np.flatnonzero(np.diff(np.sign(up))) + 1.5) / 24.0
    assert len(flips) == 1 and flips[0] == pytest.approx(2.37, abs=0.03)
    after = simulation.model.rigid.struct.momentum.numpy()[0]
    assert np.linalg.norm(after - before) < 1e-9 * np.linalg.norm(before)
    # The midpoint rule oscillates about the energy by (θ/2)²/3 of it, θ the angle of a substep.
    assert np.ptp(energy) < 1e-3 * energy[0]
    assert np.linalg.norm(frame.poses[0][0] - slab.properties.center) < 1e-12


def test_free_fall_is_exact():
    """y = h² g n (n + 1)/2 after n substeps, in float64."""
    box = cuboid(0.1, (0.0, 0.0, 30.0), velocity=(1.0, 0.0, 2.0), angular_velocity=(3.0, 0.0, 9.0))
    (*_, last) = simulate([box], settings_of(), 24)
    n, h = 96, 1.0 / 96.0
    fall = box.properties.center + [n * h, 0.0, 2.0 * n * h - 9.81 * h * h * n * (n + 1) / 2.0]
    np.testing.assert_allclose(last.poses[0][0], fall, atol=1e-9)


@pytest.mark.parametrize("degrees", [0.0, 40.0])
def test_a_box_falls_and_rests_on_a_face(degrees):
    box = cuboid(0.1, (0.0, 0.0, 0.4), tilted(degrees))
    frames = list(simulate([box], settings_of(use_ground=True), 60))
    assert speeds(frames[-2], frames[-1])[0] < 1e-5
    points = frames[-1].exact_positions[0]
    lowest = np.sort(points[:, 2])
    assert lowest[0] > 0.0 and lowest[3] < 0.001 and lowest[4] > 0.2
    energies = [f.stats.kinetic_energy + f.stats.gravitational_energy for f in frames]
    assert max(np.diff(energies)) < 1e-4 * 8.0 * 9.81 * 0.4
    np.testing.assert_allclose(box.points_at(*frames[-1].poses[0]), points, atol=1e-12)


@pytest.mark.parametrize("part", [0.95, 1.05])
def test_a_box_slides_below_and_sticks_above_the_friction_angle(part):
    """Below it accelerates by g (sin α − μ cos α)."""
    angle, seconds = np.radians(20.0), 2.0
    normal, friction = np.array([np.sin(angle), 0.0, np.cos(angle)]), part * np.tan(angle)
    box = cuboid(
        0.1, 0.1015 * normal, tilted(20.0, (0, 1, 0)), material=Material(friction=friction)
    )
    slope = Plane((0.0, 0.0, 0.0), normal, friction=friction)
    (*_, last) = simulate([box, slope], settings_of(friction=friction), int(24 * seconds))
    path = np.linalg.norm(last.poses[0][0] - 0.1015 * normal)
    if part > 1.0:
        assert path < 0.002  # it falls 1 mm onto the slope
    else:
        distance = 0.5 * 9.81 * (1.0 - part) * np.sin(angle) * seconds**2
        assert path == pytest.approx(distance, rel=0.01)


@pytest.mark.parametrize("ratio", [1.0, 1000.0])
def test_a_stack_of_ten_rests(ratio):
    boxes = tower(10, ratio)
    frames = list(simulate(boxes, settings_of(use_ground=True), 72))
    assert speeds(frames[-2], frames[-1]).max() < 1e-3
    aside = centers(frames[-1])[:, :2]
    assert np.abs(aside).max() < 2e-3
    # Each box is above the one below by its side and up to two contact distances.
    gaps = np.diff(centers(frames[-1])[:, 2]) - 0.2
    assert 0.0 < gaps.min() and gaps.max() < 0.002
    assert not frames[-1].stats.tangles


def test_what_lies_still_sleeps_and_wakes_when_touched():
    low = cuboid(0.1, (0.0, 0.0, 0.102), name="Low")
    high = cuboid(0.1, (0.0, 0.05, 3.5), velocity=(0.0, 0.0, 6.0), name="High")
    simulation = Simulation([low, high], settings_of(use_ground=True))
    slept = touched = False
    for frame in simulation.frames(44):
        asleep = simulation.model.asleep.numpy()
        slept |= bool(asleep[0]) and not asleep[1]
        touched |= slept and frame.stats.pairs > 0
    assert slept and touched and not asleep[0]
    assert centers(frame)[1, 2] > 0.3 - 0.01


def test_animation_leads_a_body_until_it_is_free():
    """It then flies on with the velocity and the spin that it had."""
    speed, rate, until = 2.0, 3.0, 0.5

    def poses(time):
        return tilted(np.degrees(rate * time), (0, 0, 1)), np.array([speed * time, 0.0, 0.0])

    box = cuboid(0.1, poses=poses, until=until)
    for frame in simulate([box], settings_of(gravity=(0.0, 0.0, 0.0)), 24):
        center, turn = frame.poses[0]
        np.testing.assert_allclose(center, [speed * frame.index / 24.0, 0.0, 0.0], atol=1e-9)
        np.testing.assert_allclose(turn, poses(frame.index / 24.0)[0], atol=1e-9)


def test_an_animated_body_pushes_and_is_not_pushed():
    block = cuboid(0.1, poses=lambda t: (np.eye(3), [0.5 * t, 0.0, 0.0]), name="Animated")
    heavy = cuboid(0.1, (0.25, 0.0, 0.0), mass=500.0, name="Pushed")
    settings = settings_of(gravity=(0.0, 0.0, 0.0))
    (*_, last) = simulate([block, heavy], settings, 24)
    animated, pushed = centers(last)
    np.testing.assert_allclose(animated, [0.5, 0.0, 0.0], atol=1e-6)
    assert pushed[0] - animated[0] > 0.2


def test_a_bar_swings_about_a_pinned_point():
    """A physical pendulum of length l, held at the middle of an end, has the period
    2π √(I/(m g l/2)) at small angles.
    """
    length, start = 0.4, np.radians(5.0)
    bar = cuboid((0.5 * length, 0.01, 0.01), name="Bar")
    turn = tilted(90.0 - np.degrees(start), (0, 1, 0))
    moved = bar.points_at(np.zeros(3) + turn @ [0.5 * length, 0.0, 0.0], turn)
    hung = type(bar)(moved, bar.triangles, name="Bar")
    end = np.argsort(np.linalg.norm(moved, axis=1))[:4]
    pin = Attachment(hung, [end], 1e8, points=[[0.0, 0.0, 0.0]], own_weights=[[0.25] * 4])
    settings = settings_of(substeps=16)
    angle = [start]
    for frame in simulate([hung, pin], settings, 36):
        center = frame.poses[0][0]
        assert abs(np.linalg.norm(center) - 0.5 * length) < 1e-4
        angle.append(np.arctan2(center[0], -center[2]))
    inertia = length**2 / 3.0 + 0.02**2 / 12.0
    period = 2.0 * np.pi * np.sqrt(inertia / (9.81 * 0.5 * length))
    times = np.arange(len(angle)) / 24.0
    crossing = np.flatnonzero(np.diff(np.sign(angle)))[:2]
    found = [times[k] + angle[k] / (angle[k] - angle[k + 1]) / 24.0 for k in crossing]
    # Implicit Euler is 1 % slow at 30 substeps of the quarter of a period.
    assert found[0] == pytest.approx(0.25 * period, rel=0.02)
    assert found[1] - found[0] == pytest.approx(0.5 * period, rel=0.02)


def test_a_resumed_run_has_the_bits_of_one_without_a_break():
    bodies = tower(3)
    settings = settings_of(use_ground=True)
    states, whole = {}, {}
    for frame in simulate(bodies, settings, 12):
        whole[frame.index] = frame.exact_positions
        if frame.index == 6:
            states = {name: array.copy() for name, array in frame.state().items()}
    for frame in simulate(bodies, settings, 12, restart=Restart(6, states)):
        for one, other in zip(frame.exact_positions, whole[frame.index], strict=True):
            np.testing.assert_array_equal(one, other)
    assert frame.index == 12


@pytest.mark.parametrize("frame", [4, 38])
def test_a_led_body_that_stands_still_is_no_news_to_a_resumed_run(frame):
    """Also where the box on it sleeps already."""
    platform = cuboid((0.5, 0.5, 0.1), poses=lambda _: np.eye(4), name="Platform")
    bodies, states, last = [platform, cuboid(0.1, (0.0, 0.0, 0.202), name="Box")], {}, {}
    for now in simulate(bodies, settings_of(), 42):
        if now.index == frame:
            states = {name: array.copy() for name, array in now.state().items()}
        last = {name: array.copy() for name, array in now.state().items()}
    *_, now = simulate(bodies, settings_of(), 42, restart=Restart(frame, states))
    resumed = now.state()
    for name in ("model.x", "sleep.is_awake", "sleep.steps", "sleep.bodies"):
        np.testing.assert_array_equal(resumed[name], last[name], err_msg=name)


def test_a_motion_that_becomes_a_mirror_image_is_refused():
    body = cuboid(0.1, poses=lambda t: np.diag([1.0, 1.0, 1.0 if t == 0.0 else -1.0, 1.0]))
    with pytest.raises(ValueError, match="rotation"):
        body.pose_at(1.0)


def test_rigid_bodies_need_inertia():
    with pytest.raises(ValueError, match="Quasistatic"):
        Simulation([cuboid(0.1)], settings_of(quasistatic=True))


def test_fields_push_and_turn_a_body():
    """A uniform acceleration moves it like a point; a vortex about its center turns it at the rate
    Σ m r × a/I, without moving it.
    """
    from vbd.solver.scene.force_fields import FieldNumbers, ForceField

    def along(_time, points):
        return np.tile([2.0, 0.0, 0.0], (len(points), 1))

    def around(_time, points):
        return np.cross([0.0, 0.0, 3.0], points)

    settings = settings_of(gravity=(0.0, 0.0, 0.0))
    for texture, shift, rate in ((along, 1.0, 0.0), (around, 0.0, 3.0)):
        field = ForceField("texture", FieldNumbers(strength=1.0, flow=0.0), texture=texture)
        simulation = Simulation([cuboid((0.3, 0.1, 0.1)), field], settings)
        list(simulation.frames(12))
        seconds, inertia = 0.5, simulation.model.rigid.set.bodies[0].properties.inertia[2, 2]
        found = simulation.model.rigid.struct
        np.testing.assert_allclose(found.velocity.numpy()[0], [shift, 0.0, 0.0], atol=1e-4)
        spin = found.momentum.numpy()[0]
        np.testing.assert_allclose(spin, [0.0, 0.0, rate * seconds * inertia], atol=1e-3 * inertia)


def test_values_that_a_rigid_body_has_not_are_refused():
    with pytest.raises(ValueError, match="friction, drag"):
        cuboid(0.1, keyed={"density": lambda time: 1.0})
    with pytest.raises(ValueError, match="no keeps shape"):
        cuboid(0.1, keeps_shape=True)
    with pytest.raises(ValueError, match="Crate: youngs_modulus of a material has no meaning"):
        cuboid(0.1, material=Material(youngs_modulus=1e6), name="Crate")
    with pytest.raises(ValueError, match="static friction of a rigid body is one number"):
        cuboid(0.1, material=Material(static_friction=[0.5] * 8))


def test_bodies_that_begin_in_each_other_come_apart():
    """Two boxes that overlap by a quarter of their sides: the upper one is pushed off."""
    low = cuboid(0.1, (0.0, 0.0, 0.102), name="Low")
    high = cuboid(0.1, (0.03, 0.02, 0.25), tilted(20.0, (0, 0, 1)), name="High")
    for frame in simulate([low, high], settings_of(use_ground=True), 36):
        assert frame.stats.kinetic_energy < 8.0 * 9.81 * 0.2  # no more than lifting it takes
    assert not frame.stats.tangles
    assert min(points[:, 2].min() for points in frame.exact_positions) > 0.0


def hinged(count, ratio):
    """Bars in a row from the origin, each on a hinge of two points to the one before, and the
    hinges' places. The last bar is `ratio` times as heavy.
    """
    bars = [
        cuboid(
            (0.1, 0.03, 0.03),
            (0.22 * k + 0.11, 0.0, 0.0),
            material=Material(density=1000.0 * (ratio if k == count - 1 else 1.0)),
            collides_with=(),
            name=f"Bar {k}",
        )
        for k in range(count)
    ]
    ties, places = [], [np.array([[0.22 * k, s, 0.0] for s in (-0.03, 0.03)]) for k in range(count)]
    for k, (bar, there) in enumerate(zip(bars, places, strict=True)):
        ends = [np.arange(8)] * 2
        own = {"own_weights": weights_in(bar, there), "stiffness": 1e8}
        if k == 0:
            ties.append(Attachment(bar, ends, points=there, **own))
        else:
            before = bars[k - 1]
            weights = weights_in(before, there)
            ties.append(Attachment(bar, ends, other=before, corners=ends, weights=weights, **own))
    return bars, ties, places


def weights_in(body, places):
    """Weights of mesh points, of which places [place, 3] are the sums."""
    sums = np.vstack([body.mesh_points.T, np.ones(len(body.mesh_points))])
    wanted = np.column_stack([places, np.ones(len(places))])
    return np.linalg.lstsq(sums, wanted.T, rcond=None)[0].T


@pytest.mark.parametrize(("count", "ratio"), [(10, 1.0), (5, 1000.0)])
def test_bars_on_hinges_swing_without_gaps(count, ratio):
    (bars, ties, places), lowest = hinged(count, ratio), 0.0
    for frame in simulate([*bars, *ties], settings_of(), 36):
        for k in range(1, count):
            here, there = (
                center + (places[k] - bars[j].properties.center) @ turn.T
                for j, (center, turn) in ((k, frame.poses[k]), (k - 1, frame.poses[k - 1]))
            )
            assert np.linalg.norm(here - there, axis=1).max() < 1e-3
        lowest = min(lowest, *(center[2] for center, _ in frame.poses))
    assert lowest < -0.5  # it has swung


def test_a_pyramid_of_fifty_five_rests():
    boxes = [
        cuboid(0.1, (0.21 * (k - 0.5 * (9 - row)), 0.0, 0.102 + 0.202 * row), name=f"{row}.{k}")
        for row in range(10)
        for k in range(10 - row)
    ]
    frames = list(simulate(boxes, settings_of(use_ground=True), 24))
    assert speeds(frames[-2], frames[-1]).max() < 1e-3
    assert centers(frames[-1])[-1, 2] > 0.102 + 0.202 * 9 - 0.03
