# SPDX-License-Identifier: GPL-3.0-or-later
"""Every force is the slope of an energy written a second time, every block its curvature."""

from dataclasses import replace

import numpy as np
import pytest
import references
import warp as wp
from element_kernels import evaluation, model_of, reported_energy, rounding
from shapes import UNIT_TET, cell_box, grid, rotation

from vbd.solver.bodies import Cells, Cloth, Filling, Rod, Solid
from vbd.solver.elements.hinges import cloth_hinges, dihedral_angles, hinge_stiffness
from vbd.solver.elements.materials import orthotropic_stiffness
from vbd.solver.elements.triangle_frames import triangle_frames
from vbd.solver.elements.triangles import triangles_of
from vbd.solver.settings import Material, Settings

MU, LAM, RIGIDITY, STIFFNESS = 3.0e4, 1.1e5, 0.02, 700.0


def fold(angle):
    """A hinge (p, q, r, s) with its edge along y, the second wing turned up by `angle`."""
    p, q, r = [0.0, 0.0, 0.0], [0.1, 1.0, 0.0], [-0.8, 0.4, 0.0]
    return np.array([p, q, r, [0.9 * np.cos(angle), 0.3, 0.9 * np.sin(angle)]])


def hinge_cloth(rest):
    membrane_free = Material.from_energy(
        mu=0.0, lam=0.0, bending_stiffness=RIGIDITY, adapt_folds=False
    )
    return Cloth(rest, [[0, 1, 2], [1, 0, 3]], membrane_free)


TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.3]])
# Two edges of a rod that is curved at rest, with their directors; lengths 0.5 and 0.6 m.
BENT = np.array(
    [[-0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.48, 0.36, 0.0], [-0.25, 0.1, 0.5], [0.1, 0.4, 0.6]]
)
RUBBER = Material(youngs_modulus=2e6, thickness=0.05, poisson_ratio=0.25, bending_factor=0.5)
RIGID = 0.5 * 2e6 * np.pi * 0.05**4 / 64.0  # B [N m²] of it
LINK = np.array([[0.0, 0.0, 0.0], [0.4, 0.2, 0.1]])


def bent_rod(rest):
    return Rod(rest, [[0, 1], [1, 2]], RUBBER, directors=[3, 4])


def bend_energy(rest, x):
    return references.bend(rest, x, RIGID / 0.55, RIGID / 1.25 / 0.55)


def one_link(rest):
    return Rod(rest, [[0, 1]], RUBBER, directors=[2])


def director_stiffness(rest):
    """Stiffness of a director: ½ B/l of its edge, over its squared distance [N/m]."""
    distance = np.linalg.norm(rest[2] - 0.5 * (rest[0] + rest[1]))
    return 0.5 * RIGID / (np.linalg.norm(rest[1] - rest[0]) * distance**2)


WOVEN = Material(
    youngs_modulus=8e6,
    weft_modulus=3e6,
    shear_modulus=2e5,
    poisson_ratio=0.3,
    thickness=0.01,
    membrane="orthotropic",
    adapt_folds=False,
)
# Lamé's constants of the energy constants above, model by model.
LAME = {
    "neo_hookean": (MU, LAM - MU),
    "neo_hookean_log": (0.75 * MU, LAM - 0.625 * MU),
    "corotated": (MU, LAM),
}


def one_cell(rest, filling=references.FULL, **material):
    middle, spread, part = filling
    filling = Filling(np.array([part]), np.array([middle]), np.array([spread]))
    material = Material.from_energy(mu=MU, lam=LAM, **material)
    return Cells(rest, [range(8)], material, filling=filling)


def cell_of_material(model, density):
    """One cell of a solid model with the name of its kind."""
    return (
        "cells" if model == "neo_hookean" else f"{model}_cells",
        CUBE,
        lambda rest: one_cell(rest, solid_model=model),
        lambda rest, x: (
            references.cell_center(lambda *tet: density(*tet, MU, LAM), rest, x)
            + references.hourglass(rest, x, *LAME[model])
        ),
    )


