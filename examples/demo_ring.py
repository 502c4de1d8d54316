# SPDX-License-Identifier: GPL-3.0-or-later
"""A ring of tets: a bar of cubic cells, rounded and bent until its ends meet."""

import numpy as np

from vbd.solver.scene.lattice import KUHN_CORNERS

# How far the square cross section is pushed towards a circle; 1 would flatten its corner tets.
ROUNDNESS = 0.75
# Faces of a cell on the two sides of the bar, [side, corner, 3], across the axes 1 and 2.
SIDES = np.array(
    [
        [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]],
        [[0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]],
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
        [[0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 1]],
    ]
)


def ring_of_tets(radius, thickness, around=32, across=4):
    """Points [vertex, 3], tets [tet, 4] and the quads of the surface, [quad, 4].

    `radius` of the middle of the ring and `thickness` (half the bar) in m.
    """
    shape = (around, across + 1, across + 1)
    turn, u, v = (a.ravel() for a in np.meshgrid(*map(np.arange, shape), indexing="ij"))
    angle = 2.0 * np.pi * turn / around
    u, v = 2.0 * u / across - 1.0, 2.0 * v / across - 1.0
    # The square onto the disk, as far as wanted.
    u, v = (
        u * (1.0 - ROUNDNESS + ROUNDNESS * np.sqrt(1.0 - 0.5 * v**2)),
        v * (1.0 - ROUNDNESS + ROUNDNESS * np.sqrt(1.0 - 0.5 * u**2)),
    )
    out = radius + thickness * u
    points = np.stack([out * np.cos(angle), out * np.sin(angle), thickness * v], axis=1)

    def numbers(places):
        return np.ravel_multi_index(np.moveaxis(places % (around, 1 << 20, 1 << 20), -1, 0), shape)

    cells = np.stack(np.meshgrid(*map(np.arange, (around, across, across)), indexing="ij"), axis=-1)
    cells = cells.reshape(-1, 3)
    tets = numbers(cells[:, None, None] + KUHN_CORNERS).reshape(-1, 4)
    a, b, c, d = points[tets].swapaxes(0, 1)
    mirrored = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0.0
    tets[mirrored] = tets[mirrored][:, [0, 2, 1, 3]]
    quads = [
        numbers(cells[cells[:, axis] == place][:, None] + side)
        for side, axis, place in zip(SIDES, (1, 1, 2, 2), (0, across - 1) * 2, strict=True)
    ]
    return points, tets, np.concatenate(quads)
