# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: its patches, its matrix, its step length, and steps that it refuses."""

import numpy as np
import pytest
from coarse_scenes import (
    CELLS,
    ON_GROUND,
    SCENES,
    SETTINGS,
    bar,
    prolongation,
    put,
    shaken,
    stepper_of,
)
from shapes import box, cell_box, grid, plane

from vbd.benchmarks.reference import scene
from vbd.solver.bodies import Cells, Cloth, Collider, Pins, Solid
from vbd.solver.coarse import step_groups as coarse_groups
from vbd.solver.coarse.aggregates import make_aggregates
from vbd.solver.kernels.coarse.skyline import PANEL
from vbd.solver.model.assembly import assemble
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def coarse_matrix(coarse):
    """A, assembled at the present positions, unknowns in the order of the aggregates; missing
    blocks are zero.
    """
    coarse.assemble()
    groups = coarse.groups
    patches, skyline, stored = groups.patches, groups.systems.skyline, groups.systems.matrix.numpy()
    row, first, start = (getattr(patches, name).numpy() for name in ("row", "first", "start"))
    begin, column = (getattr(skyline, name).numpy() for name in ("begin", "start"))
    before = np.cumsum(groups.rows) - groups.rows
    matrix = np.zeros((groups.rows.sum(), groups.rows.sum()))
    for k, rows in enumerate(groups.rows):
        for other, columns in enumerate(groups.rows):
            apart = first[k] - row[k] != first[other] - row[other]
            if not apart and start[k] <= row[other] <= row[k]:
                at = first[k] + np.arange(rows)[:, None]
                panel = at // PANEL
                block = row[other] + np.arange(columns) + begin[panel] - column[panel]
                block = stored[PANEL * block + at % PANEL]
                if k == other:
                    block = np.tril(block) + np.tril(block, -1).T
                mine, theirs = (slice(before[n], before[n] + groups.rows[n]) for n in (k, other))
                matrix[mine, theirs], matrix[theirs, mine] = block, block.T
    return matrix


@pytest.mark.parametrize("name", SCENES)
def test_matrix_is_the_slope_of_the_force(name):
    """For motions of the patches at small strain, all terms together.

    Friction has its full strength only at 10 m/s, far from sliding.
    """
    bodies = SCENES[name]()
    ground = name in ON_GROUND
    stepper, _frames = stepper_of(
        bodies, use_ground=ground, gravity=(0, 0, 0), friction_velocity=10.0
    )
    model, coarse = stepper.model, stepper.coarse
    put(stepper, model.assembly.rest_points)
    model.x_start.assign(model.x)
    if model.contact:
        model.contact.search()
        model.contact.refresh()
    here = model.x.numpy()[: len(model.assembly.points)].astype(float)
    matrix, p = coarse_matrix(coarse), prolongation(coarse)
    assert abs(matrix - matrix.T).max() < 1e-6 * abs(matrix).max()
    random = np.random.default_rng(5)
    for _ in range(5):
        z = random.standard_normal(p.shape[1])
        d = (p @ z).reshape(-1, 3)
        # A hundredth of the contact distance and of the cells: float32 leaves 1e-4 of that.
        reach = 2e-4 / abs(d).max()
        forces = []
        for sign in (-1.0, 1.0):
            put(stepper, here + sign * reach * d)
            stepper.residual.find_forces()
            forces.append(stepper.residual.force.numpy()[: len(d)].astype(float))
        slope = ((forces[0] - forces[1]) * d).sum() / (2.0 * reach)
        assert z @ matrix @ z == pytest.approx(slope, rel=0.02)


def loss_along(body, stepper, begin, end):
    """G [J] from `begin` to `end` as a function of α, in float64."""
    problem = scene.scene_of(body, "neo_hookean")
    model, place = stepper.model, stepper.model.assembly.vertices[0]
    mass, origin = model.assembly.mass, model.assembly.origin
    y = model.inertial.numpy()[: len(mass)].astype(float)

    def loss(share):
        x = begin + share * (end - begin)
        kinetic = 0.5 * 60.0**2 * (mass @ ((x - y) ** 2).sum(axis=1))
        elastic = sum(part.energy((x + origin)[place]).sum() for part in problem.elements)
        return kinetic + elastic

    return loss


@pytest.mark.parametrize("name", SCENES)
def test_the_slope_is_zero_where_a_step_ends(name):
    """Along the direction, unless it is the longest allowed step; all terms together."""
    bodies = SCENES[name]()
    stepper, _frames = stepper_of(bodies, use_ground=name in ON_GROUND)
    model, coarse = stepper.model, stepper.coarse
    count = model.free_count
    wobble = np.sin(17.0 * model.assembly.rest_points[:, [1, 2, 0]])
    wobble[count:] = 0.0
    put(stepper, model.assembly.rest_points + 1e-4 * wobble)
    if model.contact:
        model.contact.search()
        model.contact.refresh()
    stepper.residual.find_forces()
    begin = stepper.residual.force.numpy()[:count].copy()
    coarse.assemble()
    coarse.step()
    share, d = coarse.components.step_length.numpy(), coarse.direction.numpy()[:count].astype(float)
    component = coarse.groups.component.numpy()[:count]
    begun = -(begin * d).sum(axis=1)
    stepper.residual.find_forces()
    ended = -(stepper.residual.force.numpy()[:count] * d).sum(axis=1)
    at = [
        np.bincount(component[component >= 0], slope[component >= 0]).sum()
        for slope in (begun, ended)
    ]
    assert share.min() > 0.0
    if share.max() < coarse.longest:
        # Straight lines between samples end too early, never too late, where forces set in.
        sampled = name in ("rod", "damped rod", *ON_GROUND)
        assert (-0.3 if sampled else -0.02) < at[1] / abs(at[0]) < 0.02


