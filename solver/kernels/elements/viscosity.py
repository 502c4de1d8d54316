# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscosity of tets: a potential of the change of C = FᵀF since the start of the step.

    E = κ V₀ μ_L/4 |C − Cᵗ|²,  κ = k_d/h
    f_i = −κ μ_L V₀ F (C − Cᵗ) g,  H_i = κ μ_L V₀ (|g|² FFᵀ + Fg (Fg)ᵀ + |gᵀ(C − Cᵗ)g| I)

C does not change under rigid motion, so free fall and spin are not damped; isotropic, the shear
viscosity at small strain is k_d μ_L. The volume part is folded into the tets (damping.py).

E measures strain by C, which grows with the square of the stretch: a body stretched far would be
held as if it were a solid. So κ falls with |Cᵗ|⁻² beyond |Cᵗ| = LARGE, as it does for a viscosity
of the spatial strain rate. κ is constant during a step, so E stays a potential.
"""

import warp as wp

from ..options import QUICK
from .continua import deformation_gradient
from .records import Elements, ViscousRecord, vec6

wp.set_module_options(QUICK)

# |C| of a stretch by 3 along one axis; at rest it is √3.
LARGE = wp.constant(9.0)


@wp.func
def right_cauchy_green(f: wp.mat33):
    """C = FᵀF as (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂)."""
    c = wp.transpose(f) * f
    return vec6(c[0, 0], c[1, 1], c[2, 2], c[1, 2], c[0, 2], c[0, 1])


@wp.func
def viscous_force_hessian(
    tet: ViscousRecord, before: vec6, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite."""
    f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
    fg = f * g
    large = wp.max(1.0, wp.length(before) / LARGE)
    viscosity = tet.viscosity / (large * large)
    c = right_cauchy_green(f) - before
    change = wp.vec3(
        c[0] * g[0] + c[5] * g[1] + c[4] * g[2],
        c[5] * g[0] + c[1] * g[1] + c[3] * g[2],
        c[4] * g[0] + c[3] * g[1] + c[2] * g[2],
    )
    # Without this part a body that is stretched far takes steps twice too long, and explodes.
    sideways = viscosity * wp.abs(wp.dot(g, change))
    force = -viscosity * (f * change)
    hessian = (
        (viscosity * wp.dot(g, g)) * (f * wp.transpose(f))
        + wp.outer(viscosity * fg, fg)
        + wp.mat33(sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways)
    )
    return force, hessian


@wp.func
def viscous_tets_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of the viscosity of all tets of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(elements.viscous_start[i], elements.viscous_start[i + 1]):
        tet = elements.viscous[q]
        f, h = viscous_force_hessian(
            tet, elements.viscous_rest[q], x[tet.a] - x_i, x[tet.b] - x_i, x[tet.c] - x_i
        )
        force += f
        hessian += h
    return force, hessian
