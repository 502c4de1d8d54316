# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition of dense and of block tridiagonal matrices, by LAPACK and in tiles."""

import numpy as np
import pytest
import warp as wp

from vbd.solver.coarse.factorisation import DeviceFactors, HostFactors, first_columns


def systems(count, size):
    """Matrices, right sides and room for solutions as Warp arrays; one in the middle is no good."""
    random = np.random.default_rng(2)
    root = random.standard_normal((count, size, size))
    matrices = root @ root.transpose(0, 2, 1) + np.eye(size)
    right = random.standard_normal((count, size))
    matrices[1] = -matrices[1]
    arrays = [wp.array(v, dtype=wp.float64, device="cpu") for v in (matrices, right)]
    return matrices, right, *arrays, wp.zeros_like(arrays[1])


@pytest.mark.parametrize("factors", [HostFactors, DeviceFactors])
@pytest.mark.parametrize("size", [16, 80])
def test_decomposition_solves_and_gives_up_where_there_is_none(factors, size):
    matrices, right, *arrays = systems(3, size)
    decomposed = factors(*arrays, [0, size])
    decomposed.factor()
    decomposed.solve()
    found = arrays[2].numpy()
    for k in (0, 2):
        expected = np.linalg.solve(matrices[k], right[k])
        # The shift is 1e-6 of the diagonal, which the condition of the matrix amplifies.
        assert abs(found[k] - expected).max() < 1e-3 * abs(expected).max()
    if factors is HostFactors:
        assert (found[1] == 0.0).all()
        assert decomposed.failed.tolist() == [False, True, False]
    else:
        assert not np.isfinite(found[1]).any()


@pytest.mark.parametrize("factors", [HostFactors, DeviceFactors])
def test_decomposition_of_a_matrix_in_blocks(factors):
    bounds = np.array([0, 16, 64, 80, 112])
    random = np.random.default_rng(4)
    block = np.repeat(np.arange(4), np.diff(bounds))
    near = abs(block[:, None] - block) <= 1
    matrix = np.where(near, random.standard_normal((112, 112)), 0.0)
    matrix += matrix.T + 40.0 * np.eye(112)
    right = random.standard_normal(112)
    stored = np.zeros((1, 112, 80))
    for row, first in enumerate(first_columns(bounds)):
        held = matrix[row, first : bounds[block[row] + 1]]
        stored[0, row, : len(held)] = held
    arrays = [wp.array(v, dtype=wp.float64, device="cpu") for v in (stored, right[None])]
    way = wp.zeros_like(arrays[1])
    decomposed = factors(*arrays, way, bounds)
    decomposed.factor()
    decomposed.solve()
    expected = np.linalg.solve(matrix, right)
    # The shift is 1e-6 of the diagonal.
    assert abs(way.numpy()[0] - expected).max() < 1e-4 * abs(expected).max()


def test_an_almost_singular_matrix_gets_a_larger_shift():
    matrices, _, *arrays = systems(3, 16)
    vector = np.ones(16) / 4.0
    matrices[1] = np.eye(16) - 1.00005 * np.outer(vector, vector)
    arrays[0].assign(matrices)
    decomposed = HostFactors(*arrays, [0, 16])
    decomposed.factor()
    decomposed.solve()
    assert not decomposed.failed.any()
    assert np.isfinite(arrays[2].numpy()).all()
    assert (arrays[2].numpy()[1] != 0.0).any()
