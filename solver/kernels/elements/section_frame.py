# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of the edges of a rod, and the curvature and twist between two (rods.py).

A director is a massless vertex beside the middle of its edge e. With g the vector from there to it,
p = |g − (g·t) t| and c = g·t/(p |e|), the frame turns by d₂·dg/p − c d₂·de about t.
"""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Lower bound of 1 + t₀·t₁: an edge that is folded back onto the other has no curvature.
FOLDED = wp.constant(1.0e-3)
# A director nearer to the line of its edge than this fraction of its distance has no direction.
LEANING = wp.constant(1.0e-4)


@wp.struct
class SectionFrame:
    """The frame of an edge; d₁ = d₂ = 0 and no slopes where there is none."""

    t: wp.vec3
    d_1: wp.vec3
    d_2: wp.vec3
    per_length: float  # 1/|e| [1/m]
    per_arm: float  # 1/p [1/m]
    lean: float  # c [1/m]


@wp.func
def section_frame(e: wp.vec3, g: wp.vec3):
    """The frame of an edge e with a director at g from its middle."""
    frame = SectionFrame()
    length = wp.length(e)
    if length > 0.0:
        frame.t = e / length
        frame.per_length = 1.0 / length
        along = wp.dot(g, frame.t)
        across = g - along * frame.t
        arm = wp.length(across)
        if arm > LEANING * wp.length(g):
            frame.d_1 = across / arm
            frame.d_2 = wp.cross(frame.t, frame.d_1)
            frame.per_arm = 1.0 / arm
            frame.lean = along * frame.per_arm * frame.per_length
    return frame


@wp.func
def opening(one: SectionFrame, two: SectionFrame):
    """1 + t₀·t₁."""
    return wp.max(1.0 + wp.dot(one.t, two.t), FOLDED)


@wp.func
def curvature_binormal(one: SectionFrame, two: SectionFrame):
    """κb."""
    return (2.0 / opening(one, two)) * wp.cross(one.t, two.t)


@wp.func
def bend_strain(one: SectionFrame, two: SectionFrame):
    """κ₁, κ₂ and m [rad]."""
    binormal = curvature_binormal(one, two)
    axis = wp.cross(one.t, two.t)
    # d₁⁰ turned by the smallest rotation that takes t₀ to t₁ (Rodrigues).
    carried = (
        wp.dot(one.t, two.t) * one.d_1
        + wp.cross(axis, one.d_1)
        + (wp.dot(axis, one.d_1) / opening(one, two)) * axis
    )
    twist = wp.atan2(wp.dot(wp.cross(carried, two.d_1), two.t), wp.dot(carried, two.d_1))
    return wp.vec3(
        0.5 * wp.dot(one.d_2 + two.d_2, binormal), -0.5 * wp.dot(one.d_1 + two.d_1, binormal), twist
    )


@wp.func
def strain_gap(strain: wp.vec3, rest: wp.vec3):
    """The strain minus that at rest, its twist taken the short way round."""
    gap = strain - rest
    gap[2] = gap[2] - 2.0 * wp.PI * wp.round(gap[2] / (2.0 * wp.PI))
    return gap
