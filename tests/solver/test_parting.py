# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions that separate the sides of pairs, however these lie to each other."""

import numpy as np
import pytest
import warp as wp

from vbd.solver.kernels.contact.feasibility.separating_planes import gap_along, separating_normal
from vbd.solver.kernels.contact.pairs import signed_weights, weighted

COUNT = 4000


@wp.kernel(module="unique", module_options={"enable_backward": False})
def part(kind: int, x: wp.array[wp.vec3], normals: wp.array[wp.vec3], gaps: wp.array[float]):
    p = wp.tid()
    v = wp.vec4i(4 * p, 4 * p + 1, 4 * p + 2, 4 * p + 3)
    w = signed_weights(kind, v, x)
    normals[p] = separating_normal(kind, w, v, x, weighted(w, v, x))
    gaps[p] = gap_along(kind, normals[p], v, x)


def turned(points, random):
    """Points [pair, 4, 3], each pair rotated by any rotation."""
    turns, _ = np.linalg.qr(random.standard_normal((len(points), 3, 3)))
    return np.einsum("pij,pcj->pci", turns, points)


def layered(kind, angle, gap, random):
    """Pairs about 1 m large whose sides lie in two planes, a gap apart; the edges of them are up to
    some angle from being parallel.
    """
    points = random.uniform(-0.5, 0.5, (COUNT, 4, 3))
    if kind == 2:
        points[:, ::2, 0], points[:, 1::2, 0] = -0.5, 0.5
        points[:, :, 0] += random.choice([0.0, 0.3, 1.0], (COUNT, 2)).repeat(2, axis=1)
    points[:, :, 1] *= angle
    points[:, :kind, 2], points[:, kind:, 2] = gap, 0.0
    return turned(points, random)


# Number of vertices on side A, and the angle.
FLAT, SHARP = [0.0, 1e-7, 1e-5, 1e-4, 1e-3, 3e-3], [1e-2, 0.1, 1.0]
KINDS = [(2, angle) for angle in FLAT + SHARP] + [(1, angle) for angle in SHARP]


@pytest.mark.parametrize("kind, angle", KINDS)
@pytest.mark.parametrize("gap", [1e-5, 1e-4, 1e-2])
def test_the_normal_of_a_pair_parts_its_sides(kind, angle, gap):
    x = layered(kind, angle, gap, np.random.default_rng(1)).astype(np.float32)
    normals, gaps = wp.zeros(COUNT, dtype=wp.vec3), wp.zeros(COUNT, dtype=float)
    points = wp.array(x.reshape(-1, 3), dtype=wp.vec3)
    wp.launch(part, COUNT, [kind, points], [normals, gaps])
    n = normals.numpy().astype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(n, axis=1), 1.0, atol=1e-6)
    along = np.einsum("pj,pcj->pc", n, x.astype(np.float64))
    exact = along[:, :kind].min(axis=1) - along[:, kind:].max(axis=1)
    assert exact.min() > 0.8 * gap
    np.testing.assert_allclose(gaps.numpy(), exact, atol=5e-7)
