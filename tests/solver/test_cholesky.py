# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition of matrices in skylines, on the CPU and in tiles."""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import warp as wp

from vbd.solver.coarse import cholesky
from vbd.solver.coarse.cholesky import Factors, Systems, TileFactors
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.kernels.coarse.cholesky_cpu import SHIFT
from vbd.solver.kernels.coarse.coarse_step import Members, Moves
from vbd.solver.kernels.coarse.matrix import Patches
from vbd.solver.kernels.coarse.restriction import Pulls
from vbd.solver.kernels.coarse.skyline import PANEL, Skyline

# (rows, most columns left of the diagonal) of matrices; those of the tiles, which compile and run
# slowly on the CPU, are a few, with and without columns left of an inverted block.
SHAPES = [(1, 1), (12, 12), (16, 5), (100, 20), (130, 130), (333, 61)]
FEW = [(12, 12), (70, 20), (300, 40), (140, 140)]


def in_small_blocks(launches, systems):
    """Factors in tiles with several inverted blocks of L."""
    with patch.object(cholesky, "MOST", 3), patch.object(cholesky, "FEWEST", 1):
        return TileFactors(launches, systems)


KINDS = [
    pytest.param(Factors, SHAPES, id="cpu"),
    pytest.param(TileFactors, FEW, id="tiles"),
    pytest.param(in_small_blocks, FEW, id="tiles, small blocks"),
]


