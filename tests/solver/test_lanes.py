# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements eight at a time in the lanes of the processor, against one after the other."""

from dataclasses import replace

import numpy as np
import pytest
import warp as wp
from coarse_scenes import stepper_of
from element_kernels import evaluation
from shapes import box, cell_box, grid
from teams import IN_TURN

from vbd.solver.bodies import Cells, Cloth, Filling, Solid
from vbd.solver.coarse.element_terms import chunked_elements, device_chunks
from vbd.solver.elements import KINDS
from vbd.solver.elements.tets import NEO_HOOKEAN_TETS
from vbd.solver.elements.vertex_records import in_lanes, in_vertex_order, wide_start
from vbd.solver.kernels.coarse.element_terms import coarse_kernels, kernels_in_lanes
from vbd.solver.kernels.coarse.line_sums import LineSums, vec6d, vec8
from vbd.solver.kernels.coarse.matrix import mat43
from vbd.solver.kernels.coarse.restriction import Pulls
from vbd.solver.kernels.device import lane_functions, lanes
from vbd.solver.kernels.device.teams import SIZE
from vbd.solver.model.assembly import assemble
from vbd.solver.model.tables import ElementTable
from vbd.solver.settings import Material, Settings

IN_LANES = [kind for kind in KINDS if kind.in_lanes is not None]
IN_SUMS = [kind for kind in IN_LANES if kind.forces_in_lanes is not None]


def upload(values, dtype):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


def crowded(**material):
    """Partly filled cells, some of them copies with corners of their own but for one, which thus is
    in more cells than there are lanes; all in random places.
    """
    points, box = cell_box((3, 2, 2), (3.0, 2.0, 2.0))
    copies = len(points) + np.arange(box.size).reshape(box.shape)
    copies[box == box[0, 7]] = box[0, 7]
    used, cells = np.unique(np.concatenate([box, copies]), return_inverse=True)
    points = np.concatenate([points, points[box.ravel()]])[used]
    cells = cells.reshape(-1, 8)
    random = np.random.default_rng(3)
    count = len(cells)
    filling = Filling(
        random.uniform(0.3, 1.0, count),
        random.uniform(-0.5, 0.5, (count, 3)),
        random.uniform(0.1, 1.0, (count, 3)),
    )
    material = Material(youngs_modulus=1e5, poisson_ratio=0.4, density=1000.0, **material)
    return Cells(points, cells, material, filling=filling)


def fans(membrane="stvk"):
    """Cloth with a vertex in ten triangles, round which ten more are seen from as many wings."""
    angle = 0.2 * np.pi * np.arange(10)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(10)], axis=1)
    points = np.concatenate([np.zeros((1, 3)), ring, 2.0 * ring])
    k = np.arange(10)
    one, next_one = 1 + k, 1 + (k + 1) % 10
    triangles = np.concatenate(
        [
            np.stack([0 * k, one, next_one], axis=1),
            np.stack([one, one + 10, next_one], axis=1),
            np.stack([next_one, one + 10, next_one + 10], axis=1),
        ]
    )
    return cloth_of(points, triangles, membrane)


def cloth_of(points, triangles, membrane="stvk"):
    material = Material(
        youngs_modulus=1e5,
        density=100.0,
        thickness=0.01,
        bending_stiffness=1e-3,
        damping=0.01,
        membrane=membrane,
    )
    return Cloth(points, triangles, material)


def muscle(body):
    """The body with fibers in several directions."""
    fibers = np.random.default_rng(5).standard_normal((len(body.elements), 3))
    active = replace(body.material, fiber_stiffness=2e5, activation=0.5)
    return replace(body, material=active, fibers=fibers)


def crowded_with(kind):
    """A body that has a kind of elements, more of them at a vertex than there are lanes."""
    bodies = (
        crowded(),
        crowded(damping=0.01),
        crowded(yield_strain=0.02),
        muscle(crowded(damping=0.01)),
        muscle(Solid(*box((3, 3, 3)), Material(damping=0.01))),
        fans(),
        fans("neo_hookean"),
    )
    return next(body for body in bodies if len(kind.of_body(body, Settings()) or ()))


