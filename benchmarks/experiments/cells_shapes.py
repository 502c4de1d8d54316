# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces whose components share the cells of a coarse lattice: points [m] and triangles."""

import numpy as np

# Six tets round the main diagonal of a cell; corners are numbered x + 2 y + 4 z.
KUHN = np.array(
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
)


def blocks_surface(filled, *coordinates):
    """The surface of the filled blocks [x, y, z] between planes at `coordinates` (x, y, z), faces
    outwards.
    """
    points = np.stack(np.meshgrid(*coordinates, indexing="ij"), axis=-1).reshape(-1, 3)
    shape = np.array(filled.shape) + 1
    padded = np.pad(filled, 1)
    triangles = []
    for axis in range(3):
        step, u, v = (np.eye(3, dtype=int)[(axis + k) % 3] for k in range(3))
        for low in np.argwhere(filled):
            for way in (0, 1):
                if not padded[tuple(low + 1 + (2 * way - 1) * step)]:
                    at = low + way * step
                    quad = [at, at + u, at + u + v, at + v]
                    a, b, c, d = np.ravel_multi_index(np.transpose(quad), shape)
                    triangles += [[a, b, c], [a, c, d]] if way else [[a, c, b], [a, d, c]]
    used, number = np.unique(triangles, return_inverse=True)
    return points[used], number.reshape(-1, 3)


def hand(gap, width=0.8, length=6.0, fingers=4):
    """A palm in the xy plane with `fingers` along y, `gap` [m] apart; they begin at y = 0."""
    x = np.concatenate([[0.0], np.cumsum([width, gap] * fingers)[:-1]])
    filled = np.ones((2 * fingers - 1, 2, 1), bool)
    filled[1::2, 1] = False
    return blocks_surface(filled, x, [-2.0, 0.0, length], [0.0, width])


def ring(radius=2.0, thickness=0.6, around=48, across=12):
    """A torus round the z axis."""
    i, j = (a.ravel() for a in np.indices((around, across)))
    u, v = 2.0 * np.pi * i / around, 2.0 * np.pi * j / across
    out = radius + thickness * np.cos(v)
    points = np.stack([out * np.cos(u), out * np.sin(u), thickness * np.sin(v)], axis=1)
    k, m = (i + 1) % around * across, (j + 1) % across
    a, b, c, d = i * across + j, k + j, k + m, i * across + m
    return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def joined(*surfaces):
    """Several surfaces as one mesh."""
    counts = np.cumsum([0, *(len(points) for points, _ in surfaces)])
    triangles = [t + first for (_, t), first in zip(surfaces, counts[:-1], strict=True)]
    return np.concatenate([points for points, _ in surfaces]), np.concatenate(triangles)


def linked_rings(**size):
    """Two rings, each through the other, as one mesh; the first has half of the points."""
    first, triangles = ring(**size)
    second = first[:, [0, 2, 1]] + (2.0, 0.0, 0.0)
    return joined((first, triangles), (second, triangles[:, ::-1]))
