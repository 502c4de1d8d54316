# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest of some seeds along the edges of a graph, by one thread of the CPU."""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.struct
class SeedGraph:
    """A graph in compressed sparse rows, and what is known of its vertices."""

    start: wp.array[int]  # [vertex + 1]
    neighbor: wp.array[int]  # [start[-1]]
    length: wp.array[wp.float64]
    distance: wp.array[wp.float64]  # [vertex] to the nearest seed
    number: wp.array[int]  # [vertex] of that seed
    queue: wp.array[int]  # [vertex] a ring of vertices whose neighbors may be nearer now
    is_queued: wp.array[int]  # [vertex]


@wp.kernel
def join_neighbors(
    edges: wp.array2d[int],
    lengths: wp.array[wp.float64],
    # in and out
    graph: SeedGraph,
):
    """Fill in the rows of `edges` [edge, 2] of some `lengths` [m]; `start` and `queue` are zero."""
    for k in range(edges.shape[0]):
        for end in range(2):
            graph.queue[edges[k, end]] += 1
    total = int(0)
    for v in range(graph.queue.shape[0]):
        graph.start[v] = total
        total += graph.queue[v]
        graph.queue[v] = graph.start[v]
    graph.start[graph.queue.shape[0]] = total
    for end in range(2):
        for k in range(edges.shape[0]):
            vertex = edges[k, end]
            at = graph.queue[vertex]
            graph.neighbor[at] = edges[k, 1 - end]
            graph.length[at] = lengths[k]
            graph.queue[vertex] = at + 1


@wp.func
def place_seed(vertex: int, number: int, at: int, graph: SeedGraph):
    """Let a vertex be a seed, at the place `at` of an empty or new queue; return the next place."""
    graph.distance[vertex] = wp.float64(0.0)
    graph.number[vertex] = number
    if graph.is_queued[vertex] != 0:
        return at
    graph.queue[at] = vertex
    graph.is_queued[vertex] = 1
    return at + 1


@wp.func
def reach_neighbors(waiting: int, graph: SeedGraph):
    """Let the first `waiting` vertices in the queue reach all that are nearer to their seeds."""
    count = graph.queue.shape[0]
    first = int(0)
    left = int(waiting)
    while left > 0:
        vertex = graph.queue[first]
        first += 1
        if first == count:
            first = 0
        left -= 1
        graph.is_queued[vertex] = 0
        for k in range(graph.start[vertex], graph.start[vertex + 1]):
            other = graph.neighbor[k]
            reached = graph.distance[vertex] + graph.length[k]
            if reached < graph.distance[other]:
                graph.distance[other] = reached
                graph.number[other] = graph.number[vertex]
                if graph.is_queued[other] == 0:
                    last = first + left
                    if last >= count:
                        last -= count
                    graph.queue[last] = other
                    graph.is_queued[other] = 1
                    left += 1


@wp.kernel
def add_seeds(
    seeds: wp.array[int],
    numbers: wp.array[int],
    # in and out
    graph: SeedGraph,
):
    """Add seeds [seed] with their numbers."""
    waiting = int(0)
    for k in range(seeds.shape[0]):
        waiting = place_seed(seeds[k], numbers[k], waiting, graph)
    reach_neighbors(waiting, graph)


@wp.kernel
def spread_seeds(
    members: wp.array[int],
    wanted: int,
    first: int,
    # in and out
    graph: SeedGraph,
):
    """Add seeds 0, 1, ... `wanted` − 1: the vertex `first`, then each time the farthest of the
    `members` [member].
    """
    seed = int(first)
    for number in range(wanted):
        reach_neighbors(place_seed(seed, number, 0, graph), graph)
        seed = members[0]
        for k in range(members.shape[0]):
            if graph.distance[members[k]] > graph.distance[seed]:
                seed = members[k]


@wp.kernel
def center_seeds(
    members: wp.array[int],
    points: wp.array[wp.vec3d],
    # in and out
    means: wp.array[wp.vec4d],
    seeds: wp.array[int],
    graph: SeedGraph,
):
    """Move all seeds [seed] to the middle of their vertices among the `members` [member].

    `means` [seed] are zero; they become the sums of the `points` [m] of these vertices, then their
    mean and the square of the distance of the nearest one from it.
    """
    one = wp.float64(1.0)
    for k in range(members.shape[0]):
        p = points[members[k]]
        means[graph.number[members[k]]] += wp.vec4d(p[0], p[1], p[2], one)
    for n in range(seeds.shape[0]):
        total = means[n]
        means[n] = wp.vec4d(
            total[0] / total[3], total[1] / total[3], total[2] / total[3], wp.float64(wp.inf)
        )
    for k in range(members.shape[0]):
        n = graph.number[members[k]]
        mean = means[n]
        off = wp.length_sq(points[members[k]] - wp.vec3d(mean[0], mean[1], mean[2]))
        if off < mean[3]:
            means[n] = wp.vec4d(mean[0], mean[1], mean[2], off)
            seeds[n] = members[k]
        graph.distance[members[k]] = wp.float64(wp.inf)
    waiting = int(0)
    for n in range(seeds.shape[0]):
        waiting = place_seed(seeds[n], n, waiting, graph)
    reach_neighbors(waiting, graph)
