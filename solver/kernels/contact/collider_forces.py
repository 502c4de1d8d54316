# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of analytic colliders on a vertex, through all of the surface that moves with it."""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..lattice.embedding import surface_functions
from .analytic_colliders import CLEARANCE_FACTOR, ContactModel, collider_force_hessian
from .feasibility.collider_bounds import SAFETY, fraction_in_front
from .law import extend_active_set


@dataclass(frozen=True)
class ColliderForces:
    """Functions of the forces of analytic colliders on a vertex, and of its allowed fraction."""

    force_hessian: wp.Function
    fraction: wp.Function


@cache
def collider_forces(width: int) -> ColliderForces:
    """Return the `ColliderForces` of scenes whose embedded points, on which colliders act, have
    `width` corners; 0 without embedded points.
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
        """Return `collider_force_hessian` of all of the surface that moves with vertex i."""
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        touching = int(0)
        active_set = int(0)
        margin = float(wp.inf)
        displacement = float(0.0)
        begin, end = surface.carried_range(i, model.embedding)
        if wp.static(embedded):
            displacement = surface.farthest(i, x, x_start, model.embedding)
            slack = CLEARANCE_FACTOR * model.clearance[i] - displacement
            if slack > wp.length(step):
                return force, hessian, touching, active_set, slack
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if wp.static(embedded):
                slack = CLEARANCE_FACTOR * model.clearance[s] - displacement
                if slack > wp.length(step):
                    margin = wp.min(margin, slack)
                    continue
            weight = surface.share(slot, model.embedding)
            at_start = surface.position(s, x_start, model.embedding)
            now = surface.position(s, x, model.embedding)
            f, h, count, number, near = collider_force_hessian(
                s, now, weight * step, at_start, model
            )
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
        """Return `fraction_in_front` of the surface of vertex i where no other vertex moves."""
        fraction = float(1.0)
        needed = wp.length(step) / (CLEARANCE_FACTOR * SAFETY)
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
