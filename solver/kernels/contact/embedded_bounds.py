# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of the world in scenes with embedded surfaces, whose points they act on; see bounds.py."""

import warp as wp

from ..embedding import Embedding, share_of, surface_place
from ..options import QUICK
from .bounds import BOWL, KEPT, Bounds, bounds_force_hessian, direction_and_distance, part_in_front
from .embedded_truncation import longest_way, way_along
from .law import ContactLaw

wp.set_module_options(QUICK)


@wp.func
def embedded_bounds_force_hessian(
    i: int,
    x: wp.array[wp.vec3],
    step: wp.vec3,
    x_start: wp.array[wp.vec3],
    bounds: Bounds,
    embedding: Embedding,
    law: ContactLaw,
):
    """As `bounds_force_hessian`, of all points that move with vertex i."""
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    touching = int(0)
    which = int(0)
    for place in range(embedding.start[i], embedding.start[i + 1]):
        s = embedding.places[place]
        share = share_of(i, s, embedding)
        begun = surface_place(s, x_start, embedding)
        now = surface_place(s, x, embedding)
        f, h, count, bits, _margin = bounds_force_hessian(s, now, share * step, begun, bounds, law)
        force += share * f
        hessian += (share * share) * h
        touching += count
        which = 31 * which + bits
    return force, hessian, touching, which


@wp.func
def embedded_part_in_front(
    i: int, x: wp.array[wp.vec3], step: wp.vec3, bounds: Bounds, embedding: Embedding
):
    """As `part_in_front`, when of the corners of its points vertex i alone moves."""
    part = float(1.0)
    for place in range(embedding.start[i], embedding.start[i + 1]):
        s = embedding.places[place]
        share = share_of(i, s, embedding)
        now = surface_place(s, x, embedding)
        part = wp.min(part, part_in_front(s, now, share * step, bounds))
    return part


@wp.kernel
def find_parts_in_front(
    embedding: Embedding,
    bounds: Bounds,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    # out
    part: wp.array[float],
):
    """The part of its step from x to `candidate` that each vertex may take when all move at once.

    Only embedded points ask for less than all.
    """
    i = wp.tid()
    moving = wp.vec2i(0, part.shape[0])
    least = float(1.0)
    for place in range(embedding.start[i], embedding.start[i + 1]):
        s = embedding.places[place]
        if s >= embedding.first:
            now = surface_place(s, x, embedding)
            for k in range(bounds.kind.shape[0]):
                near = direction_and_distance(bounds, k, now)
                if near[3] > 0.0 and near[3] < 1.0e30:
                    toward = -wp.vec3(near[0], near[1], near[2])
                    fall = way_along(s, toward, moving, x, candidate, embedding)
                    if bounds.kind[k] == BOWL:
                        fall = longest_way(s, moving, x, candidate, embedding)
                    if fall > KEPT * near[3]:
                        least = wp.min(least, KEPT * near[3] / fall)
    part[i] = least


@wp.kernel
def take_parts(
    x: wp.array[wp.vec3],
    part: wp.array[float],
    # out
    places: wp.array[wp.vec3],
):
    """Go back to the allowed part of the way from x to `places`."""
    i = wp.tid()
    if part[i] < 1.0:
        places[i] = wp.lerp(x[i], places[i], part[i])
