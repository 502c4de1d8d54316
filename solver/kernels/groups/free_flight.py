# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in free flight: their boxes, groups that may meet, obstacles, and common motions."""

import warp as wp

from ..contact.analytic_colliders import AnalyticColliders, may_reach
from ..contact.detection.bvh import COLLIDER_TRIANGLES, WHOLE_BODIES, first_in, meets_any, next_in
from ..contact.pairs import SurfaceArrays, bodies_may_touch
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..device.union_find import join, root_of

wp.set_module_options(OPTIONS)


# Bisections for the fraction of a motion up to an obstacle.
HALVINGS = wp.constant(12)
# Half the side of a box that holds everything [m]: infinite ones would meet empty nodes of trees.
ANYWHERE = wp.constant(1.0e30)


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
    asleep: wp.array[int]  # 1 where it sleeps
    low: wp.array[wp.vec3]  # of the box swept by its own mean displacement, then the group's [m]
    high: wp.array[wp.vec3]  # [m]
    parent: wp.array[int]
    group: wp.array[int]  # the first body of its group
    path: wp.array[wp.vec3d]  # sum of the group's displacements, where this is its first body [m]
    total: wp.array[wp.float64]  # number of the group's vertices, likewise
    motion: wp.array[wp.vec3]  # of the group, likewise [m]
    farthest: wp.array[wp.vec3]  # largest coordinates of the group [m], likewise
    fraction: wp.array[float]  # of its motion up to obstacles, likewise
    unmoved: wp.array[int]  # 1 where the group does not fly, at its first body


@wp.func
def stretched_low(low: wp.vec3, motion: wp.vec3):
    """Lower end [m] of a swept box; unbounded if the motion is not finite."""
    if not wp.isfinite(motion) or wp.length(motion) > ANYWHERE:
        return wp.vec3(-ANYWHERE)
    return low + wp.min(motion, wp.vec3())


@wp.func
def stretched_high(high: wp.vec3, motion: wp.vec3):
    """Upper end [m] of a swept box; unbounded if the motion is not finite."""
    if not wp.isfinite(motion) or wp.length(motion) > ANYWHERE:
        return wp.vec3(ANYWHERE)
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
    flights.path[b] = wp.vec3d()
    flights.total[b] = wp.float64(0.0)
    flights.farthest[b] = wp.vec3()


@wp.kernel
def join_meeting(
    surface: SurfaceArrays,
    # in and out
    flights: Flights,
):
    """Join bodies whose swept boxes, in the tree of bodies, meet those of later ones. One thread
    per body.
    """
    b = wp.tid()
    walk = first_in(surface.trees, WHOLE_BODIES, flights.low[b], flights.high[b])
    while walk.entry >= 0:
        if walk.entry > b and bodies_may_touch(b, walk.entry, surface):
            join(b, walk.entry, flights.parent)
        walk = next_in(surface.trees, walk)


@wp.kernel
def name_groups(
    boxes: Boxes,
    # in and out
    flights: Flights,
):
    """Set the group of every body, and add up displacements and numbers of vertices of each. One
    thread per body.
    """
    b = wp.tid()
    group = root_of(b, flights.parent)
    flights.group[b] = group
    wp.atomic_add(flights.path, group, boxes.path[b])
    wp.atomic_add(flights.total, group, flights.size[b])
    farthest = wp.max(wp.abs(boxes.low[b]), wp.abs(boxes.high[b]))
    wp.atomic_max(flights.farthest, group, farthest)


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
    """Set the mean displacement of every group at its first body, and the boxes that its bodies
    sweep by it. One thread per body.
    """
    b = wp.tid()
    group = flights.group[b]
    motion = wp.vec3(flights.path[group] / flights.total[group])
    motion = in_digits_of(motion, flights.farthest[group])
    flights.low[b] = stretched_low(boxes.low[b], motion)
    flights.high[b] = stretched_high(boxes.high[b], motion)
    if group == b:
        flights.motion[b] = motion


@wp.func
def meets_other_group(b: int, surface: SurfaceArrays, flights: Flights):
    """True where body b may meet one of another group on the motions of both groups."""
    meets = bool(False)
    walk = first_in(surface.trees, WHOLE_BODIES, flights.low[b], flights.high[b])
    while walk.entry >= 0 and not meets:
        if flights.group[walk.entry] != flights.group[b]:
            meets = bodies_may_touch(b, walk.entry, surface)
        walk = next_in(surface.trees, walk)
    return meets


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
    unmoved = wp.max(flights.held[b], flights.asleep[b])
    if not wp.isfinite(motion):
        unmoved = 1
    if meets_other_group(b, surface, flights):
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
