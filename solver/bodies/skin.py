# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth skin: a surface in cells whose slopes are continuous across the faces of these.

Trilinear weights have kinks there. The skin is the cubic Hermite interpolation of smoothed corners
(kernels/lattice/skin.py); its offset from the trilinear surface is zero for affine motion.
"""

import numpy as np

# Smoothing of corners along each axis, as a fraction of their second difference. It halves what
# alternates along an axis, as the motion of corners with little material does.
SMOOTHING = 0.125


def lattice_neighbors(cells, count):
    """Neighbors of each of `count` corners of equal cells [cell, 8] below and above it along x, y
    and z, [corner, 6]; the corner itself where there is none. At the end of a crack between two
    components, where there may be two, that of most cells is taken.
    """
    neighbors = np.repeat(np.arange(count)[:, None], 6, axis=1)
    for axis in range(3):
        low = np.array([k for k in range(8) if not k >> axis & 1])
        ends = cells[:, low].ravel().astype(np.int64), cells[:, low | 1 << axis].ravel()
        edges, shared = np.unique(np.stack(ends), axis=1, return_counts=True)
        order = np.argsort(shared, kind="stable")  # later ones replace others
        below, above = edges[:, order]
        neighbors[above, 2 * axis] = below
        neighbors[below, 2 * axis + 1] = above
    return neighbors.astype(np.int32)


def has_both(below, above, own):
    """True for corners with two neighbors along an axis."""
    return (below != own) & (above != own)


def skin_offsets(positions, corners, weights, neighbors):
    """Offsets of the skin from points with trilinear `weights` [point, 8] of the `corners` of one
    cell each, [point, 3] in m, for `positions` [vertex, 3] of the corners.
    """
    places = positions
    for axis in range(3):
        below, above = neighbors[:, 2 * axis], neighbors[:, 2 * axis + 1]
        share = np.where(has_both(below, above, np.arange(len(neighbors))), SMOOTHING, 0.0)
        places = places + share[:, None] * (places[below] + places[above] - 2.0 * places)
    bits = np.arange(8)[:, None] >> np.arange(3) & 1  # CELL_CORNERS
    t = np.clip(weights @ bits, 0.0, 1.0)[:, None]
    value = np.where(bits, t * t * (3.0 - 2.0 * t), (1.0 - t) ** 2 * (1.0 + 2.0 * t))
    slope = np.where(bits, t * t * (t - 1.0), t * (1.0 - t) ** 2)
    linear = np.where(bits, t, 1.0 - t)
    used, place = np.unique(corners, return_inverse=True)
    place = place.reshape(corners.shape)
    below, above = neighbors[used, 0::2], neighbors[used, 1::2]
    scale = np.where(has_both(below, above, used[:, None]), 0.5, 1.0)
    slopes = scale[..., None] * (places[above] - places[below])
    base = positions[corners[:, :1]]
    offsets = np.einsum("pk,pki->pi", value.prod(axis=2), places[corners] - base)
    offsets -= np.einsum("pk,pki->pi", linear.prod(axis=2), positions[corners] - base)
    for axis in range(3):
        share = slope[..., axis] * np.delete(value, axis, axis=2).prod(axis=2)
        offsets += np.einsum("pk,pki->pi", share, slopes[place, axis])
    return offsets
