# SPDX-License-Identifier: GPL-3.0-or-later
"""Membranes that buckle below their mesh and harden beyond a maximum stretch: one triangle."""

import numpy as np
import pytest
import references
import warp as wp
from element_kernels import evaluation, model_of, reported_energy, rounding
from shapes import rotation

from vbd.solver.bodies import Cloth
from vbd.solver.bodies.folds import SHORTEST, fold_length, mesh_rigidity
from vbd.solver.elements.materials import orthotropic_stiffness
from vbd.solver.elements.membrane_limits import HARDENING, ONSET
from vbd.solver.elements.triangles import membrane_stiffness
from vbd.solver.kernels.elements.buckling import Limits
from vbd.solver.kernels.elements.triangles import stress_components
from vbd.solver.settings import Material, Settings

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.3]])
WOVEN = {
    "youngs_modulus": 8e6,
    "weft_modulus": 3e6,
    "shear_modulus": 2e5,
    "poisson_ratio": 0.3,
    "thickness": 0.01,
}
UV = [[0.0, 0.0], [1.0, 0.0], [0.3, 1.0]]
MU, LAM = 3.0e4, 1.1e5
# So stiff against bending that N_c = π² D/L² is a tenth of μ.
AREA = 0.5 * np.linalg.norm(np.cross(TRIANGLE[1], TRIANGLE[2]))
LOAD = 0.1 * MU
RIGIDITY = LOAD * 2.0 * AREA / np.pi**2
STRETCH = 0.1
MOST = ONSET * 0.5 * ((1.0 + STRETCH) ** 2 - 1.0)


def material(membrane, **others):
    """So light that the mesh bends like the material."""
    others = {"bending_stiffness": RIGIDITY, "density": 0.01, "membrane": membrane, **others}
    if membrane == "orthotropic":
        return Material(**WOVEN, **others)
    return Material.from_energy(mu=MU, lam=LAM, **others)


def energy_of(membrane, most=np.inf):
    """The energy [J] of a triangle at x, written a second time."""
    made = material(membrane)
    stiff = HARDENING * membrane_stiffness(made)[..., :2].max()
    if membrane == "stvk":
        return lambda x: references.buckling_stvk(TRIANGLE, x, MU, LAM, LOAD, most, stiff)
    if membrane == "orthotropic":
        constants = orthotropic_stiffness(made)
        return lambda x: references.buckling_woven(TRIANGLE, x, *constants, LOAD, most, stiff)
    return lambda x: references.buckling_membrane(TRIANGLE, x, MU, LAM, LOAD, most, stiff)


def cloth(membrane, **others):
    uv = UV if membrane == "orthotropic" else None
    return Cloth(TRIANGLE, [[0, 1, 2]], material(membrane, **others), uv=uv)


def force_hessian(body, x, pull=0.0):
    model = model_of(body, Settings())
    place = model.assembly.vertices[0]
    points = np.empty_like(x)
    points[place] = x
    force = wp.zeros(3, dtype=wp.vec3, device="cpu")
    hessian = wp.zeros(3, dtype=wp.mat33, device="cpu")
    name = "stable_triangles" if body.material.membrane == "neo_hookean" else "triangles"
    table = model.tables[name]
    wp.launch(
        evaluation(table.kind, pull=pull),
        dim=3,
        inputs=[wp.array(points, dtype=wp.vec3, device="cpu"), table.struct],
        outputs=[force, hessian],
        device="cpu",
    )
    return force.numpy()[place], hessian.numpy()[place]


def shapes():
    """Triangles that are taut, pressed along one direction, and slack; some of them stretched."""
    random = np.random.default_rng(5)
    u, v = np.array([0.8, 0.6, 0.0]), np.array([-0.6, 0.8, 0.0])
    made = {}
    for name, along, across in (
        ("taut", 1.08, 1.05),
        ("wrinkled", 1.06, 0.7),
        ("slack", 0.8, 0.6),
        ("stretched", 1.25, 1.15),
        ("stretched and wrinkled", 1.3, 0.5),
    ):
        change = along * np.outer(u, u) + across * np.outer(v, v)
        change[2, 2] = 1.0
        made[name] = TRIANGLE @ change.T @ rotation([0.6, 0.0, 0.8], 0.7).T
        made[name] = made[name] + 0.01 * random.standard_normal((3, 3))
    return made


