# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on rigid islands from external contacts, those with anything outside of the island."""

import warp as wp

from ..contact.analytic_colliders import ContactModel, collider_force_hessian
from ..contact.detection.pair_counts import OF_EDGES, OF_VERTICES
from ..contact.detection.touches import edge_edge_touch, vertex_triangle_touch
from ..contact.feasibility.separating_planes import gap_along
from ..contact.law import force_stiffness
from ..contact.pairs import EDGE_EDGE, VERTEX_TRIANGLE, Pair, PairLists, Touch, gap_of
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..lattice.embedding import point_position
from .islands import Islands
from .rigid_steps import RigidStepArrays
from .wrench import Wrench, add_force

wp.set_module_options(OPTIONS)

# Beyond this many contact distances a pair has no force, despite rounding.
FAR = wp.constant(1.1)


@wp.struct
class ExternalPairs:
    """External pairs of every vertex: with held bodies, or to push it out of others."""

    lists: PairLists
    counts: wp.array[int]
    touches: wp.array[Touch]
    pulled: wp.array[wp.vec3]
    entry: wp.array[int]  # like those of `lists`, from start[i], ...
    end: wp.array[int]  # [vertex] ... up to here


@wp.func
def of_island(v: int, island: int, body: wp.array[int], islands: Islands):
    """True where surface vertex v belongs to an island."""
    return islands.island[body[v]] == island


@wp.func
def is_first_inside(v: wp.vec4i, corner: int, island: int, body: wp.array[int], islands: Islands):
    """True for the first corner of a pair in the island, if some corner is outside of it."""
    inside = int(0)
    first = int(-1)
    for c in range(4):
        if of_island(v[c], island, body, islands):
            inside += 1
            if first < 0:
                first = int(c)
    return first == corner and inside < 4


@wp.func
def next_displacement(island: int, weight: wp.float64, r: wp.vec3d, steps: RigidStepArrays):
    """Displacement [m] by the last step of corners with a total `weight` at r from the center of an
    island; 0 where contacts are evaluated at the start of the step.
    """
    displacement = wp.vec3d()
    if steps.is_retry[island] != 0:
        displacement = weight * steps.shift[island] + wp.cross(steps.turn[island], r)
    return displacement


@wp.func
def reach_of(
    pair: Pair,
    island: int,
    x: wp.array[wp.vec3],
    body: wp.array[int],
    islands: Islands,
    steps: RigidStepArrays,
):
    """Distance [m] within which a pair may touch, at the start or the end of the last step."""
    farthest = float(0.0)
    if steps.is_retry[island] != 0:
        for c in range(4):
            v = pair.vertices[c]
            if of_island(v, island, body, islands):
                r = islands.turn[island] * (wp.vec3d(x[v]) - islands.center[island])
                displacement = next_displacement(island, wp.float64(1.0), r, steps)
                farthest = wp.max(farthest, float(wp.length(displacement)))
    return FAR * pair.radius + farthest


@wp.func
def touch_of(
    p: int,
    island: int,
    x: wp.array[wp.vec3],
    moved: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    external: ExternalPairs,
    model: ContactModel,
    islands: Islands,
    steps: RigidStepArrays,
):
    """The `Touch` of pair p at the `moved` positions, and 0 if it is out of reach. Rows that
    separate bodies keep the touch of the search.
    """
    touch = Touch()
    near = int(0)
    if p >= external.counts[OF_VERTICES] + external.counts[OF_EDGES]:
        touch = external.touches[p]
        near = 1
    else:
        pair = external.lists.pairs[p]
        reach = reach_of(pair, island, x, model.body, islands, steps)
        if gap_along(pair.kind, pair.plane_normal, pair.vertices, moved) < reach:
            pulled = external.pulled
            if pair.kind == VERTEX_TRIANGLE:
                touch, near = vertex_triangle_touch(p, pair, reach, pulled, moved, x_start)
            else:
                touch, near = edge_edge_touch(p, pair, reach, pulled, moved, x_start)
    return touch, near


@wp.func
def touch_force(touch: Touch, gap: wp.vec3, gap_change: wp.vec3, model: ContactModel):
    """Force [N] on side A of a pair that touches after a further `gap_change` [m], and a, b [N/m]
    of its stiffness a n nᵀ + b I.
    """
    distance = wp.dot(touch.normal, gap)
    force = wp.vec3(0.0)
    along = float(0.0)
    drag = float(0.0)
    if touch.separates != 0:
        force = (touch.stiffness * (touch.radius - distance)) * touch.normal
        along = touch.stiffness
    elif distance + wp.dot(touch.normal, gap_change) < touch.radius:
        force, along, drag = force_stiffness(
            touch.normal,
            distance,
            touch.radius,
            gap - touch.start_gap,
            touch.friction,
            touch.stiffness,
            model.law,
        )
    return force, along, drag


