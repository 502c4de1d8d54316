# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of a cloth without a simulated face: they follow the nearest one."""

import numpy as np

from ...solver.messages import message
from ..objects.nearest import frames, nearest, weights_in
from .hint import Hint


def notes(ob, mesh, left_out):
    """Sentences about the `LeftOut` faces of a cloth object, and about vertices without a face."""
    if len(left_out):
        which = "note.flat_faces" if len(left_out.flat) else "note.doubled_faces"
        if len(left_out.flat) and len(left_out.doubled):
            which = "note.flat_or_doubled_faces"
        yield Hint(message(which, name=ob.name, count=len(left_out)))
    loose = len(mesh.vertices) - len(np.unique(left_out.vertex))
    if loose:
        yield Hint(message("note.loose_vertices", name=ob.name, count=loose))


def carry(target, triangles, pinned):
    """Store in a `Target` which vertices of its object its body of `triangles` [triangle, 3] has,
    and how all others follow; those of them that are `pinned` follow the object.

    Returns the triangles in vertices of the body.
    """
    points = target.start_points()
    own = np.unique(triangles)
    if len(own) == len(points):
        return triangles
    others = np.setdiff1d(np.arange(len(points)), own)
    of_body = np.full(len(points), -1)
    of_body[own] = np.arange(len(own))
    # Any triangle of a vertex of the body, and the nearest one for any other.
    chosen = np.empty(len(points), np.int64)
    chosen[triangles.ravel()] = np.repeat(np.arange(len(triangles)), 3)
    chosen[others], places = nearest(points[others], points, triangles)
    corners = triangles[chosen]
    weights = (corners == np.arange(len(points))[:, None]).astype(float)
    weights[others] = weights_in(places, points[corners[others]])
    turned = frames(points[corners[others]])
    target.own, target.carried, target.faces = own, others, triangles
    target.corners, target.weights = of_body[corners], weights
    target.lever = np.einsum("pij,pi->pj", turned, points[others] - places)
    held = np.intersect1d(pinned, others)
    target.pinned = held if len(held) else None
    return of_body[triangles]
