# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of embedded surfaces: x_v = Σ w_k x_k over the corners of one tet.

The corners of a tet have different colors: of the corners of a point, one moves at a time.
"""

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)


@wp.struct
class Embedding:
    """Embedded points; in the numbering of vertices they are those from `first` on."""

    first: int
    corners: wp.array[wp.vec4i]  # [point]
    weights: wp.array[wp.vec4]  # [point]
    start: wp.array[int]  # [vertex + 1], in `places`
    places: wp.array[int]  # what of the surface moves with each vertex: its points, or itself


@wp.func
def point_place(v: int, x: wp.array[wp.vec3], embedding: Embedding):
    """Where embedded point v is [m], from where its corners are."""
    corners = embedding.corners[v - embedding.first]
    w = embedding.weights[v - embedding.first]
    base = x[corners[0]]
    return (
        base
        + w[1] * (x[corners[1]] - base)
        + w[2] * (x[corners[2]] - base)
        + w[3] * (x[corners[3]] - base)
    )


@wp.func
def surface_place(v: int, x: wp.array[wp.vec3], embedding: Embedding):
    """Where surface vertex v is [m], embedded or not."""
    place = x[v]
    if v >= embedding.first:
        place = point_place(v, x, embedding)
    return place


@wp.func
def share_of(i: int, v: int, embedding: Embedding):
    """∂x_v/∂x_i of surface vertex v, embedded or not, by vertex i: a number."""
    share = wp.where(v == i, 1.0, 0.0)
    if v >= embedding.first:
        c = embedding.corners[v - embedding.first]
        w = embedding.weights[v - embedding.first]
        share = (
            wp.where(c[0] == i, w[0], 0.0)
            + wp.where(c[1] == i, w[1], 0.0)
            + wp.where(c[2] == i, w[2], 0.0)
            + wp.where(c[3] == i, w[3], 0.0)
        )
    return share


@wp.func
def is_within(i: int, first: int, last: int):
    """1 for `first` ≤ i < `last`, else 0."""
    return wp.where(i >= first and i < last, 1.0, 0.0)


@wp.func
def share_of_range(first: int, last: int, v: int, embedding: Embedding):
    """Σ |∂x_v/∂x_i| over the vertices i from `first` to `last`."""
    share = is_within(v, first, last)
    if v >= embedding.first:
        c = embedding.corners[v - embedding.first]
        w = embedding.weights[v - embedding.first]
        share = (
            is_within(c[0], first, last) * wp.abs(w[0])
            + is_within(c[1], first, last) * wp.abs(w[1])
            + is_within(c[2], first, last) * wp.abs(w[2])
            + is_within(c[3], first, last) * wp.abs(w[3])
        )
    return share


@wp.kernel
def follow(
    first: int,
    points: wp.array[int],
    embedding: Embedding,
    # out
    x: wp.array[wp.vec3],
):
    """Move the embedded points of a list, from place `first` on, to where their corners are."""
    v = embedding.first + points[first + wp.tid()]
    x[v] = point_place(v, x, embedding)


@wp.kernel
def set_point_caps(
    embedding: Embedding,
    # in and out
    cap: wp.array[float],
):
    """How far embedded points may get when every vertex keeps to its `cap` [m]."""
    p = wp.tid()
    farthest = float(0.0)
    for c in range(4):
        w = wp.abs(embedding.weights[p][c])
        if w > 0.0:
            farthest += w * cap[embedding.corners[p][c]]
    cap[embedding.first + p] = farthest
