# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact surface of a body in a lattice: the visible one, at the resolution of the cells.

Contact acts at vertices. A mesh that is coarser than its lattice, such as a box of eight vertices,
would let the cells fall through its faces, so these are split. A mesh that is much finer has detail
that the cells cannot follow, at a higher cost, so it is simplified.
"""

import numpy as np

from ..topology.graphs import connected_components, edges_of
from ..topology.meshes import are_flat
from .shells import welded

# Longest edge of the surface, in cells: points of a triangle are then within a cell of its corners.
LONGEST_EDGE = np.sqrt(2.0)
# Vertices of a simplified surface are about this many cells apart.
SIMPLIFIED = 0.5


def contact_mesh(points, triangles, cell_size, most_vertices):
    """Points [point, 3] in m and triangles [triangle, 3] of the contact surface of a mesh.

    `cell_size` [m] is that of its lattice. A mesh that has more than `most_vertices`, or would have
    with its long edges split, is simplified. Faces without area are left out, so the result may be
    empty.
    """
    triangles = triangles[~are_flat(points, triangles)]
    if not len(triangles):
        return points[:0], triangles
    longest = LONGEST_EDGE * cell_size
    given = points, triangles
    is_fine = len(np.unique(triangles)) > most_vertices
    if not is_fine:
        points, triangles = split(*given, longest)
        # Such as the slivers in a cap of many corners.
        is_fine = len(np.unique(triangles)) > most_vertices
    if is_fine:
        points, triangles = split(*simplified(*given, SIMPLIFIED * cell_size), longest)
    triangles = triangles[~are_flat(points, triangles)]
    used, number = np.unique(triangles, return_inverse=True)
    return points[used], number.reshape(-1, 3).astype(np.int32)


def split(points, triangles, longest):
    """Split edges until none is longer than `longest` [m]; return points and triangles.

    Edges are halved in both of their triangles, so a closed surface stays closed; the given points
    stay first.
    """
    points, triangles, _ = split_with_ends(points, triangles, longest)
    return points, triangles


def split_with_ends(points, triangles, longest):
    """Return the result of `split` and, for every pass, the ends [new, 2] of the edges that it
    halved: each new point is the middle of the next such edge.
    """
    ends = []
    while True:
        edges, of_triangle = edges_of(triangles)
        long = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1) > longest
        if not long.any():
            return points, triangles, ends
        ends.append(edges[long])
        middle = np.full(len(edges), -1)
        middle[long] = len(points) + np.arange(np.count_nonzero(long))
        points = np.concatenate([points, points[edges[long]].mean(axis=1)])
        triangles = _halved(points, triangles, middle[of_triangle])


def _halved(points, triangles, middles):
    """Triangles whose edges, from each corner to the next, have the given `middles` or -1."""
    count = np.count_nonzero(middles >= 0, axis=1)
    pieces = [triangles[count == 0]]
    # Turned so that the first edge has a middle and, of two, the last one has none.
    first = np.argmax(middles >= 0, axis=1)
    first[(count == 2) & (middles[:, 1] < 0)] = 2
    turn = (first[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(triangles, turn, axis=1).T
    ab, bc, ca = np.take_along_axis(middles, turn, axis=1).T

    def add(where, *corners):
        pieces.append(np.stack([np.broadcast_to(k, len(a))[where] for k in corners], axis=1))

    one, two, three = count == 1, count == 2, count == 3
    add(one, a, ab, c)
    add(one, ab, b, c)
    add(two, ab, b, bc)
    # The rest is a quad, which is divided by its shorter diagonal.
    across = np.linalg.norm(points[a] - points[bc], axis=1)
    along = np.linalg.norm(points[ab] - points[c], axis=1)
    short = across < along
    add(two & short, a, ab, bc)
    add(two & short, a, bc, c)
    add(two & ~short, a, ab, c)
    add(two & ~short, ab, bc, c)
    for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)):
        add(three, *corners)
    return np.concatenate(pieces)


def simplified(points, triangles, spacing):
    """Return a coarser surface of some of the points, about `spacing` [m] apart, and its triangles.

    Vertex clustering (Rossignac and Borrel 1993): among vertices in one cube of space whose normals
    are nearest to the same of six directions, the outermost along their mean normal represents all,
    so that little of the mesh protrudes from the coarser one. Opposite sides of a thin wall stay
    separate, and so do components that the mesh does not connect within the cube, like fingers.
    """
    normals = _normals(points, triangles)
    axis = np.argmax(np.abs(normals), axis=1)
    direction = 2 * axis + (np.take_along_axis(normals, axis[:, None], axis=1)[:, 0] < 0.0)
    cell = np.floor((points - points.min(axis=0)) / spacing).astype(np.int64)
    used = np.unique(triangles)
    _, cluster = np.unique(np.column_stack([cell, direction])[used], axis=0, return_inverse=True)
    cluster = _connected(points, triangles, used, cluster.ravel())
    outwards = np.column_stack([np.bincount(cluster, along) for along in normals[used].T])
    inwards = -(points[used] * outwards[cluster]).sum(axis=1)
    outermost = np.lexsort([inwards, cluster])[
        np.searchsorted(np.sort(cluster), np.arange(len(outwards)))
    ]
    representative = np.arange(len(points))
    representative[used] = used[outermost[cluster]]
    triangles = representative[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    first = np.argmin(triangles, axis=1)
    turned = np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
    return points, np.unique(turned, axis=0)


def _connected(points, triangles, used, cluster):
    """Clusters of the vertices `used`, each divided into its connected components."""
    of_point = np.full(len(points), -1)
    of_point[used] = cluster
    every = np.arange(len(points))
    links = np.concatenate([edges_of(triangles)[0], np.stack([every, welded(points, every)], 1)])
    links = links[of_point[links[:, 0]] == of_point[links[:, 1]]]
    return np.unique(connected_components(links, len(points))[used], return_inverse=True)[1]


def _normals(points, triangles):
    """Normals at the vertices, weighted by the area around them [point, 3]."""
    a, b, c = points[triangles].swapaxes(0, 1)
    normals = np.zeros_like(points)
    np.add.at(normals, triangles, np.cross(b - a, c - a)[:, None])
    return normals