@pytest.mark.parametrize("seed", range(3))
def test_no_step_raises_the_loss_of_a_scattered_body(seed):
    body = bar()
    stepper, _frames = stepper_of([body])
    model, coarse = stepper.model, stepper.coarse
    put(stepper, shaken(stepper, 0.05, seed))
    count, taken = len(model.assembly.points), 0
    for _ in range(30):
        stepper.iterations.number.fill_(-1)
        stepper.iterations.begin()
        stepper.sweep()  # the first one, with a coarse step of its own
        begin = model.x.numpy()[:count].astype(float)
        coarse.assemble()
        coarse.step()
        end = model.x.numpy()[:count].astype(float)
        loss = loss_along(body, stepper, begin, end)
        if coarse.components.step_length.numpy()[0] > 0.0:
            taken += 1
            assert loss(1.0) <= loss(0.0) * (1.0 + 1e-6)
        else:
            np.testing.assert_array_equal(begin, end)
    assert taken > 10


def test_bodies_apart_go_their_own_way():
    points, tets = box(CELLS, (1.2, 0.5, 0.5))
    material = Material(youngs_modulus=1e5)
    calm = Solid(points, tets, material)
    wild = Solid(points + [0, 0, 3], tets, material)
    stepper, _frames = stepper_of([calm, wild])
    model, coarse = stepper.model, stepper.coarse
    x = np.array(model.assembly.rest_points)
    x[model.assembly.vertices[1]] *= [1.0, 1.0, 1e-3]
    bent = x[model.assembly.vertices[0]]
    x[model.assembly.vertices[0]] = bent + 0.02 * np.sin(bent[:, [1, 2, 0]])
    put(stepper, x)
    coarse.assemble()
    coarse.step()
    shares = dict(zip(range(2), coarse.components.step_length.numpy(), strict=True))
    of_body = [coarse.groups.component.numpy()[model.assembly.vertices[b][0]] for b in range(2)]
    assert shares[of_body[0]] > 0.5
    assert shares[of_body[1]] == 0.0


def test_it_is_left_out_where_it_does_not_pay_or_is_not_wanted():
    for bodies, settings in (
        ([Cloth(*grid(4))], {}),
        ([bar()], {"coarse_correction": False}),
        ([bar()], {"acceleration": 0.9}),
    ):
        stepper, frames = stepper_of(bodies, **settings)
        assert stepper.coarse is None
        stats = next(frames).stats
        assert np.isnan(stats.coarse_share)
        assert np.isnan(stats.residual_before_coarse)
        assert stats.coarse_skips == 0


def test_statistics_tell_what_it_did():
    (frame,) = simulate([bar()], Settings(**SETTINGS), 1)
    assert 0.0 < frame.stats.coarse_share <= 2.0
    assert frame.stats.coarse_skips == 0
    assert frame.stats.residual_before_coarse > 0.0


def test_pieces_that_are_too_large_for_one_matrix_get_their_own(monkeypatch):
    points, tets = box((6, 6, 6), (0.3, 0.3, 0.3))
    soft = Material(youngs_modulus=1e5, collision_thickness=0.01)
    boxes = [Solid(points + [0.0, 0.0, 0.32 * k], tets, soft) for k in range(3)]
    floor = Collider(*plane(height=-0.016))
    ends = {}
    for most, iterations in ((960, 50), (50, 50), (960, 500)):
        monkeypatch.setattr(coarse_groups, "MOST_ROWS", most)
        stepper, frames = stepper_of([*boxes, floor], iterations=iterations, accuracy=0.0)
        for _ in range(3):
            frame = next(frames)
        ends[most, iterations] = np.concatenate(frame.positions)
        groups = stepper.coarse.groups
        assert len(groups.aggregates) > 3
        assert groups.systems.skyline.count.numpy()[0] == (1 if most == 960 else 3)
    # They begin just a contact distance apart and press on each other; without a common matrix they
    # only do so less accurately: 0.132 off, 0.067 with 500 iterations (measure: 2,000 with one).
    right = ends[960, 500]
    motion = abs(right - np.concatenate([body.points for body in boxes])).max()
    together, apart = (abs(ends[most, 50] - right).max() / motion for most in (960, 50))
    assert together < 0.04 and together < apart < 0.15


def test_a_few_free_vertices_in_a_row_have_no_more_patches_than_there_are():
    """One edge of a bar of five cells is free, like vertices that are enclosed by pins."""
    points, cells = cell_box((5, 1, 1), (5.0, 1.0, 1.0))
    row = (points[:, 1] < 1e-6) & (points[:, 2] < 1e-6)
    body = Cells(points, cells, Material(youngs_modulus=1e5), Pins(np.flatnonzero(~row)))
    found = make_aggregates(assemble([body], Settings()))
    assert row.sum() == 6 and 1 <= len(found) <= 6
    assert np.isfinite(found.modes).all()
