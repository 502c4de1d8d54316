# SPDX-License-Identifier: GPL-3.0-or-later
"""Dents: plastic flow of the rest strain Ḡ of membrane triangles (flow.py).

Additive plasticity of Green's strain (Green and Naghdi 1965): the elastic strain is G − Ḡ without
the strain of folds (buckling.py). It is measured by its principal strain of the largest magnitude
and scaled as a whole.
"""

import warp as wp

from ..device.options import OPTIONS
from .buckling import Limits, limited_stresses, strain_frame
from .triangle_corners import green_strain
from .triangles import Triangle, first_column, second_column, triangle_gradient

wp.set_module_options(OPTIONS)

# Bounds of the principal rest strain: half and four times the initial length.
SHORTEST, LONGEST = wp.constant(-0.375), wp.constant(7.5)


@wp.func
def principal_strains(g: wp.vec3):
    """The larger and the smaller principal strain of (G₁₁, G₂₂, G₁₂)."""
    mean = 0.5 * (g[0] + g[1])
    spread = wp.length(wp.vec2(0.5 * (g[0] - g[1]), g[2]))
    return mean + spread, mean - spread


@wp.func
def elastic_strain(k: wp.vec4, limits: Limits, strain: wp.vec3):
    """The strain of the fabric for a strain (E₁₁, E₂₂, E₁₂), without that of its folds."""
    area = k[0] * k[1] - k[2] * k[2]
    if area <= 0.0:
        return strain
    mean, half, cosine, sine = strain_frame(limits.isotropy, strain)
    s_1, s_2, _below_1, _below_2 = limited_stresses(k, limits, mean + half, mean - half)
    e_1 = (k[1] * s_1 - k[2] * s_2) / area
    e_2 = (k[0] * s_2 - k[2] * s_1) / area
    mean = 0.5 * (e_1 + e_2)
    half = 0.5 * (e_1 - e_2)
    across = half * sine + (1.0 - limits.isotropy) * strain[2]
    return wp.vec3(mean + half * cosine, mean - half * cosine, across)


@wp.func
def triangle_flowed(t: Triangle, rest: wp.vec3, limit: float, share: float, x: wp.array[wp.vec3]):
    """Ḡ after flow, or after a fraction of it where all would exceed the bounds at rest."""
    f = triangle_gradient(t, x)
    of_triangle = green_strain(first_column(f), second_column(f)) - rest
    gap = elastic_strain(t.stiffness, t.limits, of_triangle)
    high, low = principal_strains(gap)
    strain = wp.max(high, -low)
    moved = rest
    if strain > limit:
        fraction = share * (1.0 - limit / strain)
        moved += fraction * gap
        longest, shortest = principal_strains(moved)
        for _halving in range(8):
            if shortest < SHORTEST or longest > LONGEST:
                fraction *= 0.5
                moved = rest + fraction * gap
                longest, shortest = principal_strains(moved)
        if shortest < SHORTEST or longest > LONGEST:
            moved = rest
    return moved
