# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction is elastic up to Coulomb's limit, and dissipates beyond it."""

import numpy as np
import warp as wp

from vbd.solver.kernels.contact.law import ContactLaw, force_stiffness, pulled_aside

NORMAL = np.array([0.0, 0.6, 0.8])
ASIDE, ACROSS = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.8, -0.6])
SLIP, FRICTION, STIFFNESS, RADIUS, DISTANCE = 1e-4, 0.5, 1e5, 1e-3, 0.9e-3
LIMIT = FRICTION * STIFFNESS * (RADIUS - DISTANCE)


@wp.kernel
def act(
    motion: wp.array[wp.vec3],
    normal: wp.vec3,
    law: ContactLaw,
    # out
    force: wp.array[wp.vec3],
    drag: wp.array[float],
    left: wp.array[wp.vec3],
):
    i = wp.tid()
    f, _along, b = force_stiffness(normal, DISTANCE, RADIUS, motion[i], FRICTION, STIFFNESS, law)
    force[i] = f
    drag[i] = b
    left[i] = pulled_aside(motion[i], normal, law)


def acted(motion):
    """Friction [N], its stiffness [N/m], and elastic displacements [m] after motions [m]."""
    law = ContactLaw()
    law.slip = SLIP
    count = len(motion)
    force, left = (wp.zeros(count, dtype=wp.vec3, device="cpu") for _ in range(2))
    drag = wp.zeros(count, dtype=float, device="cpu")
    motion = wp.array(motion, dtype=wp.vec3, device="cpu")
    wp.launch(act, count, [motion, wp.vec3(*NORMAL), law], [force, drag, left], device="cpu")
    force = force.numpy().astype(float)
    return force - (force @ NORMAL)[:, None] * NORMAL, drag.numpy(), left.numpy()


def energy(slip):
    """∫ μ λ f₁(u) du [J] up to a slip [m]."""
    z = slip / SLIP
    return LIMIT * SLIP * np.where(z < 1.0, z**2 - z**3 / 3.0, z - 1.0 / 3.0)


def test_friction_is_the_slope_of_its_energy_and_its_stiffness_no_less_than_the_curvature():
    far, small = np.array([0.05, 0.4, 0.9, 1.3, 3.0]) * SLIP, 1e-4 * SLIP
    aside = 0.6 * ASIDE + 0.8 * ACROSS
    force, drag, _left = acted(np.outer(far, aside))
    slope = (energy(far + small) - energy(far - small)) / (2.0 * small)
    curvature = (energy(far + small) - 2.0 * energy(far) + energy(far - small)) / small**2
    # Forces come from differences of float32 numbers.
    np.testing.assert_allclose(force, -np.outer(slope, aside), atol=1e-5 * LIMIT)
    assert (drag >= (1.0 - 1e-4) * curvature).all()
    # Across the pull the potential curves as force over slip, which is the stiffness.
    np.testing.assert_allclose(drag, slope / far, rtol=1e-5)


def test_what_is_pulled_aside_is_kept_up_to_the_limit_and_no_farther():
    motion = np.outer([0.5 * SLIP, SLIP, 7.0 * SLIP], ASIDE) + 3.0 * SLIP * NORMAL
    _force, _drag, left = acted(motion)
    np.testing.assert_allclose(left, np.outer([0.5, 1.0, 1.0], ASIDE) * SLIP, atol=1e-6 * SLIP)


def test_no_path_gains_energy_and_small_ones_lose_none():
    for radius, loses in ((0.4, False), (5.0, True)):
        turn = np.linspace(0.0, 2.0 * np.pi, 501)
        loop = (
            radius * SLIP * (np.outer(np.cos(turn) - 1.0, ASIDE) + np.outer(np.sin(turn), ACROSS))
        )
        steps, pulled, work, least = np.diff(loop, axis=0), np.zeros(3), 0.0, 0.0
        for step in steps:
            force, _drag, left = acted((pulled + step)[None])
            pulled, work = left[0], work - force[0] @ step
            least = min(least, work)
        # Implicit steps take the force at their end: the sum over a closed loop is not exactly 0.
        assert least > -0.02 * LIMIT * SLIP
        assert (work > LIMIT * SLIP) == loses
