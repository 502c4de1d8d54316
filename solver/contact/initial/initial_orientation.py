# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientation of surfaces: a body that begins right in another's surface lies in front of it."""

import numpy as np

from ...kernels.contact.feasibility.separating_planes import FLOOR, LOST, ROUNDING
from .edge_crossings import unit
from .overlapping_bodies import COMMON


def facing_directions(surface, x, up):
    """Return unit normals at all vertices [vertex, 3] at x [vertex, 3]; the normals with open
    sheets that face down, such as a floor, turned round; and the sides of free open bodies, int8
    [body, body]: -1 where the earlier is behind the later on the average, else 1.
    """
    body, normals = surface.body[surface.triangles[:, 0]], surface.normals(x, slice(None))
    mean = means(body, normals, len(surface.closed))
    faces_down = ~surface.closed & (mean @ unit(up[None])[0] < -COMMON)
    total = sums(surface.triangles.ravel(), np.repeat(normals, 3, axis=0), len(x))
    normals, turn = unit(total), np.where(faces_down, -1.0, 1.0)
    used = surface.vertices
    places = means(surface.body[used], x[used], len(surface.closed))
    side = sides(places, turn[:, None] * mean, np.flatnonzero(surface.support_rank == 0))
    return normals, turn[surface.body][:, None] * normals, side


def sums(group, vectors, count):
    """Return sums [count, 3] of the vectors [n, 3] of each group [n]."""
    return np.column_stack([np.bincount(group, each, count) for each in vectors.T])


def means(group, vectors, count):
    """Return means [count, 3] of the vectors [n, 3] of each group [n], 0 of none."""
    number = np.maximum(np.bincount(group, minlength=count), 1)
    return sums(group, vectors, count) / number[:, None]


def sides(places, facing, free):
    """Return the sides of `facing_directions`, of bodies at `places` [body, 3] that face `facing`
    [body, 3], some of them `free`. If one faces nowhere on the average, as a rod, the other
    decides.
    """
    found = np.ones((len(places),) * 2, dtype=np.int8)
    facing = np.where(np.linalg.norm(facing, axis=1)[:, None] < COMMON, 0.0, facing)[free]
    over = places[free] @ facing.T
    over -= np.diag(over)  # height of one body over the other
    is_below = over < 0.0
    is_behind = np.triu(np.where(facing.any(axis=1), is_below, is_below.T))
    found[np.ix_(free, free)] = np.where(is_behind | is_behind.T, -1, 1)
    return found


def are_in_front(surface, front, side, x, edges, triangles):
    """Return where one of an edge [crossing, 2] and a triangle [crossing, 3] that cross, of two
    bodies, is in front of the other but for rounding, bool [crossing]. The body in front follows
    from kernels/contact/initial/initial_orientation.py and the `side` [body, body] of
    `facing_directions`. A body that touches an open surface without lying in it may come from
    behind: then all crossings of the two are judged together.
    """
    one, other = surface.body[edges[:, 0]], surface.body[triangles[:, 0]]
    more = surface.support_rank[one].astype(int) - surface.support_rank[other]
    is_behind = np.where(more == 0, one > other, more > 0)[:, None]
    of_edges, of_triangles = -front[edges].sum(axis=1), front[triangles].sum(axis=1)
    along = np.where(is_behind, of_edges, of_triangles)
    is_unknown = ~along.any(axis=1, keepdims=True)
    along = np.where(is_unknown, np.where(is_behind, of_triangles, of_edges), along)
    along *= side[one, other][:, None]
    a, b, c = (x[triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    across *= np.sign((across * along).sum(axis=1))[:, None]
    is_any_closed = surface.closed[one] | surface.closed[other]
    are_separated = np.zeros(len(edges), dtype=bool)
    for n in (unit(along), unit(across)):
        above, below = ((x[corners] * n[:, None]).sum(axis=2) for corners in (edges, triangles))
        size = np.abs(x[np.column_stack([edges, triangles])]) * np.abs(n)[:, None]
        rounding = LOST * ROUNDING * size.sum(axis=2).max(axis=1)
        gap, depth = above.min(axis=1) - below.max(axis=1), above.max(axis=1) - below.min(axis=1)
        are_separated |= n.any(axis=1) & (gap >= -rounding) & (is_any_closed | (depth <= rounding))
    are_separated &= one != other
    couple = np.unique(np.sort([one, other], axis=0), axis=1, return_inverse=True)[1].ravel()
    are_all_separated = np.bincount(couple, ~are_separated) == 0
    return are_separated & (is_any_closed | are_all_separated[couple])


def lie_on(points, corners, uv, radius):
    """Return whether points [point, 3] lie on their closest triangles, at uv, but for rounding.
    Points with `radius` [m] are never farther from there than a fraction of that.
    """
    weights = np.column_stack([uv, 1.0 - uv.sum(axis=1)])
    apart = points - (weights[:, :, None] * corners).sum(axis=1)
    a, b, c = np.moveaxis(corners, 1, 0)
    n = unit(np.cross(b - a, c - a))
    rounding = LOST * ROUNDING * (np.abs(points) * np.abs(n)).sum(axis=1)
    is_near = np.linalg.norm(apart, axis=1) <= FLOOR * radius
    return is_near & (np.abs((apart * n).sum(axis=1)) <= rounding)
