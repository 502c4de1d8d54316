# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in equilibrium against closed forms of continuum mechanics."""

import numpy as np
import pytest
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

MU = 1.0e4
# A step of 100 s: inertia is negligible beside elasticity, so one step is an equilibrium, with all
# of its iterations.
STATIC = {"frame_time": 100.0, "substeps": 1, "gravity": (0.0, 0.0, 0.0), "accuracy": 0.0}


def equilibrium(gradient, beta, free, iterations=400, cells=(3, 3, 3)):
    """A unit cube under a deformation gradient given on the vertices that are not `free`.

    Returns the points and the elastic energy [J] at the end; μ = 10 kPa, λ = μ/β.
    """
    points, tets = box(cells)
    moved = points @ np.asarray(gradient).T
    held = np.flatnonzero(~free(points))
    body = Solid(
        np.where(free(points)[:, None], points, moved),
        tets,
        Material.from_energy(mu=MU, lam=MU / beta),
        pins=Pins(held),
        rest_points=points,
    )
    for _ in range(1):
        *_, frame = simulate([body], Settings(iterations=iterations, **STATIC), 1)
    return points, frame.positions[0], frame.stats.elastic_energy


def inside(points):
    return ((points > 1e-6) & (points < 1.0 - 1e-6)).all(axis=1)


def off_the_ends(points):
    return (points[:, 0] > 1e-6) & (points[:, 0] < 1.0 - 1e-6)


def lateral(s, beta):
    """Lateral stretch of uniaxial tension: t² = (1 + β)/s − β/s²."""
    return np.sqrt((1.0 + beta) / s - beta / s**2)


@pytest.mark.parametrize(("s", "jacobian", "stress"), [(2.0, 1.05, 1.7375), (0.5, 0.9, -3.1)])
def test_uniaxial_stretch_follows_the_closed_form(s, jacobian, stress):
    beta, ds = 0.1, 1e-3

    def pulled(s):
        t = lateral(s, beta)
        points, x, energy = equilibrium(np.diag([s, t, t]), beta, off_the_ends)
        return points * [s, t, t], x, energy

    wanted, x, _ = pulled(s)
    # The free sides reach the closed form's width by themselves, to float32.
    np.testing.assert_allclose(x, wanted, atol=2e-4)
    assert s * lateral(s, beta) ** 2 == pytest.approx(jacobian, abs=0.005)
    force = (pulled(s + ds)[2] - pulled(s - ds)[2]) / (2.0 * ds)
    assert force / MU == pytest.approx(stress, rel=2e-3)


def test_confined_compression_is_linear():
    beta, ds = 0.5, 1e-3

    def energy(s):
        return equilibrium(np.diag([s, 1.0, 1.0]), beta, inside)[2]

    for s in (0.4, 0.8, 1.5):
        stress = (energy(s + ds) - energy(s - ds)) / (2.0 * ds)
        assert stress == pytest.approx((MU / beta + MU) * (s - 1.0), rel=2e-3)


def test_simple_shear_has_the_stress_mu_gamma():
    ds = 1e-3

    def energy(shear):
        return equilibrium([[1.0, shear, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 0.3, inside)[2]

    for shear in (0.2, 1.0):
        stress = (energy(shear + ds) - energy(shear - ds)) / (2.0 * ds)
        assert stress == pytest.approx(MU * shear, rel=2e-3)


def test_youngs_modulus_and_poisson_ratio_are_those_of_small_strain():
    material = Material(youngs_modulus=5e4, poisson_ratio=0.3)
    points, tets = box((4, 2, 2), (1.0, 0.5, 0.5))
    strain = 1e-3
    ends = np.flatnonzero((points[:, 0] < 1e-6) | (points[:, 0] > 1.0 - 1e-6))
    pulled = points * [1.0 + strain, 1.0 - 0.3 * strain, 1.0 - 0.3 * strain]
    start = points.copy()
    start[ends] = pulled[ends]
    body = Solid(start, tets, material, pins=Pins(ends), rest_points=points)
    *_, frame = simulate([body], Settings(iterations=400, **STATIC), 1)
    np.testing.assert_allclose(frame.positions[0], pulled, atol=1e-5)
    # ½ E ε² V; the strain is small, not zero: 1 %.
    assert frame.stats.elastic_energy == pytest.approx(0.5 * 5e4 * strain**2 * 0.25, rel=0.01)


def test_mass_of_a_lattice_is_its_volume_times_density():
    points, tets = box((3, 3, 3), (0.5, 0.5, 0.5))
    body = Solid(points, tets, Material(density=800.0), velocities=[2.0, 0.0, 0.0])
    *_, frame = simulate([body], Settings(gravity=(0, 0, 0), iterations=1), 1)
    assert frame.stats.kinetic_energy == pytest.approx(0.5 * 800.0 * 0.125 * 4.0, rel=1e-4)


def test_a_hanging_cloth_is_still_and_as_long_as_its_weight_makes_it():
    points, triangles = grid(8)
    hanging = points[:, [0, 2, 1]] * [1.0, 1.0, 1.0]
    material = Material(
        youngs_modulus=2e5,
        poisson_ratio=0.0,
        thickness=1e-3,
        density=0.4,
        bending_stiffness=1e-5,
        damping=0.05,
    )
    top = np.flatnonzero(hanging[:, 2] > 1.0 - 1e-6)
    cloth = Cloth(hanging, triangles, material, pins=Pins(top))
    last = hanging
    for frame in simulate([cloth], Settings(substeps=4, iterations=100), 48):
        speed = np.abs(frame.positions[0] - last).max() * 24
        last = frame.positions[0]
    assert speed < 1e-3
    # Sag of the lower edge: ρ g L²/(2 E t) = 9.81 mm.
    sag = 0.4 * 9.81 / (2.0 * 200.0)
    assert -last[:, 2].min() == pytest.approx(sag, rel=0.05)
    assert np.abs(last[:, 1]).max() < 1e-3


def test_a_soft_column_shortens_under_its_weight():
    points, tets = box((3, 3, 5), (0.6, 0.6, 1.0))  # wide enough not to buckle
    material = Material(youngs_modulus=2e5, poisson_ratio=0.0, density=1000.0, damping=0.05)
    bottom = np.flatnonzero(points[:, 2] < 1e-6)
    body = Solid(points, tets, material, pins=Pins(bottom))
    for frame in simulate([body], Settings(iterations=150), 24):
        top = 1.0 - frame.positions[0][points[:, 2] > 1.0 - 1e-6, 2].mean()
    assert top == pytest.approx(1000.0 * 9.81 / (2.0 * 2e5), rel=0.05)


def test_a_heavy_chain_stretches_as_statics_says():
    # 20 particles of 1 kg and a last one of 1000 kg: link k carries all that hangs below it.
    count, link, stiffness = 20, 0.0577, 1e8
    points, edges = chain(count, link)
    hanging = np.stack([np.zeros(count), np.zeros(count), -points[:, 0]], axis=1)
    mass = np.ones(count)
    mass[-1] = 1000.0
    rod = Rod(
        hanging,
        edges,
        Material(spring_stiffness=stiffness, vertex_mass=mass, damping=0.01),
        pins=Pins([0]),
    )
    settings = Settings(substeps=10, iterations=400)
    *_, frame = simulate([rod], settings, 24)
    stretch = -np.diff(frame.positions[0][:, 2].astype(float)) - link
    carried = np.cumsum(mass[::-1])[::-1][1:] * 9.81
    # float32 positions of 1 m resolve 1e-7 m of a stretch of 1e-4 m.
    np.testing.assert_allclose(stretch, carried / stiffness, rtol=0.02)
