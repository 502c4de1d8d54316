# SPDX-License-Identifier: GPL-3.0-or-later
"""Traversals of trees of boxes find all overlaps, once, and visit little else."""

from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp

from vbd.solver.contact.detection import bvh
from vbd.solver.kernels.contact.detection.bvh import (
    TreeArrays,
    first_in,
    join_nodes,
    next_in,
    node_at,
    put_box,
)

DEVICES = ["cpu", *(["cuda"] if wp.is_cuda_available() else [])]


@wp.kernel
def put_boxes(tree: int, low: wp.array[wp.vec3], high: wp.array[wp.vec3], trees: TreeArrays):
    place = wp.tid()
    k = trees.entry[trees.first[tree] + place]
    a = wp.vec3(wp.inf)
    b = wp.vec3(-wp.inf)
    if k >= 0:
        a = low[k]
        b = high[k]
    put_box(trees.nodes, node_at(trees, tree, 0) + place / 8, place % 8, a, b)


@wp.kernel
def walk_through(
    tree: int,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    trees: TreeArrays,
    found: wp.array2d[int],
):
    k = wp.tid()
    walk = first_in(trees, tree, low[k], high[k])
    while walk.entry >= 0:
        found[k, walk.entry] += 1
        walk = next_in(trees, walk)


def uploaded(values, kind, device):
    return wp.array(values, dtype=kind, device=device)


def fitted(orders, boxes, device, boxes_of_a_thread):
    """Trees of things in some orders, each with boxes (low, high)."""
    scene = SimpleNamespace(device=device, upload=lambda a, t: uploaded(a, t, device))
    trees, nodes = bvh.trees_of(orders, scene)
    for tree, levels in enumerate(nodes):
        if levels:
            ends = [uploaded(end, wp.vec3, device) for end in boxes[tree]]
            wp.launch(put_boxes, 8 * len(levels[0]), [tree, *ends, trees], device=device)
        for level in levels[1:]:
            rows = uploaded(level, wp.vec3i, device)
            inputs = [0, boxes_of_a_thread, rows, trees]
            wp.launch(join_nodes, 8 * len(level) // boxes_of_a_thread, inputs, device=device)
    return trees


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("boxes_of_a_thread", [1, 8])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 65, 700])
def test_a_walk_finds_what_overlaps_once(count, boxes_of_a_thread, device):
    generator = np.random.default_rng(count)
    of_others = 5, 0, count  # trees before and behind it, of which one is empty
    boxes = []
    for number in (*of_others[:2], count, of_others[2]):
        low = generator.integers(0, 20, (number, 3)) / 4.0  # many just touch
        boxes.append((low, low + generator.integers(0, 12, (number, 3)) / 4.0))
    orders = [bvh.near_order(low, bvh.WIDTH) for low, _ in boxes]
    trees = fitted(orders, boxes, device, boxes_of_a_thread)
    low, high = boxes[2]
    ends = [uploaded(end, wp.vec3, device) for end in (low, high)]
    for tree, (their_low, their_high) in enumerate(boxes):
        found = wp.zeros((count, max(len(their_low), 1)), dtype=int, device=device)
        wp.launch(walk_through, count, [tree, *ends, trees, found], device=device)
        overlap = (low[:, None] <= their_high).all(axis=2) & (high[:, None] >= their_low).all(
            axis=2
        )
        assert (found.numpy()[:, : len(their_low)] == overlap).all()
        assert overlap.any() or len(their_low) < 64
