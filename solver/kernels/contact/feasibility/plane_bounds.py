# SPDX-License-Identifier: GPL-3.0-or-later
"""Step bounds of a plane that separates a pair, and of a radius around a path."""

import warp as wp

from ..pairs import Pair
from .separating_planes import least_distance

# Fraction of its path to the plane that a vertex may take.
SAFETY = wp.constant(0.9)
# Least fraction of the gap on either side of a plane.
LEAST_FRACTION = wp.constant(0.05)
# Halvings that find where a step leaves its region.
BISECTIONS = wp.constant(12)


@wp.func
def path_to_plane(
    own_gap: float,
    other_gap: float,
    own_approach: float,
    other_approach: float,
    distance: float,
):
    """Return how far a vertex may go towards the plane of a pair [m].

    `own_gap` ≤ 0 is how far the nearest point of its own side lies ahead of it, `other_gap` how far
    that of the other side does; both sides approach, and stay `distance` apart.
    """
    gap = own_gap + other_gap
    slack = gap - distance
    path = float(wp.inf)
    if own_approach + other_approach >= SAFETY * slack:
        path = SAFETY * (other_gap - distance)
        if slack > 0.0:
            own_fraction = own_approach / (own_approach + other_approach)
            own_fraction = wp.clamp(own_fraction, LEAST_FRACTION, 1.0 - LEAST_FRACTION)
            path = SAFETY * (other_gap - distance - (1.0 - own_fraction) * slack)
    return path


@wp.func
def toward_plane(corner: int, pair: Pair):
    """Return the direction in which a corner of a pair approaches its plane."""
    return wp.where(corner < pair.kind, -pair.plane_normal, pair.plane_normal)


@wp.func
def fraction_to_plane(
    corner: int, pair: Pair, approach: wp.vec4, reserve: wp.vec2, x: wp.array[wp.vec3]
):
    """Return the fraction in [0, 1] of its `approach` that keeps a corner of a pair, which does
    approach, on its side of the plane. Others of sides A and B may come nearer by their `reserve`
    [m].
    """
    toward = toward_plane(corner, pair)
    x_s = x[pair.vertices[corner]]
    own_gap = float(1.0e30)  # distance from x_s to the nearest point of each side
    other_gap = float(1.0e30)
    own_approach = float(0.0)
    other_approach = float(0.0)
    for c in range(4):
        along = -wp.dot(toward, x[pair.vertices[c]] - x_s)
        if (c < pair.kind) == (corner < pair.kind):
            own_gap = wp.min(own_gap, along)
            own_approach = wp.max(own_approach, approach[c])
        else:
            other_gap = wp.min(other_gap, -along)
            other_approach = wp.max(other_approach, approach[c])
    own_reserve = wp.where(corner < pair.kind, reserve[0], reserve[1])
    own_gap -= own_reserve
    other_gap -= reserve[0] + reserve[1] - own_reserve
    distance = least_distance(pair, x)
    path = path_to_plane(own_gap, other_gap, own_approach, other_approach, distance)
    return wp.clamp(path / approach[corner], 0.0, 1.0)


@wp.func
def distance_from_path(point: wp.vec3, path: wp.vec3):
    """Return how far a point is from the segment from 0 along a path [m]."""
    fraction = wp.dot(point, path) / wp.max(wp.length_sq(path), 1.0e-30)
    return wp.length(point - wp.clamp(fraction, 0.0, 1.0) * path)


@wp.func
def fraction_within(offset: wp.vec3, step: wp.vec3, path: wp.vec3, radius: float):
    """Return an α in [0, 1] with offset + α · step within `radius` of a path from 0."""
    low = float(1.0)
    if distance_from_path(offset + step, path) > radius:
        low = 0.0
        high = float(1.0)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if distance_from_path(offset + middle * step, path) > radius:
                high = middle
            else:
                low = middle
    return low
