# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending and twisting of rods where two edges meet: discrete elastic rods.

    E = ½ (B/l) ((κ₁ − κ̄₁)² + (κ₂ − κ̄₂)²) + ½ (C/l) (m − m̄)²      (Bergou et al. 2008, 2010)

B = E I and C = G J are the stiffness against bending and twisting [N m²], l the length at rest that
belongs to the vertex between the edges. Each edge has a frame (d₁, d₂, t): t along the edge, d₁
across it towards its director, and d₂ = t × d₁. With 0 and 1 for the two edges,

    κb = 2 t₀ × t₁/(1 + t₀·t₁),  κ₁ = ½ (d₂⁰ + d₂¹)·κb,  κ₂ = −½ (d₁⁰ + d₁¹)·κb

are the curvature (times l) in the frames of the section, |κb| = 2 tan(θ/2), and m is the angle from
d₁⁰, carried over to edge 1 without twist, to d₁¹. The Hessian is the Gauss-Newton part.

The angle of each edge of Bergou et al. is here the direction of its director (section_frame.py,
directors.py).
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import exact, mat34, vec5i, vec6
from .section_frame import (
    FOLDED,
    SectionFrame,
    bend_strain,
    curvature_binormal,
    opening,
    section_frame,
    strain_gap,
)

wp.set_module_options(OPTIONS)


@wp.struct
class BendRecord:
    """Two edges seen from one of their five vertices, the one with the number `corner`."""

    corners: vec5i  # a, b, c and the directors of (a, b) and (b, c)
    corner: int
    bending: float  # B/l [N m]
    twisting: float  # C/l [N m]


@wp.struct
class Bend:
    """Two edges (a, b) and (b, c) with their directors."""

    corners: vec5i
    bending: float
    twisting: float
    record: int  # one of its records


@wp.struct
class ExactBend:
    """Two edges and their directors in float64."""

    corners: vec5i
    rest: wp.vec3d  # κ̄₁, κ̄₂, m̄ [rad]
    bending: wp.float64
    twisting: wp.float64


@wp.func
def columns_of_change(
    one: SectionFrame, two: SectionFrame, of_e: wp.vec3, of_f: wp.vec3, turn_e: float, turn_f: float
):
    """∂/∂G of a quantity with the derivatives `of_e` and `of_f` by the edges, transported without
    twist, and `turn_e` and `turn_f` by rotation about them.
    """
    return wp.matrix_from_cols(
        of_e - (turn_e * one.lean) * one.d_2,
        of_f - (turn_f * two.lean) * two.d_2,
        (turn_e * one.per_arm) * one.d_2,
        (turn_f * two.per_arm) * two.d_2,
    )


@wp.func
def bend_change(one: SectionFrame, two: SectionFrame, strain: wp.vec3, m: int):
    """∂κ₁/∂G, ∂κ₂/∂G or ∂m/∂G [1/m], by its number."""
    binormal = curvature_binormal(one, two)
    if m == 2:
        return columns_of_change(
            one,
            two,
            (0.5 * one.per_length) * binormal,
            (0.5 * two.per_length) * binormal,
            -1.0,
            1.0,
        )
    share = 1.0 / opening(one, two)
    middle = (share * strain[m]) * (one.t + two.t)
    director = share * (one.d_2 + two.d_2)
    turn_e = -0.5 * wp.dot(binormal, one.d_1)
    turn_f = -0.5 * wp.dot(binormal, two.d_1)
    if m == 1:
        director = -share * (one.d_1 + two.d_1)
        turn_e = -0.5 * wp.dot(binormal, one.d_2)
        turn_f = -0.5 * wp.dot(binormal, two.d_2)
    return columns_of_change(
        one,
        two,
        one.per_length * (wp.cross(two.t, director) - middle),
        two.per_length * (-wp.cross(one.t, director) - middle),
        turn_e,
        turn_f,
    )


