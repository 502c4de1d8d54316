# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of rods: E = ½ k (l − l̄)².

f_i = k (l − l̄) n,  H = k (n nᵀ + |1 − l̄/l| (I − n nᵀ)),  n = d/l     (VBD 2024, §3.3)

The exact transverse stiffness of a compressed spring is negative. Its magnitude replaces it, not
zero: without transverse stiffness a sideways step is unbounded, and diverges when over-relaxed. In
the matrix of the coarse correction, tension counts across a spring, and compression does not.
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import exact, mat31

wp.set_module_options(OPTIONS)

mat11 = wp.types.matrix(shape=(1, 1), dtype=float)
vec1 = wp.types.vector(length=1, dtype=float)


@wp.struct
class SpringRecord:
    """One spring seen from one of its ends."""

    a: int
    stiffness: float  # [N/m]


@wp.struct
class Spring:
    """One spring."""

    corners: wp.vec2i
    stiffness: float  # [N/m]
    record: int  # one of its records


@wp.struct
class ExactSpring:
    """One spring in float64."""

    corners: wp.vec2i
    rest: wp.float64  # l̄ [m]
    stiffness: wp.float64  # [N/m]


@wp.func
def spring_force_hessian(
    spring: SpringRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite; `rest` holds l̄."""
    d = x[spring.a] - x_i
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    length = wp.length(d)
    if length > 0.0:
        n = d / length
        sideways = spring.stiffness * wp.abs(1.0 - rest[q] / length)
        force = spring.stiffness * (length - rest[q]) * n
        hessian = wp.outer((spring.stiffness - sideways) * n, n) + wp.mat33(
            sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways
        )
    return force, hessian


@wp.func
def spring_moved_rest(
    spring: SpringRecord, undamped: float, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """l̄ moved by the blend towards the current length."""
    return wp.lerp(undamped, wp.length(x[spring.a] - x_i), blend)


@wp.func
def along(d: mat31):
    return wp.vec3(d[0, 0], d[1, 0], d[2, 0])


@wp.func
def spring_gradient(spring: Spring, x: wp.array[wp.vec3]):
    """Vector from the first end to the second [m]."""
    return wp.matrix_from_cols(x[spring.corners[1]] - x[spring.corners[0]])


@wp.func
def spring_weight(spring: Spring, c: int):
    """Derivative of that vector by a corner."""
    return vec1(float(2 * c - 1))


@wp.func
def spring_stress(spring: Spring, rest: wp.array[float], d: mat31):
    """k (1 − l̄/l) d [N]."""
    length = wp.length(along(d))
    stress = mat31()
    if length > 0.0:
        stress = (spring.stiffness * (1.0 - rest[spring.record] / length)) * d
    return stress


@wp.func
def tension(spring: Spring, rest: wp.array[float], d: mat31):
    """1 − l̄/l where the spring is stretched."""
    length = wp.length(along(d))
    strain = float(0.0)
    if length > 0.0:
        strain = wp.max(1.0 - rest[spring.record] / length, 0.0)
    return strain


@wp.func
def spring_square(spring: Spring, rest: wp.array[float], d: mat31, m: int):
    """Stiffness along the spring [N/m] without its tension, and n."""
    n = mat31()
    length = wp.length(along(d))
    if length > 0.0:
        n = d / length
    return spring.stiffness * (1.0 - tension(spring, rest, d)), n


@wp.func
def spring_spread(spring: Spring, rest: wp.array[float], d: mat31):
    """The tension over the length [N/m]."""
    return mat11(spring.stiffness * tension(spring, rest, d))


@wp.func
def spring_energy(spring: ExactSpring, x: wp.array[wp.vec3]):
    """E [J]; a spring is never inside out."""
    gap = wp.length(exact(x[spring.corners[1]]) - exact(x[spring.corners[0]])) - spring.rest
    return wp.float64(0.5) * spring.stiffness * gap * gap, wp.float64(1.0)
