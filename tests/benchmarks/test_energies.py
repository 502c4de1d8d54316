# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference energies against numerical derivatives, rotations and linear elasticity."""

import numpy as np
import pytest
import references
from shapes import UNIT_TET, rotation

from vbd.benchmarks.reference import energies, hinges, membranes, solids

RNG = np.random.default_rng(1)
TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.1, 0.1, 0.0], [0.3, 0.9, 0.2]])
HINGE = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.4, 0.9, 0.1], [0.6, -0.8, 0.2]])
TURN = rotation([0.6, 0.0, 0.8], 0.7)


def one(corners):
    return np.arange(corners)[None]


def hinge(rigidity=3.0):
    return hinges.bending(HINGE, np.array([[0, 1, 2], [1, 0, 3]]), rigidity)


MU, LAM = 3.0, 5.0
STRONG = membranes.StVenantKirchhoff(warp=9.0, weft=4.0, coupling=1.5, shear=0.7)
KINDS = {
    "neo-Hookean": (UNIT_TET, energies.tets(UNIT_TET, one(4), solids.NeoHookean(MU, LAM))),
    "log": (UNIT_TET, energies.tets(UNIT_TET, one(4), solids.LogNeoHookean(MU, LAM))),
    "corotated": (UNIT_TET, energies.tets(UNIT_TET, one(4), solids.FixedCorotated(MU, LAM))),
    "StVK": (
        TRIANGLE,
        energies.triangles(
            TRIANGLE, one(3), membranes.StVenantKirchhoff.isotropic(MU, LAM), [[0.3, 1.0, 0.0]]
        ),
    ),
    "orthotropic": (TRIANGLE, energies.triangles(TRIANGLE, one(3), STRONG, [[0.3, 1.0, 0.0]])),
    "membrane": (
        TRIANGLE,
        energies.triangles(TRIANGLE, one(3), membranes.MembraneNeoHookean(MU, LAM)),
    ),
    "bending": (HINGE, hinge()),
    "spring": (TRIANGLE[:2], energies.springs(TRIANGLE, one(2), 7.0)),
}
SHAKEN = {kind: rest + 0.25 * RNG.standard_normal(rest.shape) for kind, (rest, _) in KINDS.items()}
every_kind = pytest.mark.parametrize("kind", KINDS)


def check_derivatives(element, x):
    """Gradient and Hessian against central differences of energy and gradient."""
    step = 1e-6
    gradient, hessian = element.gradient(x)[0], element.hessian(x)[0]
    for index in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[index] = step
        slope = (element.energy(x + nudge) - element.energy(x - nudge))[0] / (2.0 * step)
        assert gradient[index] == pytest.approx(slope, rel=1e-6, abs=1e-7)
        bend = (element.gradient(x + nudge) - element.gradient(x - nudge))[0] / (2.0 * step)
        # Central differences of step 1e-6 leave about nine digits.
        np.testing.assert_allclose(hessian[:, :, index[0], index[1]], bend, rtol=1e-6, atol=2e-6)


@every_kind
def test_gradient_and_hessian_are_the_slopes_of_the_energy(kind):
    check_derivatives(KINDS[kind][1], SHAKEN[kind])


@pytest.mark.parametrize("kind", ["neo-Hookean", "log", "corotated"])
def test_derivatives_hold_for_inverted_tets(kind):
    mirrored = SHAKEN[kind] * [1.0, 1.0, -1.2]
    check_derivatives(KINDS[kind][1], mirrored)


@every_kind
def test_damping_derivatives_are_the_slopes_of_its_potential(kind):
    rest, element = KINDS[kind]
    start = rest + 0.1 * RNG.standard_normal(rest.shape)
    check_derivatives(element.damping(start, 0.3), SHAKEN[kind])


@every_kind
def test_the_rest_shape_turned_and_moved_feels_no_force(kind):
    rest, element = KINDS[kind]
    np.testing.assert_allclose(element.gradient(rest @ TURN.T + 2.0), 0.0, atol=1e-13)


