# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars with muscle fibers, against closed forms."""

from functools import partial

import numpy as np
import pytest
import scipy.optimize
from shapes import box, cell_box

from vbd.solver.bodies import Cells, Pins, Solid
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

T = 1.0 / 24.0
STILL = Settings(quasistatic=True, iterations=200, accuracy=1e-5, gravity=(0.0, 0.0, 0.0))
E = 6e4


def bar(kind, cells=(8, 2, 2), size=(0.4, 0.1, 0.1), held=None, along=(1.0, 0.0, 0.0), **material):
    """A bar along x; `held` (points) are pinned, by default only its first vertex."""
    points, elements = (box if kind is Solid else cell_box)(cells, size)
    held = [0] if held is None else np.flatnonzero(held(points))
    keyed = {n: v for n, v in material.items() if callable(v)}
    own = Material(youngs_modulus=E, **{n: v for n, v in material.items() if n not in keyed})
    return kind(points, elements, own, Pins(held), fibers=along, keyed=keyed or None)


def contraction(activation, nu, active_stress=3e5):
    """Stretch s and volume ratio of a free bar: the tension of its fibers and the stress μ (s −
    t²/s) of its neo-Hookean flesh add up to 0, with t² = (1 + β)/s − β/s², β = μ/λ.
    """
    mu = E / (2.0 * (1.0 + nu))
    beta = mu / (E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)) + mu)

    def total(s):
        across = (1.0 + beta) / s - beta / s**2
        tension = activation * active_stress * (1.0 - ((s - 1.0) / 0.56) ** 2)
        return mu * (s - across / s) + tension

    s = scipy.optimize.brentq(total, 0.45, 1.0)
    return s, 1.0 + beta - beta / s


def gradient(body, points):
    """F of the bar as a whole, by least squares; it may have turned."""
    rest = body.points
    return np.linalg.lstsq(rest - rest[0], points - points[0], rcond=None)[0].T


def stretches(body, points):
    """The stretches of the bar, the least first: along its fibers, if they contract."""
    return np.linalg.svd(gradient(body, points), compute_uv=False)[::-1]


@pytest.mark.parametrize("kind", [Solid, Cells])
@pytest.mark.parametrize(("activation", "nu"), [(0.1, 0.49), (0.5, 0.49), (1.0, 0.4)])
def test_an_active_bar_is_as_short_and_as_thick_as_the_closed_form(kind, activation, nu):
    body = bar(kind, poisson_ratio=nu, activation=activation)
    (frame,) = simulate([body], STILL, 1)
    s, ratio = contraction(activation, nu)
    across = np.sqrt(ratio / s)
    # All elements have this strain. float32 leaves 1e-6.
    found = stretches(body, frame.exact_positions[0])
    assert found == pytest.approx([s, across, across], abs=1e-4)


@pytest.mark.parametrize("kind", [Solid, Cells])
@pytest.mark.parametrize(("hangs", "ratio"), [(True, 0.5), (False, 1.0)])
def test_fibers_stiffen_what_hangs_and_not_what_stands(kind, hangs, ratio):
    """The strain ρ g L/(2 E) of 1 % has E + E_f for E where it stretches."""
    drop = []
    for stiffness in (0.0, E):
        up = (lambda p: p[:, 0] < 1e-9) if hangs else (lambda p: p[:, 0] > 0.4 - 1e-9)
        body = bar(kind, held=up, poisson_ratio=0.0, density=300.0, fiber_stiffness=stiffness)
        settings = Settings(quasistatic=True, iterations=200, accuracy=1e-5, gravity=(9.81, 0, 0))
        (frame,) = simulate([body], settings, 1)
        drop.append((frame.exact_positions[0] - body.points)[:, 0].max())
    assert drop[0] == pytest.approx(300.0 * 9.81 * 0.4**2 / (2.0 * E), rel=0.1)
    assert drop[1] / drop[0] == pytest.approx(ratio, rel=0.02)


@pytest.mark.parametrize("kind", [Solid, Cells])
def test_fibers_act_along_their_direction(kind):
    """A cube contracts along its diagonal."""
    body = bar(kind, (3, 3, 3), (0.1, 0.1, 0.1), along=(1, 1, 1), poisson_ratio=0.4, activation=0.3)
    (frame,) = simulate([body], STILL, 1)
    s, ratio = contraction(0.3, 0.4)
    across = np.sqrt(ratio / s)
    x = frame.exact_positions[0]
    assert stretches(body, x) == pytest.approx([s, across, across], abs=1e-4)
    along = np.ones(3) / 3.0**0.5
    assert np.linalg.norm(gradient(body, x) @ along) == pytest.approx(s, abs=1e-4)


