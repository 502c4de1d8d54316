# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids with a moving rest shape: stable neo-Hookean, plastic (flow.py) or viscous.

Let the rest shape be given by a symmetric matrix A and a number α. Then

    ψ = μ/2 tr(F A Fᵀ) + λ/2 (J − α)²
    P = μ F A + λ (J − α) cof F
    H_i = V₀ (μ (g·A g) I + λ w wᵀ),  w = cof(F) g

exactly, and positive definite for every F, as with A = I and α = 1 + μ/λ (neo_hookean.py), without
the term that opens crushed solids (crushed.py). The seven numbers of A and α are the rest value:
xx, yy, zz, yz, xz, xy, α.

Viscosity is relaxed in the shape Fᵗ at the start of the step:

    A = c adj(FᵗᵀFᵗ),  α = Jᵗ (1 + c μ/λ),  μ = κ μ_L,  λ = κ (λ_L + μ_L),  κ = k_d/h

Then P = 0 at Fᵗ, the minimum of ψ: F A = c Jᵗ cof F there. ψ is invariant under rotation, so free
fall and spin are not damped. At small strain the viscosities are k_d μ_L and k_d λ_L. There is no
division by Jᵗ, which may be zero or negative. c is 1 until |A| = LARGE, and then limits |A| to it:
a body that is stretched far recovers.

Plasticity has F = F_e F_p (Lee 1969), det F_p = 1, and A = C_p⁻¹ = (F_pᵀ F_p)⁻¹: the energy depends
on F_p only through A. Volume always recovers.

An unstressed shape F₀ (det F₀ = J₀) of a cell has the energy V J₀ ψ(F F₀⁻¹). It is ψ of above with

    A = s² (F₀ᵀF₀)⁻¹,  α = J₀ (1 + μ/λ),  μ and λ times s and 1/J₀,  s = J₀^(1/3)

s is the swelling; A has the determinant 1, so it flows like that of plasticity.

