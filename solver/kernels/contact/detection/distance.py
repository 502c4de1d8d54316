# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of a point and a triangle, and of two segments.

As Ericson, "Real-Time Collision Detection" (2005), §5.1.5 and §5.1.9. Distances are those between
convex sets, so the direction between the closest points separates the two.
"""

import warp as wp

from ...device.options import OPTIONS

wp.set_module_options(OPTIONS)

# The squared sine of the angle between two segments below which they count as parallel.
PARALLEL = wp.constant(1.0e-6)
# The least squared length [m²] of a segment: a grain has none, and its closest point is its start.
SHORTEST = wp.constant(1.0e-30)


@wp.func
def closest_on_triangle(p: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3):
    """Return barycentric weights [3] of the point of triangle abc that is closest to p."""
    ab = b - a
    ac = c - a
    ap = p - a
    bp = p - b
    cp = p - c
    d_1 = wp.dot(ab, ap)
    d_2 = wp.dot(ac, ap)
    d_3 = wp.dot(ab, bp)
    d_4 = wp.dot(ac, bp)
    d_5 = wp.dot(ab, cp)
    d_6 = wp.dot(ac, cp)
    of_a = d_3 * d_6 - d_5 * d_4
    of_b = d_5 * d_2 - d_1 * d_6
    of_c = d_1 * d_4 - d_3 * d_2
    # Three numbers and one end: a vector that many branches write would be kept in memory.
    u = float(0.0)
    v = float(0.0)
    w = float(0.0)
    if d_1 <= 0.0 and d_2 <= 0.0:
        u = 1.0
    elif d_3 >= 0.0 and d_4 <= d_3:
        v = 1.0
    elif d_6 >= 0.0 and d_5 <= d_6:
        w = 1.0
    elif of_c <= 0.0 and d_1 >= 0.0 and d_3 <= 0.0:
        v = d_1 / (d_1 - d_3)
        u = 1.0 - v
    elif of_b <= 0.0 and d_2 >= 0.0 and d_6 <= 0.0:
        w = d_2 / (d_2 - d_6)
        u = 1.0 - w
    elif of_a <= 0.0 and d_4 >= d_3 and d_5 >= d_6:
        w = (d_4 - d_3) / ((d_4 - d_3) + (d_5 - d_6))
        v = 1.0 - w
    else:
        total = of_a + of_b + of_c
        u = of_a / total
        v = of_b / total
        w = of_c / total
    return wp.vec3(u, v, w)


@wp.func
def closest_on_segments(a: wp.vec3, b: wp.vec3, c: wp.vec3, d: wp.vec3):
    """Return the places (s, t) in [0, 1] of the closest points on segments ab and cd."""
    u = b - a
    v = d - c
    r = a - c
    uu = wp.max(wp.dot(u, u), SHORTEST)
    vv = wp.max(wp.dot(v, v), SHORTEST)
    uv = wp.dot(u, v)
    ur = wp.dot(u, r)
    vr = wp.dot(v, r)
    denominator = uu * vv - uv * uv
    s = float(0.0)
    if denominator > PARALLEL * uu * vv:
        s = wp.clamp((uv * vr - ur * vv) / denominator, 0.0, 1.0)
    else:
        # Of parallel segments any point of the overlap will do: the middle of it.
        end = wp.clamp((uv - ur) / uu, 0.0, 1.0)
        s = 0.5 * (wp.clamp(-ur / uu, 0.0, 1.0) + end)
    t = (uv * s + vr) / vv
    if t < 0.0:
        t = 0.0
        s = wp.clamp(-ur / uu, 0.0, 1.0)
    elif t > 1.0:
        t = 1.0
        s = wp.clamp((uv - ur) / uu, 0.0, 1.0)
    return wp.vec2(s, t)


@wp.func
def parallelism(u: wp.vec3, v: wp.vec3):
    """Return 1 for edges at an angle, falling smoothly to 0 as they become parallel.

    Li et al., "Incremental Potential Contact" (2020), eq. 23, over the squared sine of their angle.
    """
    sine = wp.length_sq(wp.cross(u, v)) / (wp.length_sq(u) * wp.length_sq(v))
    c = wp.min(sine / 1.0e-3, 1.0)
    return c * (2.0 - c)
