# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscosity of tets: a potential of the change of C = FᵀF since the start of the step.

    E = κ V₀ μ_L/4 |C − Cᵗ|²,  κ = k_d/h
    f_i = −κ μ_L V₀ F (C − Cᵗ) g,  H_i = κ μ_L V₀ (|g|² FFᵀ + Fg (Fg)ᵀ + |gᵀ(C − Cᵗ)g| I)

C does not change under rigid motion, so free fall and spin are not damped; isotropic, the shear
viscosity at small strain is k_d μ_L. The volume part is folded into the tets (table.py).

E measures strain by C, which grows with the square of the stretch: a body stretched far would be
held as if it were a solid. So κ falls with |Cᵗ|⁻² beyond |Cᵗ| = LARGE, as it does for a viscosity
of the spatial strain rate. κ is constant during a step, so E stays a potential. Along a line E is a
polynomial: C = FᵀF at F + a D is C + a C' + a² C''.
"""

import warp as wp

from ..options import QUICK
from .continua import deformation_gradient
from .linear_algebra import six_of, vec6
from .tets import corner_gradient, gradient_in_tet

wp.set_module_options(QUICK)

# |C| of a stretch by 3 along one axis; at rest it is √3.
LARGE = wp.constant(9.0)


@wp.struct
class ViscousRecord:
    """The viscosity of one tet, seen from one of its vertices."""

    a: int
    b: int
    c: int
    gradient_a: wp.vec3  # ∇N_a [1/m]
    gradient_b: wp.vec3
    gradient_c: wp.vec3
    viscosity: float  # κ μ_L V₀ [J]


@wp.struct
class ViscousTet:
    """The viscosity of one tet."""

    corners: wp.vec4i
    gradients: wp.mat33  # rows: ∇N [1/m] of corners 1, 2, 3
    viscosity: float  # κ μ_L V₀ [J]
    record: int


@wp.func
def right_cauchy_green(f: wp.mat33):
    """C = FᵀF as (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂)."""
    return six_of(wp.transpose(f) * f)


@wp.func
def softened(viscosity: float, before: vec6):
    """The viscosity [J] of a tet that began the step with C = `before`."""
    large = wp.max(1.0, wp.length(before) / LARGE)
    return viscosity / (large * large)


@wp.func
def viscous_force_hessian(
    tet: ViscousRecord, q: int, rest: wp.array[vec6], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite; `rest` holds Cᵗ."""
    before = rest[q]
    d_a = x[tet.a] - x_i
    d_b = x[tet.b] - x_i
    d_c = x[tet.c] - x_i
    f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
    fg = f * g
    viscosity = softened(tet.viscosity, before)
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
def viscous_moved_rest(
    tet: ViscousRecord, undamped: vec6, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """C at x."""
    d_a = x[tet.a] - x_i
    d_b = x[tet.b] - x_i
    d_c = x[tet.c] - x_i
    return right_cauchy_green(
        deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    )


@wp.func
def viscous_gradient(tet: ViscousTet, x: wp.array[wp.vec3]):
    """F."""
    return gradient_in_tet(tet.corners, tet.gradients, x)


@wp.func
def viscous_weight(tet: ViscousTet, c: int):
    """∇N [1/m] of a corner."""
    return corner_gradient(tet.gradients, c)


@wp.func
def viscous_stress(tet: ViscousTet, rest: wp.array[vec6], f: wp.mat33):
    """κ μ_L V₀ F (C − Cᵗ) [J]."""
    before = rest[tet.record]
    c = right_cauchy_green(f) - before
    change = wp.mat33(c[0], c[5], c[4], c[5], c[1], c[3], c[4], c[3], c[2])
    return softened(tet.viscosity, before) * (f * change)


@wp.func
def entry_of(m: int):
    """Entry of (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂) as its row and column."""
    row = m
    column = m
    if m == 3:
        row = 1
        column = 2
    if m == 4:
        row = 0
        column = 2
    if m == 5:
        row = 0
        column = 1
    return row, column


@wp.func
def viscous_square(tet: ViscousTet, rest: wp.array[vec6], f: wp.mat33, m: int):
    """Of the entry m of C: the viscosity [J], and ∂C/∂F, halved on the diagonal. What the stress
    adds to the Hessian is left out.
    """
    viscosity = softened(tet.viscosity, rest[tet.record])
    row, column = entry_of(m)
    change = wp.mat33(0.0)
    for i in range(3):
        change[i, row] = f[i, column]
        if row != column:
            change[i, column] = f[i, row]
    return wp.where(m < 3, 2.0 * viscosity, viscosity), change


@wp.func
def times(a: vec6, b: vec6):
    """A : B of symmetric matrices."""
    total = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return total + 2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@wp.func
def twice_symmetric_part(a: wp.mat33):
    """A + Aᵀ, its entries in the order of C."""
    return vec6(
        2.0 * a[0, 0],
        2.0 * a[1, 1],
        2.0 * a[2, 2],
        a[1, 2] + a[2, 1],
        a[0, 2] + a[2, 0],
        a[0, 1] + a[1, 0],
    )


@wp.func
def viscous_slope(tet: ViscousTet, rest: wp.array[vec6], f: wp.mat33, d: wp.mat33, total: vec6):
    """`total` and coefficients 1, a … a⁵ of ∂E/∂a [J] at F + a D."""
    before = rest[tet.record]
    half = 0.5 * softened(tet.viscosity, before)
    c_0 = right_cauchy_green(f) - before
    c_1 = twice_symmetric_part(wp.transpose(f) * d)
    c_2 = right_cauchy_green(d)
    return total + vec6(
        half * times(c_0, c_1),
        half * (times(c_1, c_1) + 2.0 * times(c_0, c_2)),
        half * 3.0 * times(c_1, c_2),
        half * 2.0 * times(c_2, c_2),
        0.0,
        0.0,
    )