def skyline_of(shapes):
    """The `Skyline` of matrices of so many rows, which hold so many columns left of each."""
    count = np.array([-(-rows // PANEL) for rows, _ in shapes])
    first = np.append(0, np.cumsum(count))
    matrix = np.repeat(np.arange(len(shapes)), count)
    end = PANEL * (np.arange(first[-1]) - first[matrix] + 1)
    columns = np.array([columns for _, columns in shapes])[matrix]
    start = np.maximum(end - PANEL - columns, 0) // PANEL * PANEL
    width = end - start
    skyline = Skyline()
    for name, values in (
        ("count", [len(shapes)]),
        ("rows", [rows for rows, _ in shapes]),
        ("first", first),
        ("matrix", matrix),
        ("start", start),
        ("width", width),
        ("begin", np.cumsum(width) - width),
    ):
        setattr(skyline, name, wp.array(np.array(values, np.int32), dtype=int, device="cpu"))
    return skyline


def positive_matrices(shapes, seed=4):
    """Positive definite matrices with those skylines."""
    random = np.random.default_rng(seed)
    matrices = []
    for rows, columns in shapes:
        far = np.arange(rows)[:, None] - np.arange(rows) > columns
        lower = np.tril(np.where(far, 0.0, random.standard_normal((rows, rows))))
        matrices.append(lower @ lower.T + columns * np.eye(rows))
    return matrices


def no_patches():
    """Patches, forces, members and moves of a step without any."""
    patches, pulls, members = Patches(), Pulls(), Members()
    patches.first = wp.zeros(0, dtype=int, device="cpu")
    members.shape = wp.zeros(0, dtype=wp.mat33, device="cpu")
    moves = Moves()
    moves.x = moves.before = moves.moved = wp.zeros(0, dtype=wp.vec3, device="cpu")
    return patches, pulls, members, moves


def factors_of(kind, shapes, threads=1):
    """The factors of a kind, as `solve(matrices, right)`, and the matrix storage as `systems`."""
    skyline = skyline_of(shapes)
    first, start, width, begin = (
        getattr(skyline, name).numpy() for name in ("first", "start", "width", "begin")
    )
    matrix = wp.zeros(int(PANEL * width.sum()), dtype=wp.float64, device="cpu")
    right, solution = (
        wp.zeros(int(PANEL * first[-1]), dtype=wp.float64, device="cpu") for _ in range(2)
    )
    most = int(np.diff(first).max())
    sizes = len(shapes), most, int(width.max()) // PANEL - 1
    systems = Systems(skyline, matrix, right, solution, *sizes)
    workers = Workers(threads)
    factors = kind(Launches("cpu", workers), systems)
    step = factors.step(*no_patches(), 0.0)

    def put(matrices, sides):
        stored, vector = np.zeros((len(matrix) // PANEL, PANEL)), np.zeros(len(right))
        for g, (values, side) in enumerate(zip(matrices, sides, strict=True)):
            rows = len(values)
            full = np.zeros((PANEL * (first[g + 1] - first[g]),) * 2)
            full[:rows, :rows] = np.tril(values)
            for k in range(first[g], first[g + 1]):
                row = PANEL * (k - first[g])
                part = full[row : row + PANEL, start[k] : row + PANEL]
                stored[begin[k] : begin[k] + width[k]] = part.T
            vector[PANEL * first[g] : PANEL * first[g] + rows] = side
        matrix.assign(stored.ravel())
        right.assign(vector)

    def solutions():
        found = solution.numpy()
        return [found[PANEL * k :][:rows] for k, (rows, _) in zip(first[:-1], shapes, strict=True)]

    def solve(matrices, sides):
        put(matrices, sides)
        factors.factor()
        step()
        return solutions()

    return SimpleNamespace(
        factors=factors, systems=systems, put=put, solutions=solutions, solve=solve, workers=workers
    )


def right_sides(shapes):
    random = np.random.default_rng(2)
    return [random.standard_normal(rows) for rows, _ in shapes]


def shifted(matrix):
    return matrix + float(SHIFT) * np.diag(np.diag(matrix))


@pytest.mark.parametrize(("kind", "shapes"), KINDS)
def test_solutions_are_those_of_numpy(kind, shapes):
    matrices, sides = positive_matrices(shapes), right_sides(shapes)
    found = factors_of(kind, shapes).solve(matrices, sides)
    for matrix, side, solution in zip(matrices, sides, found, strict=True):
        expected = np.linalg.solve(shifted(matrix), side)
        assert abs(solution - expected).max() < 1e-10 * abs(expected).max()


@pytest.mark.parametrize("size", [1e-280, 1e-30, 1e30, 1e280])
@pytest.mark.parametrize(("kind", "shapes"), KINDS)
def test_tiny_and_huge_matrices(kind, shapes, size):
    matrices, sides = positive_matrices(shapes), right_sides(shapes)
    found = factors_of(kind, shapes).solve([size * m for m in matrices], sides)
    for matrix, side, solution in zip(matrices, sides, found, strict=True):
        expected = np.linalg.solve(shifted(matrix), side)
        assert abs(size * solution - expected).max() < 1e-10 * abs(expected).max()


def test_tiles_of_small_matrices_alone():
    shapes = [(12, 12), (7, 7)]
    matrices, sides = positive_matrices(shapes), right_sides(shapes)
    found = factors_of(TileFactors, shapes).solve(matrices, sides)
    for matrix, side, solution in zip(matrices, sides, found, strict=True):
        np.testing.assert_allclose(solution, np.linalg.solve(shifted(matrix), side), rtol=1e-9)


def spoilt(matrix, how):
    """A matrix that has no decomposition."""
    matrix = matrix.copy()
    k = len(matrix) // 2
    if how == "negative":
        return -matrix
    if how == "indefinite":
        matrix[-1, -2] = matrix[-2, -1] = 3.0 * matrix.max()
    elif how == "empty row":
        matrix[k] = matrix[:, k] = 0.0
    elif how in ("NaN", "infinite"):
        matrix[k, k - 1] = matrix[k - 1, k] = np.nan if how == "NaN" else np.inf
    else:
        matrix[k, k] = np.nan if how == "NaN on the diagonal" else np.inf
    return matrix


@pytest.mark.parametrize(
    "how",
    ["negative", "indefinite", "empty row", "NaN", "infinite"]
    + ["NaN on the diagonal", "infinite on the diagonal"],
)
@pytest.mark.parametrize(("kind", "shapes"), KINDS)
def test_no_decomposition_of_one_matrix_leaves_the_others_alone(kind, shapes, how):
    matrices, sides = positive_matrices(shapes), right_sides(shapes)
    made = factors_of(kind, shapes)
    good = [solution.copy() for solution in made.solve(matrices, sides)]
    matrices[1] = spoilt(matrices[1], how)
    found = made.solve(matrices, sides)
    for k, solution in enumerate(found):
        if k != 1:
            np.testing.assert_array_equal(solution, good[k])
        elif kind is Factors:
            assert (solution == 0.0).all()
        else:
            assert not np.isfinite(solution).all()
    if kind is Factors:
        assert made.factors.failed.numpy().tolist() == [int(k == 1) for k in range(len(shapes))]


def test_an_almost_singular_matrix_gets_a_larger_shift():
    shapes = [(16, 16), (40, 40), (40, 40)]
    matrices, sides = positive_matrices(shapes), right_sides(shapes)
    vector = np.ones(40) / np.sqrt(40.0)
    matrices[1] = np.eye(40) - 1.00005 * np.outer(vector, vector)
    matrices[2] = np.eye(40) - 1.01 * np.outer(vector, vector)  # too far for the largest
    made = factors_of(Factors, shapes)
    found = made.solve(matrices, sides)
    assert made.factors.failed.numpy().tolist() == [0, 0, 1]
    shifts = [SHIFT * 10.0**k for k in range(4)]
    scaled = np.diag(np.diag(matrices[1]))
    errors = [
        abs(np.linalg.solve(matrices[1] + s * scaled, sides[1]) - found[1]).max() for s in shifts
    ]
    assert np.argmin(errors) == 2  # 1e-6 and 1e-5 are not enough
    assert min(errors) < 1e-8 * abs(found[1]).max()


def test_bits_do_not_depend_on_threads():
    shapes = 3 * [(500, 300), (60, 60), (200, 30)]
    matrices, sides = positive_matrices(shapes), right_sides(shapes)
    results = []
    for threads in (1, 2, 3):
        made = factors_of(Factors, shapes, threads)
        assert (len(made.factors.factoring.pieces) > 1) == (threads > 1)
        with made.workers.at_work():
            results.append(np.concatenate(made.solve(matrices, sides)))
        made.workers.stop()
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
