# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of embedded surfaces: x_v = Σ w_k x_k over the corners of one tet.

The corners of a tet have different colors: of the corners of a point, one moves at a time.
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)


@wp.struct
class Embedding:
    """Embedded points; in the numbering of vertices they are those from `first` on."""

    first: int
    corners: wp.array[wp.vec4i]  # [point]
    weights: wp.array[wp.vec4]  # [point]
    start: wp.array[int]  # [vertex + 1], in `carried`
    carried: wp.array[int]  # what of the surface moves with each vertex: its points, or itself


@wp.func
def point_position(v: int, x: wp.array[wp.vec3], embedding: Embedding):
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
def is_within(i: int, first: int, last: int):
    """1 for `first` ≤ i < `last`, else 0."""
    return wp.where(i >= first and i < last, 1.0, 0.0)


@dataclass(frozen=True)
class SurfaceFunctions:
    """How the surface moves with the vertices."""

    carried_range: wp.Function
    carried: wp.Function
    position: wp.Function
    weight: wp.Function
    weight_of_range: wp.Function
    path_along: wp.Function
    longest_path: wp.Function


@cache
def surface_functions(embedded: bool) -> SurfaceFunctions:
    """The `SurfaceFunctions` of scenes with `embedded` points, or of those where every vertex is
    its own surface: there they are compiled to nothing.
    """

    @wp.func
    def carried_range(i: int, embedding: Embedding):
        """Where what moves with vertex i begins and ends in the list of `carried`."""
        begin = int(i)
        end = i + 1
        if wp.static(embedded):
            begin = embedding.start[i]
            end = embedding.start[i + 1]
        return begin, end

    @wp.func
    def carried(k: int, embedding: Embedding):
        """Number k of the surface vertices that move with some vertex."""
        s = int(k)
        if wp.static(embedded):
            s = embedding.carried[k]
        return s

    @wp.func
    def position(v: int, x: wp.array[wp.vec3], embedding: Embedding):
        """Where surface vertex v is [m], embedded or not."""
        x_v = x[v]
        if wp.static(embedded):
            if v >= embedding.first:
                x_v = point_position(v, x, embedding)
        return x_v

    @wp.func
    def weight(i: int, v: int, embedding: Embedding):
        """∂x_v/∂x_i of surface vertex v, embedded or not, by vertex i: a number."""
        w_i = wp.where(v == i, 1.0, 0.0)
        if wp.static(embedded):
            if v >= embedding.first:
                c = embedding.corners[v - embedding.first]
                w = embedding.weights[v - embedding.first]
                w_i = (
                    wp.where(c[0] == i, w[0], 0.0)
                    + wp.where(c[1] == i, w[1], 0.0)
                    + wp.where(c[2] == i, w[2], 0.0)
                    + wp.where(c[3] == i, w[3], 0.0)
                )
        return w_i

    @wp.func
    def weight_of_range(moving: wp.vec2i, v: int, embedding: Embedding):
        """Σ |∂x_v/∂x_i| over the vertices i from moving[0] to moving[1]."""
        total = is_within(v, moving[0], moving[1])
        if wp.static(embedded):
            if v >= embedding.first:
                c = embedding.corners[v - embedding.first]
                w = embedding.weights[v - embedding.first]
                total = (
                    is_within(c[0], moving[0], moving[1]) * wp.abs(w[0])
                    + is_within(c[1], moving[0], moving[1]) * wp.abs(w[1])
                    + is_within(c[2], moving[0], moving[1]) * wp.abs(w[2])
                    + is_within(c[3], moving[0], moving[1]) * wp.abs(w[3])
                )
        return total

    @wp.func
    def path_along(
        v: int,
        direction: wp.vec3,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
    ):
        """The most that surface vertex v may go along a direction [m], whatever fractions of their
        steps from x to `candidate` the vertices from moving[0] to moving[1] take.

        Steps of corners that go back are not counted on.
        """
        path = float(0.0)
        j = int(v)
        if wp.static(embedded):
            if v >= embedding.first:
                j = -1
                corners = embedding.corners[v - embedding.first]
                weights = embedding.weights[v - embedding.first]
                for c in range(4):
                    k = corners[c]
                    if k >= moving[0] and k < moving[1]:
                        path += wp.max(weights[c] * wp.dot(direction, candidate[k] - x[k]), 0.0)
        if j >= moving[0] and j < moving[1]:
            path = wp.max(wp.dot(direction, candidate[j] - x[j]), 0.0)
        return path

    @wp.func
    def longest_path(
        v: int,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
    ):
        """The same in any direction [m]."""
        path = float(0.0)
        j = int(v)
        if wp.static(embedded):
            if v >= embedding.first:
                j = -1
                corners = embedding.corners[v - embedding.first]
                weights = embedding.weights[v - embedding.first]
                for c in range(4):
                    k = corners[c]
                    if k >= moving[0] and k < moving[1]:
                        path += wp.abs(weights[c]) * wp.length(candidate[k] - x[k])
        if j >= moving[0] and j < moving[1]:
            path = wp.length(candidate[j] - x[j])
        return path

    return SurfaceFunctions(
        carried_range, carried, position, weight, weight_of_range, path_along, longest_path
    )


@wp.kernel
def follow(
    first: int,
    points: wp.array[int],
    embedding: Embedding,
    # out
    x: wp.array[wp.vec3],
):
    """Move the embedded points of a list, from number `first` on, to where their corners are."""
    v = embedding.first + points[first + wp.tid()]
    x[v] = point_position(v, x, embedding)
