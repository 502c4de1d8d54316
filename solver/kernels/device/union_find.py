# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of small graphs by union-find.

`parent` [node] leads from every node to the first one of its component, which leads to itself. A
GPU's threads may all join at once; CPU threads, for which Warp has no atomics, must not.
"""

import warp as wp


@wp.func
def first_of(node: int, parent: wp.array[int]):
    """The first node of the component of a node."""
    k = node
    while parent[k] != k:
        k = parent[k]
    return k


@wp.func
def lead_on(node: int, parent: wp.array[int]):
    """The same, shortening the way there by half."""
    k = node
    while parent[k] != k:
        parent[k] = parent[parent[k]]
        k = parent[k]
    return k


@wp.func
def join(a: int, b: int, parent: wp.array[int]):
    """Make one component of those of two nodes; the first node of both stands for it."""
    one = lead_on(a, parent)
    other = lead_on(b, parent)
    while one != other:
        least = wp.min(one, other)
        most = wp.max(one, other)
        # What another thread has joined meanwhile leads to where to go on.
        before = wp.atomic_cas(parent, most, most, least)
        one = least
        other = least
        if before != most:
            other = lead_on(before, parent)
