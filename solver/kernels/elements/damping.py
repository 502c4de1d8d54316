# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping as a rest state that follows: every element is damped in its own internal variable.

With q the internal variable (volume, strain, angle, length), stiffness k and damping time k_d the
damped energy of a step of length h is

    ½ k (q − q̄)² + ½ k (k_d/h) (q − qᵗ)² = ½ k (1 + κ) (q − [(1 − β) q̄ + β qᵗ])² + const,

κ = k_d/h, β = κ/(1 + κ). So damping needs no term of its own: the stiffness is raised once and the
rest value is moved at the start of every step. q is blind to rigid motion, hence free fall and spin
are never damped, and the forces of an element add up to zero. The shear of tets alone has a
potential of its own (viscosity.py), which only has to be told C = FᵀF.
"""

import warp as wp

from ..options import QUICK
from .continua import deformation_gradient
from .hinges import angle_gap, hinge_angle_gradient
from .records import Elements
from .tets import opposite_area
from .triangles import deformation_columns, green_strain
from .viscosity import right_cauchy_green

wp.set_module_options(QUICK)


@wp.struct
class Damping:
    """Undamped rest values and the share β of the current value, per record of each kind."""

    tet_rest: wp.array[float]
    tet_share: wp.array[float]
    triangle_share: wp.array[float]
    hinge_rest: wp.array[float]
    hinge_share: wp.array[float]
    spring_rest: wp.array[float]
    spring_share: wp.array[float]


@wp.kernel
def move_rest_values(
    first: int,
    x: wp.array[wp.vec3],
    damping: Damping,
    # in and out
    elements: Elements,
):
    """Set the rest values of a vertex's records for this step. One thread per vertex."""
    i = first + wp.tid()
    x_i = x[i]
    for q in range(elements.tet_start[i], elements.tet_start[i + 1]):
        tet = elements.tets[q]
        d_a = x[tet.a] - x_i
        volume = -wp.dot(opposite_area(d_a, x[tet.b] - x_i, x[tet.c] - x_i), d_a)
        elements.tet_rest[q] = wp.lerp(damping.tet_rest[q], volume, damping.tet_share[q])
    for q in range(elements.triangle_start[i], elements.triangle_start[i + 1]):
        triangle = elements.triangles[q]
        f_1, f_2 = deformation_columns(
            triangle.gradient_a, triangle.gradient_b, x[triangle.a] - x_i, x[triangle.b] - x_i
        )
        elements.triangle_rest[q] = damping.triangle_share[q] * green_strain(f_1, f_2)
    for q in range(elements.viscous_start[i], elements.viscous_start[i + 1]):
        body = elements.viscous[q]
        f = deformation_gradient(
            body.gradient_a,
            body.gradient_b,
            body.gradient_c,
            x[body.a] - x_i,
            x[body.b] - x_i,
            x[body.c] - x_i,
        )
        elements.viscous_rest[q] = right_cauchy_green(f)
    for q in range(elements.hinge_start[i], elements.hinge_start[i + 1]):
        hinge = elements.hinges[q]
        theta, _gradient = hinge_angle_gradient(
            hinge, x[hinge.a] - x_i, x[hinge.b] - x_i, x[hinge.c] - x_i
        )
        rest = damping.hinge_rest[q]
        elements.hinge_rest[q] = rest + damping.hinge_share[q] * angle_gap(theta, rest)
    for q in range(elements.spring_start[i], elements.spring_start[i + 1]):
        length = wp.length(x[elements.springs[q].a] - x_i)
        elements.spring_rest[q] = wp.lerp(damping.spring_rest[q], length, damping.spring_share[q])
