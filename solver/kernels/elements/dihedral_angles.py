# SPDX-License-Identifier: GPL-3.0-or-later
"""The angle θ between two triangles on an edge, for one edge or eight in lanes.

The edge runs from p to q, triangle 1 is (p, q, r) and triangle 2 (q, p, s); θ is zero when flat and
positive when the normals open away from each other.
"""

from typing import Any

import warp as wp

from ..device.lane_functions import arctan2, either, root, smallest
from ..device.lanes import add, cross, div, dot, mul, sub  # noqa: F401 (operators)
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# A triangle with twice its area below this fraction of its squared edge has no bending force.
FLAT = wp.constant(1.0e-6)


@wp.func
def angle_gap(theta: Any, rest: Any):
    """θ − θ̄ [rad], taken the short way round."""
    gap = theta - rest
    gap += either(gap - wp.PI, -2.0 * wp.PI, 0.0)
    gap += either(-1.0 * gap - wp.PI, 2.0 * wp.PI, 0.0)
    return gap


@wp.func
def bend(e: Any, r: Any, s: Any):
    """θ [rad] and the terms of its gradient [rad/m]; e, r and s are q, r and s relative to p.

    With n₁ = e × r, n₂ = s × e and m = n/(|e| |n|²), zero where a triangle has no area,

        ∂θ/∂q = (r·e) m₁ + (s·e) m₂,  ∂θ/∂r = −|e|² m₁,  ∂θ/∂s = −|e|² m₂,

    and ∂θ/∂p makes the sum zero. Returns θ, m₁, m₂, |e|².
    """
    n_1 = cross(e, r)
    n_2 = cross(s, e)
    along = dot(e, e)
    length = root(along)
    theta = arctan2((-1.0 * length) * dot(n_1, s), dot(n_1, n_2))
    size_1 = dot(n_1, n_1)
    size_2 = dot(n_2, n_2)
    area = smallest(size_1, size_2) - (FLAT * FLAT * along) * along
    none = along - along
    m_1 = either(area, 1.0 / (length * size_1), none) * n_1
    m_2 = either(area, 1.0 / (length * size_2), none) * n_2
    return theta, m_1, m_2, along


@wp.func
def bend_at_corner(hinge: Any, d_a: Any, d_b: Any, d_c: Any):
    """θ [rad] and its gradient [rad/m] for the vertex of a record; d are the others relative to it.

    A vertex on the edge takes the role of p, a wing that of r.
    """
    wing = hinge.wing
    e = either(wing, d_b - d_a, d_a)
    r = either(wing, -1.0 * d_a, d_b)
    s = either(wing, d_c - d_a, d_c)
    theta, m_1, m_2, along = bend(e, r, s)
    of_edge = (along - dot(r, e)) * m_1 + (along - dot(s, e)) * m_2
    return theta, either(wing, (-1.0 * along) * m_1, of_edge)


@wp.func
def slope_here(rest: Any, e: Any, r: Any, s: Any, d_e: Any, d_r: Any, d_s: Any):
    """(θ − θ̄) θ' [rad²] and θ' along d."""
    theta, m_1, m_2, along = bend(e, r, s)
    change_1 = dot(r, e) * d_e - along * d_r
    change_2 = dot(s, e) * d_e - along * d_s
    rate = dot(m_1, change_1) + dot(m_2, change_2)
    return angle_gap(theta, rest) * rate, rate


@wp.func
def slope_on_line(k: Any, rest: Any, e: Any, r: Any, s: Any, d_e: Any, d_r: Any, d_s: Any):
    """Coefficients 1, a, a² of ∂E/∂a [J] along the line: a parabola through the slopes at 0 and 1,
    with k θ'² as its rise at 0.
    """
    begin, rate = slope_here(rest, e, r, s, d_e, d_r, d_s)
    end, _rate = slope_here(rest, e + d_e, r + d_r, s + d_s, d_e, d_r, d_s)
    rise = rate * rate
    return k * begin, k * rise, k * (end - begin - rise)
