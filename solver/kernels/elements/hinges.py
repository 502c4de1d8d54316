# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending: discrete shells over the dihedral angle θ of two triangles that share an edge e.

    E = ½ k (θ − θ̄)²,   k = (D/3) 3|e|²/(A₁ + A₂)      (Grinspun et al. 2003)

D is the flexural rigidity [N m]; the weight does not change when the mesh is refined. The Hessian
is the Gauss-Newton part k ∇θ ∇θᵀ. The edge runs from p to q, triangle 1 is (p, q, r) and triangle 2
(q, p, s); θ is zero when flat and positive when the normals open away from each other.
"""

import warp as wp

from ..options import QUICK
from .linear_algebra import column, exact, vec6

wp.set_module_options(QUICK)

# Twice a triangle's area below this part of its squared edge: no normal, so no bending force.
FLAT = wp.constant(1.0e-6)


@wp.struct
class HingeRecord:
    """Two triangles that share an edge, seen from one of their four vertices.

    A vertex on the edge (wing == 0) sees its edge partner a and the wings b, c.
    A wing (wing == 1) sees the edge a, b and the other wing c.
    """

    a: int
    b: int
    c: int
    wing: int
    stiffness: float  # k 3|e|²/(A₁ + A₂) [N m]


@wp.struct
class Hinge:
    """One hinge (p, q, r, s)."""

    corners: wp.vec4i
    stiffness: float  # [N m]
    record: int  # one of its records


@wp.struct
class ExactHinge:
    """One hinge in float64."""

    corners: wp.vec4i
    rest: wp.float64  # θ̄ [rad]
    stiffness: wp.float64  # [N m]


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
def hinge_force_hessian(
    hinge: HingeRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and the Gauss-Newton part of ∂²E/∂x_i² [N/m]; `rest` holds θ̄."""
    theta, gradient = hinge_angle_gradient(
        hinge, x[hinge.a] - x_i, x[hinge.b] - x_i, x[hinge.c] - x_i
    )
    push = hinge.stiffness * gradient
    return -angle_gap(theta, rest[q]) * push, wp.outer(push, gradient)


@wp.func
def hinge_moved_rest(
    hinge: HingeRecord, undamped: float, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """θ̄ on the way to the angle of now."""
    theta, _gradient = hinge_angle_gradient(
        hinge, x[hinge.a] - x_i, x[hinge.b] - x_i, x[hinge.c] - x_i
    )
    return undamped + blend * angle_gap(theta, undamped)


@wp.func
def hinge_gradient(hinge: Hinge, x: wp.array[wp.vec3]):
    """(q, r, s) relative to p."""
    v = hinge.corners
    base = x[v[0]]
    return wp.matrix_from_cols(x[v[1]] - base, x[v[2]] - base, x[v[3]] - base)


@wp.func
def hinge_weight(hinge: Hinge, c: int):
    """How the columns of the gradient change with a corner."""
    weight = wp.vec3(-1.0)
    if c > 0:
        weight = wp.vec3(0.0)
        weight[c - 1] = 1.0
    return weight


@wp.func
def angle_of(g: wp.mat33):
    """θ [rad]."""
    return dihedral_angle(column(g, 0), column(g, 1), column(g, 2))


@wp.func
def angle_change(g: wp.mat33):
    """∂θ/∂(q, r, s) [1/m]."""
    e = column(g, 0)
    r = column(g, 1)
    s = column(g, 2)
    of_p = edge_end_gradient(e, r, s)
    of_r = wing_gradient(e, r)
    of_s = wing_gradient(-e, s - e)
    return wp.matrix_from_cols(-(of_p + of_r + of_s), of_r, of_s)


@wp.func
def hinge_stress(hinge: Hinge, rest: wp.array[float], g: wp.mat33):
    """k (θ − θ̄) ∂θ/∂(q, r, s) [N]."""
    gap = angle_gap(angle_of(g), rest[hinge.record])
    return (hinge.stiffness * gap) * angle_change(g)


@wp.func
def hinge_square(hinge: Hinge, rest: wp.array[float], g: wp.mat33, m: int):
    """k [N m] and ∂θ/∂(q, r, s)."""
    return hinge.stiffness, angle_change(g)


@wp.func
def hinge_slope(hinge: Hinge, rest: wp.array[float], g: wp.mat33, d: wp.mat33, total: vec6):
    """`total` and coefficients 1, a … a⁵ of ∂E/∂a [J] along g + a d: a parabola through the slopes
    at 0 and 1, with k θ'² as its rise at 0.
    """
    angle = rest[hinge.record]
    here = wp.ddot(angle_change(g), d)
    begin = angle_gap(angle_of(g), angle) * here
    rise = here * here
    there = g + d
    gain = angle_gap(angle_of(there), angle) * wp.ddot(angle_change(there), d) - begin
    k = hinge.stiffness
    return total + vec6(k * begin, k * rise, k * (gain - rise), 0.0, 0.0, 0.0)


@wp.func
def hinge_energy(hinge: ExactHinge, x: wp.array[wp.vec3]):
    """E [J]; a hinge is never inside out."""
    v = hinge.corners
    p = exact(x[v[0]])
    e = exact(x[v[1]]) - p
    n_1 = wp.cross(e, exact(x[v[2]]) - p)
    n_2 = wp.cross(exact(x[v[3]]) - p, e)
    theta = wp.atan2(wp.dot(wp.cross(n_1, n_2), wp.normalize(e)), wp.dot(n_1, n_2))
    turn = wp.float64(2.0 * wp.PI)
    gap = theta - hinge.rest
    gap -= turn * wp.round(gap / turn)
    return wp.float64(0.5) * hinge.stiffness * gap * gap, wp.float64(1.0)
