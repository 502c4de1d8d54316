# SPDX-License-Identifier: GPL-3.0-or-later
"""Creases: plastic flow of the rest values of hinges and of bends of rods (flow.py)."""

import warp as wp

from ..device.options import OPTIONS
from .dihedral_angles import FLAT, angle_gap
from .hinges import Hinge, angle_of, hinge_gradient
from .linear_algebra import column
from .rods import Bend, bend_columns, first_frame, second_frame
from .section_frame import bend_strain, strain_gap

wp.set_module_options(OPTIONS)

# Upper bound of |κ̄| of a rod: 2 tan(θ/2) at θ = 150°.
SHARPEST = wp.constant(7.46)


@wp.func
def hinge_flowed(hinge: Hinge, rest: float, limit: float, share: float, x: wp.array[wp.vec3]):
    """θ̄ [rad] after flow (flow.py), at most folded flat. A degenerate fold has no angle."""
    g = hinge_gradient(hinge, x)
    e = column(g, 0)
    flat = FLAT * FLAT * wp.dot(e, e) * wp.dot(e, e)
    least = wp.min(wp.length_sq(wp.cross(e, column(g, 1))), wp.length_sq(wp.cross(column(g, 2), e)))
    moved = rest
    if least > flat:
        gap = angle_gap(angle_of(g), rest)
        beyond = wp.max(wp.abs(gap) - limit, 0.0)
        moved = wp.clamp(rest + wp.sign(gap) * share * beyond, -wp.PI, wp.PI)
    return moved


@wp.func
def bend_flowed(bend: Bend, rest: wp.vec3, limit: float, share: float, x: wp.array[wp.vec3]):
    """κ̄₁, κ̄₂, m̄ after flow (flow.py) in the measure √(κ₁² + κ₂² + ¾ (C/B)² m²).

    This is the von Mises measure of a round section: σ² + 3 τ² at its surface with σ = E r κ and
    τ = G r m. The rest curvature is at most SHARPEST.
    """
    g = bend_columns(bend.corners, x)
    gap = strain_gap(bend_strain(first_frame(g), second_frame(g)), rest)
    twist = bend.twisting / bend.bending * gap[2]
    strain = wp.sqrt(gap[0] * gap[0] + gap[1] * gap[1] + 0.75 * twist * twist)
    moved = rest
    if strain > limit:
        moved += share * (1.0 - limit / strain) * gap
        curved = wp.length(wp.vec2(moved[0], moved[1]))
        most = wp.max(SHARPEST, wp.length(wp.vec2(rest[0], rest[1])))
        if curved > most:
            moved = wp.vec3(most / curved * moved[0], most / curved * moved[1], moved[2])
    return moved