def plate(**others):
    """A membrane that does not buckle below its mesh."""
    return Material.from_energy(mu=MU, lam=LAM, adapt_folds=False, **others)


CUBE = cell_box((1, 1, 1))[0]
# The middle of the material, its spread along the axes, and its fraction of the volume.
PARTLY = ((0.3, -0.5, 0.2), (0.8, 0.3, 0.5), 0.4)
# Corners of a cell without stress: larger, sheared, bent and twisted.
UNSTRESSED = CUBE @ [[1.3, 0.2, 0.0], [0.0, 1.1, 0.1], [0.1, 0.0, 0.9]] + 0.08 * np.sin(
    np.arange(24.0)
).reshape(8, 3)
KINDS = {
    "cell": cell_of_material("neo_hookean", references.neo_hookean),
    "cell with logarithm": cell_of_material("neo_hookean_log", references.neo_hookean_log),
    "corotated cell": cell_of_material("corotated", references.corotated),
    "partly filled cell": (
        "cells",
        CUBE,
        lambda rest: one_cell(rest, PARTLY),
        lambda rest, x: (
            references.cell_center(
                lambda *tet: references.neo_hookean(*tet, MU, LAM), rest, x, PARTLY
            )
            + references.hourglass(rest, x, MU, LAM - MU, PARTLY)
        ),
    ),
    "unstressed cell": (
        "plastic_cells",
        UNSTRESSED,
        lambda rest: replace(one_cell(CUBE, PARTLY), unstressed_points=rest),
        lambda rest, x: references.unstressed_cell(CUBE, rest, x, MU, LAM - MU, PARTLY),
    ),
    "viscous cell": (
        "cell_viscosity",
        CUBE,
        lambda rest: one_cell(rest, PARTLY, damping=Settings().step_time),
        lambda rest, x: references.cell_viscosity(rest, x, rest, MU, LAM, PARTLY),
    ),
    "tet": (
        "tets",
        UNIT_TET,
        lambda rest: Solid(rest, [[0, 1, 2, 3]], Material.from_energy(mu=MU, lam=LAM)),
        lambda rest, x: references.neo_hookean(rest, x, MU, LAM),
    ),
    "triangle": (
        "triangles",
        TRIANGLE,
        lambda rest: Cloth(rest, [[0, 1, 2]], plate()),
        lambda rest, x: references.stvk(rest, x, MU, LAM),
    ),
    "tet with logarithm": (
        "neo_hookean_log_tets",
        UNIT_TET,
        lambda rest: Solid(
            rest,
            [[0, 1, 2, 3]],
            Material.from_energy(mu=MU, lam=LAM, solid_model="neo_hookean_log"),
        ),
        lambda rest, x: references.neo_hookean_log(rest, x, MU, LAM),
    ),
    "corotated tet": (
        "corotated_tets",
        UNIT_TET,
        lambda rest: Solid(
            rest, [[0, 1, 2, 3]], Material.from_energy(mu=MU, lam=LAM, solid_model="corotated")
        ),
        lambda rest, x: references.corotated(rest, x, MU, LAM),
    ),
    "stable triangle": (
        "stable_triangles",
        TRIANGLE,
        lambda rest: Cloth(rest, [[0, 1, 2]], plate(membrane="neo_hookean")),
        lambda rest, x: references.stable_membrane(rest, x, MU, LAM),
    ),
    "woven triangle": (
        "triangles",
        TRIANGLE,
        lambda rest: Cloth(rest, [[0, 1, 2]], WOVEN, uv=[[0.0, 0.0], [1.0, 0.0], [0.3, 1.0]]),
        lambda rest, x: references.woven(rest, x, *orthotropic_stiffness(WOVEN)),
    ),
    "viscous tet": (
        "tet_viscosity",
        UNIT_TET,
        lambda rest: Solid(
            rest,
            [[0, 1, 2, 3]],
            Material.from_energy(mu=MU, lam=LAM, damping=Settings().step_time),
        ),
        lambda rest, x: references.viscosity(rest, x, rest, MU, LAM),
    ),
    "hinge": (
        "hinges",
        fold(0.4),
        hinge_cloth,
        lambda rest, x: references.bending(rest, x, RIGIDITY),
    ),
    "spring": (
        "springs",
        LINK,
        lambda rest: Rod(rest, [[0, 1]], Material(spring_stiffness=STIFFNESS)),
        lambda rest, x: references.spring(rest, x, STIFFNESS),
    ),
    "bend": ("bends", BENT, bent_rod, bend_energy),
    "director": (
        "directors",
        BENT[[0, 1, 3]],
        one_link,
        lambda rest, x: references.director(rest, x, director_stiffness(rest)),
    ),
}


