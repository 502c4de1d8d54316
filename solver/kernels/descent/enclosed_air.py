# SPDX-License-Identifier: GPL-3.0-or-later
"""Air that closed cloth encloses: p(V) = (p_a + p̄) V̄/V − p_a, with p̄ at the volume V̄ at rest
(Boyle's law).

The pressure follows the volume by Newton steps for p(V(p)) = p, with a compliance dV/dp of what
encloses the air that is learned from how the residual goes on.
"""

import warp as wp

from ..device.options import QUICK
from ..elements.linear_algebra import exact

wp.set_module_options(QUICK)

# That of the atmosphere, p_a [Pa].
ATMOSPHERE = wp.constant(101325.0)
# The smallest part of V̄ that a volume counts as.
LEAST = wp.constant(0.05)
# How the compliance follows a residual that keeps its sign, and one that changes it.
FALL = wp.constant(0.7)
RISE = wp.constant(2.0)
# How far it may fall below that of inertia alone.
RANGE = wp.constant(100.0)
# Below this part of the pressure a residual may be rounding.
SMALL = wp.constant(1.0e-5)


@wp.struct
class Enclosures:
    """Triangles by their enclosures, in chunks that are added up by themselves."""

    corners: wp.array[wp.vec3i]
    start: wp.array[int]  # [chunk + 1]
    first: wp.array[int]  # [enclosure + 1] chunks
    volume: wp.array[float]  # V̄ [m³]; 0 for those that keep their pressure
    gauge: wp.array[float]  # p̄ [Pa]
    inertial: wp.array[float]  # compliance if nothing but inertia held the vertices [m³/Pa]


@wp.kernel
def change_pressures(
    start: wp.array[float],
    end: wp.array[float],
    fraction: wp.array[wp.float64],
    volume: wp.array[float],
    # in and out
    gauge: wp.array[float],
    pressure: wp.array[float],
):
    """Let pressures [Pa] be what they are at the end of this substep, on their way from the `start`
    to the `end` of the frame; of those that follow volumes it is p̄. One thread per enclosure.
    """
    k = wp.tid()
    now = wp.lerp(start[k], end[k], float(fraction[0]))
    gauge[k] = now
    if volume[k] == 0.0:
        pressure[k] = now


@wp.kernel
def add_volumes(
    first: int,
    enclosures: Enclosures,
    x: wp.array[wp.vec3],
    # out
    chunks: wp.array[wp.float64],
):
    """What a chunk of triangles has of 6 V [m³]."""
    chunk = first + wp.tid()
    total = wp.float64(0.0)
    for t in range(enclosures.start[chunk], enclosures.start[chunk + 1]):
        c = enclosures.corners[t]
        total += wp.dot(exact(x[c[0]]), wp.cross(exact(x[c[1]]), exact(x[c[2]])))
    chunks[chunk] = total


@wp.kernel
def press_on(
    enclosures: Enclosures,
    chunks: wp.array[wp.float64],
    # in and out
    pressure: wp.array[float],
    compliance: wp.array[float],
    residual: wp.array[float],
    # out
    rest: wp.array[float],
):
    """Take a step of the pressures that follow volumes. The compliance rises when the residual
    p(V) − p changes its sign, and falls while it does not. One thread per enclosure.
    """
    k = wp.tid()
    v_0 = enclosures.volume[k]
    if v_0 > 0.0:
        total = wp.float64(0.0)
        for chunk in range(enclosures.first[k], enclosures.first[k + 1]):
            total += chunks[chunk]
        v = wp.max(float(total) / 6.0, LEAST * v_0)
        inside = (ATMOSPHERE + enclosures.gauge[k]) * v_0 / v
        gap = inside - ATMOSPHERE - pressure[k]
        most = enclosures.inertial[k]
        before = gap * residual[k]
        c = compliance[k]
        if wp.abs(gap) > SMALL * inside:
            if before > 0.0:
                c = wp.max(c * FALL, most / RANGE)
            if before < 0.0:
                c = wp.min(c * RISE, most)
        compliance[k] = c
        residual[k] = gap
        pressure[k] = pressure[k] + gap / (1.0 + c * inside / v)
        rest[k] = pressure[k]
