# SPDX-License-Identifier: GPL-3.0-or-later
"""Muscle fibers: forces and blocks against energies written a second time."""

from dataclasses import replace

import numpy as np
import pytest
import references
import warp as wp
from element_kernels import evaluation, model_of, reported_energy, rounding
from shapes import UNIT_TET, box, cell_box, rotation

from vbd.solver.bodies import Cells, Filling, Solid
from vbd.solver.elements import KINDS
from vbd.solver.kernels.elements.fibers import fibers_in
from vbd.solver.settings import Material, Settings

ALONG = np.array([0.48, 0.6, 0.64])
STIFFNESS, ACTIVE = 2e5, 3e5
CUBE = cell_box((1, 1, 1))[0]
MIDDLE, PART = (0.3, -0.5, 0.2), 0.4
FIBERS = {"tet": "tet_fibers", "cell": "cell_fibers"}
REST = {"tet": UNIT_TET, "cell": CUBE}


def body_of(what, activation=0.4, damping=0.0, along=ALONG):
    """One element with fibers."""
    material = Material(
        fiber_stiffness=STIFFNESS, active_stress=ACTIVE, activation=activation, damping=damping
    )
    if what == "tet":
        return Solid(UNIT_TET, [range(4)], material, fibers=along)
    filling = Filling(np.array([PART]), np.array([MIDDLE]), np.ones((1, 3)))
    return Cells(CUBE, [range(8)], material, filling=filling, fibers=along)


def gradient_and_volume(what, x):
    """F in the middle of the material, and its volume at rest."""
    if what == "tet":
        return references.deformation_gradient(UNIT_TET, x)
    return references.cell_state(CUBE, x, MIDDLE)[0], PART


def energy_of(what, x, activation=0.4, before=1.0, damping=0.0):
    f, volume = gradient_and_volume(what, x)
    active = activation * ACTIVE
    return volume * references.fibers(f, ALONG, STIFFNESS, active, before, damping * STIFFNESS)


def force_hessian(body, what, x, before=None):
    """Forces [vertex, 3] and blocks [vertex, 3, 3], in a step that began at `before`."""
    model = model_of(body, Settings())
    place, table = model.assembly.vertices[0], model.tables[FIBERS[what]]

    def upload(points):
        ordered = np.empty_like(points)
        ordered[place] = points
        return wp.array(ordered, dtype=wp.vec3, device="cpu")

    if before is not None:
        inputs = [0, upload(before), table.struct, table.undamped, table.blend]
        wp.launch(table.rest_kernel, len(x), inputs, table.moved, device="cpu")
    out = [wp.zeros(len(x), dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33)]
    inputs = [upload(x), table.struct]
    wp.launch(evaluation(table.kind), len(x), inputs, out, device="cpu")
    return [values.numpy()[place].astype(float) for values in out]


def deformed(what, stretch, seed=1):
    """The element stretched along its fibers to λ, then disturbed and turned."""
    f = np.eye(3) + (stretch - 1.0) * np.outer(ALONG, ALONG)
    noise = 0.02 * np.random.default_rng(seed).standard_normal(REST[what].shape)
    return (REST[what] @ f + noise) @ rotation([0.6, 0.0, 0.8], 2.1).T


# Beyond both ends of the active range, within both limbs, and at the length at rest.
STRETCHES = (0.3, 0.7, 1.0, 1.3, 1.7)


@pytest.mark.parametrize("what", FIBERS)
@pytest.mark.parametrize("stretch", STRETCHES)
@pytest.mark.parametrize("activation", [0.0, 0.4])
def test_force_is_minus_the_slope_of_the_energy(what, stretch, activation):
    x = deformed(what, stretch)
    force, hessian = force_hessian(body_of(what, activation), what, x)
    wanted = -references.slope(lambda p: energy_of(what, p, activation), x)
    # Where fibers are slack the force is zero, to the rounding of those that are not.
    atol = max(rounding(force, hessian), 1e-6 * STIFFNESS)
    np.testing.assert_allclose(force, wanted, atol=atol)
    assert (np.abs(wanted).max() > 1e3) == (stretch > 1.0 or (activation and stretch > 0.44))