SHAPES = shapes()
MEMBRANES = ["stvk", "neo_hookean", "orthotropic"]


@pytest.mark.parametrize("limit", [0.0, STRETCH])
@pytest.mark.parametrize("membrane", MEMBRANES)
@pytest.mark.parametrize("shape", SHAPES)
def test_force_is_minus_the_slope_of_the_energy(membrane, shape, limit):
    x = SHAPES[shape]
    force, hessian = force_hessian(cloth(membrane, maximum_stretch=limit), x)
    energy = energy_of(membrane, MOST if limit else np.inf)
    wanted = -references.slope(energy, x)
    # The search of the reference is good to 1e-4 of a force.
    room = 1e-4 * np.abs(wanted).max() if membrane == "neo_hookean" else 0.0
    np.testing.assert_allclose(force, wanted, atol=rounding(force, hessian) + room)


# Nearly without bending, so that folds of compressed cloth resist nothing.
LIMP = {"bending_stiffness": 1e-9, "density": 1e-9}


@pytest.mark.parametrize("membrane", MEMBRANES)
@pytest.mark.parametrize("pull", [1.0, 10.0, 100.0])
def test_a_force_takes_no_vertex_of_a_slack_triangle_to_where_it_is_taut(membrane, pull):
    """Over-relaxed, along any direction in its plane that the force may have."""
    x = 0.7 * TRIANGLE
    _, hessian = force_hessian(cloth(membrane, **LIMP), x, pull)
    plane, _ = np.linalg.qr((TRIANGLE[1:] - TRIANGLE[0]).T)
    for turn in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False):
        force = pull * plane @ np.array([np.cos(turn), np.sin(turn)])
        for corner, block in enumerate(hessian):
            there = x.copy()
            there[corner] += 1.5 * np.linalg.lstsq(block, force, rcond=1e-6)[0]
            strain = references.green_strain(TRIANGLE, there)[0]
            stretch = np.diag(strain) if membrane == "orthotropic" else np.linalg.eigvalsh(strain)
            assert stretch.max() < 0.0


@pytest.mark.parametrize("membrane", MEMBRANES)
def test_the_stiffness_of_a_slack_triangle_counts_more_the_more_pulls_at_it(membrane):
    limp = cloth(membrane, **LIMP)
    sizes = [np.linalg.norm(force_hessian(limp, 0.7 * TRIANGLE, p)[1]) for p in (1.0, 1e2, 1e6)]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 10.0 * sizes[0]


@pytest.mark.parametrize("membrane", ["stvk", "orthotropic"])
@pytest.mark.parametrize("shape", SHAPES)
def test_block_is_the_second_derivative_or_above_it(membrane, shape):
    x = SHAPES[shape]
    _, hessian = force_hessian(cloth(membrane, maximum_stretch=STRETCH), x)
    exact = references.hessian_blocks(energy_of(membrane, MOST), x)
    gap = np.linalg.eigvalsh(hessian - exact)
    # Central differences of central differences are good to about 1e-4.
    room = 1e-3 * np.abs(exact).max()
    assert gap.min() > -room
    if shape in {"taut", "stretched"}:
        assert gap.max() < room


@pytest.mark.parametrize("membrane", MEMBRANES)
@pytest.mark.parametrize("shape", SHAPES)
def test_statistics_agree_with_the_energy(membrane, shape):
    energy, x = energy_of(membrane, MOST), SHAPES[shape]
    wanted = energy(x) - energy(TRIANGLE)
    # Positions in float32 are good to 1e-6 of a stretch.
    found = reported_energy(cloth(membrane, maximum_stretch=STRETCH), x)
    assert found == pytest.approx(wanted, rel=2e-5)


