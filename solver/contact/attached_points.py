# SPDX-License-Identifier: GPL-3.0-or-later
"""Embedded points at which attachments hold their bodies: what is attached there is no contact."""

import numpy as np

# Points nearer to an attached place than this fraction of the farthest one are at it.
SAME = 1e-5


def attached_points(assembly, points, body, first):
    """Pairs of vertices that are attached to each other, [pair, 2], one of them an embedded point
    at the place where a row holds its body. `points` are the `EmbeddedPoints`, the first one is
    vertex number `first`, and `body` [vertex] are the numbers of bodies.
    """
    rows, found = assembly.attachments, [np.empty((0, 2), dtype=np.int64)]
    if not len(points):
        return found[0]
    places = points.of(assembly.points) + points.offset
    is_joint = np.array([joint is not None for joint in rows.joint], dtype=bool)
    for row in np.flatnonzero(~rows.to_space() & ~rows.bonds & ~is_joint):
        used = rows.weights[row] != 0.0
        corners, weights = rows.corners[row][used], rows.weights[row][used]
        sides, numbers = [], np.unique(body[corners])
        if len(numbers) == 1:
            continue
        for number in numbers:
            own = body[corners] == number
            at = weights[own] @ assembly.points[corners[own]] / weights[own].sum()
            of_body = np.flatnonzero(points.body == number)
            apart = np.linalg.norm(places[of_body] - at, axis=1)
            near = first + of_body[apart <= SAME * apart.max(initial=0.0)]
            sides.append((near, np.concatenate([near, corners[own]])))
        (one, all_one), (other, all_other) = sides
        found += [_every(one, all_other), _every(other, all_one)]
    return np.concatenate(found)


def _every(one, other):
    """All pairs of two arrays of numbers, [pair, 2]."""
    return np.stack(np.meshgrid(one, other, indexing="ij"), axis=-1).reshape(-1, 2)
