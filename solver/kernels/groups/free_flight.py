# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in free flight: their boxes, groups that may meet, obstacles, and common motions."""

import warp as wp

from ..contact.analytic_colliders import AnalyticColliders, may_reach
from ..contact.detection.bvh import COLLIDER_TRIANGLES, meets_any
from ..contact.pairs import SurfaceArrays
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..device.union_find import join, root_of

wp.set_module_options(OPTIONS)


# Bisections for the fraction of a motion up to an obstacle.
HALVINGS = wp.constant(12)


@wp.struct
class Boxes:
    """Boxes of vertices with their contact distances, and sums of the vertices' displacements."""

    low: wp.array[wp.vec3]  # [m]
    high: wp.array[wp.vec3]  # [m]
    path: wp.array[wp.vec3d]  # [m]


@wp.struct
class Flights:
    """Free flight of bodies, all [body]."""

    size: wp.array[wp.float64]  # number of vertices
    held: wp.array[int]  # 1 where any of them is kinematic
    low: wp.array[wp.vec3]  # of the box swept by its own mean displacement [m]
    high: wp.array[wp.vec3]  # [m]
    parent: wp.array[int]
    group: wp.array[int]  # the first body of its group
    motion: wp.array[wp.vec3]  # of the group, where this is its first body [m]
    farthest: wp.array[wp.vec3]  # largest coordinates of the group [m], likewise
    fraction: wp.array[float]  # of its motion up to obstacles, likewise
    unmoved: wp.array[int]  # 1 where the group does not fly, at its first body


@wp.func
def stretched_low(low: wp.vec3, motion: wp.vec3):
    """Lower end [m] of a swept box; unbounded if the motion is not finite."""
    if not wp.isfinite(motion):
        return wp.vec3(-wp.inf)
    return low + wp.min(motion, wp.vec3())


@wp.func
def stretched_high(high: wp.vec3, motion: wp.vec3):
    """Upper end [m] of a swept box; unbounded if the motion is not finite."""
    if not wp.isfinite(motion):
        return wp.vec3(wp.inf)
    return high + wp.max(motion, wp.vec3())


@wp.kernel
def measure_chunks(
    first: int,
    chunks: Chunks,
    vertex_count: int,
    x: wp.array[wp.vec3],
    goal: wp.array[wp.vec3],
    radius: wp.array[float],
    # in and out
    boxes: Boxes,
):
    """Set the box of every chunk and the displacements to the goals. One thread per chunk.

    Embedded points, numbered behind the vertices, have no displacements of their own.
    """
    chunk = first + wp.tid()
    low = wp.vec3(wp.inf)
    high = wp.vec3(-wp.inf)
    path = wp.vec3d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        r = wp.vec3(radius[i])
        low = wp.min(low, x[i] - r)
        high = wp.max(high, x[i] + r)
        if i < vertex_count:
            path += wp.vec3d(goal[i] - x[i])
    boxes.low[chunk] = low
    boxes.high[chunk] = high
    boxes.path[chunk] = path


@wp.kernel
def measure_bodies(
    chunks: Chunks,
    chunk_boxes: Boxes,
    # in and out
    boxes: Boxes,
    flights: Flights,
):
    """Set box and displacement of every body, in a group of its own. One thread per body."""
    b = wp.tid()
    low = wp.vec3(wp.inf)
    high = wp.vec3(-wp.inf)
    path = wp.vec3d()
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        low = wp.min(low, chunk_boxes.low[chunk])
        high = wp.max(high, chunk_boxes.high[chunk])
        path += chunk_boxes.path[chunk]
    boxes.low[b] = low
    boxes.high[b] = high
    boxes.path[b] = path
    motion = wp.vec3(path / flights.size[b])
    flights.low[b] = stretched_low(low, motion)
    flights.high[b] = stretched_high(high, motion)
    flights.parent[b] = b
    flights.fraction[b] = 1.0
    flights.unmoved[b] = 0


@wp.kernel
def join_meeting(
    surface: SurfaceArrays,
    # in and out
    flights: Flights,
):
    """Join bodies whose swept boxes meet those of later ones. One thread per body."""
    b = wp.tid()
    low = flights.low[b]
    high = flights.high[b]
    for other in range(b + 1, flights.low.shape[0]):
        if surface.may_touch[b * surface.bodies + other] != 0:
            apart = wp.max(flights.low[other] - high, low - flights.high[other])
            if wp.max(apart) <= 0.0:
                join(b, other, flights.parent)


@wp.kernel
def name_groups(
    # in and out
    flights: Flights,
):
    """Set the group of every body."""
    b = wp.tid()
    flights.group[b] = root_of(b, flights.parent)


