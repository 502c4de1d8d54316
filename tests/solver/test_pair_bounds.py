# SPDX-License-Identifier: GPL-3.0-or-later
"""A pair keeps its sides apart, whichever fractions its corners take of the allowed steps."""

import numpy as np
import warp as wp

from vbd.solver.kernels.contact.feasibility.plane_bounds import fraction_to_plane
from vbd.solver.kernels.contact.pairs import EDGE_EDGE, VERTEX_TRIANGLE, Pair

COUNT = 4000


@wp.kernel(enable_backward=False)
def allow(
    pairs: wp.array[Pair],
    approach: wp.array[wp.vec4],
    reserve: wp.array[wp.vec2],
    x: wp.array[wp.vec3],
    # out
    fraction: wp.array[wp.vec4],
):
    p = wp.tid()
    of_pair = wp.vec4(1.0)
    for c in range(4):
        if approach[p][c] > 0.0:
            of_pair[c] = fraction_to_plane(c, pairs[p], approach[p], reserve[p], x)
    fraction[p] = of_pair


def random_pairs(kind, random):
    """Pairs with a gap along z, the heights of their corners [pair, 4], and these as positions."""
    first = np.arange(4) < kind
    heights = np.where(first, 0.01, 0.0) + np.where(first, 1.0, -1.0) * random.exponential(
        0.01, (COUNT, 4)
    )
    points = np.concatenate([random.normal(size=(COUNT, 4, 2)), heights[..., None]], axis=2)
    pairs = np.zeros(COUNT, dtype=Pair.numpy_dtype())
    pairs["vertices"] = np.arange(4 * COUNT).reshape(COUNT, 4)
    pairs["plane_normal"], pairs["kind"], pairs["radius"] = [0.0, 0.0, 1.0], kind, 1e-3
    x = wp.array(points.reshape(-1, 3), dtype=wp.vec3, device="cpu")
    return wp.array(pairs, dtype=Pair, device="cpu"), heights, x


def test_sides_stay_apart_whatever_fraction_of_their_steps_and_reserves_corners_take():
    random = np.random.default_rng(2)
    for kind in (int(VERTEX_TRIANGLE), int(EDGE_EDGE)):
        pairs, heights, x = random_pairs(kind, random)
        first = np.arange(4) < kind
        room = heights[:, first].min(axis=1) - heights[:, ~first].max(axis=1)
        asks = random.random((COUNT, 4)) < 0.6
        approach = np.where(asks, random.exponential(0.02, (COUNT, 4)), 0.0)
        # Each side may use up to a fifth of the gap unconditionally.
        reserve = 0.2 * room[:, None] * random.random((COUNT, 2))
        fraction = wp.zeros(COUNT, dtype=wp.vec4, device="cpu")
        given = [
            wp.array(approach, dtype=wp.vec4, device="cpu"),
            wp.array(reserve, dtype=wp.vec2, device="cpu"),
        ]
        wp.launch(allow, COUNT, [pairs, *given, x], [fraction], device="cpu")
        steps = np.where(asks, fraction.numpy() * approach, np.where(first, *reserve.T[:, :, None]))
        ends = heights - np.where(first, 1.0, -1.0) * steps
        left = ends[:, first].min(axis=1) - ends[:, ~first].max(axis=1)
        assert (left > 0.0).all()
        assert (fraction.numpy()[asks] < 1.0).any() and (fraction.numpy()[asks] == 1.0).any()
