# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces to build lattices around. Points are [vertex, 3] in metres."""

import numpy as np

CUBE = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
CUBE_SIDES = np.array(
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
)
CUBE_TRIANGLES = np.concatenate([CUBE_SIDES[:, [0, 1, 2]], CUBE_SIDES[:, [0, 2, 3]]])
SQUARE = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]])
SQUARE_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])


def tube_points(radius, centers_z, around):
    """Rings of `around` points, one for every radius and height."""
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(around)], axis=1)
    rings = [r * ring + (0.0, 0.0, z) for r, z in zip(radius, centers_z, strict=True)]
    return np.concatenate(rings)


def tube_triangles(rings, around):
    i, j = (a.ravel() for a in np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij"))
    a, b = i * around + j, i * around + (j + 1) % around
    lower = np.stack([a, b, b + around], axis=1)
    return np.concatenate([lower, np.stack([a, b + around, a + around], axis=1)])


def sphere(rings=24, around=48):
    """A closed unit sphere whose poles are rings of almost no size, and fans over them."""
    t = np.linspace(0.05, np.pi - 0.05, rings)
    points = tube_points(np.sin(t), -np.cos(t), around)
    south, north = len(points), len(points) + 1
    points = np.concatenate([points, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    j = np.arange(around)
    k, top = (j + 1) % around, (rings - 1) * around
    fans = [np.stack([k, j, np.full(around, south)], 1)]
    fans += [np.stack([top + j, top + k, np.full(around, north)], 1)]
    return points, np.concatenate([tube_triangles(rings, around), *fans])


def open_tube():
    """No caps: the outside reaches the inside through both ends."""
    return tube_points(np.full(5, 0.5), np.linspace(0.0, 2.0, 5), 24), tube_triangles(5, 24)


def two_cubes():
    """Overlapping, so the surface intersects itself."""
    points = np.concatenate([CUBE, CUBE + 0.4])
    return points, np.concatenate([CUBE_TRIANGLES, CUBE_TRIANGLES + 8])


def fan():
    """Three triangles on one edge: not a manifold."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, -1, 0], [0.5, 0, 1]], float)
    return points, np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])


def line():
    """A triangle without area."""
    return np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]), np.array([[0, 1, 2]])


SURFACES = {
    "sphere": sphere(),
    "cube": (CUBE, CUBE_TRIANGLES),
    "far_cube": (1e-3 * CUBE + (50.0, -20.0, 3.0), CUBE_TRIANGLES),
    "open_tube": open_tube(),
    "two_cubes": two_cubes(),
    "fan": fan(),
    "square": (SQUARE, SQUARE_TRIANGLES),
    "one_triangle": (SQUARE, SQUARE_TRIANGLES[:1]),
    "line": line(),
}


def random_surface_points(points, triangles, count=2000):
    rng = np.random.default_rng(0)
    weights = rng.dirichlet((1.0, 1.0, 1.0), count)
    corners = points[triangles[rng.integers(len(triangles), size=count)]]
    return np.einsum("ij,ijk->ik", weights, corners)


def turned(points, seed):
    """Points under a random rotation and shift, always the same for one `seed`."""
    rng = np.random.default_rng(seed)
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    q[:, 0] *= np.linalg.det(q)
    return points @ q.T + rng.uniform(-1.0, 1.0, 3)
