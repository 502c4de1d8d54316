# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope ∂E/∂a of membrane triangles (triangles.py) along a coarse step x + a d.

The strain is G + a G' + a² G'' with G'' ⪰ 0, so the slope of ψ₀ is a polynomial of third degree.
Terms of buckling and hardening are sampled; so is all of a triangle that buckles on the step.
"""

from typing import Any

import warp as wp

from ..coarse.line_sums import SAMPLES, vec8
from ..device.lane_functions import either, smallest, total
from ..device.lanes import add, dot, gathered, mul, sub, vector  # noqa: F401 (operators)
from ..device.options import OPTIONS
from .buckling import strain_frame
from .linear_algebra import vec6
from .triangle_corners import green_strain
from .triangles import columns_of, stress_components

wp.set_module_options(OPTIONS)


@wp.func
def flat_components(k: Any, strain: Any):
    """S of ψ₀ as (S₁₁, S₂₂, S₁₂)."""
    return vector(
        k[0] * strain[0] + k[2] * strain[1],
        k[2] * strain[0] + k[1] * strain[1],
        (2.0 * k[3]) * strain[2],
    )


@wp.func
def work(s: Any, change: Any):
    """S : G' from components."""
    return s[0] * change[0] + s[1] * change[1] + 2.0 * (s[2] * change[2])


@wp.func
def least_flat_stress(k: Any, limits: Any, strain: Any):
    """The smaller stress of ψ₀ along the axes of the frame."""
    mean, half, _cosine, _sine = strain_frame(limits.isotropy, strain)
    e_1 = mean + half
    e_2 = mean - half
    return smallest(k[0] * e_1 + k[2] * e_2, k[2] * e_1 + k[1] * e_2)


@wp.func
def flat_share(k: Any, limits: Any, s_0: Any, s_1: Any, longest: float):
    """1 if a triangle does not buckle at any strain G + a G' + a² G'', a ≤ longest, else 0.

    The smaller stress of ψ₀ is concave in the strain, and G'' can only increase it: so its minimum
    is at one of the ends of G + a G'.
    """
    there = least_flat_stress(k, limits, limits.rate * (s_0 + longest * s_1))
    least = smallest(least_flat_stress(k, limits, limits.rate * s_0), there)
    return either(least + limits.load, 1.0, 0.0)


@wp.func
def slope_there(k: Any, limits: Any, share: Any, s_0: Any, s_1: Any, s_2: Any, a: float):
    """∂E/∂a [N m] at the strain G + a G' + a² G'', minus a share of that of ψ₀."""
    strain = limits.rate * (s_0 + a * s_1 + (a * a) * s_2)
    s = stress_components(k, limits, strain) - share * flat_components(k, strain)
    return work(s, s_1 + (2.0 * a) * s_2)


@wp.func
def flat_slope(k: Any, s_0: Any, s_1: Any, s_2: Any):
    """Coefficients 1, a, a², a³ of ∂E/∂a of ψ₀."""
    flat_1 = flat_components(k, s_1)
    flat_2 = flat_components(k, s_2)
    return (
        work(flat_1, s_0),
        work(flat_1, s_1) + 2.0 * work(flat_2, s_0),
        3.0 * work(flat_2, s_1),
        2.0 * work(flat_2, s_2),
    )


@wp.func
def triangle_slope(
    t: Any,
    rest: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    longest: float,
    slope: vec6,
    samples: vec8,
):
    """`ElementKind.line` of one triangle, or of eight in lanes: add the polynomial of ψ₀ to
    `slope`, and the rest to `samples`.
    """
    f_1, f_2 = columns_of(t, x)
    e_1, e_2 = columns_of(t, direction)
    s_0 = green_strain(f_1, f_2) - gathered(rest, t.record)
    s_1 = vector(dot(f_1, e_1), dot(f_2, e_2), 0.5 * (dot(f_1, e_2) + dot(f_2, e_1)))
    s_2 = 0.5 * vector(dot(e_1, e_1), dot(e_2, e_2), dot(e_1, e_2))
    k = t.stiffness
    share = flat_share(k, t.limits, s_0, s_1, longest)
    flat = share * t.limits.rate
    c_0, c_1, c_2, c_3 = flat_slope(k, s_0, s_1, s_2)
    begin = total(slope_there(k, t.limits, share, s_0, s_1, s_2, 0.0))
    slope += vec6(
        begin + total(flat * c_0), total(flat * c_1), total(flat * c_2), total(flat * c_3), 0.0, 0.0
    )
    n = int(0)
    while n < SAMPLES:
        n += 1
        a = longest * float(n) / float(SAMPLES)
        there = slope_there(k, t.limits, share, s_0, s_1, s_2, a)
        samples[n - 1] += total(there) - begin
    return slope, samples
