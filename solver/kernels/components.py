# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of small graphs by union-find, within one thread.

`parent` [node] leads from every node to the first one of its component, which leads to itself.
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
def join(a: int, b: int, parent: wp.array[int]):
    """Make one component of those of two nodes; the first node of both stands for it."""
    one = first_of(a, parent)
    other = first_of(b, parent)
    parent[wp.max(one, other)] = wp.min(one, other)
