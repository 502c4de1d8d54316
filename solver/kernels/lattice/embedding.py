# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of embedded surfaces: x_v = Σ w_k x_k over the corners of one tet or cell, plus an offset
of smooth skins that is constant within a substep.

The corners of a tet or cell have different colors, so the corners of a point move one at a time.
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..device.bitmasks import lowest_bit, within
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Steps along a plane approach it by up to this part of themselves: normals are rounded.
PARALLEL = wp.constant(1.0e-6)


@wp.struct
class Embedding:
    """Embedded points; in the numbering of vertices they are those from `first` on."""

    first: int
    width: int  # corners of a point: 4 in tets, 8 in cells
    corners: wp.array[int]  # [point · width]
    weights: wp.array[float]  # [point · width]
    start: wp.array[int]  # [vertex + 1], in `carried`
    carried: wp.array[int]  # surface vertices that move with each vertex: its points, or itself
    share: wp.array[float]  # ∂x/∂x_i of each of these by the vertex i that carries it
    first_neighbor: wp.array[int]  # [vertex + 1], in `neighbor`
    neighbor: wp.array[int]  # vertices that move the points carried by each vertex, itself included
    spread: wp.array[float]  # Σ |w| of each point, [point]
    offset: wp.array[wp.vec3]  # of the smooth skin from Σ w x (skin.py), 0 of others [point, m]
    # Vertices of rigid bodies, four each; none where both are alike. They move along arcs.
    rigid_first: int
    rigid_end: int
    bend: wp.array[wp.vec3]  # angle of the step of each [rad], [rigid body]


@wp.func
def point_position(v: int, x: wp.array[wp.vec3], embedding: Embedding):
    """Position of embedded point v [m], from the positions of its corners."""
    begin = (v - embedding.first) * embedding.width
    base = x[embedding.corners[begin]]
    position = base
    for k in range(begin + 1, begin + embedding.width):
        position += embedding.weights[k] * (x[embedding.corners[k]] - base)
    return position + embedding.offset[v - embedding.first]


@wp.func
def is_within(i: int, first: int, last: int):
    """1 for `first` ≤ i < `last`, else 0."""
    return wp.where(i >= first and i < last, 1.0, 0.0)


@wp.func
def is_rigid(begin: int, embedding: Embedding):
    """Return whether the corners from `begin` on are those of a rigid body."""
    corner = embedding.corners[begin]
    return corner >= embedding.rigid_first and corner < embedding.rigid_end


@wp.func
def is_rigid_point(v: int, embedding: Embedding):
    """Return whether embedded point v is on a rigid body."""
    return is_rigid((v - embedding.first) * embedding.width, embedding)


@wp.func
def rigid_step(
    begin: int,
    moving: wp.vec2i,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    embedding: Embedding,
):
    """Return the straight step [m] of a point of a rigid body, 0 unless it is among the vertices
    from moving[0] to moving[1].
    """
    step = wp.vec3(0.0)
    corner = embedding.corners[begin]
    if corner >= moving[0] and corner < moving[1]:
        for k in range(4):
            step += embedding.weights[begin + k] * (candidate[corner + k] - x[corner + k])
    return step


@wp.func
def body_of_point(v: int, embedding: Embedding):
    """Return the number of the rigid body of a point."""
    corner = embedding.corners[(v - embedding.first) * embedding.width]
    return (corner - embedding.rigid_first) / 4


@wp.func
def arc_inwards(v: int, x: wp.array[wp.vec3], embedding: Embedding):
    """Return −ρ θ² e₁ [m] of the arc of a point of a rigid body, from the four points of this: x of
    one without pairs lags behind.
    """
    body = body_of_point(v, embedding)
    i = embedding.rigid_first + 4 * body
    begin = (v - embedding.first) * embedding.width
    arm = wp.vec3(0.0)
    for k in range(1, 4):
        arm += (embedding.weights[begin + k] - 0.25) * (x[i + k] - x[i])
    angle = embedding.bend[body]
    return wp.cross(angle, wp.cross(angle, arm))


@wp.func
def bulge_along(v: int, direction: wp.vec3, x: wp.array[wp.vec3], embedding: Embedding):
    """Return how much more of its step than t of it a point of a rigid body may take along a
    direction [m], over t, where the step ends after a fraction t of its arc.

    An arc of the angle θ at the distance ρ, p(t) = ρ (cos tθ e₁ + sin tθ e₂), deviates from the
    fraction t of its chord by at most ½ t (1 − t) ρ θ² along e₁, and not the other way up to θ = 1,
    and by at most t ρ θ³/6 along e₂ (kernels/rigid/steps.py).
    """
    inwards = arc_inwards(v, x, embedding)
    angle = wp.length(embedding.bend[body_of_point(v, embedding)])
    return wp.max(-0.5 * wp.dot(direction, inwards), 0.0) + angle * wp.length(inwards) / 6.0


@dataclass(frozen=True)
class SurfaceFunctions:
    """Functions for the motion of the surface with the vertices."""

    carried_range: wp.Function
    carried: wp.Function
    share: wp.Function
    position: wp.Function
    weight: wp.Function
    weight_of_range: wp.Function
    displacement_along: wp.Function
    largest_displacement: wp.Function
    farthest: wp.Function