@every_kind
def test_damping_pushes_nothing_that_moves_rigidly(kind):
    x = SHAKEN[kind]
    damping = KINDS[kind][1].damping(x, 0.3)
    np.testing.assert_allclose(damping.gradient(x @ TURN.T + 2.0), 0.0, atol=1e-12)


@every_kind
def test_forces_of_an_element_have_no_sum_and_no_torque(kind):
    x = SHAKEN[kind]
    for element in (KINDS[kind][1], KINDS[kind][1].damping(KINDS[kind][0], 0.3)):
        gradient = element.gradient(x)[0]
        np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-13)
        np.testing.assert_allclose(np.cross(x, gradient).sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    "density", [solids.NeoHookean, solids.LogNeoHookean, solids.FixedCorotated]
)
def test_small_strains_obey_linear_elasticity_in_stress_and_damping(density):
    mu, lam = solids.lame(1e4, 0.35)
    slope = 1e-6 * RNG.standard_normal((1, 3, 3))
    strain = 0.5 * (slope + slope.transpose(0, 2, 1))
    wanted = 2.0 * mu * strain + lam * np.trace(strain[0]) * np.eye(3)
    law = density.from_lame(mu, lam)
    f = np.eye(3) + slope
    # Columns or rows: the strain is symmetric to first order; the next order is 1e-6 of it.
    np.testing.assert_allclose(law.stress(f), wanted, atol=2e-5 * abs(wanted).max())
    viscous = law.damping(np.eye(3)[None], 1.0).stress(f)
    shear_only = np.array([[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])
    shear = law.damping(np.eye(3)[None], 1.0).stress(np.eye(3) + 1e-6 * shear_only)
    np.testing.assert_allclose(shear, 2e-6 * mu * shear_only, atol=1e-4 * 1e-6 * mu)
    assert (viscous * strain).sum() > 0.0


def test_orthotropic_constants_can_say_isotropic():
    x = SHAKEN["StVK"]
    isotropic = membranes.StVenantKirchhoff.isotropic(MU, LAM)
    turned = [energies.triangles(TRIANGLE, one(3), isotropic, [d]) for d in TRIANGLE[1:]]
    assert turned[0].energy(x)[0] == pytest.approx(turned[1].energy(x)[0], rel=1e-12)


@pytest.mark.parametrize("kind", ["neo-Hookean", "StVK", "bending", "spring"])
def test_energies_agree_with_the_scalar_formulas_of_the_tests(kind):
    formulas = {
        "neo-Hookean": (references.neo_hookean, (MU, LAM)),
        "StVK": (references.stvk, (MU, LAM)),
        "bending": (references.bending, (3.0,)),
        "spring": (references.spring, (7.0,)),
    }
    formula, constants = formulas[kind]
    rest, element = KINDS[kind]
    x = SHAKEN[kind]
    assert element.energy(x)[0] == pytest.approx(formula(rest, x, *constants), rel=1e-12)


def test_uniaxial_stretch_confined_compression_and_shear_have_their_closed_forms():
    mu, lam = 2.0, 20.0
    beta, law = mu / lam, solids.NeoHookean(mu, lam)
    for s, j, pull in ((2.0, 1.05, 1.7375), (0.5, 0.9, -3.1)):
        t = np.sqrt((1.0 + beta) / s - beta / s**2)
        f = np.diag([s, t, t])
        assert np.linalg.det(f) == pytest.approx(j)
        np.testing.assert_allclose(law.stress(f[None])[0], mu * np.diag([pull, 0, 0]), atol=1e-12)
    squeezed = law.stress(np.diag([0.7, 1.0, 1.0])[None])[0]
    assert squeezed[0, 0] == pytest.approx((lam + mu) * -0.3)
    sheared = np.eye(3)
    sheared[0, 1] = 0.4  # column 0 of F is (1, γ, 0)
    stress = law.stress(sheared[None])[0]
    cauchy = np.einsum("ki,kj->ij", stress, sheared)
    assert cauchy[0, 1] == pytest.approx(mu * 0.4)