@pytest.mark.parametrize("kind", [Solid, Cells])
def test_keyed_activation_contracts_and_lets_go(kind):
    wave = [0.0, 0.1, 0.4, 0.0]
    body = bar(kind, poisson_ratio=0.45, activation=lambda time: wave[round(time / T) - 1])
    for frame in simulate([body], STILL, 4):
        active = wave[frame.index - 1]
        wanted = contraction(active, 0.45)[0] if active else 1.0
        assert stretches(body, frame.exact_positions[0])[0] == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("kind", [Solid, Cells])
def test_a_muscle_lifts_a_weight_to_where_its_tension_holds_it(kind):
    """m g = a σ A (1 − (λ − 1)²/w²) at λ = 0.8, the flesh being ten thousand times as soft."""
    area, activation = 0.01, 0.7
    weight = activation * 3e5 * area * (1.0 - (0.2 / 0.56) ** 2)
    body = bar(kind, held=lambda p: p[:, 0] < 1e-9, cells=(4, 1, 1))
    lifted = body.points[body.elements].mean(axis=1)[:, 0] > 0.3
    # All of the weight is in the last slice, which has no fibers.
    body.material = Material(
        youngs_modulus=np.where(lifted, 1e6, 30.0),
        poisson_ratio=0.0,
        density=np.where(lifted, weight / 9.81 / (0.1 * area), 1e-3),
        activation=activation,
    )
    body.fibers = np.where(lifted[:, None], 0.0, body.fibers)
    settings = Settings(quasistatic=True, iterations=400, accuracy=1e-5, gravity=(9.81, 0.0, 0.0))
    *_, frame = simulate([body], settings, 4)
    end = frame.exact_positions[0][np.abs(body.points[:, 0] - 0.3) < 1e-9, 0]
    np.testing.assert_allclose(end, 0.8 * 0.3, atol=2e-3)


@pytest.mark.parametrize("kind", [Solid, Cells])
@pytest.mark.parametrize("activation", [0.0, 0.05])
def test_a_hanging_muscle_keeps_its_shape_at_the_activation_that_it_starts_with(kind, activation):
    """Without the switch it drops by a twentieth, or contracts by more."""
    moved = []
    for keeps in (False, True):
        body = bar(
            kind,
            held=lambda p: p[:, 0] < 1e-9,
            poisson_ratio=0.4,
            density=1000.0,
            fiber_stiffness=1e4,
            activation=activation,
        )
        body.keeps_shape = keeps
        *_, frame = simulate([body], Settings(gravity=(9.81, 0.0, 0.0)), 12)
        way = np.linalg.norm(frame.exact_positions[0] - body.points, axis=1).max()
        moved.append(way / 0.4)
    assert moved[0] > 0.02
    # A body stands within a thousandth of its size.
    assert moved[1] < 1e-3


@pytest.mark.parametrize("damping", [0.02, lambda time: 0.0 if time < 2.5 * T else 0.02])
def test_damped_fibers_slow_a_stretched_bar_down(damping):
    """Without damping it swings on; fibers have E_f k_d as flesh has E k_d. From the start, or from
    frame 3 on.
    """
    swings = []
    for value in (0.0, damping):
        body = bar(Cells, held=lambda p: p[:, 0] < 1e-9, fiber_stiffness=5e5, damping=value)
        body.velocities = np.array([0.5, 0.0, 0.0]) * body.points[:, :1] / 0.4
        settings = Settings(gravity=(0.0, 0.0, 0.0), substeps=8)
        x = [f.exact_positions[0][:, 0].max() for f in simulate([body], settings, 12)]
        swings.append(np.ptp(x[6:]))
    assert swings[1] < 0.3 * swings[0]


@pytest.mark.parametrize("kind", [Solid, Cells])
def test_a_restart_amid_a_contraction_has_the_bits_of_one_that_never_stopped(kind):
    make = partial(
        bar,
        kind,
        held=lambda p: p[:, 0] < 1e-9,
        fiber_stiffness=1e5,
        damping=0.01,
        activation=lambda time: min(2.0 * time, 1.0),
    )
    whole, settings = [], Settings(iterations=8)
    for frame in simulate([make()], settings, 6):
        whole.append(frame.exact_positions[0])
        if frame.index == 3:
            restart = Restart(3, {name: a.copy() for name, a in frame.state().items()})
    for frame in simulate([make()], settings, 6, restart=restart):
        np.testing.assert_array_equal(frame.exact_positions[0], whole[frame.index - 1])
    assert np.ptp(whole[-1][:, 0]) < 0.9 * np.ptp(whole[0][:, 0])
