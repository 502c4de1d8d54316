# SPDX-License-Identifier: GPL-3.0-or-later
"""Dents: how the rest strain Ḡ of membrane triangles flows (flow.py).

Additive plasticity of Green's strain (Green and Naghdi 1965): G − Ḡ is the elastic part, measured
by its principal strain of the largest magnitude, and shortened as a whole.
"""

import warp as wp

from ..options import QUICK
from .triangle_corners import green_strain
from .triangles import Triangle, first_column, second_column, triangle_gradient

wp.set_module_options(QUICK)

# At rest nothing is shorter than half of what it was, and nothing longer than four times.
SHORTEST, LONGEST = wp.constant(-0.375), wp.constant(7.5)


@wp.func
def principal_strains(g: wp.vec3):
    """The larger and the smaller principal strain of (G₁₁, G₂₂, G₁₂)."""
    mean = 0.5 * (g[0] + g[1])
    spread = wp.length(wp.vec2(0.5 * (g[0] - g[1]), g[2]))
    return mean + spread, mean - spread


@wp.func
def triangle_flowed(t: Triangle, rest: wp.vec3, limit: float, share: float, x: wp.array[wp.vec3]):
    """Ḡ after flow, or after a part of it where all would leave what is allowed at rest."""
    f = triangle_gradient(t, x)
    gap = green_strain(first_column(f), second_column(f)) - rest
    high, low = principal_strains(gap)
    strain = wp.max(high, -low)
    moved = rest
    if strain > limit:
        part = share * (1.0 - limit / strain)
        moved += part * gap
        longest, shortest = principal_strains(moved)
        for _halving in range(8):
            if shortest < SHORTEST or longest > LONGEST:
                part *= 0.5
                moved = rest + part * gap
                longest, shortest = principal_strains(moved)
        if shortest < SHORTEST or longest > LONGEST:
            moved = rest
    return moved
