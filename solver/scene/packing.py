# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains that fill the inside of a closed mesh."""

import numpy as np
import warp as wp

from ..kernels.contact.initial.intersections import find_closest_points
from ..messages import message

# Distance between neighbors, in diameters: room for the disorder of `JITTER` diameters, without
# which a packing would stand like a crystal.
APART, JITTER = 1.02, 0.009
# The most grains that a mesh is filled with.
MOST = 100_000
# A mesh has an inside if it encloses this fraction of the cube around it.
LEAST = 1e-6
# Volume of a grain's place in the packing, in cubes of the distance: the densest one.
PLACE = np.sqrt(0.5)


def radius_for(name, points, triangles, count):
    """Radius [m] of about `count` grains in a closed mesh, rounded to two digits."""
    volume = abs(enclosed_volume(points, triangles))
    if not volume > LEAST * np.ptp(points, axis=0).max(initial=0.0) ** 3:
        raise ValueError(message("mesh.no_inside", name=name))
    radius = 0.5 / APART * (volume / (PLACE * count)) ** (1.0 / 3.0)
    return float(f"{radius:.2g}")


def enclosed_volume(points, triangles):
    """Volume [m³] inside a closed mesh that faces outwards."""
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


def packing(name, points, triangles, radius):
    """Centers [grain, 3] of a hexagonal packing of spheres inside a closed mesh of `points` [m]
    and `triangles`, whichever way it faces: each at least its radius away from it, slightly
    disordered.
    """
    points = np.asarray(points, dtype=np.float64)
    if enclosed_volume(points, triangles) < 0.0:  # mirrored, or inside out
        triangles = triangles[:, ::-1]
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    step = 2.0 * APART * radius * np.array([1.0, np.sqrt(0.75), np.sqrt(2.0 / 3.0)])
    count = np.floor(size / step).astype(np.int64) + 1
    if np.prod(count.astype(float)) > 8.0 * MOST:
        raise ValueError(message("mesh.many_grains", name=name, most=MOST))
    x, y, z = (k.ravel() for k in np.indices(count))
    places = np.column_stack([x + 0.5 * (y % 2) + 0.5 * (z % 2), y + (z % 2) / 3.0, z]) * step
    places += low + 0.5 * (size - places.max(axis=0))
    places += JITTER * radius * np.random.default_rng(0).uniform(-1.0, 1.0, places.shape)
    inside, offset = _closest(places, points, triangles)
    chosen = places[inside & (np.linalg.norm(offset, axis=1) >= radius)]
    if not len(chosen):
        raise ValueError(message("mesh.no_grains", name=name, radius=radius))
    if len(chosen) > MOST:
        raise ValueError(message("mesh.many_grains", name=name, most=MOST))
    return chosen


def _closest(places, points, triangles):
    """Mask of the places [n, 3] inside a closed mesh, and their offsets [n, 3] to its surface."""
    vertices, corners = (
        wp.array(np.ascontiguousarray(values), dtype=dtype, device="cpu")
        for values, dtype in ((points, wp.vec3), (triangles.astype(np.int32).ravel(), int))
    )
    mesh = wp.Mesh(vertices, corners, support_winding_number=True)
    given = wp.array(places, dtype=wp.vec3, device="cpu")
    inside, offset = wp.zeros(len(places), dtype=int, device="cpu"), wp.zeros_like(given)
    inputs, outputs = [mesh.id, given], [inside, offset]
    wp.launch(find_closest_points, len(places), inputs, outputs, device="cpu")
    return inside.numpy() != 0, offset.numpy().astype(np.float64)
