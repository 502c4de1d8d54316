# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of the air and of force fields on vertices in a substep.

Air presses on a triangle of area A with ½ ρ A (C_n |u·n| (u·n) n + C_t |u| (u − (u·n) n)), u the
velocity of the air relative to it: lift and drag of a flat plate in cross flow (Hoerner, Fluid-
Dynamic Drag, 1965, ch. III). Rods and solids have isotropic drag with their mean projected
area, which for a convex body is a quarter of its surface (Cauchy). Drag is implicit in the
velocity, except for |u|, which is that at the start of the substep: so it never reverses a motion,
however light the body is.
"""

import warp as wp

from ..device.options import OPTIONS
from .force_fields import Field, influence_at

wp.set_module_options(OPTIONS)


@wp.struct
class Exposed:
    """Areas of vertices that are exposed to the air; all arrays except the first two and the last
    are [vertex]."""

    triangle: wp.array[int]  # triangles around every vertex, one vertex after the other
    corners: wp.array[wp.vec3i]  # [triangle]
    start: wp.array[int]  # begin of those of a vertex in `triangle`, [vertex + 1]
    across: wp.array[float]  # ½ ρ C_n of the triangles of a vertex [kg/m³]
    along: wp.array[float]  # ½ ρ C_t of them [kg/m³]
    all_around: wp.array[float]  # ½ ρ C A of vertices without triangles [kg/m]
    mass: wp.array[float]  # [kg]
    body: wp.array[int]
    weights: wp.array2d[float]  # of every field, [body, field]


@wp.struct
class Pull:
    """The force a − R v [N] on a vertex with the velocity v."""

    a: wp.vec3
    r: wp.mat33


@wp.func
def drag_of_triangle(
    exposed: Exposed, i: int, t: int, wind: wp.vec3, x: wp.array[wp.vec3], v: wp.array[wp.vec3]
):
    """R [kg/s] of a third of a triangle: its drag is R (wind − v)."""
    c = exposed.corners[t]
    doubled = wp.cross(x[c[1]] - x[c[0]], x[c[2]] - x[c[0]])
    area = 0.5 * wp.length(doubled)
    resistance = wp.mat33()
    if area > 0.0:
        n = 0.5 * doubled / area
        u = wind - (v[c[0]] + v[c[1]] + v[c[2]]) / 3.0
        nn = wp.outer(n, n)
        across = exposed.across[i] * wp.abs(wp.dot(u, n))
        along = exposed.along[i] * wp.length(u)
        sides = wp.identity(n=3, dtype=float) - nn
        resistance = (area / 3.0) * (across * nn + along * sides)
    return resistance


@wp.func
def pull_at(
    i: int,
    fields: wp.array[Field],
    given: wp.array2d[wp.vec4],
    exposed: Exposed,
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
):
    """The `Pull` of air and fields on vertex i."""
    influence = influence_at(fields, given, exposed.weights, exposed.body[i], i, x[i], v[i])
    resistance = (
        exposed.all_around[i] * wp.length(influence.wind - v[i]) * wp.identity(n=3, dtype=float)
    )
    for q in range(exposed.start[i], exposed.start[i + 1]):
        resistance += drag_of_triangle(exposed, i, exposed.triangle[q], influence.wind, x, v)
    mass = exposed.mass[i]
    pull = Pull()
    pull.a = mass * influence.push + resistance * influence.wind
    # v × b = −[b]ₓ v
    pull.r = resistance + mass * (
        influence.brake * wp.identity(n=3, dtype=float) + wp.skew(influence.spin)
    )
    return pull


@wp.kernel
def blow(
    first: int,
    h: float,
    fields: wp.array[Field],
    given: wp.array2d[wp.vec4],
    exposed: Exposed,
    x_start: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    # in and out
    inertial: wp.array[wp.vec3],
):
    """Add the velocity change by air and fields to the inertial prediction `inertial`:
    (m + h R) v′ = m v + h a. One thread per free vertex.
    """
    i = first + wp.tid()
    mass = exposed.mass[i]
    if mass > 0.0:
        pull = pull_at(i, fields, given, exposed, x_start, v)
        moving = (inertial[i] - x_start[i]) / h
        matrix = mass * wp.identity(n=3, dtype=float) + h * pull.r
        change = wp.inverse(matrix) * (h * (pull.a - pull.r * moving))
        if wp.isfinite(change):
            inertial[i] = inertial[i] + h * change


@wp.kernel
def press(
    first: int,
    gravity: wp.array[wp.vec3],
    fields: wp.array[Field],
    given: wp.array2d[wp.vec4],
    exposed: Exposed,
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    # out
    load: wp.array[wp.vec3],
):
    """The load [N] on a vertex without inertia: its weight, fields and wind."""
    i = first + wp.tid()
    pull = pull_at(i, fields, given, exposed, x, v)
    load[i] = exposed.mass[i] * gravity[0] + pull.a
