# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed meshes, for queries of points inside of them."""

import numpy as np
import warp as wp

from ...kernels.contact.initial import intersections as kernels


def closed_mesh(model, triangles):
    """Return the mesh of a body's triangles [triangle, 3], at the present positions."""
    indices = model.upload(triangles.ravel(), int)
    return wp.Mesh(points=model.x, indices=indices, support_winding_number=True)


def query_inside(model, mesh, points):
    """Return which points [n, 3] are inside of a mesh, bool, and the shortest displacements to its
    surface [m], float64 [n, 3].
    """
    results = [wp.zeros(len(points), dtype=kind, device=model.device) for kind in (int, wp.vec3)]
    inputs = [mesh.id, model.upload(points.astype(np.float32), wp.vec3)]
    model.launches.run(kernels.find_closest_points, len(points), inputs, results)
    return results[0].numpy() > 0, results[1].numpy().astype(np.float64)