@cache
def surface_functions(width: int) -> SurfaceFunctions:
    """Return the `SurfaceFunctions` of scenes whose embedded points have `width` corners; 0 for
    scenes without embedded points, where they are compiled to nothing.
    The corners of a point in a range, rarely more than one, are found at once as a bit mask.
    """
    embedded = width > 0
    corners_within = within(width) if embedded else None

    @wp.func
    def carried_range(i: int, embedding: Embedding):
        """Begin and end, in the list `carried`, of the surface vertices that move with vertex i."""
        begin = int(i)
        end = i + 1
        if wp.static(embedded):
            begin = embedding.start[i]
            end = embedding.start[i + 1]
        return begin, end

    @wp.func
    def carried(k: int, embedding: Embedding):
        """Surface vertex at position k in the list of those that move with vertices."""
        s = int(k)
        if wp.static(embedded):
            s = embedding.carried[k]
        return s

    @wp.func
    def share(k: int, embedding: Embedding):
        """∂x_s/∂x_i of the surface vertex at position k by the vertex i that carries it."""
        w = float(1.0)
        if wp.static(embedded):
            w = embedding.share[k]
        return w

    @wp.func
    def position(v: int, x: wp.array[wp.vec3], embedding: Embedding):
        """Position of surface vertex v [m], embedded or not."""
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
                begin = (v - embedding.first) * wp.static(width)
                left = corners_within(begin, i, i + 1, embedding.corners)
                while left != 0:
                    w_i += embedding.weights[begin + lowest_bit(left)]
                    left &= left - 1
        return w_i

    @wp.func
    def weight_of_range(moving: wp.vec2i, v: int, embedding: Embedding):
        """Σ |∂x_v/∂x_i| over the vertices i from moving[0] to moving[1]."""
        total = is_within(v, moving[0], moving[1])
        if wp.static(embedded):
            if v >= embedding.first:
                begin = (v - embedding.first) * wp.static(width)
                total = float(0.0)
                left = corners_within(begin, moving[0], moving[1], embedding.corners)
                while left != 0:
                    total += wp.abs(embedding.weights[begin + lowest_bit(left)])
                    left &= left - 1
        return total

    @wp.func
    def displacement_along(
        v: int,
        direction: wp.vec3,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
    ):
        """Upper bound of the displacement of surface vertex v along a direction [m], for any
        fractions of the steps from x to `candidate` of the vertices from moving[0] to moving[1], or
        one fraction of those of a rigid body. Steps of corners the other way count as zero.
        """
        path = float(0.0)
        j = int(v)
        if wp.static(embedded):
            if v >= embedding.first:
                j = -1
                begin = (v - embedding.first) * wp.static(width)
                left = corners_within(begin, moving[0], moving[1], embedding.corners)
                if left != 0 and is_rigid(begin, embedding):
                    step = rigid_step(begin, moving, x, candidate, embedding)
                    rounding = PARALLEL * wp.length(step)
                    path = wp.dot(direction, step) - rounding
                    return wp.max(path + bulge_along(v, direction, x, embedding), 0.0)
                while left != 0:
                    c = begin + lowest_bit(left)
                    k = embedding.corners[c]
                    along = wp.dot(direction, candidate[k] - x[k])
                    path += wp.max(embedding.weights[c] * along, 0.0)
                    left &= left - 1
        if j >= moving[0] and j < moving[1]:
            path = wp.max(wp.dot(direction, candidate[j] - x[j]), 0.0)
        return path

    @wp.func
    def largest_displacement(
        v: int,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
    ):
        """Upper bound of the displacement of surface vertex v in any direction [m]."""
        path = float(0.0)
        j = int(v)
        if wp.static(embedded):
            if v >= embedding.first:
                j = -1
                begin = (v - embedding.first) * wp.static(width)
                left = corners_within(begin, moving[0], moving[1], embedding.corners)
                if left != 0 and is_rigid(begin, embedding):
                    inwards = arc_inwards(v, x, embedding)
                    straight = rigid_step(begin, moving, x, candidate, embedding)
                    return wp.length(straight) + 0.125 * wp.length(inwards)
                while left != 0:
                    c = begin + lowest_bit(left)
                    k = embedding.corners[c]
                    path += wp.abs(embedding.weights[c]) * wp.length(candidate[k] - x[k])
                    left &= left - 1
        if j >= moving[0] and j < moving[1]:
            path = wp.length(candidate[j] - x[j])
        return path

    @wp.func
    def farthest(i: int, x: wp.array[wp.vec3], start: wp.array[wp.vec3], embedding: Embedding):
        """Largest distance from `start` [m] of the vertices that move the points carried by i."""
        most = wp.length_sq(x[i] - start[i])
        if wp.static(embedded):
            for k in range(embedding.first_neighbor[i], embedding.first_neighbor[i + 1]):
                j = embedding.neighbor[k]
                most = wp.max(most, wp.length_sq(x[j] - start[j]))
        return wp.sqrt(most)

    return SurfaceFunctions(
        *(carried_range, carried, share, position, weight, weight_of_range),
        *(displacement_along, largest_displacement, farthest),
    )


@wp.func
def spread_of(s: int, embedding: Embedding):
    """Upper bound of the displacement of surface vertex s over that of the vertices it follows."""
    total = float(1.0)
    if s >= embedding.first:
        total = embedding.spread[s - embedding.first]
    return total
