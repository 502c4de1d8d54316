# SPDX-License-Identifier: GPL-3.0-or-later
"""Step of a vertex that may be in contact, and the contact force on it."""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..descent.newton_step import solve_positive_definite
from ..device.teams import ALONE, Team
from .analytic_colliders import ContactModel
from .collider_forces import collider_forces
from .law import extend_active_set
from .pair_forces import Contacts, pair_forces

# The active contacts of a step are updated at most this many times.
PASSES = wp.constant(3)


@dataclass(frozen=True)
class ContactsAtVertex:
    """The functions of one combination of contacts."""

    force_hessian: wp.Function
    step: wp.Function


@cache
def contacts_at_vertex(
    pairs: bool, colliders: bool, width: int, in_lanes: bool = False, team: Team = ALONE
) -> ContactsAtVertex:
    """Return the `ContactsAtVertex` of scenes with or without `pairs` and analytic `colliders`,
    whose embedded points have `width` corners; 0 without embedded points. Lanes of a `team` share
    the pairs.
    """
    of_colliders = collider_forces(width)
    pairs_force_hessian = pair_forces(width, in_lanes and width == 0, team)

    @wp.func
    def contact_force_hessian(
        i: int,
        x: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        color: wp.vec2i,
        offset: wp.vec3,
        step: wp.vec3,
        contacts: Contacts,
        model: ContactModel,
    ):
        """Return the force [N], Hessian block [N/m] and number of the contacts that touch vertex i
        after `step` [m], at x, their active set (`extend_active_set`), and the distance [m] that
        the vertex may move without changing that set.

        `offset` [m]: displacement of the vertex since its embedded points were updated.
        """
        touching = int(0)
        active_set = int(0)
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        margin = float(wp.inf)
        if wp.static(colliders):
            if team.lane() == 0:
                f, h, count, active_set, margin = of_colliders.force_hessian(
                    i, x, step, x_start, model
                )
                force += f
                hessian += h
                touching += count
        if wp.static(pairs):
            f, h, count, others, to_contact = pairs_force_hessian(
                i, x, offset, step, color, contacts, model.embedding, model.law
            )
            force += f
            hessian += h
            touching += count
            active_set = extend_active_set(active_set, others)
            margin = wp.min(margin, to_contact)
        touching = team.count(touching)
        active_set = team.hash(active_set)
        return team.total(force), team.total(hessian), touching, active_set, team.least(margin)

    @wp.func
    def contact_step(
        i: int,
        x: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        color: wp.vec2i,
        contacts: Contacts,
        model: ContactModel,
        free_step: wp.vec3,
        free_force: wp.vec3,
        free_hessian: wp.mat33,
    ):
        """Return the step [m], force [N] and number of contacts of vertex i, from those without
        contacts.

        Contacts act on one side only: the step is solved again with the contacts at its end until
        these no longer change. Otherwise a vertex at rest right at the contact distance would fall
        in and be pushed out alternately.
        """
        step = wp.vec3(0.0)
        force = free_force
        touching = int(0)
        active_before = int(0)
        passes = int(0)
        while passes <= PASSES:
            f, h, count, active_set, margin = contact_force_hessian(
                i, x, x_start, color, wp.vec3(0.0), step, contacts, model
            )
            if passes > 0 and active_set == active_before:
                break
            active_before = active_set
            touching = wp.max(touching, count)
            if passes == 0 and count == 0:
                step = free_step
            else:
                step = solve_positive_definite(free_hessian + h, free_force + f)
            passes += 1
            if passes == 1:
                force = free_force + f
                if wp.length_sq(step) < margin * margin:
                    break
        return step, force, touching

    return ContactsAtVertex(contact_force_hessian, contact_step)
