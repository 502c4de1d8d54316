# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchies of boxes, eight to a node, and walks through them.

A tree holds entries in a fixed order, in which neighbors are near each other
(contact/detection/bvh.py). Each eight of them in a row have a node of level 0, each eight nodes of
that level one of the next, and so on, so that no node needs to know its children. A query box meets
eight at once, in the lanes of a CPU (Wald et al. 2008, "Getting Rid of Packets"; here without a
stack: the children left to visit are bits, one byte a level).
"""

import warp as wp

from ...device.bitmasks import lowest_bit
from ...device.options import OPTIONS

wp.set_module_options(OPTIONS)

WIDTH = 8
# Levels that a tree may have: the bytes of `Walk.left`.
LEVELS = wp.constant(8)
# The trees of a scene, and the offset from each to that of its moved entries alone.
EDGES = wp.constant(0)
TRIANGLES = wp.constant(1)
COLLIDER_EDGES = wp.constant(2)
COLLIDER_TRIANGLES = wp.constant(3)
MOVED = wp.constant(4)
WHOLE_BODIES = wp.constant(8)

# Rows are low x, y, z, high x, y, z.
EightBoxes = wp.types.matrix(shape=(6, WIDTH), dtype=float)


@wp.struct
class TreeArrays:
    """All trees of a scene."""

    nodes: wp.array[EightBoxes]  # of all levels of all trees
    level: wp.array[int]  # first node of each level, [tree * LEVELS + level]
    top: wp.array[int]  # the highest level, -1 where a tree is empty, [tree]
    entry: wp.array[int]  # numbers of the entries of trees, -1 for nothing
    first: wp.array[int]  # first entry of each tree, [tree]


@wp.struct
class Walk:
    """A walk through the entries of a tree that overlap a box from `low` to `high`."""

    entry: int  # the present entry, -1 behind the last one
    tree: int
    level: int
    node: int
    left: wp.uint64
    low: wp.vec3
    high: wp.vec3


@wp.func_native("""
    const float* b = (const float*)&nodes.data[at];
#if defined(__CUDA_ARCH__)
    int found = 0;
    for (int i = 0; i < 8; ++i)
        found |= (b[i] <= high[0] && b[8 + i] <= high[1] && b[16 + i] <= high[2]
                  && b[24 + i] >= low[0] && b[32 + i] >= low[1] && b[40 + i] >= low[2]) << i;
    return found;
#else
    typedef float floats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int ints __attribute__((vector_size(32)));
    const floats* row = (const floats*)b;
    ints in = (row[0] <= high[0]) & (row[1] <= high[1]) & (row[2] <= high[2])
        & (row[3] >= low[0]) & (row[4] >= low[1]) & (row[5] >= low[2]);
#if defined(__AVX__)
    return __builtin_ia32_movmskps256((floats)in);
#else
    in &= (ints){1, 2, 4, 8, 16, 32, 64, 128};
    return in[0] | in[1] | in[2] | in[3] | in[4] | in[5] | in[6] | in[7];
#endif
#endif
""")
def overlapping(nodes: wp.array[EightBoxes], at: int, low: wp.vec3, high: wp.vec3) -> int:
    """Return a bit for each box of a node that overlaps another box."""
    ...


@wp.func
def node_at(trees: TreeArrays, tree: int, level: int):
    """Return the first node of a level of a tree."""
    return trees.level[tree * LEVELS + level]


@wp.func
def next_in(trees: TreeArrays, walk: Walk):
    """Return the walk at the next entry, or at its end."""
    entry = int(-1)
    tree = walk.tree
    level = walk.level
    node = walk.node
    left = walk.left
    top = trees.top[tree]
    while entry < 0 and level <= top:
        here = int((left >> wp.uint64(8 * level)) & wp.uint64(255))
        if here == 0:
            level += 1
            node = node >> 3
        else:
            child = lowest_bit(here)
            left ^= wp.uint64(1) << wp.uint64(8 * level + child)
            child += 8 * node
            if level == 0:
                entry = trees.entry[trees.first[tree] + child]
            else:
                level -= 1
                node = child
                at = node_at(trees, tree, level) + node
                found = overlapping(trees.nodes, at, walk.low, walk.high)
                left |= wp.uint64(found) << wp.uint64(8 * level)
    walk.entry = entry
    walk.level = level
    walk.node = node
    walk.left = left
    return walk


@wp.func
def first_in(trees: TreeArrays, tree: int, low: wp.vec3, high: wp.vec3):
    """Return the walk through a tree at the first entry that a box overlaps."""
    walk = Walk()
    walk.tree = tree
    walk.low = low
    walk.high = high
    walk.entry = -1
    top = trees.top[tree]
    walk.level = top
    if top >= 0:
        found = overlapping(trees.nodes, node_at(trees, tree, top), low, high)
        walk.left = wp.uint64(found) << wp.uint64(8 * top)
        walk = next_in(trees, walk)
    return walk


@wp.func
def meets_any(trees: TreeArrays, tree: int, low: wp.vec3, high: wp.vec3):
    """Return whether a box overlaps any entry of a tree."""
    walk = first_in(trees, tree, low, high)
    return walk.entry >= 0


@wp.func
def entry_at(trees: TreeArrays, tree: int, node: int, lane: int):
    """Return the number of an entry of a node of level 0, -1 for nothing."""
    return trees.entry[trees.first[tree] + WIDTH * node + lane]


@wp.func_native("""
    float* b = (float*)&nodes.data[at] + lane;
    for (int c = 0; c < 3; ++c) {
        b[8 * c] = low[c];
        b[8 * c + 24] = high[c];
    }
""")
def put_box(nodes: wp.array[EightBoxes], at: int, lane: int, low: wp.vec3, high: wp.vec3):
    """Set a box of a node."""
    ...


@wp.func
def clear_node(nodes: wp.array[EightBoxes], at: int):
    """Make all boxes of a node empty."""
    for lane in range(WIDTH):
        put_box(nodes, at, lane, wp.vec3(wp.inf), wp.vec3(-wp.inf))


@wp.func_native("""
    const float* b = (const float*)&nodes.data[child];
    float* joined = (float*)&nodes.data[at] + lane;
    for (int c = 0; c < 3; ++c) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 8; ++i) {
            low = b[8 * c + i] < low ? b[8 * c + i] : low;
            high = b[8 * c + 24 + i] > high ? b[8 * c + 24 + i] : high;
        }
        joined[8 * c] = low;
        joined[8 * c + 24] = high;
    }
""")
def put_joined(nodes: wp.array[EightBoxes], at: int, lane: int, child: int):
    """Set a box of a node to the box around all of another node."""
    ...


@wp.kernel
def join_nodes(
    first: int,
    tree: int,
    level: int,
    # in and out
    trees: TreeArrays,
):
    """Fit the nodes of a level above 0 to those of the level below."""
    here = node_at(trees, tree, level)
    node = here + first + wp.tid()
    children = node_at(trees, tree, level - 1) + WIDTH * (node - here)
    clear_node(trees.nodes, node)
    for lane in range(WIDTH):
        if children + lane < here:
            put_joined(trees.nodes, node, lane, children + lane)
