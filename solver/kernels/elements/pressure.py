# SPDX-License-Identifier: GPL-3.0-or-later
"""Pressure p of the air inside closed cloth: E = −p V, V = Σ x₀·(x₁ × x₂)/6 over its triangles.

Around a vertex of a closed surface the triangles (i, a, b) make ∂V/∂x_i = Σ x_a × x_b/6, which is
Σ (x_a − x_i) × (x_b − x_i)/6, which loses no digits far from the origin. So each corner has the
force p n/6, with n = e₁ × e₂ twice the area vector. Forces add up to zero over the surface, not
over a triangle. V is linear in every vertex: its block is zero.

For whole triangles, G = [e₁ e₂ x₀ + x₁ + x₂] and P = [0 0 −p n/6]; the sum of P : D over all
triangles is ∂E/∂α. `rest` holds p [Pa] of every enclosure, a connected surface.
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import column, exact, vec6

wp.set_module_options(OPTIONS)


@wp.struct
class PressureRecord:
    """One triangle seen from one of its vertices; a and b follow it around the triangle."""

    a: int
    b: int
    enclosure: int


@wp.struct
class PressedTriangle:
    """One triangle, counterclockwise seen from outside."""

    corners: wp.vec3i
    enclosure: int
    record: int


@wp.struct
class ExactPressedTriangle:
    """One triangle in float64."""

    corners: wp.vec3i
    pressure: wp.float64  # [Pa]
    volume: wp.float64  # at rest, of the tet to the origin [m³]


@wp.func
def pressure_force_hessian(
    triangle: PressureRecord,
    q: int,
    rest: wp.array[float],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
):
    """p n/6 [N], and no block."""
    n = wp.cross(x[triangle.a] - x_i, x[triangle.b] - x_i)
    return (rest[triangle.enclosure] / 6.0) * n, wp.mat33(0.0)


@wp.func
def pressure_moved_rest(
    triangle: PressureRecord,
    undamped: float,
    blend: float,
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
):
    """Pressure is not damped."""
    return undamped


@wp.func
def pressure_gradient(t: PressedTriangle, x: wp.array[wp.vec3]):
    """G [m]."""
    x_0 = x[t.corners[0]]
    x_1 = x[t.corners[1]]
    x_2 = x[t.corners[2]]
    return wp.matrix_from_cols(x_1 - x_0, x_2 - x_0, x_0 + x_1 + x_2)


@wp.func
def pressure_weight(t: PressedTriangle, c: int):
    """Derivatives of the columns of G by a corner."""
    weight = wp.vec3(-1.0, -1.0, 1.0)
    if c == 1:
        weight = wp.vec3(1.0, 0.0, 1.0)
    if c == 2:
        weight = wp.vec3(0.0, 1.0, 1.0)
    return weight


@wp.func
def pressure_stress(t: PressedTriangle, rest: wp.array[float], g: wp.mat33):
    """[0 0 −p n/6] [N]."""
    n = wp.cross(column(g, 0), column(g, 1))
    none = wp.vec3(0.0)
    return wp.matrix_from_cols(none, none, (-rest[t.enclosure] / 6.0) * n)


@wp.func
def pressure_slope(
    t: PressedTriangle, rest: wp.array[float], g: wp.mat33, d: wp.mat33, total: vec6
):
    """`total` and coefficients 1, α, α² of P : D [N m] at G + α D."""
    e_1 = column(g, 0)
    e_2 = column(g, 1)
    d_1 = column(d, 0)
    d_2 = column(d, 1)
    push = (-rest[t.enclosure] / 6.0) * column(d, 2)
    return total + vec6(
        wp.dot(push, wp.cross(e_1, e_2)),
        wp.dot(push, wp.cross(e_1, d_2) + wp.cross(d_1, e_2)),
        wp.dot(push, wp.cross(d_1, d_2)),
        0.0,
        0.0,
        0.0,
    )


@wp.func
def pressure_energy(t: ExactPressedTriangle, x: wp.array[wp.vec3]):
    """−p (V − V̄) [J]; cloth is never inside out."""
    n = wp.cross(exact(x[t.corners[1]]), exact(x[t.corners[2]]))
    volume = wp.dot(exact(x[t.corners[0]]), n) / wp.float64(6.0)
    return -t.pressure * (volume - t.volume), wp.float64(1.0)
