# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed meshes, which tell what is inside of them."""

import numpy as np
import warp as wp

from ...kernels.contact.initial import intersections as kernels


def closed_mesh(model, triangles):
    """The mesh of a body's triangles [triangle, 3], at the positions of now."""
    indices = model.upload(triangles.ravel(), int)
    return wp.Mesh(points=model.x, indices=indices, support_winding_number=True)


def ask(model, mesh, points):
    """Which points [n, 3] are inside of a mesh, bool, and their shortest ways to it [m], float64
    [n, 3].
    """
    told = [wp.zeros(len(points), dtype=kind, device=model.device) for kind in (int, wp.vec3)]
    inputs = [mesh.id, model.upload(points.astype(np.float32), wp.vec3)]
    model.launches.run(kernels.find_ways, len(points), inputs, told)
    return told[0].numpy() > 0, told[1].numpy().astype(np.float64)