@wp.func
def bend_columns(corners: vec5i, x: wp.array[wp.vec3]):
    """G: the two edges, and the vectors from their middles to their directors [m]."""
    a = x[corners[0]]
    b = x[corners[1]]
    c = x[corners[2]]
    return wp.matrix_from_cols(
        b - a, c - b, x[corners[3]] - 0.5 * (a + b), x[corners[4]] - 0.5 * (b + c)
    )


@wp.func
def corner_weight(c: int):
    """Derivatives of the columns of G by a corner."""
    weight = wp.vec4(-1.0, 0.0, -0.5, 0.0)
    if c == 1:
        weight = wp.vec4(1.0, -1.0, -0.5, -0.5)
    if c == 2:
        weight = wp.vec4(0.0, 1.0, 0.0, -0.5)
    if c == 3:
        weight = wp.vec4(0.0, 0.0, 1.0, 0.0)
    if c == 4:
        weight = wp.vec4(0.0, 0.0, 0.0, 1.0)
    return weight


@wp.func
def first_frame(g: mat34):
    return section_frame(wp.vec3(g[0, 0], g[1, 0], g[2, 0]), wp.vec3(g[0, 2], g[1, 2], g[2, 2]))


@wp.func
def second_frame(g: mat34):
    return section_frame(wp.vec3(g[0, 1], g[1, 1], g[2, 1]), wp.vec3(g[0, 3], g[1, 3], g[2, 3]))


@wp.func
def seen_columns(bend: BendRecord, x_i: wp.vec3, x: wp.array[wp.vec3]):
    """G with the vertex of the record at x_i."""
    at_corner = x[bend.corners[bend.corner]]
    return bend_columns(bend.corners, x) + wp.outer(x_i - at_corner, corner_weight(bend.corner))


@wp.func
def slopes_at_corner(one: SectionFrame, two: SectionFrame, strain: wp.vec3, weight: wp.vec4):
    """The rows ∂κ₁/∂G w, ∂κ₂/∂G w and ∂m/∂G w of `bend_change`, computed together."""
    along_e = weight[0] * one.per_length
    along_f = weight[1] * two.per_length
    turn_e = (weight[2] * one.per_arm - weight[0] * one.lean) * one.d_2
    turn_f = (weight[3] * two.per_arm - weight[1] * two.lean) * two.d_2
    share = 1.0 / opening(one, two)
    binormal = (2.0 * share) * wp.cross(one.t, two.t)
    arm = share * (along_e * two.t - along_f * one.t)
    middle = (share * (along_e + along_f)) * (one.t + two.t)
    half = 0.5 * binormal
    return wp.matrix_from_rows(
        wp.cross(arm, one.d_2 + two.d_2)
        - strain[0] * middle
        - wp.dot(half, one.d_1) * turn_e
        - wp.dot(half, two.d_1) * turn_f,
        -wp.cross(arm, one.d_1 + two.d_1)
        - strain[1] * middle
        - wp.dot(half, one.d_2) * turn_e
        - wp.dot(half, two.d_2) * turn_f,
        (along_e + along_f) * half - turn_e + turn_f,
    )