@pytest.mark.parametrize("what", FIBERS)
def test_block_is_the_second_derivative_of_stretched_fibers_without_activation(what):
    x = deformed(what, 1.3)
    _, hessian = force_hessian(body_of(what, 0.0), what, x)
    wanted = references.hessian_blocks(lambda p: energy_of(what, p, 0.0), x)
    np.testing.assert_allclose(hessian, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("what", FIBERS)
@pytest.mark.parametrize("stretch", STRETCHES)
def test_block_is_above_the_second_derivative_and_positive(what, stretch):
    x = deformed(what, stretch)
    _, hessian = force_hessian(body_of(what), what, x)
    exact = references.hessian_blocks(lambda p: energy_of(what, p), x)
    room = 1e-4 * np.abs(hessian).max() + 1e-4 * STIFFNESS
    assert np.linalg.eigvalsh(hessian - exact).min() > -room
    assert np.linalg.eigvalsh(hessian).min() >= -1e-6 * np.abs(hessian).max()


@pytest.mark.parametrize("what", FIBERS)
@pytest.mark.parametrize("seed", range(4))
def test_a_step_of_active_fibers_lowers_their_energy_however_far_it_leads(what, seed):
    """Also over-relaxed; without passive stiffness, whose onset a block cannot foresee."""
    random = np.random.default_rng(seed)
    body = body_of(what, 1.0)
    body.material = replace(body.material, fiber_stiffness=0.0)

    def energy(p):
        f, volume = gradient_and_volume(what, p)
        return volume * references.fibers(f, ALONG, 0.0, ACTIVE)

    for stretch in (0.5, 0.6, 0.8, 1.0, 1.2, 1.5):
        x = deformed(what, stretch, seed)
        force, hessian = force_hessian(body, what, x)
        i = random.integers(len(x))
        for factor in (0.5, 1.0, 1.9):
            end = x.copy()
            end[i] += factor * np.linalg.lstsq(hessian[i], force[i], rcond=1e-9)[0]
            assert energy(end) < energy(x)


@pytest.mark.parametrize("what", FIBERS)
def test_forces_add_up_to_zero_turn_nothing_and_turn_with_the_body(what):
    x, body = deformed(what, 0.8), body_of(what)
    force, hessian = force_hessian(body, what, x)
    room = rounding(force, hessian)
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=room)
    np.testing.assert_allclose(np.cross(x, force).sum(axis=0), 0.0, atol=2.0 * room)
    turn = rotation([0.0, 0.6, 0.8], 1.3)
    turned, _ = force_hessian(body, what, x @ turn.T + [0.3, -0.2, 0.5])
    np.testing.assert_allclose(turned, force @ turn.T, atol=2.0 * room)


@pytest.mark.parametrize("what", FIBERS)
def test_inactive_fibers_at_rest_or_shortened_make_no_force(what):
    for stretch in (0.5, 0.9, 1.0):
        f = np.eye(3) + (stretch - 1.0) * np.outer(ALONG, ALONG)
        x = (REST[what] @ f) @ rotation([0.6, 0.0, 0.8], 2.1).T
        force, _ = force_hessian(body_of(what, 0.0), what, x)
        assert np.abs(force).max() <= 2e-6 * STIFFNESS


@pytest.mark.parametrize("what", FIBERS)
@pytest.mark.parametrize("keep", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, -1]])
def test_degenerate_shapes_stay_finite(what, keep):
    force, hessian = force_hessian(body_of(what, 1.0, damping=0.1), what, REST[what] * keep)
    assert np.isfinite(force).all()
    assert np.isfinite(hessian).all()


@pytest.mark.parametrize("what", FIBERS)
@pytest.mark.parametrize(("start", "end"), [(1.2, 1.4), (1.4, 1.2), (0.8, 1.2), (1.5, 1.05)])
def test_damping_resists_the_change_of_length_of_stretched_fibers(what, start, end):
    """At the last pair it would push."""
    body = body_of(what, damping=3.0 * Settings().step_time)
    before, x = deformed(what, start, seed=2), deformed(what, end)
    force, hessian = force_hessian(body, what, x, before)
    stretch = np.linalg.norm(gradient_and_volume(what, before)[0] @ ALONG)
    wanted = -references.slope(lambda p: energy_of(what, p, 0.4, stretch, 3.0), x)
    np.testing.assert_allclose(force, wanted, atol=rounding(force, hessian))
    turned = before @ rotation([0.0, 0.6, 0.8], 1.3).T
    still, _ = force_hessian(body, what, turned, before)
    free, _ = force_hessian(body_of(what), what, turned)
    np.testing.assert_allclose(still, free, atol=4.0 * rounding(free, hessian))


