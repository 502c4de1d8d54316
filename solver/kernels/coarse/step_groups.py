# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands with one step length, groups with one matrix, and the rows of aggregates in it."""

import warp as wp

from ..device.options import OPTIONS
from ..device.union_find import join, root_of
from .coarse_step import ComponentSteps
from .matrix import Patches
from .skyline import PANEL, Skyline

wp.set_module_options(OPTIONS)

# Bits of a word of `near`.
WORD = wp.constant(32)


@wp.struct
class ClusterArrays:
    """Clusters that always share a matrix (solver/coarse/ordering.py), and their matrices."""

    component: wp.array[int]  # [cluster] its component
    size: wp.array[int]  # [cluster] rows
    of: wp.array[int]  # [aggregate]
    offset: wp.array[int]  # [aggregate] rows of its cluster before it
    front: wp.array[int]  # [aggregate] rows before the first one that it is joined to
    group: wp.array[int]  # [cluster] its matrix
    row: wp.array[int]  # [cluster] its first row there


@wp.func
def word_of(k: int, other: int, component_count: int):
    """The word of `near` with the bit of two components."""
    return k * ((component_count + WORD - 1) / WORD) + other / WORD


@wp.func
def next_neighbor(k: int, after: int, component_count: int, near: wp.array[int]):
    """The first component behind `after` near component k; `component_count` if there is none."""
    other = after + 1
    found = int(0)
    while other < component_count and found == 0:
        bits = near[word_of(k, other, component_count)] >> (other % WORD)
        if bits == 0:
            other = WORD * (other / WORD + 1)
        elif bits & 1 == 0:
            other += 1
        else:
            found = 1
    return wp.min(other, component_count)


@wp.kernel
def find_islands(
    near: wp.array[int],
    # in and out
    components: ComponentSteps,
):
    """Find the islands of components that are near each other, with one thread."""
    count = components.island.shape[0]
    for k in range(count):
        components.island[k] = k
    for k in range(count):
        other = next_neighbor(k, k, count, near)
        while other < count:
            join(k, other, components.island)
            other = next_neighbor(k, other, count, near)
    for k in range(count):
        island = root_of(k, components.island)
        components.island[k] = island
        components.last[k] = k
        components.next[k] = -1
        if island != k:
            components.next[components.last[island]] = k
            components.last[island] = k


@wp.kernel
def join_while_small(
    near: wp.array[int],
    size: wp.array[int],
    most: int,
    # out
    joined: wp.array[int],
    total: wp.array[int],
):
    """Join components of `size` rows that are near each other, in their order, up to `most` rows
    together, with one thread. `joined` points to the first one (union-find).
    """
    count = size.shape[0]
    for k in range(count):
        joined[k] = k
        total[k] = size[k]
    for k in range(count):
        other = next_neighbor(k, k, count, near)
        while other < count:
            one = root_of(k, joined)
            another = root_of(other, joined)
            rows = total[one] + total[another]
            if one != another and rows <= most:
                join(one, another, joined)
                total[wp.min(one, another)] = rows
            other = next_neighbor(k, other, count, near)


@wp.kernel
def number_groups(
    joined: wp.array[int],
    # in and out
    group: wp.array[int],
    clusters: ClusterArrays,
    skyline: Skyline,
):
    """Assign clusters and panels to every matrix, in the order of first clusters, with one thread.

    `group` [component] is the matrix of the first component of each group.
    """
    count = int(0)
    for p in range(clusters.size.shape[0]):
        k = clusters.component[p]
        first = root_of(k, joined)
        if first == k:
            group[k] = count
            skyline.rows[count] = 0
            count += 1
        g = group[first]
        clusters.group[p] = g
        clusters.row[p] = skyline.rows[g]
        skyline.rows[g] += clusters.size[p]
    skyline.count[0] = count
    skyline.first[0] = 0
    for g in range(count):
        skyline.first[g + 1] = skyline.first[g] + (skyline.rows[g] + PANEL - 1) / PANEL


@wp.kernel
def place_patches(
    clusters: ClusterArrays,
    skyline: Skyline,
    # in and out
    patches: Patches,
):
    """Set the rows of every aggregate and the first row of its first neighbor in its cluster."""
    k = wp.tid()
    p = clusters.of[k]
    row = clusters.row[p] + clusters.offset[k]
    patches.row[k] = row
    patches.first[k] = PANEL * skyline.first[clusters.group[p]] + row
    patches.start[k] = clusters.row[p] + clusters.front[k]


@wp.kernel
def widen_panels(
    patches: Patches,
    # in and out
    skyline: Skyline,
):
    """Widen panels to the columns of all of their aggregates."""
    k = wp.tid()
    first = patches.first[k] / PANEL
    last = (patches.first[k] + 3 * patches.mode_count[k] - 1) / PANEL
    for panel in range(first, last + 1):
        wp.atomic_min(skyline.start, panel, patches.start[k] / PANEL * PANEL)
