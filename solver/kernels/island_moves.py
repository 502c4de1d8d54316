# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid motions of islands of bodies, and which of them nothing is in the way of.

A motion that all bodies of an island have in common changes no distance between them, so no plane
between those is to end it. Where the boxes that an island sweeps meet those of no other one, nor
those of colliders, it moves as a whole.
"""

import warp as wp

from .chunks import Chunks
from .contact.analytic_colliders import ContactModel
from .contact.counts import OF_EDGES, OF_VERTICES
from .contact.pairs import Pair, Surface, signed_weights, weighted
from .contact.parting import LOST, ROUNDING, better, parting_normal, room_between
from .contact.passing import approach_along, ends_paths, passing_normal
from .contact.planes import KEPT
from .contact.steps_in_front import keep_in_front
from .contact.tree import COLLIDER_TRIANGLES, meets_any
from .flight import Boxes
from .islands import Islands
from .options import HOT
from .shares import share_of

wp.set_module_options(HOT)


@wp.func
def rigid_step(start: wp.vec3, island: int, islands: Islands):
    """The step of a vertex of an island from `start` [m]."""
    arm = wp.vec3d(start) - islands.center[island]
    turned = islands.turn[island] * arm
    step = wp.vec3(islands.shift[island] + (turned - arm))
    if islands.held[island] != 0 or not wp.isfinite(step):
        step = wp.vec3(0.0)
    return step


@wp.kernel
def move_islands(
    first: int,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    clips: int,
    model: ContactModel,
    # out
    candidate: wp.array[wp.vec3],
):
    """Where free islands should have got; where it `clips`, in front of analytic colliders. One
    thread per free vertex.
    """
    i = first + wp.tid()
    start = x[i]
    step = rigid_step(start, islands.island[owner[i]], islands)
    if clips != 0:
        step = keep_in_front(i, start, step, x_start[i], model)
    candidate[i] = start + step


@wp.kernel
def find_least_parts(
    first: int,
    before: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    # in and out
    least: wp.array[float],
    # out
    held_back: wp.array[int],
):
    """The least part of its step that any free vertex of a body has taken, [body], and whether
    there is any that did not take all of it. A vertex that got there did, however little rounding
    left of the step.
    """
    i = first + wp.tid()
    step = rigid_step(before[i], islands.island[owner[i]], islands)
    square = wp.length_sq(step)
    if square > 0.0 and wp.length_sq(x[i] - (before[i] + step)) > 0.0:
        wp.atomic_min(least, owner[i], wp.max(wp.dot(x[i] - before[i], step) / square, 0.0))
        held_back[0] = 1


@wp.kernel
def find_ways(
    first: int,
    before: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    # out
    way: wp.array[wp.vec3],
):
    """What is left of the step of every surface vertex [m]."""
    s = first + wp.tid()
    way[s] = before[s] + rigid_step(before[s], islands.island[owner[s]], islands) - x[s]


@wp.func
def stays(s: int, way: wp.array[wp.vec3]):
    """1 for a surface vertex that is to go nowhere."""
    return int(wp.length_sq(way[s]) == 0.0)


@wp.kernel
def part_for_ways(
    first: int,
    parts: int,
    x: wp.array[wp.vec3],
    way: wp.array[wp.vec3],
    counts: wp.array[int],
    # in and out
    pairs: wp.array[Pair],
):
    """Let the normals of pairs that would end the ways of their vertices part them as they are now,
    or where the ways pass if they may. What comes to meet others keeps its planes.
    """
    begin, end = share_of(first + wp.tid(), parts, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        n = pair.found_normal
        meets = stays(v[0], way) == 0 and stays(v[3], way) == 0
        if not meets and approach_along(pair.kind, n, v, way) >= KEPT * room_between(
            pair.kind, pair, x
        ):
            weights = signed_weights(pair.kind, v, x)
            n = parting_normal(pair.kind, weights, v, x, weighted(weights, v, x))
            n = better(pair.kind, pair.found_normal, n, v, x)
            if ends_paths(pair.kind, n, v, x, way):
                n = passing_normal(pair, n, weights, x, way)
            pairs[p].found_normal = n


@wp.kernel
def sweep_boxes(
    chunks: Chunks,
    parts: Boxes,
    islands: Islands,
    # in and out
    boxes: Boxes,
    # out
    stays: wp.array[int],
):
    """The box that every body sweeps with its island. One thread per body."""
    b = wp.tid()
    low = wp.vec3(wp.inf)
    high = wp.vec3(-wp.inf)
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        low = wp.min(low, parts.low[chunk])
        high = wp.max(high, parts.high[chunk])
    island = islands.island[b]
    stays[b] = islands.held[island]
    if islands.held[island] == 0:
        arm = 0.5 * (low + high) - wp.vec3(islands.center[island])
        farthest = wp.length(arm) + 0.5 * wp.length(high - low)
        turned = islands.turn[island] - wp.identity(n=3, dtype=wp.float64)
        size = float(wp.sqrt(wp.ddot(turned, turned)))
        reach = wp.vec3(float(wp.length(islands.shift[island])) + size * farthest)
        low -= reach
        high += reach
    boxes.low[b] = low
    boxes.high[b] = high


@wp.kernel
def find_obstacles(
    surface: Surface,
    travel: wp.array[float],
    boxes: Boxes,
    islands: Islands,
    # in and out
    stays: wp.array[int],
):
    """Mark the islands that are not to move as a whole: that may meet another one, or the box of a
    collider as of the last search; within the frame those move by `travel` [m] at most.
    """
    b = wp.tid()
    island = islands.island[b]
    low = boxes.low[b]
    high = boxes.high[b]
    meets = int(0)
    for other in range(boxes.low.shape[0]):
        if islands.island[other] != island and surface.may_touch[b * surface.bodies + other] != 0:
            if wp.max(wp.max(boxes.low[other] - high, low - boxes.high[other])) <= 0.0:
                meets = 1
    reach = wp.vec3(travel[0])
    if meets_any(surface.trees, COLLIDER_TRIANGLES, low - reach, high + reach):
        meets = 1
    if meets != 0 or not wp.isfinite(low + high):
        stays[island] = 1


@wp.kernel
def find_held_back(
    first: int,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    radius: wp.array[float],
    # out
    stays: wp.array[int],
):
    """Mark the islands of which analytic colliders hold any vertex back, and those that would get
    to where rounding is more than the contact `radius`, so that it could pass what is not listed.
    """
    i = first + wp.tid()
    island = islands.island[owner[i]]
    if islands.held[island] == 0:
        goal = x[i] + rigid_step(x[i], island, islands)
        rounding = LOST * ROUNDING * wp.dot(wp.abs(goal), wp.vec3(1.0))
        if wp.length_sq(candidate[i] - goal) > 0.0 or rounding > radius[i]:
            stays[island] = 1


@wp.kernel
def move_whole(
    first: int,
    candidate: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    stays: wp.array[int],
    # out
    x: wp.array[wp.vec3],
):
    """Let islands that meet nothing go to their candidates. One thread per free vertex."""
    i = first + wp.tid()
    if stays[islands.island[owner[i]]] == 0:
        x[i] = candidate[i]