@pytest.mark.parametrize("kind", IN_LANES, ids=lambda kind: kind.name)
def test_lanes_agree_with_one_element_after_the_other(kind):
    assembly = assemble([crowded_with(kind)], Settings())
    h, count = Settings().step_time, len(assembly.points)
    random = np.random.default_rng(1)
    start, end = (
        upload(assembly.points + 0.2 * random.standard_normal((count, 3)), wp.vec3)
        for _ in range(2)
    )
    found = []
    for wide in (False, True):
        table = ElementTable(kind, assembly, h, upload, wide)
        assert table.record_counts.max() > lanes.WIDTH
        if table.is_damped:
            inputs = [0, start, table.struct, table.undamped, table.blend]
            wp.launch(table.rest_kernel, count, inputs, table.moved, device="cpu")
        out = [wp.zeros(count, dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33)]
        wp.launch(evaluation(kind, wide), count, [end, table.struct], out, device="cpu")
        found.append([values.numpy() for values in out])
    for one, eight in zip(*found, strict=True):
        assert np.abs(one).max() > 0.0
        assert eight == pytest.approx(one, rel=1e-4, abs=1e-5 * np.abs(one).max())


@pytest.mark.parametrize("kind", [*IN_LANES, NEO_HOOKEAN_TETS], ids=lambda kind: kind.name)
def test_the_lanes_of_a_team_share_all_elements(kind):
    body = Solid(*box((3, 3, 3))) if kind is NEO_HOOKEAN_TETS else crowded_with(kind)
    assembly = assemble([body], Settings())
    count = len(assembly.points)
    random = np.random.default_rng(1)
    x = upload(assembly.points + 0.2 * random.standard_normal((count, 3)), wp.vec3)
    table = ElementTable(kind, assembly, Settings().step_time, upload, False)
    assert table.record_counts.max() > SIZE
    found = []
    for shared in ({}, {"team": IN_TURN, "lanes": SIZE}):
        out = [wp.zeros(count, dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33)]
        kernel = evaluation(kind, False, **shared)
        wp.launch(kernel, count, [x, table.struct], out, device="cpu")
        found.append([values.numpy() for values in out])
    for one, eight in zip(*found, strict=True):
        assert np.abs(one).max() > 0.0
        assert eight == pytest.approx(one, rel=1e-4, abs=1e-5 * np.abs(one).max())


def sheet_with(kind):
    """A sheet of several patches that has a kind of elements."""
    for membrane in ("stvk", "neo_hookean"):
        body = cloth_of(*grid(16), membrane)
        if kind.of_body(body, Settings()) is not None:
            return body


def sums_of(kind, wide):
    """Forces on corners [N], their sums over chunks, and the slopes along a direction of all
    elements of a kind, with lanes or without, as the coarse correction finds them.
    """
    stepper, _frames = stepper_of([sheet_with(kind)])
    model, aggregates = stepper.model, stepper.coarse.aggregates
    chunked = chunked_elements(model, aggregates, model.settings.step_time)
    (elements,) = (each for each in chunked if each.kind is kind)
    chunks, count = device_chunks(elements, 0, model), len(elements.start) - 1
    # One chunk after the other leaves its forces on corners.
    corner = np.where(elements.whole, -1, kind.corners * elements.start[:-1])
    chunks.corner = upload(corner, int)
    pulls, sums = Pulls(), LineSums()
    pulls.force = upload(np.zeros((kind.corners * elements.start[-1], 3)), wp.vec3)
    pulls.sums = wp.zeros(count, dtype=mat43, device="cpu")
    sums.slope = wp.zeros(count, dtype=vec6d, device="cpu")
    sums.samples = wp.zeros(count, dtype=vec8, device="cpu")
    random, rest = np.random.default_rng(2), model.assembly.rest_points
    moves = (0.01 * random.standard_normal(rest.shape) for _ in range(2))
    x, d = (upload(start + move, wp.vec3) for start, move in zip((rest, 0.0), moves, strict=True))
    of_forces, of_slopes = kernels_in_lanes(kind)
    data, patches = elements.wide_data, elements.arms
    if not wide:
        scalar = coarse_kernels(kind)
        of_forces, of_slopes = scalar.add_forces, scalar.add_slopes
        data, patches = elements.data, stepper.coarse.groups.patches
    inputs = [0, chunks, data, x, elements.rest, patches]
    wp.launch(of_forces, count, inputs, [pulls], device="cpu")
    wp.launch(of_slopes, count, [0, chunks, data, x, d, elements.rest, 1.0], [sums], device="cpu")
    whole = np.flatnonzero(elements.whole)
    assert 0 < len(whole) < count
    slopes = np.concatenate([sums.slope.numpy(), sums.samples.numpy()], axis=1)
    return pulls.force.numpy(), pulls.sums.numpy()[whole], slopes


