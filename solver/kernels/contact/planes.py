# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a vertex may go: to the plane that parts it from the other side, within a radius."""

import warp as wp

# Part of its path to the plane that a vertex may go.
KEPT = wp.constant(0.9)
# A plane leaves either side this part of the gap.
LEAST_PART = wp.constant(0.05)


@wp.func
def path_to_plane(
    own_gap: float,
    other_gap: float,
    own_approach: float,
    other_approach: float,
    distance: float,
):
    """How far a vertex may go towards the plane of a pair [m].

    `own_gap` ≤ 0 is how far the nearest point of its own side lies ahead of it, `other_gap` how far
    that of the other side does; both sides approach, and stay `distance` apart.
    """
    gap = own_gap + other_gap
    path = float(wp.inf)
    if own_approach + other_approach >= KEPT * gap:
        own_part = own_approach / (own_approach + other_approach)
        own_part = wp.clamp(own_part, LEAST_PART, 1.0 - LEAST_PART)
        path = KEPT * (other_gap - (1.0 - own_part) * gap)
        if gap <= distance:
            path = KEPT * (other_gap - distance)
    return path


@wp.func
def fraction_within(offset: wp.vec3, step: wp.vec3, radius: float):
    """The α in [0, 1] after which |offset + α · step| is at most `radius`."""
    fraction = float(1.0)
    if wp.length(offset + step) > radius:
        a = wp.length_sq(step)
        b = wp.dot(offset, step)
        c = wp.length_sq(offset) - radius * radius
        root = wp.sqrt(wp.max(b * b - a * c, 0.0))
        fraction = wp.clamp((root - b) / a, 0.0, 1.0)
    return fraction