@pytest.mark.parametrize("what", FIBERS)
@pytest.mark.parametrize("stretch", [0.3, 0.8, 1.7])
def test_the_matrix_of_coarse_steps_has_the_blocks_of_the_sweeps(what, stretch):
    """From the square and the spread, w² (c n nᵀ + M I) at a corner with the weight w."""
    kind = next(kind for kind in KINDS if kind.name == FIBERS[what])
    x, body = deformed(what, stretch), body_of(what)
    model = model_of(body, Settings())
    place, table = model.assembly.vertices[0], model.tables[kind.name]
    Element, count = fibers_in(kind.corners)["element"], kind.corners

    @wp.kernel(enable_backward=False, module="unique")
    def evaluate(
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[float],
        # out
        block: wp.array[wp.mat33],
        force: wp.array[wp.vec3],
    ):
        g = kind.gradient(elements[0], x)
        c, n = kind.square(elements[0], rest, g, 0)
        across = kind.spread(elements[0], rest, g)
        along = wp.vec3(n[0, 0], n[1, 0], n[2, 0])
        stress = kind.stress(elements[0], rest, g)
        for k in range(count):
            w = kind.weight(elements[0], k)
            i = elements[0].corners[k]
            whole = c * wp.outer(along, along) + across[0, 0] * wp.identity(3, float)
            block[i] = w[0] * w[0] * whole
            force[i] = -w[0] * wp.vec3(stress[0, 0], stress[1, 0], stress[2, 0])

    columns = model.assembly.elements[kind.name]
    data = np.zeros(1, dtype=Element.numpy_dtype())
    for name, values in kind.element_columns(None, columns, Settings().step_time).items():
        data[name] = values
    data["corners"], data["record"] = columns.corners, table.number[:, 0]
    points = np.empty_like(x)
    points[place] = x
    out = [wp.zeros(count, dtype=dtype, device="cpu") for dtype in (wp.mat33, wp.vec3)]
    rest = wp.ones(len(columns.corners) * count, dtype=float, device="cpu")
    inputs = [wp.array(data, dtype=Element, device="cpu"), wp.array(points, dtype=wp.vec3)]
    wp.launch(evaluate, 1, [*inputs, rest], out, device="cpu")
    force, hessian = force_hessian(body, what, x)
    block, pull = (values.numpy()[place] for values in out)
    np.testing.assert_allclose(block, hessian, atol=1e-5 * np.abs(hessian).max() + 1e-3)
    np.testing.assert_allclose(pull, force, atol=rounding(force, hessian) + 1e-3)


@pytest.mark.parametrize("what", FIBERS)
def test_statistics_have_the_energy_of_fibers_besides_that_of_the_flesh(what):
    x = deformed(what, 1.2)
    flesh = body_of(what)
    flesh.fibers = None
    found = reported_energy(body_of(what), x) - reported_energy(flesh, x)
    assert found == pytest.approx(energy_of(what, x), rel=1e-4)


def test_fibers_of_an_unstressed_shape_are_as_long_as_in_it():
    f_0 = np.eye(3) + 0.2 * np.outer(ALONG, ALONG)
    body = replace(body_of("cell"), unstressed_points=CUBE @ f_0)
    for stretch in (0.9, 1.3):
        x = CUBE @ (np.eye(3) + (stretch - 1.0) * np.outer(ALONG, ALONG))
        force, hessian = force_hessian(body, "cell", x)
        long = references.slope(
            lambda p: (
                1.2
                * PART
                * references.fibers(
                    gradient_and_volume("cell", p)[0] / 1.2, ALONG, STIFFNESS, 0.4 * ACTIVE
                )
            ),
            x,
        )
        np.testing.assert_allclose(force, -long, atol=rounding(force, hessian))


def test_elements_without_a_direction_have_no_fibers():
    points, tets = box((2, 1, 1))
    along = np.zeros((len(tets), 3))
    along[3:5] = [0.0, 0.0, 7.0]
    body = Solid(points, tets, Material(activation=np.linspace(0.0, 1.0, len(tets))), fibers=along)
    model = model_of(body, Settings())
    columns = model.assembly.elements["tet_fibers"]
    assert len(columns) == 2
    np.testing.assert_allclose(columns.active, 3e5 * np.linspace(0.0, 1.0, len(tets))[3:5])
    plain = model_of(Solid(points, tets), Settings())
    assert "tet_fibers" not in plain.assembly.elements


@pytest.mark.parametrize("along", [[1.0, 0.0], [np.nan, 0.0, 0.0], np.ones((2, 3))])
def test_directions_of_another_shape_are_refused_by_name(along):
    with pytest.raises(ValueError, match="Solid: the directions of fibers"):
        body_of("tet", along=along)
