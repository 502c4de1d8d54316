# SPDX-License-Identifier: GPL-3.0-or-later
"""Solution of the 3 × 3 system of one Newton step."""

import warp as wp

# Smallest pivot as a fraction of the trace: about the rounding error of a float32 sum of that size.
PIVOT = wp.constant(1.0e-6)


@wp.func
def solve_positive_definite(h: wp.mat33, f: wp.vec3):
    """Return H⁻¹ f for a symmetric H by LDLᵀ.

    A pivot lost to rounding is lifted to PIVOT times the trace: the step gets shorter along that
    direction and still descends. The bound is relative, so light and small meshes never freeze.
    """
    least = PIVOT * (h[0, 0] + h[1, 1] + h[2, 2])
    d_0 = wp.max(h[0, 0], least)
    l_10 = h[1, 0] / d_0
    l_20 = h[2, 0] / d_0
    d_1 = wp.max(h[1, 1] - l_10 * h[1, 0], least)
    l_21 = (h[2, 1] - l_20 * h[1, 0]) / d_1
    d_2 = wp.max(h[2, 2] - l_20 * h[2, 0] - l_21 * l_21 * d_1, least)
    z_1 = f[1] - l_10 * f[0]
    z_2 = f[2] - l_20 * f[0] - l_21 * z_1
    x_2 = z_2 / d_2
    x_1 = z_1 / d_1 - l_21 * x_2
    return wp.vec3(f[0] / d_0 - l_10 * x_1 - l_20 * x_2, x_1, x_2)
