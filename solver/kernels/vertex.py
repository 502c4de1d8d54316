# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of vertex block descent: one 3 × 3 Newton step per vertex (VBD 2024, §3.1-3.2).

G(x) = 1/(2h²) |x − y|²_M + E(x),   H_i Δx_i = −∂G/∂x_i,   H_i = ∂²G/∂x_i²
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from .attachments import Attachments, attachments_force_hessian
from .contact.bounds import Bounds, bounds_force_hessian, keep_in_front
from .contact.embedded_bounds import embedded_bounds_force_hessian, embedded_part_in_front
from .contact.embedded_contact import embedded_contacts_after, embedded_contacts_force_hessian
from .contact.law import ContactLaw, Contacts, contacts_after, contacts_force_hessian
from .elements.table import elements_force_hessian, elements_struct
from .embedding import Embedding
from .options import HOT, QUICK

# Smallest pivot as a part of the trace: about what float32 leaves of a sum of that size.
PIVOT = wp.constant(1.0e-6)

# Relative spacing of float32 numbers.
FLOAT32 = wp.constant(1.2e-7)
# A step is halved at most this often: to a thousandth.
HALVINGS = wp.constant(10)
# The contacts of a step are looked for at most this often.
PASSES = wp.constant(3)


# Bits of what acts on vertices besides their elements.
ATTACHMENTS = wp.constant(1)
CONTACTS = wp.constant(2)
BOUNDS = wp.constant(4)
EMBEDDED = wp.constant(8)


@wp.struct
class Objective:
    """All that G needs besides x and the elements."""

    inertia: wp.array[float]  # m/h² [N/m], shape [vertex]; zero when quasistatic
    load: wp.array[wp.vec3]  # external force [N]; gravity when quasistatic, else it is in y
    inertial: wp.array[wp.vec3]  # y = xᵗ + h vᵗ + h² a [m]
    x_start: wp.array[wp.vec3]  # xᵗ [m]
    attachments: Attachments
    contacts: Contacts
    bounds: Bounds
    law: ContactLaw
    embedding: Embedding


@wp.func
def solve_positive_definite(h: wp.mat33, f: wp.vec3):
    """H⁻¹ f for a symmetric H by LDLᵀ.

    A pivot lost to rounding is lifted to PIVOT times the trace: the step gets shorter along that
    direction and still descends. The bound is relative, so light and small meshes never freeze.
    """
    least = PIVOT * (h[0, 0] + h[1, 1] + h[2, 2])
    d_0 = wp.max(h[0, 0], least)
    l_10 = h[1, 0] / d_0
    l_20 = h[2, 0] / d_0
    d_1 = wp.max(h[1, 1] - l_10 * h[1, 0], least)
    l_21 = (h[2, 1] - l_20 * h[1, 0]) / d_1
    d_2 = wp.max(h[2, 2] - l_20 * h[2, 0] - l_21 * l_21 * d_1, least)
    z_1 = f[1] - l_10 * f[0]
    z_2 = f[2] - l_20 * f[0] - l_21 * z_1
    x_2 = z_2 / d_2
    x_1 = z_1 / d_1 - l_21 * x_2
    return wp.vec3(f[0] / d_0 - l_10 * x_1 - l_20 * x_2, x_1, x_2)


@dataclass(frozen=True)
class VertexKernels:
    """The kernels of one combination of terms."""

    solve: wp.Kernel
    search: wp.Kernel
    residual: wp.Kernel


