# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and matrices of elements in addition to those of Warp."""

from typing import Any

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

vec6 = wp.types.vector(length=6, dtype=float)
vec6d = wp.types.vector(length=6, dtype=wp.float64)
vec7 = wp.types.vector(length=7, dtype=float)
vec18 = wp.types.vector(length=18, dtype=float)
vec18d = wp.types.vector(length=18, dtype=wp.float64)
vec20 = wp.types.vector(length=20, dtype=float)
mat31 = wp.types.matrix(shape=(3, 1), dtype=float)
mat32 = wp.types.matrix(shape=(3, 2), dtype=float)
mat34 = wp.types.matrix(shape=(3, 4), dtype=float)
vec5i = wp.types.vector(length=5, dtype=int)


@wp.func
def column(f: wp.mat33, m: int):
    return wp.vec3(f[0, m], f[1, m], f[2, m])


@wp.func
def cofactor(f: wp.mat33):
    """cof F = ∂J/∂F."""
    f_1 = wp.vec3(f[0, 0], f[1, 0], f[2, 0])
    f_2 = wp.vec3(f[0, 1], f[1, 1], f[2, 1])
    f_3 = wp.vec3(f[0, 2], f[1, 2], f[2, 2])
    return wp.matrix_from_cols(wp.cross(f_2, f_3), wp.cross(f_3, f_1), wp.cross(f_1, f_2))


@wp.func
def rotation_by_svd(f: wp.mat33):
    """The proper rotation R that maximises tr(RᵀF), for every F."""
    u, _sigma, v = wp.svd3(f)
    r = u * wp.transpose(v)
    if wp.determinant(r) < 0.0:
        # Mirrored: turn round the direction of the smallest singular value, the last one.
        last = wp.vec3(u[0, 2], u[1, 2], u[2, 2])
        axis = wp.vec3(v[0, 2], v[1, 2], v[2, 2])
        r -= 2.0 * wp.outer(last, axis)
    return r


# A divisor of R below this fraction of |F|³ has lost its digits.
CERTAIN = wp.constant(0.1)


@wp.func
def nearest_rotation(f: wp.mat33):
    """The proper rotation R that maximises tr(RᵀF), by s = max tr(RᵀF) and R = ∂s/∂F (Lin et al.
    2022) where that is well conditioned.

    With I = |F|² and C = FᵀF, s is the largest root of (s² − I)² − 8 J s − 2 (I² − |C|²).
    """
    c = wp.transpose(f) * f
    square = wp.ddot(f, f)
    jacobian = wp.determinant(f)
    constant = 2.0 * (square * square - wp.ddot(c, c))
    # Newton from the upper bound √(3 I), where the polynomial is convex: down to the root.
    s = wp.sqrt(3.0 * square)
    for _step in range(8):
        gap = s * s - square
        slope = 4.0 * s * gap - 8.0 * jacobian
        if slope > 0.0:
            s -= (gap * gap - 8.0 * jacobian * s - constant) / slope
    divisor = s * (s * s - square) - 2.0 * jacobian
    r = wp.mat33(0.0)
    # The divisor is 2 (σ₁ + σ₂)(σ₂ + σ₃)(σ₃ + σ₁): small where R is not unique, for flat tets.
    if divisor > CERTAIN * square * wp.sqrt(square):
        r = ((s * s + square) * f + (2.0 * s) * cofactor(f) - 2.0 * (f * c)) / divisor
    else:
        r = rotation_by_svd(f)
    return r


@wp.func
def stretch_bound(f: wp.mat33):
    """σ ≥ σ_max(F), by the mean and the spread of the eigenvalues of C = FᵀF.

    The largest of three numbers with mean m and variance v is at most m + √(2v), with equality
    where the other two are equal.
    """
    c = wp.transpose(f) * f
    mean = (c[0, 0] + c[1, 1] + c[2, 2]) / 3.0
    d = c - wp.mat33(mean, 0.0, 0.0, 0.0, mean, 0.0, 0.0, 0.0, mean)
    return wp.sqrt(mean + wp.sqrt(wp.ddot(d, d) * (2.0 / 3.0)))


@wp.func
def exact(p: wp.vec3):
    return wp.vec3d(wp.float64(p[0]), wp.float64(p[1]), wp.float64(p[2]))


@wp.func
def six_of(a: wp.mat33):
    """The entries 11, 22, 33, 23, 13, 12 of a symmetric matrix."""
    return vec6(a[0, 0], a[1, 1], a[2, 2], a[1, 2], a[0, 2], a[0, 1])


@wp.func
def symmetric(a: Any):
    """The symmetric matrix with the first six numbers of `a`."""
    return wp.mat33(a[0], a[5], a[4], a[5], a[1], a[3], a[4], a[3], a[2])


@wp.func
def exact_six(a: vec6):
    """The six numbers in float64."""
    b = vec6d()
    for k in range(6):
        b[k] = wp.float64(a[k])
    return b


@wp.func
def exact_eighteen(a: vec18):
    b = vec18d()
    for k in range(18):
        b[k] = wp.float64(a[k])
    return b