The elastic logarithmic strain e = ½ log(J^(−2/3) F A Fᵀ) flows (Simo 1992). At constant F it keeps
its axes and shrinks, and then A = J^(2/3) F⁻¹ exp(2e) F⁻ᵀ. Its measure is √(2/3) |e| (von Mises),
which is e for a bar stretched by e without change of volume.
"""

from typing import Any

import warp as wp

from ..device.lane_functions import root
from ..device.lanes import add, cross, div, dot, largest, mul  # noqa: F401 (operators)
from ..device.options import OPTIONS
from .linear_algebra import cofactor, six_of, symmetric, vec6, vec6d

wp.set_module_options(OPTIONS)

# Twice the largest logarithmic strain at rest: a rest stretch of at most four.
FARTHEST = wp.constant(2.0 * 1.3862943611)
# Upper bound of |A| of viscosity; at rest |A| is √3.
LARGE = wp.constant(9.0)
# F is well conditioned for its inverse between these volumes.
SMALLEST, LARGEST = wp.constant(0.1), wp.constant(10.0)


@wp.func
def plastic_force_hessian(
    mu: float, lam: float, f: wp.mat33, a: wp.mat33, alpha: float, g: wp.vec3
):
    """-V₀ P g [N] and H_i [N/m]; mu and lam are times the rest volume [J]."""
    along = a * g
    w = cofactor(f) * g
    force = -mu * (f * along) - (lam * (wp.determinant(f) - alpha)) * w
    diagonal = mu * wp.dot(g, along)
    hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
    return force, hessian + wp.outer(lam * w, w)


@wp.func
def plastic_stress(mu: float, lam: float, f: wp.mat33, a: wp.mat33, alpha: float):
    """V₀ P [J]."""
    return mu * (f * a) + (lam * (wp.determinant(f) - alpha)) * cofactor(f)


@wp.func
def plastic_spread(mu: float, a: wp.mat33):
    """V₀ μ (A − I) [J], in addition to `shear`."""
    return mu * (a - wp.mat33(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


@wp.func
def largest_eigenvalue_bound(c: wp.mat33):
    """Upper bound of the eigenvalues of a symmetric matrix, by their mean and spread."""
    mean = (c[0, 0] + c[1, 1] + c[2, 2]) / 3.0
    d = c - wp.mat33(mean, 0.0, 0.0, 0.0, mean, 0.0, 0.0, 0.0, mean)
    return mean + wp.sqrt(wp.ddot(d, d) * (2.0 / 3.0))


@wp.func
def softest(a: wp.mat33):
    """Lower bound of the eigenvalues of A, whose inverse is cof A over its determinant."""
    return wp.max(wp.determinant(a), 0.0) / (largest_eigenvalue_bound(cofactor(a)) + 1.0e-30)


@wp.func
def relaxed_at(f_x: Any, f_y: Any, f_z: Any, ratio: Any):
    """A and α of viscosity that is relaxed at F, given by columns; `ratio` is μ/λ."""
    n_x = cross(f_y, f_z)
    n_y = cross(f_z, f_x)
    n_z = cross(f_x, f_y)
    xx = dot(n_x, n_x)
    yy = dot(n_y, n_y)
    zz = dot(n_z, n_z)
    yz = dot(n_y, n_z)
    xz = dot(n_x, n_z)
    xy = dot(n_x, n_y)
    size = root(xx * xx + yy * yy + zz * zz + 2.0 * (yz * yz + xz * xz + xy * xy))
    c = LARGE / largest(LARGE, size)
    alpha = dot(f_x, n_x) * (1.0 + c * ratio)
    return c * xx, c * yy, c * zz, c * yz, c * xz, c * xy, alpha


@wp.func
def plastic_energy(
    mu: wp.float64, lam: wp.float64, f: wp.mat33d, a: vec6d, jacobian: wp.float64, s: wp.float64
):
    """V₀ ψ [J], zero at rest, with the swelling s."""
    c = wp.transpose(f) * f
    two = wp.float64(2.0)
    stretch = c[0, 0] * a[0] + c[1, 1] * a[1] + c[2, 2] * a[2] - wp.float64(3.0) * s * s
    stretch += two * (c[1, 2] * a[3] + c[0, 2] * a[4] + c[0, 1] * a[5])
    volume = jacobian - s * s * s
    return (lam * volume * volume + mu * stretch) / two - (mu / s) * volume


@wp.func
def exponential(axes: wp.mat33, logarithms: wp.vec3):
    """The symmetric matrix with these axes and the exponentials as eigenvalues."""
    scaled = wp.mat33(0.0)
    for m in range(3):
        size = wp.exp(logarithms[m])
        for i in range(3):
            scaled[i, m] = axes[i, m] * size
    return scaled * wp.transpose(axes)


@wp.func
def logarithms_of(eigenvalues: wp.vec3):
    """Logarithms of eigenvalues minus their mean: those of the matrix scaled to determinant 1."""
    l_1 = wp.log(wp.max(eigenvalues[0], 1.0e-12))
    l_2 = wp.log(wp.max(eigenvalues[1], 1.0e-12))
    l_3 = wp.log(wp.max(eigenvalues[2], 1.0e-12))
    mean = (l_1 + l_2 + l_3) / 3.0
    return wp.vec3(l_1 - mean, l_2 - mean, l_3 - mean)


@wp.func
def within_reach(a: wp.mat33):
    """A, with its logarithm scaled down to the largest rest strain."""
    axes, values = wp.eig3(a)
    logarithms = logarithms_of(values)
    most = wp.max(wp.abs(logarithms))
    return exponential(axes, (FARTHEST / wp.max(most, FARTHEST)) * logarithms)


@wp.func
def is_certain(f: wp.mat33):
    """Return whether F is neither nearly flat nor inverted, so that it may flow."""
    jacobian = wp.determinant(f)
    return jacobian > SMALLEST and jacobian < LARGEST


@wp.func
def solid_flowed(f: wp.mat33, rest: vec6, limit: float, share: float):
    """The six numbers of A after flow at F."""
    moved = rest
    if is_certain(f):
        jacobian = wp.determinant(f)
        size = wp.pow(jacobian, 2.0 / 3.0)
        axes, values = wp.eig3((f * symmetric(rest) * wp.transpose(f)) / size)
        twice = logarithms_of(values)
        strain = wp.sqrt(2.0 / 3.0) * wp.length(0.5 * twice)
        if strain > limit:
            fraction = 1.0 - share * (1.0 - limit / strain)
            inverse = wp.inverse(f)
            a = size * (inverse * exponential(axes, fraction * twice) * wp.transpose(inverse))
            moved = six_of(within_reach(a))
    return moved