@cache
def vertex_kernels(kinds: tuple, parts: int) -> VertexKernels:
    """The kernels for elements of some kinds (`ElementKind`) and an objective with these `parts`.

    Each combination is compiled by itself: what a scene does not have costs neither registers nor
    compile time. With everything in one kernel a plain soft body takes half as long again.
    """
    Elements, add_elements = elements_struct(kinds), elements_force_hessian(kinds)

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], objective: Objective, elements: Elements):
        """-∂G/∂x_i [N] and ∂²G/∂x_i² [N/m] of vertex i, without contacts."""
        x_i = x[i]
        inertia = objective.inertia[i]
        force = objective.load[i] + inertia * (objective.inertial[i] - x_i)
        hessian = wp.mat33(inertia, 0.0, 0.0, 0.0, inertia, 0.0, 0.0, 0.0, inertia)
        force, hessian = add_elements(i, x, elements, force, hessian)
        if wp.static(bool(parts & ATTACHMENTS)):
            f, h = attachments_force_hessian(i, x, objective.attachments)
            force += f
            hessian += h
        return force, hessian

    @wp.func
    def touch_force_hessian(
        i: int, x: wp.array[wp.vec3], color: wp.vec2i, objective: Objective, step: wp.vec3
    ):
        """Force [N], Hessian block [N/m] and number of the contacts that touch vertex i after
        `step` [m], at x, a number that tells which contacts they are, and how far the vertex may
        go [m] without changing that.
        """
        touching = int(0)
        which = int(0)
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        margin = float(wp.inf)
        if wp.static(bool(parts & BOUNDS)):
            if wp.static(bool(parts & EMBEDDED)):
                margin = float(0.0)
                f, h, count, which = embedded_bounds_force_hessian(
                    i,
                    x,
                    step,
                    objective.x_start,
                    objective.bounds,
                    objective.embedding,
                    objective.law,
                )
            else:
                f, h, count, which, margin = bounds_force_hessian(
                    i, x[i], step, objective.x_start[i], objective.bounds, objective.law
                )
            force += f
            hessian += h
            touching += count
        if wp.static(bool(parts & CONTACTS)):
            if wp.static(bool(parts & EMBEDDED)):
                margin = float(0.0)
                f, h, count, others = embedded_contacts_force_hessian(
                    i,
                    x,
                    step,
                    color,
                    objective.contacts,
                    objective.embedding,
                    objective.law,
                )
            else:
                f, h, count, others, to_contact = contacts_force_hessian(
                    i, x, step, color, objective.contacts, objective.law
                )
                margin = wp.min(margin, to_contact)
            force += f
            hessian += h
            touching += count
            which = 31 * which + others
        return force, hessian, touching, which, margin

    @wp.func
    def touching_after(i: int, x: wp.array[wp.vec3], objective: Objective, step: wp.vec3):
        """A number that tells which contacts touch vertex i after `step` [m]."""
        which = int(0)
        if wp.static(bool(parts & BOUNDS)):
            if wp.static(bool(parts & EMBEDDED)):
                _f, _h, _count, which = embedded_bounds_force_hessian(
                    i,
                    x,
                    step,
                    objective.x_start,
                    objective.bounds,
                    objective.embedding,
                    objective.law,
                )
            else:
                _f, _h, _count, which, _margin = bounds_force_hessian(
                    i, x[i], step, objective.x_start[i], objective.bounds, objective.law
                )
        if wp.static(bool(parts & CONTACTS)):
            if wp.static(bool(parts & EMBEDDED)):
                others = embedded_contacts_after(i, step, objective.contacts, objective.embedding)
            else:
                others = contacts_after(i, step, objective.contacts)
            which = 31 * which + others
        return which

    @wp.func
    def step_with_contacts(
        i: int,
        x: wp.array[wp.vec3],
        color: wp.vec2i,
        objective: Objective,
        free_step: wp.vec3,
        free_force: wp.vec3,
        free_hessian: wp.mat33,
    ):
        """The step [m], force [N] and number of contacts of vertex i, from those without contacts.

        Contacts act on one side only: the step is sought again with those that touch where it ends
        until these are the same. A vertex at rest right at the contact distance would else fall in
        and be pushed out in turn.
        """
        f, h, touching, which, margin = touch_force_hessian(i, x, color, objective, wp.vec3(0.0))
        force = free_force + f
        step = free_step
        if touching > 0:
            step = solve_positive_definite(free_hessian + h, force)
        passes = int(0)
        if wp.length_sq(step) < margin * margin:
            passes = int(PASSES)
        while passes < PASSES:
            if touching_after(i, x, objective, step) == which:
                break
            f, h, count, which, margin = touch_force_hessian(i, x, color, objective, step)
            touching = wp.max(touching, count)
            step = solve_positive_definite(free_hessian + h, free_force + f)
            passes += 1
        return step, force, touching

    @wp.func
    def vertex_step(
        i: int,
        x: wp.array[wp.vec3],
        color: wp.vec2i,
        objective: Objective,
        elements: Elements,
        relaxation: float,
    ):
        """The step [m] of vertex i, the force [N] that asks for it, and whether contacts touch it.

        Along one vertex the energy of tets is exactly quadratic, so over-relaxation below 2
        descends; the one-sided energy of contact is not, so a touching vertex takes the plain step.
        A step that would not be finite is returned as it is, also where an infinite block would
        hide it.
        """
        force, hessian = force_hessian(i, x, objective, elements)
        step = wp.vec3(0.0)
        # A sleeping duplicate has neither mass nor elements.
        if wp.trace(hessian) != 0.0:
            step = solve_positive_definite(hessian, force)
        touching = int(0)
        if wp.static(bool(parts & (BOUNDS | CONTACTS))):
            step, force, touching = step_with_contacts(i, x, color, objective, step, force, hessian)
        if not wp.isfinite(wp.trace(hessian)):
            step = force * wp.inf
        if touching == 0:
            step *= relaxation
        if wp.static(bool(parts & BOUNDS)):
            if wp.static(bool(parts & EMBEDDED)):
                step *= embedded_part_in_front(i, x, step, objective.bounds, objective.embedding)
            else:
                step = keep_in_front(i, x[i], step, objective.bounds)
        return step, force, touching

    @wp.kernel(module="unique", module_options=HOT)
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

        `moved` is x itself, or the places to be truncated first.
        """
        i = first + wp.tid()
        start = x[i]
        step, _force, touching = vertex_step(i, x, color, objective, elements, relaxation[i])
        if wp.isfinite(start + step):
            moved[i] = start + step
        else:
            moved[i] = start
            rejected[i] = rejected[i] + 1
        if touching > 0:
            touched[i] = 1

    @wp.kernel(module="unique", module_options=HOT)
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
        """The same with a backtracking line search on the slope of G along the step.

        A step is halved until the slope where it ends rises no more than it fell at the start. The
        slope keeps digits that the difference of two energies loses in float32.
        """
        i = first + wp.tid()
        start = x[i]
        step, force, touching = vertex_step(i, x, color, objective, elements, relaxation[i])
        if wp.isfinite(start + step):
            descent = wp.dot(force, step)
            # Not a range of constant length: that would be unrolled, ten times all the forces.
            halvings = int(0)
            while halvings < HALVINGS:
                x[i] = start + step
                there, _hessian = force_hessian(i, x, objective, elements)
                if wp.static(bool(parts & (BOUNDS | CONTACTS))):
                    f, _h, _touching, _which, _margin = touch_force_hessian(
                        i, x, color, objective, wp.vec3(0.0)
                    )
                    there += f
                if wp.dot(there, step) >= -descent:
                    break
                step *= 0.5
                descent *= 0.5
                halvings += 1
            x[i] = start
            moved[i] = start + step
        else:
            moved[i] = start
            rejected[i] = rejected[i] + 1
        if touching > 0:
            touched[i] = 1

    @wp.kernel(module="unique", module_options=QUICK)
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
        """−∂G/∂x_i [N] of free vertices from `first` on, the force that rounding may make [N], and
        their contacts.
        """
        i = first + wp.tid()
        force, hessian = force_hessian(i, x, objective, elements)
        contacts = int(0)
        if wp.static(bool(parts & (BOUNDS | CONTACTS))):
            f, h, contacts, _which, _margin = touch_force_hessian(
                i, x, wp.vec2i(0, 0), objective, wp.vec3(0.0)
            )
            force += f
            hessian += h
        residual[i] = force
        rounding[i] = FLOAT32 * wp.length(x[i]) * wp.trace(hessian)
        touching[i] = contacts

    return VertexKernels(solve_vertices, search_vertices, residual_force)
