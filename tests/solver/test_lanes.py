# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements eight at a time in the lanes of the processor, against one after the other."""

import numpy as np
import pytest
import warp as wp
from element_kernels import evaluation
from shapes import cell_box

from vbd.solver.bodies import Cells, Filling
from vbd.solver.elements import KINDS
from vbd.solver.elements.records import in_lanes, in_vertex_order, wide_start
from vbd.solver.kernels import lanes
from vbd.solver.model.assembly import assemble
from vbd.solver.model.tables import ElementTable
from vbd.solver.settings import Material, Settings

IN_LANES = [kind for kind in KINDS if kind.in_lanes is not None]


def upload(values, dtype):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


def crowded():
    """Partly filled cells, some of them copies with corners of their own but for one, which so is
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
    material = Material(youngs_modulus=1e5, poisson_ratio=0.4, density=1000.0, damping=0.01)
    return Cells(points, cells, material, filling=filling)


@pytest.mark.parametrize("kind", IN_LANES, ids=lambda kind: kind.name)
def test_lanes_agree_with_one_element_after_the_other(kind):
    body = crowded()
    assembly = assemble([body], Settings())
    h, count = Settings().step_time, len(assembly.points)
    assert np.bincount(body.cells.ravel()).max() > lanes.WIDTH
    random = np.random.default_rng(1)
    start, end = (
        upload(assembly.points + 0.2 * random.standard_normal((count, 3)), wp.vec3)
        for _ in range(2)
    )
    found = []
    for wide in (False, True):
        table = ElementTable(kind, assembly, h, upload, wide)
        if table.is_damped:
            inputs = [0, start, table.struct, table.undamped, table.blend]
            wp.launch(table.rest_kernel, count, inputs, table.moved, device="cpu")
        out = [wp.zeros(count, dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33)]
        wp.launch(evaluation(kind, wide), count, [end, table.struct], out, device="cpu")
        found.append([values.numpy() for values in out])
    for one, eight in zip(*found, strict=True):
        assert np.abs(one).max() > 0.0
        assert eight == pytest.approx(one, rel=1e-4, abs=1e-5 * np.abs(one).max())


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
