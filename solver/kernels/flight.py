# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in free flight: their boxes, what obstructs them, and their common motion."""

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)


@wp.kernel
def measure_bodies(
    first: int,
    x: wp.array[wp.vec3],
    goal: wp.array[wp.vec3],
    body: wp.array[int],
    radius: wp.array[float],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    motion: wp.array[wp.vec3],
):
    """Box of every body with its contact distance, and the sum of its vertices' motions [m].

    Of the vertices from `first` on.
    """
    i = first + wp.tid()
    b = body[i]
    r = wp.vec3(radius[i], radius[i], radius[i])
    wp.atomic_min(low, b, x[i] - r)
    wp.atomic_max(high, b, x[i] + r)
    wp.atomic_add(motion, b, goal[i] - x[i])


@wp.kernel
def find_obstacles(
    tree: wp.uint64,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    blocked: wp.array[int],
):
    """Whether any box of a tree meets the box of a body."""
    b = wp.tid()
    query = wp.bvh_query_aabb(tree, low[b], high[b])
    index = int(0)
    if wp.bvh_query_next(query, index):
        blocked[b] = 1


@wp.kernel
def fly(
    body: wp.array[int],
    motion: wp.array[wp.vec3],
    # in and out
    x: wp.array[wp.vec3],
):
    """Move every vertex by the motion of its body."""
    i = wp.tid()
    x[i] = x[i] + motion[body[i]]
