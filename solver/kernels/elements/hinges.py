# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending: discrete shells over the dihedral angle θ of two triangles that share an edge e.

    E = ½ k (θ − θ̄)²,   k = (D/3) 3|e|²/(A₁ + A₂)      (Grinspun et al. 2003)

D is the flexural rigidity [N m]; the weight does not change when the mesh is refined. The Hessian
is the Gauss-Newton part k ∇θ ∇θᵀ. The edge runs from p to q, triangle 1 is (p, q, r) and triangle 2
(q, p, s); θ is zero when flat and positive when the normals open away from each other.
"""

import warp as wp

from ..options import QUICK
from .records import Elements, HingeRecord

wp.set_module_options(QUICK)

# Twice a triangle's area below this part of its squared edge: no normal, so no bending force.
FLAT = wp.constant(1.0e-6)


@wp.func
def dihedral_angle(e: wp.vec3, r: wp.vec3, s: wp.vec3):
    """θ [rad]; e, r and s are q, r and s relative to p."""
    n_1 = wp.cross(e, r)
    n_2 = wp.cross(s, e)
    return wp.atan2(wp.dot(wp.cross(n_1, n_2), wp.normalize(e)), wp.dot(n_1, n_2))


@wp.func
def angle_gap(theta: float, rest: float):
    """θ − θ̄ [rad], taken the short way round."""
    gap = theta - rest
    if gap > wp.PI:
        gap -= 2.0 * wp.PI
    if gap < -wp.PI:
        gap += 2.0 * wp.PI
    return gap


@wp.func
def edge_end_gradient(e: wp.vec3, r: wp.vec3, s: wp.vec3):
    """∂θ/∂p [1/rad m] of the edge's first end p; zero where a triangle has no area."""
    n_1 = wp.cross(e, r)
    n_2 = wp.cross(s, e)
    length_sq = wp.dot(e, e)
    n_1_sq = wp.dot(n_1, n_1)
    n_2_sq = wp.dot(n_2, n_2)
    gradient = wp.vec3(0.0)
    flat = FLAT * FLAT * length_sq * length_sq
    if n_1_sq > flat and n_2_sq > flat:
        length = wp.sqrt(length_sq)
        gradient = -(
            (wp.dot(r - e, e) / (length * n_1_sq)) * n_1
            + (wp.dot(s - e, e) / (length * n_2_sq)) * n_2
        )
    return gradient


@wp.func
def wing_gradient(e: wp.vec3, r: wp.vec3):
    """∂θ/∂r [1/rad m] of a wing r; zero where its triangle has no area."""
    n = wp.cross(e, r)
    length_sq = wp.dot(e, e)
    n_sq = wp.dot(n, n)
    gradient = wp.vec3(0.0)
    if n_sq > FLAT * FLAT * length_sq * length_sq:
        gradient = -(wp.sqrt(length_sq) / n_sq) * n
    return gradient


@wp.func
def hinge_angle_gradient(hinge: HingeRecord, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """θ [rad] and its gradient for the vertex; d are the others relative to it."""
    theta = float(0.0)
    gradient = wp.vec3(0.0)
    if hinge.wing == 0:
        theta = dihedral_angle(d_a, d_b, d_c)
        gradient = edge_end_gradient(d_a, d_b, d_c)
    else:
        theta = dihedral_angle(d_b - d_a, -d_a, d_c - d_a)
        gradient = wing_gradient(d_b - d_a, -d_a)
    return theta, gradient


@wp.func
def hinge_force_hessian(hinge: HingeRecord, rest: float, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """-∂E/∂x_i [N] and the Gauss-Newton part of ∂²E/∂x_i² [N/m]."""
    theta, gradient = hinge_angle_gradient(hinge, d_a, d_b, d_c)
    push = hinge.stiffness * gradient
    return -angle_gap(theta, rest) * push, wp.outer(push, gradient)


@wp.func
def hinges_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of all hinges of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(elements.hinge_start[i], elements.hinge_start[i + 1]):
        hinge = elements.hinges[q]
        f, h = hinge_force_hessian(
            hinge, elements.hinge_rest[q], x[hinge.a] - x_i, x[hinge.b] - x_i, x[hinge.c] - x_i
        )
        force += f
        hessian += h
    return force, hessian