@wp.kernel
def list_external_pairs(
    first: int,
    body: wp.array[int],
    islands: Islands,
    steps: RigidStepArrays,
    # in and out
    external: ExternalPairs,
):
    """List the `ExternalPairs` of all active islands, each at its first corner in the island."""
    s = first + wp.tid()
    island = islands.island[body[s]]
    if steps.is_active[island] == 0:
        return
    lists = external.lists
    of_vertices = external.counts[OF_VERTICES]
    pair_count = of_vertices + external.counts[OF_EDGES]
    end = lists.start[s]
    for slot in range(lists.start[s], lists.start[s + 1]):
        entry = lists.entry[slot]
        p = entry >> 2
        corner = entry & 3
        is_external = bool(False)
        if p >= pair_count:
            is_external = is_first_inside(lists.pairs[p].vertices, corner, island, body, islands)
        else:
            # All corners of a side belong to one body.
            kind = wp.where(p < of_vertices, VERTEX_TRIANGLE, EDGE_EDGE)
            if corner == 0 or corner == kind:
                other = lists.pairs[p].vertices[kind - corner]
                is_external = islands.held[islands.island[body[other]]] != 0
        if is_external:
            external.entry[end] = entry
            end += 1
    external.end[s] = end


@wp.func
def add_colliders(
    s: int,
    island: int,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    model: ContactModel,
    islands: Islands,
    steps: RigidStepArrays,
    total: Wrench,
):
    """`total` plus the contacts of surface vertex s with analytic colliders, at the current step of
    its island.
    """
    r = islands.turn[island] * (wp.vec3d(x[s]) - islands.center[island])
    start = x_start[s]
    if s >= model.embedding.first:
        start = point_position(s, x_start, model.embedding)
    now = wp.vec3(islands.center[island] + islands.shift[island] + r)
    step = wp.vec3(next_displacement(island, wp.float64(1.0), r, steps))
    f, h, count, _active_set, _margin = collider_force_hessian(s, now, step, start, model)
    if count > 0:
        total = add_force(f, h, r, total)
    return total


@wp.func
def add_touch(
    touch: Touch,
    island: int,
    x: wp.array[wp.vec3],
    model: ContactModel,
    islands: Islands,
    steps: RigidStepArrays,
    total: Wrench,
):
    """`total` plus a pair that may touch: K = a n nᵀ + b I, and [r]ₓᵀ n = n × r."""
    weight = wp.float64(0.0)
    r = wp.vec3d()
    for c in range(4):
        if of_island(touch.vertices[c], island, model.body, islands):
            w = wp.float64(touch.weights[c])
            weight += w
            r += w * (wp.vec3d(x[touch.vertices[c]]) - islands.center[island])
    turned = islands.turn[island] * r
    gap = gap_of(touch, x) + wp.vec3(weight * islands.shift[island] + (turned - r))
    r = turned
    gap_change = wp.vec3(next_displacement(island, weight, r, steps))
    f, a, b = touch_force(touch, gap, gap_change, model)
    if a + b > 0.0:
        one = wp.identity(n=3, dtype=wp.float64)
        n = wp.vec3d(touch.normal)
        a_n = wp.float64(a) * n
        drag = wp.float64(b)
        turns = wp.cross(n, r)
        total.force += weight * wp.vec3d(f)
        total.torque += wp.cross(r, wp.vec3d(f))
        total.along += (weight * weight) * (wp.outer(a_n, n) + drag * one)
        total.mixed -= weight * (wp.outer(a_n, turns) + drag * wp.skew(r))
        total.around += wp.outer(wp.float64(a) * turns, turns)
        total.around += drag * (wp.dot(r, r) * one - wp.outer(r, r))
    return total


@wp.kernel
def add_contacts(
    first: int,
    chunks: Chunks,
    x: wp.array[wp.vec3],
    moved: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    external: ExternalPairs,
    model: ContactModel,
    islands: Islands,
    steps: RigidStepArrays,
    # out
    sums: wp.array[Wrench],
):
    """Add the external contacts of a chunk at the current step of its island: pairs that touch
    there, or at the end of the last step if it is retried.

    Pairs with held bodies are evaluated there: a sliding body passes other triangles in one step,
    and their old normals would block it. Other free islands do not touch it, and one that it would
    meet joins it (island_limits.py).
    """
    chunk = first + wp.tid()
    island = islands.island[chunks.owner[chunk]]
    if steps.is_active[island] == 0:
        return
    total = Wrench()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        s = chunks.vertex[q]
        if model.colliders.kind.shape[0] > 0 and model.state.hidden[s] == 0:
            total = add_colliders(s, island, x, x_start, model, islands, steps, total)
        begin = int(0)
        end = int(0)
        if external.end.shape[0] > 0:
            begin = external.lists.start[s]
            end = external.end[s]
        for slot in range(begin, end):
            p = external.entry[slot] >> 2
            touch, near = touch_of(p, island, x, moved, x_start, external, model, islands, steps)
            if near != 0:
                total = add_touch(touch, island, x, model, islands, steps, total)
    sums[chunk] = total
