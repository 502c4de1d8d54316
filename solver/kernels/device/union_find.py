# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of small graphs by union-find.

`parent` [node] leads from every node to the root of its component, its first node, which is its own
parent. GPU threads may join concurrently; CPU threads, for which Warp has no atomics, must not.
"""

import warp as wp


@wp.func
def root_of(node: int, parent: wp.array[int]):
    """Return the root of the component of a node."""
    k = node
    while parent[k] != k:
        k = parent[k]
    return k


@wp.func
def compress_path(node: int, parent: wp.array[int]):
    """Return the root of the component of a node, halving the path to it."""
    k = node
    while parent[k] != k:
        parent[k] = parent[parent[k]]
        k = parent[k]
    return k


@wp.func
def join(a: int, b: int, parent: wp.array[int]):
    """Join the components of two nodes; the smaller of their roots becomes the root."""
    one = compress_path(a, parent)
    other = compress_path(b, parent)
    while one != other:
        least = wp.min(one, other)
        most = wp.max(one, other)
        # Another thread has joined `most` meanwhile: continue from its new parent.
        before = wp.atomic_cas(parent, most, most, least)
        one = least
        other = least
        if before != most:
            other = compress_path(before, parent)
