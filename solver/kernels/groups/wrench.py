# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums of forces and moments on what moves rigidly."""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.struct
class Wrench:
    """Sums over contacts: force [N] and torque [N m] about the center of an island, and the blocks
    of their stiffness along u and θ.
    """

    force: wp.vec3d
    torque: wp.vec3d
    along: wp.mat33d
    mixed: wp.mat33d
    around: wp.mat33d


@wp.func
def add_force(f: wp.vec3, h: wp.mat33, arm: wp.vec3d, total: Wrench):
    """Return `total` plus a force [N] with a stiffness [N/m] at an arm [m]."""
    k = wp.mat33d(h)
    a = wp.skew(arm)
    total.force += wp.vec3d(f)
    total.torque += wp.cross(arm, wp.vec3d(f))
    total.along += k
    total.mixed -= k * a
    total.around -= a * k * a
    return total


@wp.func
def axial(m: wp.mat33d):
    """Return Σ a × b, where m = Σ a bᵀ."""
    return wp.vec3d(m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0])
