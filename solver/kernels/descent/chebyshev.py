# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev semi-iterative acceleration over whole sweeps (Wang 2015; VBD 2024, eq. 18).

xᵏ = ω_k (x̄ᵏ − xᵏ⁻²) + xᵏ⁻²,  x̄ᵏ the result of a sweep from xᵏ⁻¹

ω_k follows from ρ, the factor by which plain sweeps shrink the error.
"""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.kernel
def extrapolate(
    iteration: wp.array[int],
    omega: wp.array[float],
    touched: wp.array[int],
    x: wp.array[wp.vec3],
    # out
    candidate: wp.array[wp.vec3],
    # in and out
    before: wp.array[wp.vec3],
    before_last: wp.array[wp.vec3],
):
    """Extrapolate every vertex that no contact has touched in this step. One thread per vertex.

    `omega` [iteration] holds ω_k; `candidate` is x itself, or candidates to be truncated first.
    `before` and `before_last` hold xᵏ⁻¹ and xᵏ⁻², and are updated for the next iteration.
    """
    i = wp.tid()
    moved = x[i]
    if touched[i] == 0:
        extrapolated = omega[iteration[0]] * (moved - before_last[i]) + before_last[i]
        if wp.isfinite(extrapolated):
            moved = extrapolated
    candidate[i] = moved
    before_last[i] = before[i]
    before[i] = moved
