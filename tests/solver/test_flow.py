# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions on the device: a graph goes the same way as a host that reads the flags."""

import numpy as np
import pytest
import warp as wp

from vbd.solver.device.flow import repeat_while, when
from vbd.solver.kernels import components


@wp.kernel(enable_backward=False)
def count_up(most: int, state: wp.array[int], goes_on: wp.array[int], is_odd: wp.array[int]):
    state[0] = state[0] + 1
    goes_on[0] = wp.where(state[0] < most, 1, 0)
    is_odd[0] = state[0] % 2


@wp.kernel(enable_backward=False)
def add(slot: int, state: wp.array[int]):
    state[slot] = state[slot] + state[0]


@pytest.mark.parametrize("captured", [False, True])
def test_branches_and_loops(captured):
    state, goes_on, is_odd = wp.zeros(3, dtype=int), wp.ones(1, dtype=int), wp.zeros(1, dtype=int)

    def once(slot):
        wp.launch(add, 1, inputs=[slot], outputs=[state])

    def body():
        wp.launch(count_up, 1, inputs=[7], outputs=[state, goes_on, is_odd])
        when(is_odd, lambda: once(1), lambda: once(2))

    if captured:
        with wp.ScopedCapture(device="cpu") as capture:
            repeat_while(goes_on, body)
        assert not state.numpy().any(), "a capture runs nothing"
        wp.capture_launch(capture.graph)
    else:
        repeat_while(goes_on, body)
    assert state.numpy().tolist() == [7, 1 + 3 + 5 + 7, 2 + 4 + 6]


@wp.kernel(enable_backward=False)
def join_all(pairs: wp.array[wp.vec2i], parent: wp.array[int], component: wp.array[int]):
    for k in range(parent.shape[0]):
        parent[k] = k
    for k in range(pairs.shape[0]):
        components.join(pairs[k][0], pairs[k][1], parent)
    for k in range(parent.shape[0]):
        component[k] = components.first_of(k, parent)


def test_components_are_named_by_their_first_node():
    pairs = np.array([(5, 3), (0, 4), (3, 1), (6, 6), (4, 0)], np.int32)
    parent, component = wp.zeros(7, dtype=int), wp.zeros(7, dtype=int)
    wp.launch(join_all, 1, inputs=[wp.array(pairs, dtype=wp.vec2i)], outputs=[parent, component])
    assert component.numpy().tolist() == [0, 1, 2, 1, 0, 1, 6]
