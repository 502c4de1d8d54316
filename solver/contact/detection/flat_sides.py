# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat sides: where a collider's surface goes on flat across an edge or around a vertex.

A flat mesh acts as the plane that it is, whatever its triangles: edges and vertices inside it carry
no contact, and a triangle does not push what lies beyond a side where its neighbor takes over.
"""

import numpy as np

from ...topology.graphs import edge_index
from ...topology.meshes import unit

# Largest angle [rad] between the triangles at an edge that carries no contact, ...
FLAT = 1e-3
# ... and at a side beyond which a triangle does not push. Where the edge is convex, a vertex beyond
# both sides is off either by half of this angle times its distance: far less than the width over
# which a push fades (kernels/contact/detection/touches.py).
NEARLY_FLAT = 0.05
# The sides of a triangle, each opposite to its corner.
SIDES = np.array([[1, 2], [2, 0], [0, 1]])


class FlatSides:
    """The sides of `triangles` [triangle, 3] on all their unique `edges` [edge, 2]."""

    def __init__(self, triangles, edges):
        self.edges = edges
        edge = edge_index(edges, triangles[:, SIDES].reshape(-1, 2))
        count = np.bincount(edge, minlength=len(edges))
        by_edge = np.argsort(edge, kind="stable")
        # Edges of two triangles, and their two sides, numbered 3 · triangle + corner.
        self.inner = np.flatnonzero(count == 2)
        first = (np.cumsum(count) - count)[self.inner]
        self.both_sides = by_edge[first[:, None] + [0, 1]]
        self.opposite = triangles.ravel()[self.both_sides]
        self.shape = triangles.shape

    def at(self, points):
        """Return what is flat at `points` [vertex, 3, m]: sides [triangle, 3], edges [edge] and
        vertices [vertex].
        """
        points = np.asarray(points, dtype=float)
        one, other = self.edges[self.inner].T
        along = unit(points[other] - points[one])[:, None]
        arms = points[self.opposite] - points[one][:, None]
        arms -= (arms * along).sum(axis=2, keepdims=True) * along
        angle = np.linalg.norm(unit(arms).sum(axis=1), axis=1)  # for small angles
        sides = np.zeros(self.shape, dtype=bool)
        sides.ravel()[self.both_sides[angle < NEARLY_FLAT]] = True
        edges, vertices = np.zeros(len(self.edges), dtype=bool), np.zeros(len(points), dtype=bool)
        edges[self.inner] = angle < FLAT
        vertices[self.edges] = True
        vertices[self.edges[~edges]] = False
        return sides, edges, vertices


class FlatColliders:
    """Flat sides, edges and vertices of all colliders of a `ContactSurface`, on the device in its
    `SurfaceArrays`.
    """

    def __init__(self, surface, struct, upload):
        first, self.struct = surface.collider_start, struct
        triangles, edges = (
            elements[behind:].astype(np.int64) - first
            for elements, behind in (
                (surface.triangles, surface.body_triangles),
                (surface.edges, surface.body_edges),
            )
        )
        self.sides = FlatSides(triangles, edges)
        struct.flat_sides, struct.flat_edges, struct.flat_vertices = (
            upload(np.zeros(count), int)
            for count in (len(triangles), len(edges), surface.point_start - first)
        )

    def update(self, points):
        """Find what is flat where the vertices of the colliders are at `points` [vertex, 3, m]."""
        sides, edges, vertices = self.sides.at(points)
        self.struct.flat_sides.assign((sides << np.arange(3)).sum(axis=1).astype(np.int32))
        self.struct.flat_edges.assign(edges.astype(np.int32))
        self.struct.flat_vertices.assign(vertices.astype(np.int32))
