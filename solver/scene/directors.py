# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of the directors of rods: beside the middles of their edges, without twist from edge to
edge.
"""

from collections import deque

import numpy as np


def with_directors(points, edges, around=None):
    """Return the points of a rod [vertex, 3] followed by a director for every edge, and the
    directors [edge], for `bodies.Rod`.

    The distance of each from the middle of its edge is the length of the edge; its direction is
    transported from edge to edge without twist. `around` [edge] rotates them about their edges
    [rad], right-handed from the first vertex to the second.
    """
    points, edges = np.asarray(points, dtype=np.float64), np.asarray(edges)
    normals = untwisted(points, edges)
    if around is not None:
        normals = turned(normals, unit_tangents(points, edges), around)
    return np.concatenate([points, beside(points, edges, normals)]), len(points) + np.arange(
        len(edges)
    )


def beside(points, edges, normals):
    """Positions of directors [edge, 3] in the directions `normals` from the middles of edges."""
    ends = points[edges]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    return ends.mean(axis=1) + length[:, None] * normals


def unit_tangents(points, edges):
    """Directions of edges [edge, 3] from their first vertices; zero for edges without length."""
    along = points[edges[:, 1]] - points[edges[:, 0]]
    length = np.linalg.norm(along, axis=1)
    return along / np.where(length > 0.0, length, 1.0)[:, None]


def turned(normals, tangents, angle):
    """Normals rotated about the tangents by an angle [edge, rad]."""
    sideways = np.cross(tangents, normals)
    return np.cos(angle)[:, None] * normals + np.sin(angle)[:, None] * sideways


def untwisted(points, edges):
    """A unit vector across every edge [edge, 3], transported from edge to edge without twist."""
    tangents, normals = unit_tangents(points, edges), np.zeros((len(edges), 3))
    for edge, previous in walk(edges):
        t = tangents[edge]
        if previous < 0:
            start = np.eye(3)[np.argmin(np.abs(t))]
        else:
            # Tangents are oriented through the common vertex, that of the previous edge towards it.
            meeting = np.isin(edges[edge], edges[previous])
            arrives = edges[previous, 1] == edges[edge][meeting][0]
            s = tangents[previous] if arrives else -tangents[previous]
            start = carried(s, t if meeting[0] else -t, normals[previous])
        across = start - (start @ t) * t
        size = np.linalg.norm(across)
        normals[edge] = across / size if size > 0.0 else np.eye(3)[np.argmin(np.abs(t))]
    return normals


def followed(points, edges, normals, tangents):
    """Normals of edges transported from their former `tangents` to those at `points`."""
    pairs = zip(tangents, unit_tangents(points, edges), normals, strict=True)
    return np.array([carried(s, t, normal) for s, t, normal in pairs]).reshape(-1, 3)


def carried(s, t, vector):
    """A vector rotated by the smallest rotation that takes s to t, both of length 1."""
    axis, cosine = np.cross(s, t), s @ t
    if cosine < -0.999999:  # folded back: any axis across will do
        return vector
    return cosine * vector + np.cross(axis, vector) + (axis @ vector) / (1.0 + cosine) * axis


def walk(edges):
    """Yield all edges, each with a previous one that it meets; -1 for the first of a component."""
    at_vertex = [[] for _ in range(int(edges.max(initial=-1)) + 1)]
    for edge, ends in enumerate(edges):
        for vertex in ends:
            at_vertex[vertex].append(edge)
    seen = np.zeros(len(edges), dtype=bool)
    for first in range(len(edges)):
        if seen[first]:
            continue
        seen[first] = True
        front = deque([(first, -1)])
        while front:
            edge, previous = front.popleft()
            yield edge, previous
            for other in (other for vertex in edges[edge] for other in at_vertex[vertex]):
                if not seen[other]:
                    seen[other] = True
                    front.append((other, edge))
