# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev semi-iterative acceleration over whole sweeps (Wang 2015; VBD 2024, eq. 18).

xᵏ = ω_k (x̄ᵏ − xᵏ⁻²) + xᵏ⁻²,  x̄ᵏ the result of a sweep from xᵏ⁻¹

ω_k follows from ρ, the factor by which plain sweeps shrink the error. Besides `extrapolate` all
kernels have one thread; residuals are arrays [1].
"""

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)


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

    `omega` [iteration] holds ω_k; `candidate` is x itself, or what is to be truncated first.
    `before` and `before_last` hold xᵏ⁻¹ and xᵏ⁻²; they move on by one.
    """
    i = wp.tid()
    moved = x[i]
    if touched[i] == 0:
        far = omega[iteration[0]] * (moved - before_last[i]) + before_last[i]
        if wp.isfinite(far):
            moved = far
    candidate[i] = moved
    before_last[i] = before[i]
    before[i] = moved


@wp.kernel
def find_weights(
    rho: wp.array[wp.float64],
    # out
    omega: wp.array[float],
):
    """ω_k [iteration] for a ρ [1] (Wang 2015, eq. 9)."""
    weight = wp.float64(1.0)
    omega[0] = 1.0
    for k in range(1, omega.shape[0]):
        begin = wp.float64(wp.where(k == 1, 2.0, 4.0))
        weight = begin / (begin - rho[0] * rho[0] * weight)
        omega[k] = float(weight)


@wp.kernel
def begin(
    every: int,
    # in and out
    substep: wp.array[int],
    # out
    is_on: wp.array[int],
    starts_over: wp.array[int],
):
    """Count a substep; `every` so many measure ρ without acceleration, none if 0."""
    is_on[0] = 1
    if every > 0:
        is_on[0] = wp.where(substep[0] % every > 0, 1, 0)
    substep[0] = substep[0] + 1
    starts_over[0] = 0


@wp.kernel
def look(
    is_on: wp.array[int],
    is_met: wp.array[int],
    # out
    is_open: wp.array[int],
    measures: wp.array[int],
):
    """Whether it is open that an accelerated substep has converged, or ρ is to be measured."""
    is_open[0] = wp.where(is_on[0] != 0 and is_met[0] == 0, 1, 0)
    measures[0] = wp.where(is_on[0] == 0, 1, 0)


@wp.func
def has_fallen(end: wp.float64, before: wp.float64, least: wp.float64):
    """Whether a residual is no higher than before, or so low that rounding alone may make it.

    Written so that what is not a number has not.
    """
    return end <= wp.where(least > before, least, before)


@wp.kernel
def compare(
    before: wp.array[wp.float64],
    halfway: wp.array[wp.float64],
    end: wp.array[wp.float64],
    least: wp.array[wp.float64],
    # out
    is_on: wp.array[int],
    starts_over: wp.array[int],
):
    """Start over without acceleration, unless the residual has fallen all the way."""
    fell = has_fallen(end[0], before[0], least[0]) and has_fallen(end[0], halfway[0], least[0])
    if not (fell and wp.isfinite(end[0])):
        is_on[0] = 0
        starts_over[0] = 1


@wp.kernel
def estimate(
    count: int,
    iteration: wp.array[int],
    halfway: wp.array[wp.float64],
    end: wp.array[wp.float64],
    least: wp.array[wp.float64],
    highest: wp.float64,
    # out
    rho: wp.array[wp.float64],
):
    """ρ of plain sweeps from the fall of the residual over the second half of `count`.

    What has converged before has none: what is left there is rounding.
    """
    half = halfway[0]
    steps = iteration[0] + 1 - (count + 1) / 2
    rate = wp.float64(0.0)
    if iteration[0] + 1 >= count and steps > 0 and half > least[0] and end[0] > wp.float64(0.0):
        rate = wp.pow(end[0] / half, wp.float64(1.0) / wp.float64(steps))
    rho[0] = wp.where(wp.isfinite(rate), wp.min(rate, highest), wp.float64(0.0))
