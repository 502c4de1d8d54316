# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending: discrete shells over the dihedral angle θ of two triangles that share an edge e.

    E = ½ k (θ − θ̄)²,   k = (D/3) 3|e|²/(A₁ + A₂)      (Grinspun et al. 2003)

D is the flexural rigidity [N m]; the weight does not change when the mesh is refined. The Hessian
is the Gauss-Newton part k ∇θ ∇θᵀ. The edge runs from p to q, triangle 1 is (p, q, r) and triangle 2
(q, p, s); θ is zero when flat and positive when the normals open away from each other.
"""

from typing import Any

import warp as wp

from ..device.lane_functions import six, total
from ..device.lanes import add, dot, floats, gathered, in_all_lanes, mul, square, sub, vec6s, wide  # noqa: F401 (operators)
from ..device.options import OPTIONS
from .corner_vectors import CornersInLanes
from .dihedral_angles import angle_gap, bend, bend_at_corner, slope_on_line
from .linear_algebra import column, exact, vec6

wp.set_module_options(OPTIONS)


@wp.struct
class HingeRecord:
    """Two triangles that share an edge, seen from one of their four vertices.

    A vertex on the edge (wing = 0) sees its edge partner a and the wings b, c.
    A wing (wing = 1) sees the edge a, b and the other wing c.
    """

    a: int
    b: int
    c: int
    wing: float
    stiffness: float  # k 3|e|²/(A₁ + A₂) [N m]


HingeRecords = wide(HingeRecord)


@wp.struct
class Hinge:
    """One hinge (p, q, r, s)."""

    corners: wp.vec4i
    stiffness: float  # [N m]
    record: int  # one of its records


Hinges = wide(Hinge)


@wp.struct
class ExactHinge:
    """One hinge in float64."""

    corners: wp.vec4i
    rest: wp.float64  # θ̄ [rad]
    stiffness: wp.float64  # [N m]


@wp.func
def hinge_force_hessian(
    hinge: HingeRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and the Gauss-Newton part of ∂²E/∂x_i² [N/m]; `rest` holds θ̄."""
    theta, gradient = bend_at_corner(hinge, x[hinge.a] - x_i, x[hinge.b] - x_i, x[hinge.c] - x_i)
    gap = angle_gap(theta, rest[q])
    return (-hinge.stiffness * gap) * gradient, square(hinge.stiffness, gradient)


@wp.func
def hinges_force_hessian(
    hinge: HingeRecords, q: int, rest: wp.array[floats], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and its Gauss-Newton block [N/m] for eight hinges of a vertex, in lanes."""
    p = in_all_lanes(x_i)
    theta, gradient = bend_at_corner(
        hinge,
        gathered(x, hinge.a) - p,
        gathered(x, hinge.b) - p,
        gathered(x, hinge.c) - p,
    )
    gap = angle_gap(theta, rest[q])
    return -total((hinge.stiffness * gap) * gradient), total(square(hinge.stiffness, gradient))


@wp.func
def hinge_moved_rest(hinge: Any, undamped: Any, blend: Any, x_i: Any, x: wp.array[wp.vec3]):
    """θ̄ moved by the blend towards the current angle."""
    theta, _gradient = bend_at_corner(
        hinge,
        gathered(x, hinge.a) - x_i,
        gathered(x, hinge.b) - x_i,
        gathered(x, hinge.c) - x_i,
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
    """Derivatives of the columns of the gradient by a corner."""
    weight = wp.vec3(-1.0)
    if c > 0:
        weight = wp.vec3(0.0)
        weight[c - 1] = 1.0
    return weight


@wp.func
def angle_of(g: wp.mat33):
    """θ [rad]."""
    theta, _m_1, _m_2, _along = bend(column(g, 0), column(g, 1), column(g, 2))
    return theta


@wp.func
def angle_change(g: wp.mat33):
    """∂θ/∂(q, r, s) [1/m]."""
    e = column(g, 0)
    r = column(g, 1)
    s = column(g, 2)
    _theta, m_1, m_2, along = bend(e, r, s)
    return wp.matrix_from_cols(dot(r, e) * m_1 + dot(s, e) * m_2, -along * m_1, -along * m_2)


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
    """`total` and coefficients 1, a … a⁵ of ∂E/∂a [J] along g + a d."""
    c_0, c_1, c_2 = slope_on_line(
        hinge.stiffness,
        rest[hinge.record],
        column(g, 0),
        column(g, 1),
        column(g, 2),
        column(d, 0),
        column(d, 1),
        column(d, 2),
    )
    return total + vec6(c_0, c_1, c_2, 0.0, 0.0, 0.0)


@wp.func
def hinges_slope(
    hinge: Hinges,
    rest: wp.array[float],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    total: vec6s,
):
    """`hinge_slope` of eight hinges in lanes at x, along `direction`."""
    v = hinge.corners
    p = gathered(x, v[0])
    d_p = gathered(direction, v[0])
    c_0, c_1, c_2 = slope_on_line(
        hinge.stiffness,
        gathered(rest, hinge.record),
        gathered(x, v[1]) - p,
        gathered(x, v[2]) - p,
        gathered(x, v[3]) - p,
        gathered(direction, v[1]) - d_p,
        gathered(direction, v[2]) - d_p,
        gathered(direction, v[3]) - d_p,
    )
    none = c_0 - c_0
    return total + six(c_0, c_1, c_2, none, none, none)


@wp.func
def hinges_forces(hinge: Hinges, rest: wp.array[float], x: wp.array[wp.vec3]):
    """Forces [N] of eight hinges in lanes on q, r and s."""
    v = hinge.corners
    p = gathered(x, v[0])
    e = gathered(x, v[1]) - p
    r = gathered(x, v[2]) - p
    s = gathered(x, v[3]) - p
    theta, m_1, m_2, along = bend(e, r, s)
    push = hinge.stiffness * angle_gap(theta, gathered(rest, hinge.record))
    forces = CornersInLanes()
    forces.first = (-1.0 * push) * (dot(r, e) * m_1 + dot(s, e) * m_2)
    forces.second = (push * along) * m_1
    forces.third = (push * along) * m_2
    return forces


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
