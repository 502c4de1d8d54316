# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat faces of rigid bodies: edges inside of them meet nothing first.

Whatever passes through a flat face without an end in it crosses its rim, so pairs of vertices with
its triangles, and of edges with its rim, keep both apart: edges that only divide the face need no
pairs. A rigid face stays as flat as it begins.
"""

import numpy as np

from ..topology.graphs import connected_components
from .detection.flat_sides import FlatSides
from .initial.edge_crossings import unit

# A face is flat if no corner is farther from its plane than this fraction of the contact distance
# of its body: two such faces are less uneven than the distance that pairs always keep, a thousandth
# of both together (kernels/contact/feasibility/separating_planes.py).
UNEVEN = 4e-4


def inside_flat_faces(assembly, points, triangles, edges):
    """Return whether edges [edge, 2] lie inside flat faces of rigid bodies, bool [edge].

    `triangles` [triangle, 3] and edges number the `EmbeddedPoints`; other edges have negative
    numbers.
    """
    inside = np.zeros(len(edges), dtype=bool)
    is_rigid = np.isin(points.body, assembly.rigid.numbers)
    mine = np.flatnonzero((edges >= 0).all(axis=1))
    mine = mine[is_rigid[edges[mine, 0]]]
    triangles = triangles[is_rigid[triangles[:, 0]]] if len(triangles) else triangles
    if len(mine):
        thickness = assembly.thickness[points.corners[:, 0]]
        found = flat_edges(points.of(assembly.rest_points), triangles, edges[mine], thickness)
        inside[mine] = found
    return inside


def flat_edges(points, triangles, edges, thickness):
    """Return whether edges lie inside flat faces, bool [edge], where surfaces are kept as far from
    others as half the contact distance, `thickness` [point, m].
    """
    inside, sides = np.zeros(len(edges), dtype=bool), FlatSides(triangles, edges)
    uneven = UNEVEN * thickness
    both = sides.both_sides // 3
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    one, other = (unit(normal)[both[:, k]] for k in range(2))
    height = np.abs(np.sum((points[sides.opposite[:, 1]] - points[sides.opposite[:, 0]]) * one, 1))
    straight = np.sum(one * other, axis=1) > 0.5
    # Triangles of opposite orientations may lie folded onto each other.
    start, end = (points[edges[sides.inner, k]] for k in range(2))
    arms = points[sides.opposite] - start[:, None]
    aside = np.einsum("eki,ei->ek", arms, np.cross(one, end - start))
    straight &= aside.prod(axis=1) < 0.0
    flat = straight & (height <= uneven[sides.opposite[:, 0]])
    face = connected_components(both[flat], len(triangles))
    count = int(face.max(initial=-1)) + 1
    plane, middle = np.zeros((count, 3)), np.zeros((count, 3))
    np.add.at(plane, face, normal)
    np.add.at(middle, face, points[triangles].mean(axis=1))
    middle /= np.bincount(face, minlength=count)[:, None]
    arms = points[triangles] - middle[face][:, None]
    height = np.abs(np.sum(arms * unit(plane)[face][:, None], axis=2)).max(axis=1)
    bent = np.zeros(count, dtype=bool)
    bent[face[height > uneven[triangles[:, 0]]]] = True
    inside[sides.inner[flat & ~bent[face[both[:, 0]]]]] = True
    return inside
