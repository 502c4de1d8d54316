# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries of triangles in space: nearest points, and segments through them."""

import numpy as np

# A normal below this fraction of an edge squared is rounding.
NO_AREA = 1e-10


def nearest_on_triangles(points, corners):
    """Points of triangles [pair, 3, 3] that are nearest to `points` [pair, 3], pair by pair."""
    edges = np.roll(corners, -1, axis=1) - corners
    to = points[:, None] - corners
    length = np.maximum((edges**2).sum(axis=2), 1e-300)
    along = np.clip((to * edges).sum(axis=2) / length, 0.0, 1.0)
    gap = ((along[:, :, None] * edges - to) ** 2).sum(axis=2)
    pair, edge = np.arange(len(points)), gap.argmin(axis=1)
    nearest = corners[pair, edge] + along[pair, edge, None] * edges[pair, edge]
    normal = np.cross(edges[:, 0], edges[:, 1])
    above = (np.einsum("pki,pki->pk", np.cross(normal[:, None], edges), to) > 0.0).all(axis=1)
    above &= (normal**2).sum(axis=1) > (NO_AREA * length.max(axis=1)) ** 2
    height = (to[:, 0] * normal).sum(axis=1) / np.maximum((normal**2).sum(axis=1), 1e-300)
    return np.where(above[:, None], points - height[:, None] * normal, nearest)


def pass_triangles(start, end, corners):
    """True for segments from `start` to `end` [pair, 3] through triangles [pair, 3, 3], by pair."""
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(edges[:, 0], edges[:, 1])
    along = end - start
    before, behind = (((p - corners[:, 0]) * normal).sum(axis=1) for p in (start, end))
    # On one side of all three edges, seen along the segment.
    sides = np.einsum("pki,pi->pk", np.cross(edges, start[:, None] - corners), along)
    within = (sides >= 0.0).all(axis=1) | (sides <= 0.0).all(axis=1)
    return within & ((before > 0.0) != (behind > 0.0))
