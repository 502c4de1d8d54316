# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements u = x − a [m] of vertices from their anchors a, with digits that x has lost."""

import warp as wp

from .motion import STEADY, Motion, guessed_step
from .options import QUICK

wp.set_module_options(QUICK)

# How far x may be from a + u, as a part of both: some roundings.
ROUNDINGS = wp.constant(4.0e-7)


@wp.kernel
def follow_positions(
    first: int,
    free: int,
    anchor: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    # in and out
    u: wp.array[wp.vec3],
):
    """Find u anew where x has been moved alone; those that are not free are where x says exactly.

    Along each axis by itself: each is rounded by its own size.
    """
    i = first + wp.tid()
    a = anchor[i]
    away = u[i]
    for k in range(3):
        gap = wp.abs(x[i][k] - (a[k] + away[k]))
        rounded = ROUNDINGS * (wp.abs(a[k]) + wp.abs(x[i][k]))
        if not (gap <= wp.where(i < free, rounded, 0.0)):
            away[k] = x[i][k] - a[k]
    u[i] = away


@wp.kernel
def predict(
    gravity_now: wp.array[wp.vec3],
    h: float,
    initial_guess: int,
    standing: wp.array[int],
    motion: Motion,
    # out
    u: wp.array[wp.vec3],
    u_start: wp.array[wp.vec3],
    u_inertial: wp.array[wp.vec3],
):
    """What `motion.predict` finds of positions, which comes after this."""
    i = wp.tid()
    gravity = gravity_now[0]
    start = u[i]
    v = motion.velocity[i]
    last = (v - motion.last_velocity[i]) / h
    steady = wp.lerp(motion.steady[i], last, STEADY)
    u_start[i] = start
    u_inertial[i] = start + h * v + (h * h) * gravity
    u[i] = start + guessed_step(v, last, steady, standing[i], gravity, h, initial_guess)