@wp.func
def bend_force_hessian(
    bend: BendRecord, q: int, rest: wp.array[wp.vec3], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and the Gauss-Newton part of ∂²E/∂x_i² [N/m]; `rest` holds κ̄₁, κ̄₂, m̄."""
    g = seen_columns(bend, x_i, x)
    one = first_frame(g)
    two = second_frame(g)
    strain = bend_strain(one, two)
    gap = strain_gap(strain, rest[q])
    slopes = slopes_at_corner(one, two, strain, corner_weight(bend.corner))
    pushes = wp.matrix_from_rows(
        bend.bending * slopes[0], bend.bending * slopes[1], bend.twisting * slopes[2]
    )
    return -(gap * pushes), wp.transpose(slopes) * pushes


@wp.func
def bend_moved_rest(
    bend: BendRecord, undamped: wp.vec3, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """The rest strain moved by the blend towards the current strain."""
    g = seen_columns(bend, x_i, x)
    return undamped + blend * strain_gap(bend_strain(first_frame(g), second_frame(g)), undamped)


@wp.func
def bend_gradient(bend: Bend, x: wp.array[wp.vec3]):
    """G."""
    return bend_columns(bend.corners, x)


@wp.func
def bend_weight(bend: Bend, c: int):
    """Derivatives of the columns of G by a corner."""
    return corner_weight(c)


@wp.func
def bend_stress(bend: Bend, rest: wp.array[wp.vec3], g: mat34):
    """∂E/∂G [N]."""
    one = first_frame(g)
    two = second_frame(g)
    strain = bend_strain(one, two)
    gap = strain_gap(strain, rest[bend.record])
    stress = mat34()
    for m in range(3):
        k = wp.where(m == 2, bend.twisting, bend.bending)
        stress += (k * gap[m]) * bend_change(one, two, strain, m)
    return stress


@wp.func
def bend_square(bend: Bend, rest: wp.array[wp.vec3], g: mat34, m: int):
    """Stiffness [N m] and derivative ∂/∂G of the strain with number m."""
    one = first_frame(g)
    two = second_frame(g)
    k = wp.where(m == 2, bend.twisting, bend.bending)
    return k, bend_change(one, two, bend_strain(one, two), m)


@wp.func
def bend_slope(bend: Bend, rest: wp.array[wp.vec3], g: mat34, d: mat34, total: vec6):
    """`total` and coefficients 1, α, α² of ∂E/∂α [J] along g + α d: a parabola through the slopes
    at 0 and 1, with the Gauss-Newton rise at 0.
    """
    one = first_frame(g)
    two = second_frame(g)
    strain = bend_strain(one, two)
    gap = strain_gap(strain, rest[bend.record])
    begin = float(0.0)
    rise = float(0.0)
    for m in range(3):
        k = wp.where(m == 2, bend.twisting, bend.bending)
        change = wp.ddot(bend_change(one, two, strain, m), d)
        begin += k * gap[m] * change
        rise += k * change * change
    gain = wp.ddot(bend_stress(bend, rest, g + d), d) - begin
    return total + vec6(begin, rise, gain - rise, 0.0, 0.0, 0.0)


@wp.func
def exact_across(e: wp.vec3d, g: wp.vec3d):
    """d₁ of an edge e with a director at g from its middle, in float64."""
    t = wp.normalize(e)
    return wp.normalize(g - wp.dot(g, t) * t)


@wp.func
def bend_energy(bend: ExactBend, x: wp.array[wp.vec3]):
    """E [J]; a bend is never inside out."""
    half = wp.float64(0.5)
    a = exact(x[bend.corners[0]])
    b = exact(x[bend.corners[1]])
    c = exact(x[bend.corners[2]])
    u = exact_across(b - a, exact(x[bend.corners[3]]) - half * (a + b))
    v = exact_across(c - b, exact(x[bend.corners[4]]) - half * (b + c))
    s = wp.normalize(b - a)
    t = wp.normalize(c - b)
    axis = wp.cross(s, t)
    open = wp.max(wp.float64(1.0) + wp.dot(s, t), wp.float64(FOLDED))
    carried = wp.dot(s, t) * u + wp.cross(axis, u) + (wp.dot(axis, u) / open) * axis
    k_1 = wp.dot(wp.cross(s, u) + wp.cross(t, v), axis) / open - bend.rest[0]
    k_2 = -wp.dot(u + v, axis) / open - bend.rest[1]
    twist = wp.atan2(wp.dot(wp.cross(carried, v), t), wp.dot(carried, v)) - bend.rest[2]
    turn = wp.float64(2.0 * wp.PI)
    twist -= turn * wp.round(twist / turn)
    energy = bend.bending * (k_1 * k_1 + k_2 * k_2) + bend.twisting * twist * twist
    return half * energy, wp.float64(1.0)