@pytest.mark.parametrize("membrane", MEMBRANES)
def test_rigid_motion_makes_no_force(membrane):
    turned = TRIANGLE @ rotation([0.6, 0.0, 0.8], 2.1).T + [0.3, -0.2, 0.5]
    force, hessian = force_hessian(cloth(membrane, maximum_stretch=STRETCH), turned)
    assert np.abs(force).max() <= rounding(0.0, hessian)


@wp.kernel(enable_backward=False)
def find_stresses(
    stiffness: wp.vec4,
    limits: Limits,
    strain: wp.array[wp.vec3],
    # out
    stress: wp.array[wp.vec3],
):
    """S of every strain."""
    stress[wp.tid()] = stress_components(stiffness, limits, strain[wp.tid()])


@pytest.mark.parametrize("membrane", ["stvk", "orthotropic"])
def test_stress_grows_with_strain_and_never_faster_than_the_stiffness(membrane):
    # So the energy is convex and C¹: 0 ≤ ΔS : ΔE ≤ ΔE : (C + K_L) : ΔE.
    stiffness = np.ravel(membrane_stiffness(material(membrane)))
    hardening = HARDENING * stiffness[:2].max()
    limits = Limits()
    limits.load, limits.onset, limits.most = LOAD, LOAD / stiffness[0], MOST
    limits.hardening, limits.isotropy, limits.rate = hardening, float(membrane == "stvk"), 1.0
    limits.ratio_1, limits.ratio_2 = stiffness[2] / stiffness[:2]
    random = np.random.default_rng(2)
    near = random.uniform(-0.4, 0.4, (20000, 3))
    far = near + random.uniform(-1.0, 1.0, (20000, 3)) * 10.0 ** random.uniform(-3, 0, (20000, 1))
    near, far = (np.vstack([v, [[0.0, 0.0, 0.0], [-0.2, -0.2, 0.0]]]) for v in (near, far))
    stresses = []
    for strains in (near, far):
        given = wp.array(strains, dtype=wp.vec3, device="cpu")
        stress = wp.zeros_like(given)
        inputs = [wp.vec4(*stiffness), limits, given]
        wp.launch(find_stresses, len(strains), inputs, [stress], device="cpu")
        stresses.append(stress.numpy().astype(float))
    change, gain = far - near, stresses[1] - stresses[0]
    twice = np.array([1.0, 1.0, 2.0])
    rise = (twice * change * gain).sum(axis=1)
    k_1, k_2, k_12, g = stiffness
    e_1, e_2, e_12 = change.T
    most = k_1 * e_1**2 + k_2 * e_2**2 + 2.0 * k_12 * e_1 * e_2 + 4.0 * g * e_12**2
    # Folds harden by 4 N_c/r³, down to r = 0.01.
    most += (hardening + 4.0 * LOAD * 0.01**-3.0) * (twice * change**2).sum(axis=1)
    # Stresses are good to 1e-6 of the largest.
    room = 1e-6 * max(np.abs(s).max() for s in stresses) * np.abs(change).sum(axis=1)

    assert (rise >= -room).all()
    assert (rise <= most + room).all()


def test_folds_of_a_mesh():
    assert fold_length(8e-6, 0.1, 10.0) == pytest.approx(0.02)
    areas = np.array([0.5, 2.0]) * 0.1**2
    rigid = mesh_rigidity(1e-5, 0.1, 10.0, areas)
    np.testing.assert_allclose(fold_length(rigid, 0.1, 10.0), SHORTEST * np.array([0.1, 0.2]))
    # Cloth that folds more coarsely than its faces, or has no weight, is not changed.
    np.testing.assert_allclose(mesh_rigidity(1e-2, 0.1, 10.0, areas), 1e-2)
    np.testing.assert_allclose(mesh_rigidity(1e-5, 0.1, 0.0, areas), 1e-5)
