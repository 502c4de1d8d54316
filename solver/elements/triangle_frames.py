# SPDX-License-Identifier: GPL-3.0-or-later
"""Material axes in the planes of cloth triangles."""

import numpy as np

from ..messages import message


def triangle_frames(points, triangles, warp=None):
    """Rest triangles in their planes: inverse of (e₁, e₂) [triangle, 2, 2] and areas [m²].

    Axis 1 lies along `warp` [triangle, 3], or along the first edge.
    """
    e_1 = points[triangles[:, 1]] - points[triangles[:, 0]]
    e_2 = points[triangles[:, 2]] - points[triangles[:, 0]]
    normal = np.cross(e_1, e_2)
    double = np.linalg.norm(normal, axis=1)
    normal = normal / double[:, None]
    along = e_1 if warp is None else warp
    along = along - np.einsum("ti,ti->t", along, normal)[:, None] * normal
    along = along / np.linalg.norm(along, axis=1)[:, None]
    across = np.cross(normal, along)
    rest = np.stack(
        [
            np.stack([np.einsum("ti,ti->t", axis, e) for e in (e_1, e_2)], axis=1)
            for axis in (along, across)
        ],
        axis=1,
    )
    return inverses(rest), 0.5 * double


def inverses(matrices):
    """Return the inverses of matrices [n, 2, 2].

    NumPy's own may wait, matrix by matrix, for threads of its library: on a busy machine that takes
    minutes for a sheet.
    """
    (a, b), (c, d) = np.moveaxis(matrices, 0, -1)
    adjugates = np.moveaxis(np.array([[d, -b], [-c, a]]), -1, 0)
    return adjugates / (a * d - b * c)[:, None, None]


def warp_directions(body):
    """Direction of growing u at rest, in the plane of every triangle [triangle, 3]."""
    if body.uv is None:
        raise ValueError(message("material.no_uv", name=body.name))
    corner_uv = body.uv if body.uv.ndim == 3 else body.uv[body.triangles]
    d_uv = corner_uv[:, 1:] - corner_uv[:, :1]
    area, size = np.abs(np.linalg.det(d_uv)), (d_uv**2).sum(axis=(1, 2))
    flat = np.flatnonzero(~(area > 1e-12 * size))  # negated, so that NaN is flat too
    if len(flat):
        raise ValueError(
            message(
                "material.uv_area",
                name=body.name,
                count=len(flat),
                total=len(d_uv),
                vertices=body.triangles[flat[0]].tolist(),
            )
        )
    corners = body.rest_points[body.triangles]
    edges = corners[:, 1:] - corners[:, :1]
    return np.einsum("tk,tki->ti", inverses(d_uv)[:, 0], edges)