@pytest.mark.parametrize("kind", IN_SUMS, ids=lambda kind: kind.name)
def test_sums_in_lanes_agree_with_those_of_one_element_after_the_other(kind):
    found = (sums_of(kind, wide) for wide in (False, True))
    for one, eight in zip(*found, strict=True):
        assert np.abs(one).max() > 0.0
        assert eight == pytest.approx(one, rel=1e-4, abs=2e-5 * np.abs(one).max())


def test_angles_in_lanes_are_those_of_numpy():
    @wp.kernel(enable_backward=False)
    def find(
        y: wp.array[lanes.floats],
        x: wp.array[lanes.floats],
        # out
        angle: wp.array[lanes.floats],
    ):
        i = wp.tid()
        angle[i] = lane_functions.arctan2(y[i], x[i])

    turn = np.linspace(-np.pi, np.pi, 8 * 1001)[1:-1]
    y, x = (np.append(f(turn), [0.0, 0.0]).astype(np.float32) for f in (np.sin, np.cos))
    y, x = np.append(y, np.geomspace(1e-30, 1.0, 8)), np.append(x, np.ones(8))
    angle = wp.zeros(len(y) // 8, dtype=lanes.floats, device="cpu")
    inputs = [upload(v.reshape(-1, 8), lanes.floats) for v in (y, x)]
    wp.launch(find, len(angle), inputs, [angle], device="cpu")
    wanted = np.arctan2(np.float32(y).astype(float), np.float32(x).astype(float))
    assert angle.numpy().ravel() == pytest.approx(wanted, rel=5e-7, abs=0.0)


def test_lanes_that_are_left_have_the_vertices_of_the_last_record_and_zeros():
    @wp.struct
    class Inner:
        size: wp.vec3

    @wp.struct
    class Record:
        vertex: int
        weight: float
        inner: Inner

    corners = np.repeat([0, 1, 3], [11, 1, 8])[:, None]
    numbers = np.arange(20)
    records = in_vertex_order(4, Record, corners, {"vertex": numbers + 5, "weight": numbers + 0.5})
    records.data["inner"]["size"] = numbers[:, None] + [0.1, 0.2, 0.3]
    data = in_lanes(records.data, records.start, lanes.wide(Record))
    assert wide_start(records.start).tolist() == [0, 2, 3, 3, 4]
    assert data["vertex"][1].tolist() == [13, 14, 15, 15, 15, 15, 15, 15]
    assert data["weight"][1].tolist() == [8.5, 9.5, 10.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert data["weight"][3].tolist() == (np.arange(12, 20) + 0.5).tolist()
    sizes = data["inner"]["size"][2]
    assert sizes.shape == (3, lanes.WIDTH)
    assert sizes[:, 0] == pytest.approx([11.1, 11.2, 11.3])
    assert not sizes[:, 1:].any()