# Energies (rest, x, before) of elements with positions `before` when the step began.
VISCOUS = {
    "viscous tet": lambda *shapes: references.viscosity(*shapes, MU, LAM),
    "viscous cell": lambda *shapes: references.cell_viscosity(*shapes, MU, LAM, PARTLY),
}


def force_hessian(kind, x, before=None):
    """Forces [vertex, 3] and blocks [vertex, 3, 3] of the solver, in the order of the body, in a
    step that began at `before`, or at rest.
    """
    name, rest, make, _energy = KINDS[kind]
    settings = Settings()
    model = model_of(make(rest), settings)
    scene = model.assembly
    place = scene.vertices[0]
    points = np.empty_like(x)
    points[place] = x
    force = wp.zeros(len(x), dtype=wp.vec3, device="cpu")
    hessian = wp.zeros(len(x), dtype=wp.mat33, device="cpu")
    table = model.tables[name]
    if before is not None:
        start = np.empty_like(x)
        start[place] = before
        inputs = [
            0,
            wp.array(start, dtype=wp.vec3, device="cpu"),
            table.struct,
            table.undamped,
            table.blend,
        ]
        wp.launch(table.rest_kernel, len(x), inputs, table.moved, device="cpu")
    wp.launch(
        evaluation(table.kind),
        dim=len(x),
        inputs=[wp.array(points, dtype=wp.vec3, device="cpu"), table.struct],
        outputs=[force, hessian],
        device="cpu",
    )
    return force.numpy()[place], hessian.numpy()[place]


def stretched(kind, seed=1, amount=0.15):
    """The rest shape, pulled to 1.3 times its size and disturbed."""
    rest = KINDS[kind][1]
    return 1.3 * rest + amount * np.random.default_rng(seed).standard_normal(rest.shape)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_force_is_minus_the_slope_of_the_energy(kind, seed):
    x = stretched(kind, seed)
    _, rest, _, energy = KINDS[kind]
    force, hessian = force_hessian(kind, x)
    wanted = -references.slope(lambda p: energy(rest, p), x)
    np.testing.assert_allclose(force, wanted, atol=rounding(force, hessian))


