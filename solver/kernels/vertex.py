# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of vertex block descent: one 3 × 3 Newton step per vertex (VBD 2024, §3.1-3.2).

G(x) = 1/(2h²) |x − y|²_M + E(x),   H_i Δx_i = −∂G/∂x_i,   H_i = ∂²G/∂x_i²
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from .attachments import Attachments, attachments_force_hessian
from .contact import ContactLaw, Contacts, contacts_force_hessian
from .continua import continua_force_hessian
from .guess import Pieces, rigidly_moved
from .hinges import hinges_force_hessian
from .records import Elements
from .springs import springs_force_hessian
from .stable_triangles import stable_triangles_force_hessian
from .tets import tets_force_hessian
from .triangles import triangles_force_hessian
from .viscosity import viscous_tets_force_hessian

wp.set_module_options({"enable_backward": False})

# Smallest pivot as a part of the trace: about what float32 leaves of a sum of that size.
PIVOT = wp.constant(1.0e-6)

# Relative spacing of float32 numbers.
FLOAT32 = wp.constant(1.2e-7)
# A step is halved at most this often: to a thousandth.
HALVINGS = wp.constant(10)


# Bits of the kinds of terms that an objective may have.
TETS = wp.constant(1)
CONTINUA = wp.constant(2)
VISCOUS = wp.constant(4)
TRIANGLES = wp.constant(8)
STABLE_TRIANGLES = wp.constant(16)
HINGES = wp.constant(32)
SPRINGS = wp.constant(64)
ATTACHMENTS = wp.constant(128)
CONTACTS = wp.constant(256)


@wp.struct
class Objective:
    """All that G needs besides x."""

    inertia: wp.array[float]  # m/h² [N/m], shape [vertex]; zero when quasistatic
    load: wp.array[wp.vec3]  # external force [N]; gravity when quasistatic, else it is in y
    inertial: wp.array[wp.vec3]  # y = xᵗ + h vᵗ + h² a [m]
    x_start: wp.array[wp.vec3]  # xᵗ [m]
    elements: Elements
    attachments: Attachments
    contacts: Contacts
    law: ContactLaw


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
    slopes: wp.Kernel


@cache
def vertex_kernels(parts: int) -> VertexKernels:
    """The kernels for an objective with these `parts`.

    Each combination is compiled by itself: what a scene does not have costs neither registers nor
    compile time. With everything in one kernel a plain soft body takes half as long again.
    """

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], objective: Objective):
        """-∂G/∂x_i [N], ∂²G/∂x_i² [N/m] and the number of contacts that touch vertex i."""
        x_i = x[i]
        inertia = objective.inertia[i]
        force = objective.load[i] + inertia * (objective.inertial[i] - x_i)
        hessian = wp.mat33(inertia, 0.0, 0.0, 0.0, inertia, 0.0, 0.0, 0.0, inertia)
        if wp.static(bool(parts & TETS)):
            f, h = tets_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & CONTINUA)):
            f, h = continua_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & VISCOUS)):
            f, h = viscous_tets_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & TRIANGLES)):
            f, h = triangles_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & STABLE_TRIANGLES)):
            f, h = stable_triangles_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & HINGES)):
            f, h = hinges_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & SPRINGS)):
            f, h = springs_force_hessian(i, x, objective.elements)
            force += f
            hessian += h
        if wp.static(bool(parts & ATTACHMENTS)):
            f, h = attachments_force_hessian(i, x, objective.attachments)
            force += f
            hessian += h
        touching = int(0)
        if wp.static(bool(parts & CONTACTS)):
            f, h, touching = contacts_force_hessian(
                i, x_i, objective.x_start[i], objective.contacts, objective.law
            )
            force += f
            hessian += h
        return force, hessian, touching

    @wp.func
    def vertex_step(i: int, x: wp.array[wp.vec3], objective: Objective, relaxation: float):
        """The step [m] of vertex i, the force [N] that asks for it, and whether contacts touch it.

        Along one vertex the energy of tets is exactly quadratic, so over-relaxation below 2
        descends; the one-sided energy of contact is not, so a touching vertex takes the plain step.
        A step that would not be finite is returned as it is, also where an infinite block would
        hide it.
        """
        force, hessian, touching = force_hessian(i, x, objective)
        step = wp.vec3(0.0)
        # A sleeping duplicate has neither mass nor elements.
        if wp.trace(hessian) != 0.0:
            step = solve_positive_definite(hessian, force)
        if not wp.isfinite(wp.trace(hessian)):
            step = force * wp.inf
        if touching == 0:
            step *= relaxation
        return step, force, touching

    @wp.kernel(module="unique")
    def solve_vertices(
        first: int,
        objective: Objective,
        relaxation: wp.array[float],
        # out
        x: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
    ):
        """Move each vertex of a range of one color by its own Newton step."""
        i = first + wp.tid()
        step, _force, touching = vertex_step(i, x, objective, relaxation[i])
        moved = x[i] + step
        if wp.isfinite(moved):
            x[i] = moved
        else:
            rejected[i] = rejected[i] + 1
        if touching > 0:
            touched[i] = 1

    @wp.kernel(module="unique")
    def search_vertices(
        first: int,
        objective: Objective,
        relaxation: wp.array[float],
        # out
        x: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
    ):
        """The same with a backtracking line search on the slope of G along the step.

        A step is halved until the slope where it ends rises no more than it fell at the start. The
        slope keeps digits that the difference of two energies loses in float32.
        """
        i = first + wp.tid()
        start = x[i]
        step, force, touching = vertex_step(i, x, objective, relaxation[i])
        if wp.isfinite(start + step):
            descent = wp.dot(force, step)
            # Not a range of constant length: that would be unrolled, ten times all the forces.
            halvings = int(0)
            while halvings < HALVINGS:
                x[i] = start + step
                there, _hessian, _touching = force_hessian(i, x, objective)
                if wp.dot(there, step) >= -descent:
                    break
                step *= 0.5
                descent *= 0.5
                halvings += 1
            x[i] = start + step
        else:
            rejected[i] = rejected[i] + 1
        if touching > 0:
            touched[i] = 1

    @wp.kernel(module="unique")
    def residual_force(
        x: wp.array[wp.vec3],
        objective: Objective,
        # out
        size: wp.array[float],
        rounding: wp.array[float],
        touching: wp.array[int],
    ):
        """|∂G/∂x_i| [N] of every free vertex, the force that rounding may make, and contacts."""
        i = wp.tid()
        force, hessian, contacts = force_hessian(i, x, objective)
        size[i] = wp.length(force)
        rounding[i] = FLOAT32 * wp.length(x[i]) * wp.trace(hessian)
        touching[i] = contacts

    @wp.kernel(module="unique")
    def guess_slopes(
        first: int,
        x: wp.array[wp.vec3],
        acceleration: wp.array[wp.vec3],
        gravity: wp.vec3,
        h: float,
        objective: Objective,
        pieces: Pieces,
        # out
        slope: wp.array[wp.vec2],
    ):
        """−∂G/∂x_i · (x_g − x_r) [J] at x_r and at the guess x_g; see guess.py."""
        i = first + wp.tid()
        rigid = rigidly_moved(objective.x_start[i], pieces.of[i], pieces)
        back = x[i] - rigid
        ahead = objective.inertial[i] - rigid + (h * h) * (acceleration[i] - gravity)
        force, _hessian, _touching = force_hessian(i, x, objective)
        slope[i] = wp.vec2(objective.inertia[i] * wp.dot(ahead, back), wp.dot(force, back))

    return VertexKernels(solve_vertices, search_vertices, residual_force, guess_slopes)
