# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles without an area, which Blender makes of faces with corners along a straight line, such
as the lid of a subdivided cylinder.
"""

import numpy as np

# A triangle with a height below this fraction of its longest edge has no normal.
FLAT = 1e-5


def without_slivers(corners, face, points, vertex):
    """Triangles [triangle, 3] after flipping the longest edge of those without a height into the
    other diagonal with the next triangle of the same face [triangle].

    `corners` index `vertex` [corner], and that `points` [vertex, 3]. Faces without any area remain.
    """
    height, longest = _height(points[vertex[corners]])
    flat = np.flatnonzero(height <= FLAT * longest)
    if not len(flat):
        return corners
    corners = corners.copy()
    for number in np.unique(face[flat]):
        mine = np.flatnonzero(face == number)
        corners[mine] = _flipped(corners[mine], points[vertex].astype(float))
    return corners


def _height(places):
    """Least heights of triangles [..., 3, 3] and their longest edges [m]."""
    sides = np.roll(places, -1, axis=-2) - places
    longest = np.linalg.norm(sides, axis=-1).max(axis=-1)
    twice = np.linalg.norm(np.cross(sides[..., 0, :], sides[..., 1, :]), axis=-1)
    return twice / np.maximum(longest, np.finfo(float).tiny), longest


def _flipped(triangles, places):
    """The triangles of one face, after all flips that increase the least height of two."""
    triangles = [tuple(triangle) for triangle in triangles.tolist()]
    beside = {side: t for t, triangle in enumerate(triangles) for side in _sides(triangle)}
    waiting = list(range(len(triangles)))
    while waiting:
        t = waiting.pop()
        height, longest = _height(places[list(triangles[t])])
        if height > FLAT * longest:
            continue
        a, b, c = _from_longest_side(triangles[t], places)
        other = beside.get((b, a))
        if other is None:
            continue
        (d,) = set(triangles[other]) - {a, b}
        now = (a, d, c), (d, b, c)
        before = min(height, _height(places[list(triangles[other])])[0])
        if min(_height(places[list(triangle)])[0] for triangle in now) <= before:
            continue
        for k, triangle in zip((t, other), now, strict=True):
            triangles[k] = triangle
            beside.update(dict.fromkeys(_sides(triangle), k))
        del beside[a, b], beside[b, a]
        around = [beside.get(side[::-1]) for triangle in now for side in _sides(triangle)]
        waiting += [t, other, *(k for k in around if k is not None)]
    return np.array(triangles, np.int32)


def _sides(triangle):
    a, b, c = triangle
    return [(a, b), (b, c), (c, a)]


def _from_longest_side(triangle, places):
    """The triangle rotated so that its first two corners are the ends of its longest side."""
    length = [np.linalg.norm(places[a] - places[b]) for a, b in _sides(triangle)]
    first = int(np.argmax(length))
    return triangle[first:] + triangle[:first]
