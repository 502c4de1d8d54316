# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the directors of rods are: beside the middles of their edges, without twist from edge to
edge.
"""

from collections import deque

import numpy as np


def with_directors(points, edges, around=None):
    """The points of a rod [vertex, 3] with a director for every edge behind them, and the directors
    [edge], for `bodies.Rod`.

    Each is as far from the middle of its edge as this is long; from edge to edge the direction is
    carried over without twist. `around` [edge] turns them about their edges [rad], right-handed
    from the first vertex to the second.
    """
    points, edges = np.asarray(points, dtype=np.float64), np.asarray(edges)
    normals = untwisted(points, edges)
    if around is not None:
        normals = turned(normals, unit_tangents(points, edges), around)
    return np.concatenate([points, beside(points, edges, normals)]), len(points) + np.arange(
        len(edges)
    )


def beside(points, edges, normals):
    """Where directors are [edge, 3] with `normals` from the middles of edges."""
    ends = points[edges]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    return ends.mean(axis=1) + length[:, None] * normals


def unit_tangents(points, edges):
    """The directions of edges [edge, 3] from their first vertices; zero of edges without length."""
    along = points[edges[:, 1]] - points[edges[:, 0]]
    length = np.linalg.norm(along, axis=1)
    return along / np.where(length > 0.0, length, 1.0)[:, None]


def turned(normals, tangents, angle):
    """Normals turned about the tangents by an angle [edge, rad]."""
    sideways = np.cross(tangents, normals)
    return np.cos(angle)[:, None] * normals + np.sin(angle)[:, None] * sideways


def untwisted(points, edges):
    """A unit vector across every edge [edge, 3], carried over from edge to edge."""
    tangents, normals = unit_tangents(points, edges), np.zeros((len(edges), 3))
    for edge, before in walk(edges):
        t = tangents[edge]
        if before < 0:
            start = np.eye(3)[np.argmin(np.abs(t))]
        else:
            # Both edges run through the vertex where they meet, the one before towards it.
            meeting = np.isin(edges[edge], edges[before])
            arrives = edges[before, 1] == edges[edge][meeting][0]
            s = tangents[before] if arrives else -tangents[before]
            start = carried(s, t if meeting[0] else -t, normals[before])
        across = start - (start @ t) * t
        size = np.linalg.norm(across)
        normals[edge] = across / size if size > 0.0 else np.eye(3)[np.argmin(np.abs(t))]
    return normals


def followed(points, edges, normals, tangents):
    """Normals of edges that had the `tangents` when the points were elsewhere, carried along."""
    now = zip(tangents, unit_tangents(points, edges), normals, strict=True)
    return np.array([carried(s, t, normal) for s, t, normal in now]).reshape(-1, 3)


def carried(s, t, vector):
    """A vector turned by the smallest rotation that takes s to t, both of length 1."""
    axis, cosine = np.cross(s, t), s @ t
    if cosine < -0.999999:  # folded back: any axis across will do
        return vector
    return cosine * vector + np.cross(axis, vector) + (axis @ vector) / (1.0 + cosine) * axis


def walk(edges):
    """All edges, each with one before it that it meets; -1 for the first of a piece."""
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
            edge, before = front.popleft()
            yield edge, before
            for other in (other for vertex in edges[edge] for other in at_vertex[vertex]):
                if not seen[other]:
                    seen[other] = True
                    front.append((other, edge))