@pytest.mark.parametrize("kind", VISCOUS)
@pytest.mark.parametrize("along", [0.8, -0.8])
def test_viscosity_is_relaxed_where_the_step_began(kind, along):
    """Or turned inside out."""
    rest = KINDS[kind][1]
    x, noise = stretched(kind, 1), 0.03 * np.random.default_rng(2).standard_normal(rest.shape)
    before = rest * [1.1, 1.0, along] + noise
    force, hessian = force_hessian(kind, x, before)
    wanted = -references.slope(lambda p: VISCOUS[kind](rest, p, before), x)
    np.testing.assert_allclose(force, wanted, atol=rounding(force, hessian))
    wanted = references.hessian_blocks(lambda p: VISCOUS[kind](rest, p, before), x)
    np.testing.assert_allclose(hessian, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", VISCOUS)
def test_viscosity_has_its_least_energy_where_the_step_began_turned_or_not(kind):
    rest = KINDS[kind][1]
    turn = rotation([0.6, 0.0, 0.8], 2.1)
    before = stretched(kind, 3, 0.05)
    force, hessian = force_hessian(kind, before @ turn.T, before)
    np.testing.assert_allclose(force, 0.0, atol=rounding(force, hessian))
    least = VISCOUS[kind](rest, before, before)
    for seed in range(5):
        assert VISCOUS[kind](rest, stretched(kind, seed, 0.4), before) > least


EXACT = [
    "cell",
    "partly filled cell",
    "unstressed cell",
    "cell with logarithm",
    "tet",
    "tet with logarithm",
    "triangle",
    "woven triangle",
    "stable triangle",
    "spring",
]


@pytest.mark.parametrize("kind", EXACT)
def test_block_is_the_second_derivative_where_that_is_positive(kind):
    x = stretched(kind, amount=0.05)
    _, rest, _, energy = KINDS[kind]
    _, hessian = force_hessian(kind, x)
    wanted = references.hessian_blocks(lambda p: energy(rest, p), x)
    # Central differences of central differences are good to about 1e-5.
    np.testing.assert_allclose(hessian, wanted, atol=1e-4 * np.abs(wanted).max())


CRUSHED = ["cell", "partly filled cell", "tet"]


def crushed(kind, part, seed, flat=1.0):
    """The rest shape in a part of the size below which it is crushed, mirrored for a negative
    `flat`, and disturbed.
    """
    rest, size = KINDS[kind][1], part * np.sqrt(references.crushed_onset(MU, LAM) / 3.0)
    noise = 0.1 * abs(size) * np.random.default_rng(seed).standard_normal(rest.shape)
    return size * rest * [1.0, 1.0, flat] + noise


@pytest.mark.parametrize("kind", CRUSHED)
@pytest.mark.parametrize("part", [1.2, 0.8, 0.7, 0.35, 0.1])
@pytest.mark.parametrize("flat", [1.0, 0.1, -1.0])
def test_force_of_a_crushed_solid_is_minus_the_slope_of_its_energy(kind, part, flat):
    x = crushed(kind, part, 4, flat)
    _, rest, _, energy = KINDS[kind]
    force, hessian = force_hessian(kind, x)
    wanted = -references.slope(lambda p: energy(rest, p), x)
    np.testing.assert_allclose(force, wanted, atol=rounding(force, hessian))
    assert reported_energy(KINDS[kind][2](rest), x) == pytest.approx(
        energy(rest, x) - energy(rest, rest), rel=1e-5
    )


@pytest.mark.parametrize("kind", CRUSHED)
@pytest.mark.parametrize("part", [0.85, 0.77, 0.7])  # |F|² from 0.72 c to 0.49 c
def test_block_of_a_crushed_solid_is_the_second_derivative(kind, part):
    x = crushed(kind, part, 5)
    _, rest, _, energy = KINDS[kind]
    _, hessian = force_hessian(kind, x)
    wanted = references.hessian_blocks(lambda p: energy(rest, p), x)
    np.testing.assert_allclose(hessian, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", CRUSHED)
@pytest.mark.parametrize("part", [0.5, 0.2, 5e-3])
def test_block_of_a_solid_crushed_to_a_point_is_above_the_second_derivative(kind, part):
    x = crushed(kind, part, 6)
    _, rest, _, energy = KINDS[kind]
    _, hessian = force_hessian(kind, x)
    # Differences over 1e-4 m, a tenth of the smallest shape.
    exact = references.hessian_blocks(lambda p: energy(rest, p), x, step=1e-4)
    assert np.linalg.eigvalsh(hessian).min() > 0.0
    assert np.linalg.eigvalsh(hessian - exact).min() > -1e-4 * np.abs(hessian).max()


@pytest.mark.parametrize("nu", [0.0, 0.2, 0.45])
def test_a_crushed_solid_has_no_least_energy_but_at_rest(nu):
    """On the way from a point to the rest shape the energy falls at every step."""
    mu, lam = 1.0, 1.0 + 2.0 * nu / (1.0 - 2.0 * nu)
    sizes = np.linspace(0.0, 1.0, 1001)
    energies = [references.neo_hookean(UNIT_TET, s * UNIT_TET, mu, lam) for s in sizes]
    assert np.diff(energies).max() < 0.0


@pytest.mark.parametrize("kind", ["hinge", "bend"])
def test_block_of_bending_is_the_second_derivative_at_rest(kind):
    _, rest, _, energy = KINDS[kind]
    _, hessian = force_hessian(kind, rest)
    wanted = references.hessian_blocks(lambda p: energy(rest, p), rest)
    np.testing.assert_allclose(hessian, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", ["tet", "tet with logarithm"])
def test_tet_block_is_exact_for_an_inverted_tet(kind):
    x = UNIT_TET * [1.0, 1.0, -0.7]
    _, hessian = force_hessian(kind, x)
    energy = KINDS[kind][3]
    wanted = references.hessian_blocks(lambda p: energy(UNIT_TET, p), x)
    np.testing.assert_allclose(hessian, wanted, atol=1e-4 * np.abs(wanted).max())


def test_corotated_block_is_above_the_second_derivative():
    # PBNG's block (eq. 49) leaves out the turning of R, which only ever softens a stretched tet.
    x = stretched("corotated tet", amount=0.05)
    _, hessian = force_hessian("corotated tet", x)
    energy = KINDS["corotated tet"][3]
    exact = references.hessian_blocks(lambda p: energy(UNIT_TET, p), x)
    assert np.linalg.eigvalsh(hessian - exact).min() > -1e-4 * np.abs(hessian).max()


@pytest.mark.parametrize("seed", range(6))
def test_corotated_force_is_right_for_inverted_tets(seed):
    random = np.random.default_rng(seed).standard_normal((4, 3))
    x = UNIT_TET * [1.0, 1.0, -0.7] + 0.1 * random
    force, hessian = force_hessian("corotated tet", x)
    energy = KINDS["corotated tet"][3]
    wanted = -references.slope(lambda p: energy(UNIT_TET, p), x)
    # The rotation of an inverted tet is less certain: its singular values nearly cancel.
    np.testing.assert_allclose(force, wanted, atol=10.0 * rounding(force, hessian))


@pytest.mark.parametrize("kind", KINDS)
def test_block_is_positive_semidefinite_under_compression(kind):
    rest = KINDS[kind][1]
    for seed in range(5):
        x = 0.4 * rest + 0.1 * np.random.default_rng(seed).standard_normal(rest.shape)
        _, hessian = force_hessian(kind, x)
        lowest = np.linalg.eigvalsh(hessian).min()
        assert lowest >= -1e-5 * np.abs(hessian).max()


@pytest.mark.parametrize("kind", KINDS)
def test_rigid_motion_makes_no_force(kind):
    rest = KINDS[kind][1]
    turned = rest @ rotation([0.6, 0.0, 0.8], 2.1).T + [0.3, -0.2, 0.5]
    force, hessian = force_hessian(kind, turned)
    assert np.abs(force).max() <= rounding(0.0, hessian)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_an_element_add_up_to_zero_and_turn_nothing(kind):
    x = stretched(kind)
    force, hessian = force_hessian(kind, x)
    room = rounding(force, hessian)
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=room)
    np.testing.assert_allclose(np.cross(x, force).sum(axis=0), 0.0, atol=2.0 * room)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["point", "line", "flat"])
def test_degenerate_shapes_stay_finite(kind, shape):
    keep = {"point": [0.0, 0.0, 0.0], "line": [1.0, 0.0, 0.0], "flat": [1.0, 1.0, 0.0]}[shape]
    force, hessian = force_hessian(kind, KINDS[kind][1] * keep)
    assert np.isfinite(force).all()
    assert np.isfinite(hessian).all()


@pytest.mark.parametrize("angle", [-2.5, -0.3, 0.0, 0.9, 3.0])
def test_bending_pulls_towards_the_rest_angle(angle):
    x = fold(angle)
    force, _ = force_hessian("hinge", x)
    towards = fold(angle + 1e-3 * np.sign(0.4 - angle))
    assert (force * (towards - x)).sum() > 0.0


def bending_energy(points, faces, angle, curvature=0.2):
    """Energy over ½ D κ² A of a sheet rolled to a curvature κ about an axis in its plane."""
    turn = rotation([0.0, 0.0, 1.0], angle)
    flat = points @ turn.T
    around = flat[:, 0] * curvature
    rolled = np.stack(
        [np.sin(around) / curvature, flat[:, 1], (1.0 - np.cos(around)) / curvature], axis=1
    )
    edges, owners = cloth_hinges(faces)
    _, areas = triangle_frames(points, faces)
    k = hinge_stiffness(points, edges, areas[owners], np.full(len(edges), RIGIDITY))
    energy = 0.5 * (k * dihedral_angles(rolled, edges) ** 2).sum()
    # Hinges cover the sheet but for the outer third of the triangles at its border.
    covered = areas[owners].sum() / 3.0
    return energy / (0.5 * RIGIDITY * curvature**2 * covered)


@pytest.mark.parametrize("angle", np.radians([0.0, 15.0, 30.0, 45.0, 60.0, 90.0]))
def test_bending_stiffness_is_the_same_in_every_direction_and_on_every_grid(angle):
    for cells in (8, 16, 32):
        # Right triangles with alternating diagonals; the weights are within 20 %.
        assert bending_energy(*grid(cells), angle) == pytest.approx(1.0, rel=0.2)


@pytest.mark.parametrize("angle", np.radians([0.0, 20.0, 45.0, 90.0]))
def test_bending_stiffness_is_right_on_equilateral_triangles(angle):
    points, faces = grid(24)
    # Rows pushed sideways by half a cell: all diagonals must lean in one direction for that.
    rows = np.round(points[:, 1] * 24)
    points = np.stack(
        [points[:, 0] + 0.5 * rows / 24, points[:, 1] * np.sqrt(0.75), points[:, 2]], axis=1
    )
    n = 25
    corner = (np.arange(24)[:, None] * n + np.arange(24)).ravel()
    faces = np.concatenate(
        [
            np.stack([corner, corner + 1, corner + n], axis=1),
            np.stack([corner + 1, corner + n + 1, corner + n], axis=1),
        ]
    )
    assert bending_energy(points, faces, angle) == pytest.approx(1.0, rel=0.05)


def test_statistics_agree_with_the_second_energies():
    for kind, (_, rest, make, energy) in KINDS.items():
        if kind.startswith("viscous"):
            continue  # dissipated, not stored
        if kind in {"bend", "director"}:
            continue  # elements of a rod, which is tested below
        x = stretched(kind)
        reported = reported_energy(make(rest), x)
        assert reported == pytest.approx(energy(rest, x) - energy(rest, rest), rel=1e-5)


def test_statistics_of_a_rod_are_those_of_its_edges_bends_and_directors():
    x = stretched("bend", amount=0.05)
    wanted = bend_energy(BENT, x)
    for edge in ([0, 1, 3], [1, 2, 4]):
        rest, now = BENT[edge], x[edge]
        length = np.linalg.norm(rest[1] - rest[0])
        axial = 2e6 * np.pi * 0.05**2 / 4.0 / length
        wanted += references.spring(rest[:2], now[:2], axial)
        wanted += references.director(rest, now, director_stiffness(rest))
    assert reported_energy(bent_rod(BENT), x) == pytest.approx(wanted, rel=1e-5)


def test_an_unstressed_cell_of_another_size_is_a_cell_of_that_size():
    x = 1.2 * stretched("cell")
    swollen = replace(one_cell(CUBE, PARTLY), unstressed_points=1.4 * CUBE)
    assert reported_energy(swollen, x) == pytest.approx(
        reported_energy(one_cell(1.4 * CUBE, PARTLY), x), rel=1e-6
    )


def test_shrunk_cloth_is_as_if_its_rest_shape_were_smaller():
    points, faces = grid(2)
    small = triangles_of(Cloth(points, faces, rest_points=0.8 * points), Settings())
    for shrink in (0.2, np.full(len(faces), 0.2), np.full(len(points), 0.2)):
        shrunk = triangles_of(Cloth(points, faces, Material(shrink=shrink)), Settings())
        np.testing.assert_allclose(shrunk.inverse, small.inverse)
        np.testing.assert_allclose(shrunk.area, small.area)
