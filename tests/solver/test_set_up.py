# SPDX-License-Identifier: GPL-3.0-or-later
"""Set-up of a scene: its parts, cancelling between them, its memory, and its work in blocks."""

import tracemalloc

import numpy as np
import pytest
from shapes import box, cell_box

from vbd.solver.bodies import Cells, Solid
from vbd.solver.coarse.element_terms import by_aggregates
from vbd.solver.elements import tets
from vbd.solver.elements.vertex_records import in_vertex_order
from vbd.solver.messages import message
from vbd.solver.model.assembly import assemble
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate
from vbd.solver.topology.blocks import BLOCK, blocks
from vbd.solver.topology.graphs import stable_order
from vbd.solver.topology.meshes import FACES, are_rows, boundary_triangles

# In their order; `contact` only where surfaces may touch.
PARTS = ("bodies", "colors", "surfaces", "elements", "contact", "groups", "measures", "frame_1")
SETTINGS = Settings(substeps=1, iterations=2, threads=1)
# Most memory that NumPy may take at a time, per tet [byte]: 530 were measured, and 1,090 where
# records and elements were not made in blocks. A fifth more is for other versions of NumPy.
PER_TET = 640


def touching():
    """Two cubes that may touch."""
    points, elements = box((2, 2, 2))
    return [Solid(points, elements), Solid(points + [0.0, 0.0, 1.5], elements)]


def test_each_part_of_the_set_up_is_reported_once_in_order():
    heard = []
    frames = simulate(touching(), SETTINGS, 1, preparing=heard.append)
    assert [frame.index for frame in frames] == [1]
    assert heard == [message(f"progress.{part}") for part in PARTS]


@pytest.mark.parametrize("number", range(len(PARTS)))
def test_a_cancelled_set_up_begins_no_other_part_and_yields_no_frame(number):
    heard = []
    frames = simulate(
        touching(),
        SETTINGS,
        1,
        cancelled=lambda: len(heard) >= number,
        preparing=heard.append,
    )
    assert list(frames) == []
    assert len(heard) == number


def test_blocks_cover_all_items_once():
    assert [*blocks(0)] == []
    assert np.concatenate([np.arange(100)[block] for block in blocks(100, 7)]).tolist() == [
        *range(100)
    ]


def test_records_of_several_blocks_are_those_of_all_tets_at_once():
    points, corners = box((12, 12, 12))
    assert len(corners) > BLOCK
    rng = np.random.default_rng(0)
    points = points + rng.uniform(-0.01, 0.01, points.shape)
    mu = rng.uniform(1.0, 2.0, len(corners))
    given = tets.Tets(corners, mu, 3.0 * mu, mu, 2.0 * mu, 0.0 * mu)
    made = tets.reduced_records(points, given, None)
    columns, own, weights = tets._reduced(points, given)
    known = in_vertex_order(len(points), tets.kernels.TetRecord, corners, columns)
    assert made.data.tobytes() == known.data.tobytes()
    np.testing.assert_array_equal(made.number, known.number)
    weights = weights.astype(np.float32).reshape(-1, 4)
    np.testing.assert_array_equal(made.rest, weights[made.by_vertex])
    np.testing.assert_allclose(made.diagonal, np.bincount(corners.ravel(), own.ravel()), rtol=1e-12)


@pytest.mark.parametrize("most", [1, 70_000, 1 << 40])
def test_small_numbers_are_sorted_stably(most):
    numbers = np.random.default_rng(1).integers(0, most, 5000)
    np.testing.assert_array_equal(stable_order(numbers), np.argsort(numbers, kind="stable"))


@pytest.mark.parametrize("mesh", [box((5, 4, 3)), cell_box((5, 4, 3))], ids=["tets", "cells"])
def test_the_boundary_has_the_faces_of_one_element(mesh):
    _, elements = mesh
    elements = np.random.default_rng(2).permutation(elements)[: len(elements) // 2]
    faces = elements[:, FACES[elements.shape[1]]].reshape(-1, FACES[elements.shape[1]].shape[1])
    _, of, times = np.unique(
        np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    single = faces[times[of.ravel()] == 1]
    halves = [single[:, [0, 1, 2]], single[:, [0, 2, 3]]] if single.shape[1] == 4 else [single]
    known = np.stack(halves, axis=1).reshape(-1, 3)
    np.testing.assert_array_equal(boundary_triangles(elements), known)


def test_rows_are_found_among_elements_in_any_order_of_corners():
    elements = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
    some = np.array([[3, 1, 0, 2], [4, 3, 2, 1], [0, 1, 2, 4], [9, 8, 7, 6]])
    assert are_rows(some, elements).tolist() == [True, True, False, False]


def test_elements_are_sorted_by_aggregates():
    rng = np.random.default_rng(3)
    of = np.repeat(rng.integers(-1, 4, 300)[:, None], 4, axis=1)
    of[:150] = rng.integers(-1, 4, (150, 4))
    order, slots, whole = by_aggregates(of)
    assert sorted(order) == np.flatnonzero((of >= 0).any(axis=1)).tolist()
    keys = [(*row, is_whole) for row, is_whole in zip(slots.tolist(), whole, strict=True)]
    assert keys == sorted(keys)
    for element, row, is_whole in zip(order, slots, whole, strict=True):
        present = sorted(set(of[element].tolist()) - {-1}, reverse=True)
        assert row[row >= 0].tolist() == present
        assert is_whole == (len(set(of[element].tolist())) == 1)


def test_tets_of_several_bodies_share_their_corners_with_the_elements():
    assembly = assemble(touching(), SETTINGS)
    assert assembly.elements["tets"].corners is assembly.tets.corners
    whole = assemble([Cells(*cell_box((2, 2, 2)))], SETTINGS)
    assert whole.elements["cells"].corners is whole.cells.corners


def test_a_tet_takes_little_memory():
    points, corners = box((20, 20, 20))
    body = Solid(points + [0.0, 0.0, 1.0], corners, Material(youngs_modulus=1e5))
    tracemalloc.start()
    try:
        simulation = Simulation([body], Settings(use_ground=True, threads=1))
        assert simulation.measure.model.size.tets == len(corners)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < PER_TET * len(corners)