@wp.func
def in_digits_of(motion: wp.vec3, farthest: wp.vec3):
    """The motion rounded to the digits of the `farthest` [m] coordinates after it: all coordinates
    below the same power of two move by exactly that.
    """
    m = motion
    for k in range(3):
        far = wp.where(m[k] < 0.0, -farthest[k], farthest[k])
        m[k] = (m[k] + far) - far
    return m


@wp.kernel
def find_motions(
    boxes: Boxes,
    # in and out
    flights: Flights,
):
    """Set the mean displacement of every group. One thread per body, a group's first works."""
    b = wp.tid()
    if flights.group[b] != b:
        return
    path = wp.vec3d()
    size = wp.float64(0.0)
    farthest = wp.vec3()
    for other in range(b, boxes.path.shape[0]):
        if flights.group[other] == b:
            path += boxes.path[other]
            size += flights.size[other]
            farthest = wp.max(farthest, wp.max(wp.abs(boxes.low[other]), wp.abs(boxes.high[other])))
    flights.motion[b] = in_digits_of(wp.vec3(path / size), farthest)
    flights.farthest[b] = farthest


@wp.func
def paths_meet(b: int, other: int, surface: SurfaceArrays, boxes: Boxes, flights: Flights):
    """True where two bodies of different groups may meet on the motions of their groups."""
    if flights.group[b] == flights.group[other]:
        return False
    if surface.may_touch[b * surface.bodies + other] == 0:
        return False
    motion = flights.motion[flights.group[b]]
    others = flights.motion[flights.group[other]]
    low = stretched_low(boxes.low[b], motion)
    high = stretched_high(boxes.high[b], motion)
    above = stretched_low(boxes.low[other], others) - high
    below = low - stretched_high(boxes.high[other], others)
    return wp.max(wp.max(above, below)) <= 0.0


@wp.func
def meets_obstacle(
    fraction: float,
    b: int,
    motion: wp.vec3,
    surface: SurfaceArrays,
    colliders: AnalyticColliders,
    travel: float,
    boxes: Boxes,
):
    """True where body b may reach an analytic collider, or the box of a mesh collider at the last
    search, on a fraction of a motion.
    """
    low = stretched_low(boxes.low[b], fraction * motion)
    high = stretched_high(boxes.high[b], fraction * motion)
    meets = bool(False)
    for k in range(colliders.kind.shape[0]):
        if may_reach(colliders, k, low, high):
            meets = True
    if not meets:
        reach = wp.vec3(travel)
        meets = meets_any(surface.trees, COLLIDER_TRIANGLES, low - reach, high + reach)
    return meets


@wp.kernel
def find_obstacles(
    surface: SurfaceArrays,
    colliders: AnalyticColliders,
    travel: wp.array[float],
    boxes: Boxes,
    # in and out
    flights: Flights,
):
    """Mark groups that do not fly, because they are held or may meet another group on the common
    motions of both; find the fraction of its motion that leads a group up to colliders, which move
    by `travel` [m] at most within the frame.
    """
    b = wp.tid()
    group = flights.group[b]
    motion = flights.motion[group]
    unmoved = flights.held[b]
    if not wp.isfinite(motion):
        unmoved = 1
    for other in range(flights.group.shape[0]):
        if paths_meet(b, other, surface, boxes, flights):
            unmoved = 1
    if unmoved != 0:
        flights.unmoved[group] = 1
        return
    fraction = float(1.0)
    if meets_obstacle(fraction, b, motion, surface, colliders, travel[0], boxes):
        fraction = 0.0
        interval = float(0.5)
        for _halving in range(HALVINGS):
            if not meets_obstacle(
                fraction + interval, b, motion, surface, colliders, travel[0], boxes
            ):
                fraction += interval
            interval *= 0.5
    wp.atomic_min(flights.fraction, group, fraction)


@wp.kernel
def find_flying(
    # in and out
    flights: Flights,
    # out
    flies: wp.array[int],
):
    """Set how far every group flies, and `flies` if any moves."""
    b = wp.tid()
    if flights.group[b] == b and flights.unmoved[b] == 0:
        fraction = flights.fraction[b]
        if fraction < 1.0:
            flights.motion[b] = in_digits_of(fraction * flights.motion[b], flights.farthest[b])
        if wp.length_sq(flights.motion[b]) > 0.0:
            flies[0] = 1


@wp.kernel
def fly(
    first: int,
    body: wp.array[int],
    flights: Flights,
    # in and out
    x: wp.array[wp.vec3],
):
    """Move every vertex of flying groups by the motion of its group."""
    i = first + wp.tid()
    group = flights.group[body[i]]
    if flights.unmoved[group] == 0:
        x[i] = x[i] + flights.motion[group]
