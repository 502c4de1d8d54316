# SPDX-License-Identifier: GPL-3.0-or-later
"""Closing of a surface around enclosed air: triangles that span its seams and openings, between
existing vertices.

Seams join vertices in groups, each with one representative vertex. A border edge from u to v gets
the quad u, v, v′, u′ with the representatives of u and v. Adjacent quads share the sides u u′, so
only the edges u′ v′ remain, which are those of the sewn mesh: they cancel where two borders meet,
and run around its openings elsewhere.
"""

import numpy as np

from ..messages import message
from .graphs import connected_components, edges_of
from .orientation import turned_to_agree

# Number of triangulations of an opening that are compared.
SPANS = 64


def closed_surface(name, points, triangles, seams=None, fills_openings=False):
    """Return the triangles of a surface and those that close it, with consistent orientation, int64
    [triangle, 3]; the surface's own come first.

    `points` [vertex, 3]. `seams` [seam, 2]: pairs of vertices that count as joined. Remaining
    openings are spanned if `fills_openings`, else refused.
    """
    triangles = triangles.astype(np.int64)
    joined, is_sewn = _representatives(len(points), triangles, seams)
    triangles = turned_to_agree(name, triangles, joined, is_sewn)
    start, end = _border(triangles).T
    quads = np.stack([end, start, joined[start], joined[end]], axis=1)
    loops = _loops(start, end, joined)
    if not fills_openings:
        _refuse_openings(name, [loop for loop in loops if not _is_beside_a_seam(is_sewn[loop])])
    fill = [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    fill = np.concatenate(fill + [_spanning(points, loop[::-1]) for loop in loops])
    ordered = np.sort(fill, axis=1)
    has_corners = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return np.concatenate([triangles, fill[has_corners]])


def _refuse_openings(name, loops):
    """Refuse openings, given by the vertices around each."""
    if loops:
        count, (a, b) = sum(map(len, loops)), loops[0][:2]
        raise ValueError(message("material.open", name=name, count=count, a=a, b=b))


def _representatives(count, triangles, seams):
    """Representative of each of `count` vertices, on the border if its seams reach it, and True for
    vertices with a seam, [vertex].
    """
    vertices = np.arange(count)
    if seams is None or not len(seams):
        return vertices, np.zeros(count, dtype=bool)
    group = connected_components(seams, count)
    order = vertices + count * ~np.isin(vertices, _border(triangles))
    first = np.full(count, 2 * count)
    np.minimum.at(first, group, order)
    return first[group] % count, np.bincount(group, minlength=count)[group] > 1


def _border(triangles):
    """Edges with one face, in its direction, int [edge, 2]."""
    of = edges_of(triangles)[1].ravel()
    return triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)[np.bincount(of)[of] == 1]


def _loops(start, end, joined):
    """Loops around the openings that remain of border edges [edge] where vertices are `joined`: the
    vertices of each, int [vertex], none of them twice.
    """
    a, b = joined[start], joined[end]
    is_left = ~np.isin(a * len(joined) + b, b * len(joined) + a)
    leaving, loops = {}, []
    edges = np.stack([start, end, a, b], axis=1)[is_left].tolist()
    for edge in edges:
        leaving.setdefault(edge[2], []).append(edge)
    for first in edges:
        path, place = [first[2]], {first[2]: 0}
        arrived = None
        while leaving[path[-1]]:
            outgoing = leaving[path[-1]]
            # Around an opening, panels follow one another at seams.
            across = [k for k, other in enumerate(outgoing) if other[0] != arrived]
            _, arrived, _, b = outgoing.pop(across[0] if across else 0)
            if b in place:
                loop = path[place[b] :]
                loops.append(np.array(loop))
                del path[place[b] :]
                for vertex in loop:
                    del place[vertex]
            place[b] = len(path)
            path.append(b)
    return loops


def _is_beside_a_seam(is_sewn):
    """Return whether a loop is an edge between two seams beside a border with vertices that are not
    sewn, as for a coarse panel sewn to a fine one; `is_sewn` [vertex] around the loop.
    """
    return is_sewn.sum() == 2 and bool((is_sewn & np.roll(is_sewn, -1)).any())


def _spanning(points, loop):
    """Triangles across a loop of vertices, in its direction, int [triangle, 3]: a strip between its
    two sides that begins where these are nearest to each other.
    """
    count = len(loop)
    left, right = np.arange(count // 2), count - 1 - np.arange(count // 2)
    turns = np.arange(0, count, max(1, count // SPANS))
    across = [
        np.sum((points[np.roll(loop, -k)[left]] - points[np.roll(loop, -k)[right]]) ** 2)
        for k in turns
    ]
    loop = np.roll(loop, -turns[np.argmin(across)])
    strip = np.empty(count, dtype=np.int64)
    strip[0::2], strip[1::2] = np.arange((count + 1) // 2), right
    corners = np.lib.stride_tricks.sliding_window_view(strip, 3)
    return loop[np.sort(corners, axis=1)]
