# SPDX-License-Identifier: GPL-3.0-or-later
"""Small meshes for generated inputs, good and bad ones, by the kind of their body."""

import numpy as np
from shapes import UNIT_TET, block, box, cell_box, chain, grid, plane

FAN = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [-0.3, 1, 0], [-1, -0.5, 0]], dtype=float)
RING = [[k, (k + 1) % 5] for k in range(5)]
CIRCLE = np.array([[np.cos(k), np.sin(k), 0.0] for k in 0.4 * np.pi * np.arange(5)])
# A strip of six triangles that closes with half a turn.
TURNS = [(k * np.pi / 3.0, s) for k in range(3) for s in (-1.0, 1.0)]
STRIP = np.array(
    [
        [(1 + 0.3 * s * np.cos(a)) * f(2 * a) for f in (np.cos, np.sin)] + [0.3 * s * np.sin(a)]
        for a, s in TURNS
    ]
)
MOEBIUS = [[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5], [4, 1, 5], [5, 1, 0]]
SURFACE = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

MESHES = {
    "Solid": [
        (UNIT_TET, [[0, 1, 2, 3]]),
        (UNIT_TET, [[0, 2, 1, 3]]),
        (np.concatenate([UNIT_TET, [[1.0, 1.0, 1.0]]]), [[0, 1, 2, 3], [1, 2, 3, 4]]),
        # Two tets that share an edge only, and two that share nothing.
        (np.concatenate([UNIT_TET, -UNIT_TET[2:]]), [[0, 1, 2, 3], [0, 1, 4, 5]]),
        (np.concatenate([UNIT_TET, UNIT_TET + 2.0]), [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (UNIT_TET, [[0, 1, 2, 3], [0, 1, 2, 3]]),
        (FAN, [[0, 2, 3, 1], [0, 3, 4, 1], [0, 4, 2, 1]]),
        box((1, 1, 1)),
    ],
    "Cells": [
        cell_box((1, 1, 1)),
        cell_box((2, 1, 1), (2.0, 1.0, 1.0)),
        cell_box((2, 2, 1), (0.2, 0.2, 0.1)),
        cell_box((2, 1, 1)),  # no cubes
    ],
    "Cloth": [
        (UNIT_TET[:3], [[0, 1, 2]]),
        grid(1),
        grid(2),
        (UNIT_TET, SURFACE),
        (STRIP, MOEBIUS),
        (FAN, [[0, 1, 2], [0, 1, 3], [0, 1, 4]]),  # three at one edge
        (FAN, [[0, 1, 2], [0, 3, 4]]),  # that share a vertex only
        (UNIT_TET[:3], [[0, 1, 2], [0, 1, 2], [2, 1, 0]]),
        block((1.0, 1.0, 1.0), (0.0, 0.0, 0.0)),
    ],
    "Rod": [
        chain(2, 1.0),
        chain(4, 0.3),
        (CIRCLE, RING),
        (FAN, [[0, k] for k in range(1, 5)]),
        (UNIT_TET[:2], [[0, 1], [0, 1], [1, 0]]),
    ],
    "Collider": [
        plane(),
        plane(0.5),
        block((1.0, 1.0, 1.0), (0.0, 0.0, -2.0)),
        (UNIT_TET[:3], [[0, 1, 2]]),
        (FAN, [[0, 1, 2], [0, 1, 3], [0, 1, 4]]),
        (STRIP, MOEBIUS),
        (UNIT_TET, SURFACE),
    ],
}
