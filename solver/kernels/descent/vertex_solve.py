# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of vertex block descent: one 3 × 3 Newton step per vertex (VBD 2024, §3.1-3.2).

G(x) = 1/(2h²) |x − y|²_M + E(x),   H_i Δx_i = −∂G/∂x_i,   H_i = ∂²G/∂x_i²
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..contact.analytic_colliders import ContactModel
from ..contact.at_vertex import contacts_at_vertex
from ..contact.collider_forces import collider_forces
from ..contact.pair_forces import Contacts
from ..device.options import OPTIONS
from ..device.teams import ALONE, Team
from ..elements.table import elements_force_hessian, elements_struct
from ..scene.attachments import Attachments, attachments_force_hessian
from .newton_step import solve_positive_definite

# Relative spacing of float32 numbers.
FLOAT32 = wp.constant(1.2e-7)
# A step is halved at most this often: to a thousandth.
HALVINGS = wp.constant(10)

# Bits of the terms of G besides inertia and elements.
ATTACHMENTS = wp.constant(1)
CONTACTS = wp.constant(2)
ANALYTIC = wp.constant(4)
# Embedded points with 4 corners, or with 8.
IN_TETS = wp.constant(8)
IN_CELLS = wp.constant(16)


@wp.struct
class Objective:
    """Data of G besides x and the elements."""

    inertia: wp.array[float]  # m/h² [N/m], shape [vertex]; zero when quasistatic
    load: wp.array[wp.vec3]  # external force [N]; gravity when quasistatic, else it is in y
    inertial: wp.array[wp.vec3]  # y = xᵗ + h vᵗ + h² a [m]
    x_start: wp.array[wp.vec3]  # xᵗ [m]
    attachments: Attachments
    contacts: Contacts
    contact_model: ContactModel


@dataclass(frozen=True)
class VertexKernels:
    """The kernels of one combination of terms, and functions of the first."""

    solve: wp.Kernel
    search: wp.Kernel
    residual: wp.Kernel
    vertex_step: wp.Function
    take_step: wp.Function


def embedded_width(terms):
    """Return the number of corners of embedded points; 0 without any."""
    return 8 if terms & IN_CELLS else 4 if terms & IN_TETS else 0


