# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands of bodies that touch each other: free and held ones, and the momentum that they lack.

The data of an island are stored at its first body, in arrays [body] with colliders behind the
bodies.
"""

import warp as wp

from ..contact.detection.pair_counts import ALL
from ..contact.pairs import PairState, Touch, gap_of
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..device.union_find import join, root_of

wp.set_module_options(OPTIONS)


@wp.struct
class Islands:
    """Islands of touching bodies, and the rigid steps of free ones."""

    parent: wp.array[int]
    touched: wp.array[int]  # 1 where the body touches another one
    at_colliders: wp.array[int]  # 1 where it touches a collider or a held body
    island: wp.array[int]  # first body of the island
    held: wp.array[int]  # 1 where anything in the island is not free
    stands: wp.array[int]  # 1 where anything in the island touches a collider
    center: wp.array[wp.vec3d]  # [m]
    shift: wp.array[wp.vec3d]  # of the center [m]
    turn: wp.array[wp.mat33d]  # rotation about the center


@wp.struct
class Moments:
    """Sums over chunks of vertices at r, relative to the first vertex of the island; d = y − x."""

    weight: wp.array[wp.float64]  # Σ w, w = m/h² [N/m]
    center: wp.array[wp.vec3d]  # Σ w r
    shift: wp.array[wp.vec3d]  # Σ w d
    mixed: wp.array[wp.mat33d]  # Σ w r dᵀ
    spread: wp.array[wp.mat33d]  # Σ w r rᵀ


@wp.func
def origin_of(island: int, chunks: Chunks, x: wp.array[wp.vec3]):
    """The first vertex of an island [m]."""
    return wp.vec3d(x[chunks.vertex[chunks.start[chunks.first[island]]]])


@wp.kernel
def separate(
    # in and out
    islands: Islands,
    # out
    is_any_free: wp.array[int],
):
    """Reset every body to an untouched island of its own."""
    b = wp.tid()
    islands.parent[b] = b
    islands.touched[b] = 0
    islands.at_colliders[b] = 0
    islands.held[b] = 0
    islands.stands[b] = 0
    if b == 0:
        is_any_free[0] = 0


@wp.kernel
def join_touching(
    shares: int,
    counts: wp.array[int],
    x: wp.array[wp.vec3],
    body: wp.array[int],
    touches: wp.array[Touch],
    state: wp.array[PairState],
    anchored: wp.array[int],
    # in and out
    islands: Islands,
):
    """Join bodies that touch, except `anchored` bodies and colliders."""
    for p in range(wp.tid(), counts[ALL], shares):
        if state[p].near != 0:
            near = touches[p]
            one = body[near.vertices[0]]
            other = body[near.vertices[3]]
            d = wp.dot(near.normal, gap_of(near, x))
            if one != other and (d < near.radius or near.separates != 0):
                islands.touched[one] = 1
                islands.touched[other] = 1
                if anchored[one] == 0 and anchored[other] == 0:
                    join(one, other, islands.parent)
                else:
                    islands.at_colliders[one] = 1
                    islands.at_colliders[other] = 1


@wp.kernel
def name_islands(
    anchored: wp.array[int],
    asleep: wp.array[int],
    # in and out
    islands: Islands,
):
    """Set the island of every body or collider; mark islands as held if any body is `anchored` or
    `asleep`, and as standing if any is at colliders.
    """
    b = wp.tid()
    island = root_of(b, islands.parent)
    islands.island[b] = island
    if anchored[b] != 0 or asleep[b] != 0:
        islands.held[island] = 1
    if islands.at_colliders[b] != 0:
        islands.stands[island] = 1


@wp.kernel
def count_flight(
    islands: Islands,
    # in and out
    steps: wp.array[int],
    # out
    is_any_free: wp.array[int],
):
    """Count the steps since each body was touched; set `is_any_free` if an island is free."""
    b = wp.tid()
    if islands.touched[b] != 0 or islands.at_colliders[b] != 0:
        steps[b] = 0
    else:
        steps[b] = steps[b] + 1
    if islands.held[islands.island[b]] == 0:
        is_any_free[0] = 1


@wp.kernel
def mark_standing(
    body: wp.array[int],
    is_solid: wp.array[int],
    steps: wp.array[int],
    flight: int,
    touched: wp.array[int],
    untouched: wp.array[int],
    # out
    standing: wp.array[int],
):
    """Mark the vertices of solids that were touched less than `flight` steps ago, and of cloth and
    rods those that contacts have just `touched`: the rest of them still falls. `untouched` marks
    vertices of these that never count.
    """
    i = wp.tid()
    stands = touched[i] != 0 and untouched[i] == 0
    if is_solid[i] != 0:
        stands = steps[body[i]] < flight
    standing[i] = wp.where(stands, 1, 0)


@wp.kernel
def add_moments(
    first: int,
    chunks: Chunks,
    x: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
    inertia: wp.array[float],
    islands: Islands,
    # in and out
    moments: Moments,
):
    """Add the moments of a chunk in a free island, and the momenta of its displacements."""
    chunk = first + wp.tid()
    island = islands.island[chunks.owner[chunk]]
    if islands.held[island] != 0:
        return
    origin = origin_of(island, chunks, x)
    weight = wp.float64(0.0)
    center = wp.vec3d()
    shift = wp.vec3d()
    mixed = wp.mat33d()
    spread = wp.mat33d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        w = wp.float64(inertia[i])
        r = wp.vec3d(x[i]) - origin
        d = wp.vec3d(inertial[i]) - wp.vec3d(x[i])
        weight += w
        center += w * r
        shift += w * d
        mixed += w * wp.outer(r, d)
        spread += w * wp.outer(r, r)
    moments.weight[chunk] = weight
    moments.center[chunk] = center
    moments.shift[chunk] = shift
    moments.mixed[chunk] = mixed
    moments.spread[chunk] = spread
