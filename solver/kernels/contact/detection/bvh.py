# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchies of boxes, eight to a node, and walks through them.

A tree holds entries in a fixed order, in which neighbors are near each other
(contact/detection/bvh.py). Each eight of them in a row have a node of level 0, each eight nodes of
that level one of the next, and so on, so that no node needs to know its children. A query box meets
eight at once, in the lanes of a CPU (Wald et al. 2008, "Getting Rid of Packets"; here without a
stack: the children left to visit are bits, one byte a level). A thread of a GPU loads all eight
before it compares any: it waits for memory once a node (Ylitie et al. 2017).
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
    const float4* four = (const float4*)b;
    auto four_in = [&](int k) {
        const float4 x = four[k], y = four[k + 2], z = four[k + 4];
        const float4 u = four[k + 6], v = four[k + 8], w = four[k + 10];
        auto is_in = [&](float x, float y, float z, float u, float v, float w) {
            return (int)(x <= high[0]) & (int)(y <= high[1]) & (int)(z <= high[2])
                & (int)(u >= low[0]) & (int)(v >= low[1]) & (int)(w >= low[2]);
        };
        return is_in(x.x, y.x, z.x, u.x, v.x, w.x) | is_in(x.y, y.y, z.y, u.y, v.y, w.y) << 1
            | is_in(x.z, y.z, z.z, u.z, v.z, w.z) << 2 | is_in(x.w, y.w, z.w, u.w, v.w, w.w) << 3;
    };
    return four_in(0) | four_in(1) << 4;
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
    boxes: int,
    nodes: wp.array[wp.vec3i],
    # in and out
    trees: TreeArrays,
):
    """Fit `nodes` above level 0: rows are a node, its first child and the end of that level. A
    thread takes so many `boxes`.
    """
    begin = (first + wp.tid()) * boxes
    node = nodes[begin >> 3]
    for lane in range(begin & 7, (begin & 7) + boxes):
        child = node[1] + lane
        if child < node[2]:
            put_joined(trees.nodes, node[0], lane, child)
        else:
            # Even an endless box does not overlap this one, so no walk leaves the tree.
            put_box(trees.nodes, node[0], lane, wp.vec3(wp.nan), wp.vec3(wp.nan))
