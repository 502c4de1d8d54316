# SPDX-License-Identifier: GPL-3.0-or-later
"""Muscle fibers along a direction a of the rest shape, in tets and cells.

With the stretch λ = |F a| and u = λ − 1, the tension per area at rest is

    T = E_f max(u, 0) + s max(1 − u²/w², 0),   ψ = ∫ T dλ,

E_f the stiffness of stretched fibers, s the active stress times the activation, and w = 0.56 half
the width of the parabola by which the force of a muscle depends on its length (van Soest and
Bobbert 1993). The slope of its active part, −2 s u/w², is negative beyond λ = 1. The stiffness
along the fiber is that of the secant to λ = 1 − w, where a fiber can contract no further,

    k = E_f [u > 0] + s (w − u)/w² ≥ T/λ for −w < u < w.

The active tension is concave there and k never below its slope, so a step that minimizes the
quadratic model, or exceeds it by less than twice, lowers the active energy. Stiffness across is
T/λ. Damping moves the rest length 1 of stretched fibers, as of springs (rest_values.py); they never
push.
"""

from functools import cache
from typing import Any

import warp as wp

from ..device.lane_functions import either, root, total
from ..device.lanes import (  # noqa: F401 (operators)
    add,
    div,
    dot,
    floats,
    gathered,
    in_all_lanes,
    largest,
    mul,
    scaled_identity,
    square,
    sub,
    wide,
)
from ..device.options import OPTIONS
from .linear_algebra import exact, mat31
from .springs import along, mat11, vec1

wp.set_module_options(OPTIONS)

HALF_WIDTH = 0.56  # w
W = wp.constant(HALF_WIDTH)
PER_SQUARE = wp.constant(1.0 / HALF_WIDTH**2)
# A shorter fiber has no direction.
LEAST = wp.constant(1e-9)


@wp.struct
class FiberLaw:
    """Constants of the fibers of an element, times its volume [J]."""

    stiffness: float  # E_f, raised by damping
    active: float  # s


@wp.func
def fiber_tension(law: Any, rest: Any, stretch: Any):
    """T [J] at a stretch λ; passive beyond the stretch `rest`."""
    u = stretch - 1.0
    active = law.active * largest(0.0, 1.0 - PER_SQUARE * (u * u))
    return law.stiffness * largest(0.0, stretch - rest) + active


@wp.func
def fiber_stiffness(law: Any, rest: Any, stretch: Any):
    """k [J] at a stretch λ."""
    u = stretch - 1.0
    active = (PER_SQUARE * law.active) * largest(0.0, W - u)
    passive = either(stretch - rest, law.stiffness, 0.0 * u)
    return passive + either(W + u, active, 0.0 * u)


@wp.func
def across(tension: Any, stretch: Any):
    """T/λ [J]."""
    return tension * (1.0 / largest(LEAST, stretch))


@wp.func
def force_hessian_of(law: Any, rest: Any, d: Any, w: Any):
    """-∂E/∂x_i [N] and a block ≥ ∂²E/∂x_i² [N/m] at the vertex of weight w [1/m] in d = F a."""
    stretch = root(dot(d, d))
    n = (1.0 / largest(LEAST, stretch)) * d
    tension = fiber_tension(law, rest, stretch)
    sideways = across(tension, stretch)
    more = largest(0.0, fiber_stiffness(law, rest, stretch) - sideways)
    force = (-1.0 * w) * tension * n
    return force, square(w * w * more, n) + scaled_identity(w * w * sideways)


@wp.func
def exact_fiber_energy(d: wp.vec3d, stiffness: wp.float64, active: wp.float64):
    """E [J] in float64, zero at rest."""
    w = wp.float64(HALF_WIDTH)
    u = wp.length(d) - wp.float64(1.0)
    pull = wp.max(u, wp.float64(0.0))
    v = wp.clamp(u, -w, w)
    contracted = v - v * v * v / (wp.float64(3.0) * w * w)
    return wp.float64(0.5) * stiffness * pull * pull + active * contracted