@cache
def vertex_kernels(
    kinds: tuple, terms: int, in_lanes: bool = False, team: Team = ALONE
) -> VertexKernels:
    """Return the kernels for elements of some kinds (`ElementKind`) and an objective with `terms`.
    With a team of several, only `solve` and its functions are of use: a vertex has as many threads.

    Each combination is compiled separately: terms that a scene lacks cost neither registers nor
    compile time. With all terms in one kernel a plain soft body takes half as long again.
    """
    Elements, add_elements = elements_struct(kinds), elements_force_hessian(kinds, in_lanes, team)
    width = embedded_width(terms)
    touches = bool(terms & CONTACTS), bool(terms & ANALYTIC)
    contact = contacts_at_vertex(*touches, width, in_lanes, team)
    colliders = collider_forces(width)

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], objective: Objective, elements: Elements):
        """Return -∂G/∂x_i [N] and ∂²G/∂x_i² [N/m] of vertex i, without contacts."""
        inertia = objective.inertia[i]
        force = objective.load[i] + inertia * (objective.inertial[i] - x[i])
        hessian = wp.mat33(inertia, 0.0, 0.0, 0.0, inertia, 0.0, 0.0, 0.0, inertia)
        if team.lane() != 0:
            force = wp.vec3(0.0)
            hessian = wp.mat33(0.0)
        force, hessian = add_elements(i, x, elements, force, hessian)
        if wp.static(bool(terms & ATTACHMENTS)):
            if team.lane() == 0:
                f, h = attachments_force_hessian(i, x, objective.attachments)
                force += f
                hessian += h
        return team.total(force), team.total(hessian)

    @wp.func
    def vertex_step(
        i: int,
        x: wp.array[wp.vec3],
        color: wp.vec2i,
        objective: Objective,
        elements: Elements,
        relaxation: float,
    ):
        """Return the step [m] of vertex i, the force [N] behind it, and the number of its contacts.

        Along one vertex the energy of tets is exactly quadratic, so over-relaxation below 2
        descends; the one-sided energy of contact is not, so a touching vertex takes the plain step.
        A step that is not finite is returned as such, also if an infinite Hessian block would hide
        it.
        """
        force, hessian = force_hessian(i, x, objective, elements)
        step = wp.vec3(0.0)
        # An inactive duplicate has neither mass nor elements.
        if wp.trace(hessian) != 0.0:
            step = solve_positive_definite(hessian, force)
        touching = int(0)
        if wp.static(bool(terms & (ANALYTIC | CONTACTS))):
            step, force, touching = contact.step(
                i,
                x,
                objective.x_start,
                color,
                objective.contacts,
                objective.contact_model,
                step,
                force,
                hessian,
            )
        if not wp.isfinite(wp.trace(hessian)):
            step = force * wp.inf
        if touching == 0:
            step *= relaxation
        if wp.static(bool(terms & ANALYTIC)):
            step *= colliders.fraction(i, x, step, objective.x_start, objective.contact_model)
        return step, force, touching

    @wp.func
    def take_step(
        i: int,
        start: wp.vec3,
        step: wp.vec3,
        touching: int,
        moved: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
    ):
        """Move vertex i from `start` by a step, which is rejected unless it is finite."""
        if wp.isfinite(start + step):
            moved[i] = start + step
        else:
            moved[i] = start
            rejected[i] = rejected[i] + 1
        if touching > 0:
            touched[i] = 1

    @wp.kernel(module="unique", module_options=OPTIONS)
    def solve_vertices(
        first: int,
        color: wp.vec2i,
        objective: Objective,
        elements: Elements,
        relaxation: wp.array[float],
        # out
        x: wp.array[wp.vec3],
        moved: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
    ):
        """Move each vertex of a range of one color by its own Newton step.

        `moved` is x itself, or the candidates to be truncated first.
        """
        thread = wp.tid()
        if not team.works(thread):
            return
        i = first + thread / wp.static(team.size)
        start = x[i]
        if wp.static(bool(terms & CONTACTS)):
            if objective.contact_model.state.asleep[i] != 0:
                if team.lane() == 0:
                    moved[i] = start
                return
        step, _force, touching = vertex_step(i, x, color, objective, elements, relaxation[i])
        if team.lane() == 0:
            take_step(i, start, step, touching, moved, touched, rejected)

    @wp.kernel(module="unique", module_options=OPTIONS)
    def search_vertices(
        first: int,
        color: wp.vec2i,
        objective: Objective,
        elements: Elements,
        relaxation: wp.array[float],
        # out
        x: wp.array[wp.vec3],
        moved: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
    ):
        """Move each vertex by its Newton step with a backtracking line search on the slope of G.

        A step is halved until the slope at its end is at most as steep uphill as it is downhill at
        the start. The slope keeps digits that a difference of energies loses in float32.
        """
        i = first + wp.tid()
        start = x[i]
        if wp.static(bool(terms & CONTACTS)):
            if objective.contact_model.state.asleep[i] != 0:
                moved[i] = start
                return
        step, force, touching = vertex_step(i, x, color, objective, elements, relaxation[i])
        if wp.isfinite(start + step):
            descent = wp.dot(force, step)
            # Not a range of constant length: that would be unrolled, ten times all the forces.
            halvings = int(0)
            while halvings < HALVINGS:
                x[i] = start + step
                end_force, _hessian = force_hessian(i, x, objective, elements)
                if wp.static(bool(terms & (ANALYTIC | CONTACTS))):
                    f, _h, _touching, _active_set, _margin = contact.force_hessian(
                        i,
                        x,
                        objective.x_start,
                        color,
                        step,
                        wp.vec3(0.0),
                        objective.contacts,
                        objective.contact_model,
                    )
                    end_force += f
                if wp.dot(end_force, step) >= -descent:
                    break
                step *= 0.5
                descent *= 0.5
                halvings += 1
            x[i] = start
        take_step(i, start, step, touching, moved, touched, rejected)

    @wp.kernel(module="unique", module_options=OPTIONS)
    def residual_force(
        first: int,
        x: wp.array[wp.vec3],
        objective: Objective,
        elements: Elements,
        # out
        residual: wp.array[wp.vec3],
        rounding: wp.array[float],
        touching: wp.array[int],
    ):
        """Find −∂G/∂x_i [N] of free vertices from `first` on, the possible rounding error of the
        force [N], and the number of their contacts.
        """
        i = first + wp.tid()
        force, hessian = force_hessian(i, x, objective, elements)
        contacts = int(0)
        if wp.static(bool(terms & (ANALYTIC | CONTACTS))):
            f, h, contacts, _active_set, _margin = contact.force_hessian(
                i,
                x,
                objective.x_start,
                wp.vec2i(0, 0),
                wp.vec3(0.0),
                wp.vec3(0.0),
                objective.contacts,
                objective.contact_model,
            )
            force += f
            hessian += h
        residual[i] = force
        rounding[i] = FLOAT32 * wp.length(x[i]) * wp.trace(hessian)
        touching[i] = contacts

    return VertexKernels(solve_vertices, search_vertices, residual_force, vertex_step, take_step)
