# SPDX-License-Identifier: GPL-3.0-or-later
"""Directors: vertices that give the orientation of the section of a rod (rods.py).

    E = ½ k ((|g| − d)² + (g·t)²)

keeps the director of an edge e = |e| t at the distance d from its middle and perpendicular to it,
with g the vector from the middle to it. Bending and twisting depend only on the direction of g
about the edge: in equilibrium both terms vanish for any k, and exert no force on the rod. The
Hessian is the Gauss-Newton part; sweeps add a little across g, where it is zero without twist.
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import exact, mat32, vec6

wp.set_module_options(OPTIONS)

# Fraction of k that the sweeps add across g.
ACROSS = wp.constant(0.01)


@wp.struct
class DirectorRecord:
    """An edge and its director seen from its vertex with the number `corner`."""

    corners: wp.vec3i
    corner: int
    distance: float  # d [m]
    stiffness: float  # k [N/m]


@wp.struct
class Director:
    """An edge and its director."""

    corners: wp.vec3i
    distance: float
    stiffness: float
    record: int  # one of its records


@wp.struct
class ExactDirector:
    """An edge and its director in float64."""

    corners: wp.vec3i
    distance: wp.float64  # d [m]
    stiffness: wp.float64


@wp.func
def director_columns(a: wp.vec3, b: wp.vec3, director: wp.vec3):
    """G: the edge, and the vector from its middle to the director [m]."""
    return wp.matrix_from_cols(b - a, director - 0.5 * (a + b))


@wp.func
def director_corner_weight(c: int):
    """Derivatives of the columns of G by a corner."""
    weight = wp.vec2(-1.0, -0.5)
    if c == 1:
        weight = wp.vec2(1.0, -0.5)
    if c == 2:
        weight = wp.vec2(0.0, 1.0)
    return weight


@wp.func
def edge_column(g: mat32):
    return wp.vec3(g[0, 0], g[1, 0], g[2, 0])


@wp.func
def arm_column(g: mat32):
    return wp.vec3(g[0, 1], g[1, 1], g[2, 1])


@wp.func
def director_strain(g: mat32, distance: float):
    """|g| − d and g·t [m]."""
    arm = arm_column(g)
    return wp.vec2(wp.length(arm) - distance, wp.dot(arm, wp.normalize(edge_column(g))))


@wp.func
def director_change(g: mat32, m: int):
    """∂|g|/∂G or ∂(g·t)/∂G, by its number."""
    e = edge_column(g)
    arm = arm_column(g)
    t = wp.normalize(e)
    change = wp.matrix_from_cols(wp.vec3(0.0), wp.normalize(arm))
    if m == 1:
        of_edge = wp.vec3(0.0)
        length = wp.length(e)
        if length > 0.0:
            of_edge = (arm - wp.dot(arm, t) * t) / length
        change = wp.matrix_from_cols(of_edge, t)
    return change


@wp.func
def director_force_hessian(
    director: DirectorRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and the Gauss-Newton part of ∂²E/∂x_i² [N/m]."""
    v = director.corners
    weight = director_corner_weight(director.corner)
    g = director_columns(x[v[0]], x[v[1]], x[v[2]])
    g += wp.outer(x_i - x[v[director.corner]], weight)
    strain = director_strain(g, director.distance)
    k = director.stiffness
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for m in range(2):
        slope = director_change(g, m) * weight
        force -= (k * strain[m]) * slope
        hessian += wp.outer(k * slope, slope)
    if director.corner == 2:
        across = ACROSS * k
        hessian += wp.mat33(across, 0.0, 0.0, 0.0, across, 0.0, 0.0, 0.0, across)
    return force, hessian


@wp.func
def director_gradient(director: Director, x: wp.array[wp.vec3]):
    """G."""
    v = director.corners
    return director_columns(x[v[0]], x[v[1]], x[v[2]])


@wp.func
def director_weight(director: Director, c: int):
    """Derivatives of the columns of G by a corner."""
    return director_corner_weight(c)


@wp.func
def director_stress(director: Director, rest: wp.array[float], g: mat32):
    """∂E/∂G [N]."""
    strain = director_strain(g, director.distance)
    stress = strain[0] * director_change(g, 0) + strain[1] * director_change(g, 1)
    return director.stiffness * stress


@wp.func
def director_square(director: Director, rest: wp.array[float], g: mat32, m: int):
    """k [N/m] and the derivative ∂/∂G of the strain with number m."""
    return director.stiffness, director_change(g, m)


@wp.func
def director_slope(director: Director, rest: wp.array[float], g: mat32, d: mat32, total: vec6):
    """`total` and coefficients 1, α, α² of ∂E/∂α [J] along g + α d: a parabola through the slopes
    at 0 and 1, with the Gauss-Newton rise at 0.
    """
    strain = director_strain(g, director.distance)
    first = wp.ddot(director_change(g, 0), d)
    second = wp.ddot(director_change(g, 1), d)
    k = director.stiffness
    begin = k * (strain[0] * first + strain[1] * second)
    rise = k * (first * first + second * second)
    gain = wp.ddot(director_stress(director, rest, g + d), d) - begin
    return total + vec6(begin, rise, gain - rise, 0.0, 0.0, 0.0)


@wp.func
def director_energy(director: ExactDirector, x: wp.array[wp.vec3]):
    """E [J]; a director is never inside out."""
    v = director.corners
    a = exact(x[v[0]])
    b = exact(x[v[1]])
    arm = exact(x[v[2]]) - wp.float64(0.5) * (a + b)
    gap = wp.length(arm) - director.distance
    along = wp.dot(arm, wp.normalize(b - a))
    square = gap * gap + along * along
    return wp.float64(0.5) * director.stiffness * square, wp.float64(1.0)
