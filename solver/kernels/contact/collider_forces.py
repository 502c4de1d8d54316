# SPDX-License-Identifier: GPL-3.0-or-later
"""What analytic colliders do to a vertex by all of the surface that moves with it."""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..lattice.embedding import surface_functions
from .analytic_colliders import CAUTION, ContactModel, collider_force_hessian
from .feasibility.collider_bounds import KEPT, fraction_in_front
from .law import extend_active_set


@dataclass(frozen=True)
class ColliderForces:
    """What analytic colliders do to a vertex, and the fraction of a step they let it take."""

    force_hessian: wp.Function
    fraction: wp.Function


@cache
def collider_forces(width: int) -> ColliderForces:
    """The `ColliderForces` of scenes whose embedded points, on which they act, have so many
    corners, or 0.
    """
    surface, embedded = surface_functions(width), width > 0

    @wp.func
    def colliders_force_hessian(
        i: int,
        x: wp.array[wp.vec3],
        step: wp.vec3,
        x_start: wp.array[wp.vec3],
        model: ContactModel,
    ):
        """As `collider_force_hessian`, of all of the surface that moves with vertex i."""
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        touching = int(0)
        active_set = int(0)
        margin = float(wp.inf)
        gone = float(0.0)
        begin, end = surface.carried_range(i, model.embedding)
        if wp.static(embedded):
            gone = surface.farthest(i, x, x_start, model.embedding)
            far = CAUTION * model.clearance[i] - gone
            if far > wp.length(step):
                return force, hessian, touching, active_set, far
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if wp.static(embedded):
                far = CAUTION * model.clearance[s] - gone
                if far > wp.length(step):
                    margin = wp.min(margin, far)
                    continue
            weight = surface.share(slot, model.embedding)
            begun = surface.position(s, x_start, model.embedding)
            now = surface.position(s, x, model.embedding)
            f, h, count, number, near = collider_force_hessian(s, now, weight * step, begun, model)
            force += weight * f
            hessian += (weight * weight) * h
            touching += count
            if count > 0:
                active_set = extend_active_set(extend_active_set(active_set, slot), number)
            margin = wp.min(margin, near)
        return force, hessian, touching, active_set, margin

    @wp.func
    def colliders_fraction(
        i: int,
        x: wp.array[wp.vec3],
        step: wp.vec3,
        x_start: wp.array[wp.vec3],
        model: ContactModel,
    ):
        """As `fraction_in_front`, when of what carries its surface vertex i alone moves."""
        fraction = float(1.0)
        needed = wp.length(step) / (CAUTION * KEPT)
        begin, end = surface.carried_range(i, model.embedding)
        if wp.static(embedded):
            needed += surface.farthest(i, x, x_start, model.embedding)
            if model.clearance[i] > needed:
                end = begin
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if wp.static(embedded):
                if model.clearance[s] > needed:
                    continue
            weight = surface.share(slot, model.embedding)
            now = surface.position(s, x, model.embedding)
            fraction = wp.min(fraction, fraction_in_front(s, now, weight * step, model))
        return fraction

    return ColliderForces(colliders_force_hessian, colliders_fraction)
