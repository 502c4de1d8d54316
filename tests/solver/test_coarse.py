# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: its patches, its matrix, how far it goes, and when it does not."""

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
    sheet,
    stepper_of,
)
from scipy import sparse
from shapes import box, cell_box, grid, plane

from vbd.benchmarks.reference import scene, solids
from vbd.solver.bodies import Cells, Cloth, Collider, Pins, Rod, Solid
from vbd.solver.coarse import aggregates
from vbd.solver.coarse import groups as coarse_groups
from vbd.solver.coarse.aggregates import make_aggregates
from vbd.solver.coarse.ordering import make_parts, patch_edges
from vbd.solver.elements.tets import tet_gradients
from vbd.solver.kernels.coarse.cholesky import SHIFT
from vbd.solver.kernels.coarse.skyline import PANEL
from vbd.solver.kernels.contact.pairs import PairState, Touch
from vbd.solver.model.assembly import assemble
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def coarse_matrix(coarse):
    """A, put together at the positions of now, its unknowns in the order of the aggregates.

    Blocks that have no place are zero.
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


def test_patches_share_out_the_free_vertices():
    points, tets = box(CELLS, (1.2, 0.5, 0.5))
    twins = Solid(
        np.concatenate([points, points + [0, 0, 2]]), np.concatenate([tets, tets + len(points)])
    )
    small, scrap = Solid(*box((1, 1, 1), (0.1, 0.1, 0.1))), Cloth(*grid(4))
    held = bar()
    bodies = [twins, small, scrap, held]
    assembly = assemble(bodies, Settings())
    found = make_aggregates(assembly)
    of_twins, of_small, of_scrap, of_held = (found.of[place] for place in assembly.vertices)
    assert (of_twins >= 0).all()
    assert len(set(of_small)) == 1
    assert of_small[0] >= 0
    assert (of_scrap == -1).all()
    assert (of_held[held.pins.indices] == -1).all()
    free = np.delete(of_held, held.pins.indices)
    assert (free >= 0).all()
    halves = [set(half) for half in np.split(of_twins, 2)]
    parts = [*halves, set(free)]
    for k, part in enumerate(parts):
        assert len(part) == aggregates.FEWEST
        assert not part & set().union(*parts[:k])
        assert len({found.linkage[a] for a in part}) == 1
    assert len(set(found.linkage)) == 4
    # About equal: farthest-point patches on a lattice differ by less than this.
    assert np.bincount(found.of[found.of >= 0])[list(set().union(*parts))].min() > 10


def test_slender_bodies_of_cells_have_patches_along_them_and_cubes_do_not():
    counts = [
        len(make_aggregates(assemble([Cells(*cell_box(shape, shape))], Settings())))
        for shape in ((10, 1, 1), (1, 1, 10), (3, 3, 3))
    ]
    assert 5 <= counts[0] == counts[1] <= aggregates.FEWEST
    assert counts[2] == 4**3 // aggregates.SMALL_PATCH


def test_of_very_many_pieces_only_the_larger_ones_have_patches(monkeypatch):
    monkeypatch.setattr(aggregates, "MOST_COMPONENTS", 2)
    ropes = [np.linspace([0, k, 0], [1, k, 0], count) for k, count in enumerate((6, 6, 6, 9))]
    start = np.cumsum([0, 6, 6, 6])
    edges = [np.arange(len(r) - 1)[:, None] + [0, 1] + s for r, s in zip(ropes, start, strict=True)]
    rod = Rod(np.concatenate(ropes), np.concatenate(edges), Material(thickness=0.01))
    assembly = assemble([rod], Settings())
    found = make_aggregates(assembly).of[assembly.vertices[0]]
    assert (found[:18] == -1).all()
    assert (found[18:] >= 0).all()


def test_a_patch_of_a_flat_cloth_has_no_mode_across():
    flat = make_aggregates(assemble([sheet()], Settings()))
    assert (flat.mode_count == 3).all()
    points, triangles = grid(20)
    rolled = np.stack([np.cos(2 * points[:, 0]), points[:, 1], np.sin(2 * points[:, 0])], axis=1)
    assert (make_aggregates(assemble([Cloth(rolled, triangles)], Settings())).mode_count == 4).all()


def clamped_tet_hessian(assembly, x, size):
    """The Hessian of all tets with the geometric part clamped, in solver order, sparse."""
    tets = assembly.elements["tets"]
    volumes, gradients = tet_gradients(assembly.rest_points, tets.corners)
    f = np.einsum("tai,taj->tji", x[tets.corners], gradients)  # columns
    c, j = solids.cofactor(f), solids.determinant(f)
    stress = tets.lam * (j - 1.0) - tets.mu
    squares = np.linalg.svd(f, compute_uv=False) ** 2
    stretch = np.sqrt(squares.mean(axis=1) + np.sqrt(2.0) * squares.std(axis=1))
    assert (stretch > np.linalg.norm(f, ord=2, axis=(1, 2)) * (1.0 - 1e-9)).all()
    scale = np.minimum(1.0, tets.mu / (np.abs(stress) * stretch))
    tangent = solids.over(tets.mu, 4) * solids.identity(len(f))
    tangent = tangent + solids.over(tets.lam, 4) * solids.square(c)
    tangent = tangent + solids.over(scale * stress, 4) * solids.determinant_hessian(f)
    local = np.einsum("t,tam,tminj,tbn->taibj", volumes, gradients, tangent, gradients)
    rows = (3 * tets.corners[:, :, None] + np.arange(3)).reshape(len(f), 12)
    places = np.broadcast_to(rows[:, :, None], (len(f), 12, 12))
    columns = places.transpose(0, 2, 1)
    values = local.reshape(len(f), 12, 12)
    return sparse.csr_matrix((values.ravel(), (places.ravel(), columns.ravel())), (size, size))


@pytest.mark.parametrize("size", [0.002, 0.03])  # 2 % strain, and tets inside out
def test_matrix_of_a_solid_is_that_of_the_full_hessian(size):
    stepper, _frames = stepper_of([bar()])
    x = shaken(stepper, size)
    put(stepper, x)
    assembly, coarse = stepper.model.assembly, stepper.coarse
    hessian = clamped_tet_hessian(assembly, stepper.model.x.numpy().astype(float), x.size)
    inertia = np.repeat(assembly.mass, 3) * 60.0**2
    p = prolongation(coarse)
    expected = p.T @ (hessian @ p) + p.T @ (inertia[:, None] * p)
    found = coarse_matrix(coarse)
    # float32 sums of some hundred terms.
    assert abs(found - expected).max() < 2e-6 * abs(expected).max()
    assert np.linalg.eigvalsh(found)[0] > 0.0


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
        # Of the contact distance and of the cells a hundredth: float32 leaves 1e-4 of that.
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


@pytest.mark.parametrize("size", [0.002, 0.012, 0.03])
def test_a_step_ends_where_the_loss_is_least_along_it(size):
    body = bar()
    stepper, _frames = stepper_of([body])
    model, coarse = stepper.model, stepper.coarse
    put(stepper, shaken(stepper, size))
    begin = model.x.numpy()[: len(model.assembly.points)].astype(float)
    coarse.assemble()
    coarse.step()
    share = coarse.linkages.step_length.numpy()[0]
    direction = coarse.direction.numpy()[: len(begin)].astype(float)
    loss = loss_along(body, stepper, begin, begin + direction)
    collapsed = tets_collapsed(model, begin)
    if collapsed > 0.1:
        assert share == 0.0
        return
    assert 0.0 < share <= 2.0
    end = model.x.numpy()[: len(begin)].astype(float)
    np.testing.assert_allclose(end, begin + share * direction, atol=1e-6)
    assert loss(share) < loss(0.0)
    if share < 2.0:
        for other in (0.97, 1.03):
            assert loss(share) <= loss(other * share)


@pytest.mark.parametrize("name", SCENES)
def test_the_slope_is_zero_where_a_step_ends(name):
    """Along the direction, as far as it was not the longest step; all terms together."""
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
    share, d = coarse.linkages.step_length.numpy(), coarse.direction.numpy()[:count].astype(float)
    linkage = coarse.groups.linkage.numpy()[:count]
    begun = -(begin * d).sum(axis=1)
    stepper.residual.find_forces()
    ended = -(stepper.residual.force.numpy()[:count] * d).sum(axis=1)
    at = [np.bincount(linkage[linkage >= 0], slope[linkage >= 0]).sum() for slope in (begun, ended)]
    assert share.min() > 0.0
    if share.max() < coarse.longest:
        # Straight lines between samples end too early, never too late, where forces set in.
        sampled = name in ("rod", "damped rod", *ON_GROUND)
        assert (-0.3 if sampled else -0.02) < at[1] / abs(at[0]) < 0.02


def tets_collapsed(model, x):
    """Part of the tets with less than a tenth of their volume."""
    tets = model.assembly.tets
    _, gradients = tet_gradients(model.assembly.rest_points, tets.corners)
    f = np.einsum("tai,taj->tij", x[tets.corners], gradients)
    return (np.linalg.det(f) < 0.1).mean()


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
        if coarse.linkages.step_length.numpy()[0] > 0.0:
            taken += 1
            assert loss(1.0) <= loss(0.0) * (1.0 + 1e-6)
        else:
            np.testing.assert_array_equal(begin, end)
    assert taken > 10


def test_a_flattened_body_is_left_to_the_sweeps_unrelaxed():
    stepper, _frames = stepper_of([bar()], iterations=3)
    model, coarse = stepper.model, stepper.coarse
    coarse.begin_frame()
    flat = model.assembly.rest_points * [1.0, 1.0, 1e-3]
    put(stepper, flat)
    coarse.assemble()
    coarse.step()
    assert coarse.linkages.skipped.numpy().tolist() == [1]
    assert coarse.linkages.step_length.numpy().tolist() == [0.0]
    place = model.assembly.vertices[0]
    free = place[place < model.free_count]
    assert (model.relaxation.numpy()[free] == 1.0).all()
    put(stepper, model.assembly.rest_points)
    coarse.assemble()
    coarse.step()
    assert (model.relaxation.numpy()[free] == 1.5).all()


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
    shares = dict(zip(range(2), coarse.linkages.step_length.numpy(), strict=True))
    of_body = [coarse.groups.linkage.numpy()[model.assembly.vertices[b][0]] for b in range(2)]
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


def test_the_order_has_a_place_for_what_elements_and_seams_join():
    points, triangles = grid(40)
    cloth = Cloth(points, triangles, Material())
    corners = [0, 40 * 41, 40]  # two of them, far apart, are sewn to the third
    seam = Attachment(cloth, corners[:2], 1e3, other=cloth, corners=[[corners[2]]] * 2)
    assembly = assemble([cloth], Settings(), [seam])
    aggregates_of = make_aggregates(assembly)
    edges = patch_edges(aggregates_of.of, assembly)
    sewn = aggregates_of.of[assembly.attachments.corners[:, :2]]
    assert {tuple(sorted(pair)) for pair in sewn} <= {tuple(pair) for pair in edges}
    parts = make_parts(aggregates_of, assembly, 960)
    order = np.argsort(parts.offset)
    rows = parts.rows[order]
    assert (parts.offset[order] == np.cumsum(rows) - rows).all()
    for one, other in np.concatenate([edges, edges[:, ::-1]]):
        assert parts.front[one] <= parts.offset[other]
    # Fewer places than a matrix without order.
    assert parts.room(joins=False) < 0.6 * parts.room(joins=True)


def test_a_skyline_leads_to_the_same_step_as_a_full_matrix():
    stepper, _frames = stepper_of([sheet()])
    put(stepper, shaken(stepper, 1e-3))
    coarse = stepper.coarse
    matrix = coarse_matrix(coarse)
    coarse.step()
    systems, groups = coarse.groups.systems, coarse.groups
    first = groups.patches.first.numpy()
    place = np.concatenate([k + np.arange(n) for k, n in zip(first, groups.rows, strict=True)])
    right, found = systems.right.numpy()[place], systems.solution.numpy()[place]
    shifted = matrix + float(SHIFT) * np.diag(np.diag(matrix))
    expected = np.linalg.solve(shifted, right)
    assert abs(found - expected).max() < 1e-9 * abs(expected).max()


@pytest.mark.parametrize("most", [960, 50])
def test_contacts_across_a_skyline_leave_the_matrix_positive(monkeypatch, most):
    """They have places in a small matrix; in a large one those that have none are left out."""
    monkeypatch.setattr(coarse_groups, "MOST_ROWS", most)
    stepper, _frames = stepper_of([sheet(self_contact=True)])
    coarse = stepper.coarse
    groups = coarse.groups
    order = np.argsort(groups.parts.offset + 10000 * groups.parts.of)
    far = [np.flatnonzero(groups.of == k)[0] for k in order[[0, 5, 9]]]
    touch = np.zeros(1, dtype=Touch.numpy_dtype())
    touch["vertices"], touch["weights"] = [*far, far[2]], [1.0, -0.5, -0.5, 0.0]
    touch["normal"], touch["stiffness"], touch["separates"] = [0.0, 0.0, 1.0], 1e6, 1
    state = np.zeros(1, dtype=PairState.numpy_dtype())
    state["near"] = 7
    without = coarse_matrix(coarse)
    lists = stepper.model.lists
    lists.touches.assign(np.resize(touch, len(lists.touches)))
    lists.state.assign(np.resize(state, len(lists.state)))
    lists.counts.fill_(1)
    matrix = coarse_matrix(coarse)
    assert abs(matrix - without).max() > 1e4
    first = np.cumsum(groups.rows) - groups.rows
    across = matrix[first[order[0]] + 2, first[order[9]] :][:3]
    assert (across != 0.0).any() == (most == 960)
    scale = 1.0 / np.sqrt(np.diag(matrix))
    # In float32 the elements alone are positive up to 1e-6.
    assert np.linalg.eigvalsh(matrix * scale[:, None] * scale).min() > -1e-5


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
    """One edge of a bar of five cells is free, as vertices are that pins wall in."""
    points, cells = cell_box((5, 1, 1), (5.0, 1.0, 1.0))
    row = (points[:, 1] < 1e-6) & (points[:, 2] < 1e-6)
    body = Cells(points, cells, Material(youngs_modulus=1e5), Pins(np.flatnonzero(~row)))
    found = make_aggregates(assemble([body], Settings()))
    assert row.sum() == 6 and 1 <= len(found) <= 6
    assert np.isfinite(found.modes).all()
