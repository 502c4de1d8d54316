# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth skins on the device."""

import numpy as np
import warp as wp

from ..kernels.lattice.skin_arrays import Skin

# Least and largest change of an offset that a search allows for, as a fraction of the contact
# distance and of the spacing of the mesh: trust regions grow by it, and lists of pairs with them.
LEAST_REACH, LARGEST_REACH = 0.25, 0.5
# Weights of an end that add up to 1 but for rounding are its own.
MERGED = 1e-3


def upload_skin(model):
    """Return the `Skin` of the surface of a `Model` on the device."""
    points, surface, upload = model.surface.points, model.surface, model.upload
    skin, count = Skin(), len(points) if len(points.skin) else 0
    corners = np.flatnonzero(_are_smooth(points))
    skin.corners = upload(corners.astype(np.int32), int)
    skin.neighbors = upload(points.neighbors[corners].astype(np.int32).ravel(), int)
    everywhere = np.zeros((len(points.neighbors) if count else 0, 3))
    skin.places, skin.between = (upload(everywhere, wp.vec3) for _ in range(2))
    skin.slopes = upload(np.zeros((3 * len(points.neighbors) if count else 0, 3)), wp.vec3)
    skin.points = upload(points.skin.astype(np.int32), int)
    skin.step, skin.searched = (upload(np.zeros((count, 3)), wp.vec3) for _ in range(2))
    skin.change, skin.reach = (upload(np.zeros(count), float) for _ in range(2))
    least, largest = np.zeros((2, count))
    if count:
        at = surface.point_start + points.skin
        least[points.skin] = LEAST_REACH * surface.radius[at]
        largest[points.skin] = np.maximum(
            LARGEST_REACH * surface.spacing[at], 2.0 * least[points.skin]
        )
    skin.least_reach, skin.largest_reach = upload(least, float), upload(largest, float)
    skin.largest = upload(np.zeros(1), float)
    row, sign, ends, weights = _ends(model.assembly, points)
    rows, first = np.unique(row, return_index=True)
    skin.rows = upload(rows.astype(np.int32), int)
    skin.first_end = upload(np.append(first, len(row)).astype(np.int32), int)
    skin.sign = upload(sign, float)
    skin.end_corners, skin.end_weights = upload(ends.ravel(), int), upload(weights.ravel(), float)
    return skin


def _are_smooth(points):
    """True for corners of cells with a smooth skin [vertex]: each has neighbors."""
    return (points.neighbors != np.arange(len(points.neighbors))[:, None]).any(axis=1)


def _ends(assembly, points):
    """The ends of rows of attachments that are on smooth skins, by row: row [end], sign [end], and
    corners and weights [end, 8]. An end is a cell, with its corners in order.
    """
    smooth = _are_smooth(points)
    corners, weights = assembly.attachments.corners, assembly.attachments.weights
    found = [(np.zeros(0, int), np.zeros(0), np.zeros((0, 8), np.int32), np.zeros((0, 8)))]
    known = {cell.tobytes() for cell in assembly.cells.corners.astype(np.int64) if smooth[cell[0]]}
    for begin in range(corners.shape[1] - 7 if known else 0):
        ends, shares = corners[:, begin : begin + 8], weights[:, begin : begin + 8]
        total = shares.sum(axis=1)
        is_cell = np.array([end.tobytes() in known for end in ends.astype(np.int64)], dtype=bool)
        # Where both ends share corners, weights are merged.
        row = np.flatnonzero(is_cell & (np.abs(np.abs(total) - 1.0) < MERGED))
        sign = np.sign(total[row])
        found.append((row, sign, ends[row].astype(np.int32), sign[:, None] * shares[row]))
    row, *others = (np.concatenate(values) for values in zip(*found, strict=True))
    order = np.argsort(row, kind="stable")
    return row[order], *(values[order] for values in others)
