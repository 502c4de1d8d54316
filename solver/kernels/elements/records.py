# SPDX-License-Identifier: GPL-3.0-or-later
"""Element records in vertex order: what one vertex reads of each element it belongs to.

An element of n vertices is stored n times, once for each vertex, so that a vertex streams through
its records without looking anything up. `*_start` [vertex + 1] gives the range of a vertex.
`*_rest` holds the value at which the element is relaxed; with damping it moves during the
simulation (see kernels/damping.py).
"""

import warp as wp

from ..options import QUICK

wp.set_module_options(QUICK)

# Numbers of the solid models.
NEO_HOOKEAN = wp.constant(0)
NEO_HOOKEAN_LOG = wp.constant(1)
COROTATED = wp.constant(2)

vec6 = wp.types.vector(length=6, dtype=float)


@wp.struct
class TetRecord:
    """One tet seen from one of its vertices; (a, b, c) is the opposite face."""

    a: int
    b: int
    c: int
    volume_stiffness: float  # λ/(36 V₀) [Pa/m³]
    weight_a: float  # μ V₀ g_i·g_a [N/m], g = ∇N at rest
    weight_b: float
    weight_c: float


@wp.struct
class TriangleRecord:
    """One triangle seen from one of its vertices; a and b follow it round the triangle."""

    a: int
    b: int
    gradient_a: wp.vec2  # ∇N_a [1/m] in the plane of the rest triangle
    gradient_b: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]


@wp.struct
class StableTriangleRecord:
    """One neo-Hookean triangle, as above."""

    a: int
    b: int
    gradient_a: wp.vec2
    gradient_b: wp.vec2
    mu: float  # μ times the rest area [N m]
    lam: float  # λ times the rest area [N m]


@wp.struct
class ContinuumRecord:
    """One tet of a material that needs F, seen from one of its vertices."""

    a: int
    b: int
    c: int
    model: int
    gradient_a: wp.vec3  # ∇N_a [1/m]
    gradient_b: wp.vec3
    gradient_c: wp.vec3
    mu: float  # μ V₀ [J]
    lam: float  # λ V₀ [J]


@wp.struct
class ViscousRecord:
    """The viscosity of one tet, seen from one of its vertices."""

    a: int
    b: int
    c: int
    gradient_a: wp.vec3  # ∇N_a [1/m]
    gradient_b: wp.vec3
    gradient_c: wp.vec3
    viscosity: float  # (k_d/h) μ_L V₀ [J]


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
class SpringRecord:
    """One spring seen from one of its ends."""

    a: int
    stiffness: float  # [N/m]


@wp.struct
class Elements:
    """The records of all elements, in the order of the vertices."""

    tet_start: wp.array[int]
    tets: wp.array[TetRecord]
    tet_rest: wp.array[float]  # 6 α V₀ [m³]
    tet_diagonal: wp.array[float]  # sum over the tets of μ V₀ |g_i|² [N/m], shape [vertex]
    triangle_start: wp.array[int]
    triangles: wp.array[TriangleRecord]
    triangle_rest: wp.array[wp.vec3]  # Green strain (G₁₁, G₂₂, G₁₂)
    stable_triangle_start: wp.array[int]
    stable_triangles: wp.array[StableTriangleRecord]
    continuum_start: wp.array[int]
    continua: wp.array[ContinuumRecord]
    viscous_start: wp.array[int]
    viscous: wp.array[ViscousRecord]
    viscous_rest: wp.array[vec6]  # C = FᵀF at the start of the step
    hinge_start: wp.array[int]
    hinges: wp.array[HingeRecord]
    hinge_rest: wp.array[float]  # angle [rad]
    spring_start: wp.array[int]
    springs: wp.array[SpringRecord]
    spring_rest: wp.array[float]  # length [m]
