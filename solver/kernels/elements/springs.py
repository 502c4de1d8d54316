# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of rods: E = ½ k (l − l̄)².

f_i = k (l − l̄) n,  H = k (n nᵀ + |1 − l̄/l| (I − n nᵀ)),  n = d/l     (VBD 2024, §3.3)

A compressed spring pushes sideways: its exact stiffness there is negative. The magnitude stands in
for it, not zero: without any, a step sideways has no bound, and over-relaxed it runs away.
"""

import warp as wp

from ..options import QUICK
from .records import Elements, SpringRecord

wp.set_module_options(QUICK)


@wp.func
def spring_force_hessian(spring: SpringRecord, rest: float, d: wp.vec3):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite; d leads to the other end."""
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    length = wp.length(d)
    if length > 0.0:
        n = d / length
        sideways = spring.stiffness * wp.abs(1.0 - rest / length)
        force = spring.stiffness * (length - rest) * n
        hessian = wp.outer((spring.stiffness - sideways) * n, n) + wp.mat33(
            sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways
        )
    return force, hessian


@wp.func
def springs_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of all springs of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(elements.spring_start[i], elements.spring_start[i + 1]):
        spring = elements.springs[q]
        f, h = spring_force_hessian(spring, elements.spring_rest[q], x[spring.a] - x_i)
        force += f
        hessian += h
    return force, hessian