@cache
def fibers_in(corners):
    """Structs and functions of fibers in elements with some number of corners."""
    veci = wp.types.vector(length=corners, dtype=int)
    vecf = wp.types.vector(length=corners, dtype=float)
    vecd = wp.types.vector(length=corners, dtype=wp.float64)
    others = corners - 1
    vec_others_i = wp.types.vector(length=others, dtype=int)
    vec_others = wp.types.vector(length=others, dtype=float)

    @wp.struct
    class FiberRecord:
        """Fibers of one element seen from one of its vertices."""

        others: vec_others_i
        weights: vec_others  # of the others in F a [1/m]
        own: float  # weight of the vertex [1/m]
        law: FiberLaw

    @wp.struct
    class Fibers:
        """Fibers of one element."""

        corners: veci
        weights: vecf  # in F a [1/m]
        law: FiberLaw
        record: int  # one of its records

    @wp.struct
    class ExactFibers:
        """Fibers of one element in float64."""

        corners: veci
        weights: vecd
        stiffness: wp.float64
        active: wp.float64

    WideRecord = wide(FiberRecord)

    @wp.func
    def seen_from(fibers: Any, x_i: Any, x: wp.array[wp.vec3]):
        """F a."""
        d = fibers.weights[0] * (gathered(x, fibers.others[0]) - x_i)
        for k in range(1, others):
            d = d + fibers.weights[k] * (gathered(x, fibers.others[k]) - x_i)
        return d

    @wp.func
    def force_hessian(
        fibers: FiberRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
    ):
        return force_hessian_of(fibers.law, rest[q], seen_from(fibers, x_i, x), fibers.own)

    @wp.func
    def in_lanes(
        fibers: WideRecord, q: int, rest: wp.array[floats], x_i: wp.vec3, x: wp.array[wp.vec3]
    ):
        d = seen_from(fibers, in_all_lanes(x_i), x)
        force, hessian = force_hessian_of(fibers.law, rest[q], d, fibers.own)
        return total(force), total(hessian)

    @wp.func
    def moved_rest(fibers: Any, undamped: Any, blend: Any, x_i: Any, x: wp.array[wp.vec3]):
        """The rest length moved by the blend towards the current one, if that is longer."""
        d = seen_from(fibers, x_i, x)
        return undamped + blend * largest(0.0, root(dot(d, d)) - undamped)

    @wp.func
    def gradient(fibers: Fibers, x: wp.array[wp.vec3]):
        """F a."""
        base = x[fibers.corners[0]]
        d = wp.vec3(0.0)
        for k in range(1, corners):
            d += fibers.weights[k] * (x[fibers.corners[k]] - base)
        return wp.matrix_from_cols(d)

    @wp.func
    def weight(fibers: Fibers, c: int):
        return vec1(fibers.weights[c])

    @wp.func
    def stress(fibers: Fibers, rest: wp.array[float], g: mat31):
        """T n [J]."""
        stretch = wp.length(along(g))
        tension = fiber_tension(fibers.law, rest[fibers.record], stretch)
        return (tension / wp.max(stretch, LEAST)) * g

    @wp.func
    def spread(fibers: Fibers, rest: wp.array[float], g: mat31):
        """T/λ [J]."""
        stretch = wp.length(along(g))
        return mat11(across(fiber_tension(fibers.law, rest[fibers.record], stretch), stretch))

    @wp.func
    def square_of(fibers: Fibers, rest: wp.array[float], g: mat31, m: int):
        """k − T/λ [J], and n."""
        stretch = wp.length(along(g))
        sideways = across(fiber_tension(fibers.law, rest[fibers.record], stretch), stretch)
        along_it = fiber_stiffness(fibers.law, rest[fibers.record], stretch)
        more = wp.max(along_it - sideways, 0.0)
        return more, g / wp.max(stretch, LEAST)

    @wp.func
    def energy(fibers: ExactFibers, x: wp.array[wp.vec3]):
        """E [J]; the solid around says what is inside out."""
        base = exact(x[fibers.corners[0]])
        d = wp.vec3d()
        for k in range(1, corners):
            d += fibers.weights[k] * (exact(x[fibers.corners[k]]) - base)
        return exact_fiber_energy(d, fibers.stiffness, fibers.active), wp.float64(1.0)

    return {
        "record": FiberRecord,
        "force_hessian": force_hessian,
        "in_lanes": in_lanes,
        "moved_rest": moved_rest,
        "rest_in_lanes": moved_rest,
        "element": Fibers,
        "gradient": gradient,
        "weight": weight,
        "stress": stress,
        "sampled_stress": stress,
        "squares": 1,
        "square": square_of,
        "spread": spread,
        "exact": ExactFibers,
        "energy": energy,
    }
