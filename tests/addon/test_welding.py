# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces without area are left out, and closed surfaces stay closed."""

import time

import numpy as np
from shapes import grid

from vbd.addon.objects.welding import with_area
from vbd.solver.topology.inertia import is_closed
from vbd.solver.topology.meshes import are_flat, triangle_areas


def test_a_row_of_faces_without_area_is_divided():
    """A fan of three flat triangles on one edge of a tetrahedron, as Booleans make it."""
    points = np.array([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 3, 0), (2, 2, 0), (3, 1, 0)])
    closed = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (4, 2, 3), (5, 4, 3), (6, 5, 3), (1, 6, 3)]
    flat = [(1, 2, 4), (1, 4, 5), (1, 5, 6)]
    points, triangles = points.astype(float), np.array(closed + flat)
    assert is_closed(triangles)
    found = with_area(points, triangles)
    assert is_closed(found) and len(found) == len(triangles)
    assert not are_flat(points, found).any()


def test_many_faces_without_area_in_a_large_mesh_take_little_time():
    """Each looked at all triangles, 10 s here; it takes 0.2 s, and other machines are slower."""
    points, triangles = grid(300)
    flats = np.arange(2000)[:, None]
    pairs = np.array([(0, 0, 0), (2, 0, 0), (1, 0, 0), (0, 2, 0)]) + 9.0 * flats[..., None]
    corners = len(points) + 4 * flats
    both = np.concatenate([corners + (0, 2, 1), corners + (1, 3, 0)])
    points = np.concatenate([points, pairs.reshape(-1, 3)])
    before = time.thread_time()
    found = with_area(points, np.concatenate([triangles, both]))
    assert time.thread_time() - before < 2.0
    assert len(found) == len(triangles) + 4000
    assert triangle_areas(points, found)[len(triangles) :].min() > 0.99
