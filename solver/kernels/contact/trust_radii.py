# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust radii: how far every vertex may move until contact pairs are sought again."""

import warp as wp

from ..embedding import Embedding
from ..options import QUICK
from .truncation import BY_TRUST_RADIUS

wp.set_module_options(QUICK)


@wp.kernel
def set_trust_radii(
    x: wp.array[wp.vec3],
    expected: wp.array[wp.vec3],
    radius: wp.array[float],
    largest: wp.array[float],
    cut: wp.array[int],
    growth: float,
    # in and out
    slack: wp.array[float],
    # out
    trust_radius: wp.array[float],
    x_found: wp.array[wp.vec3],
):
    """How far each vertex may move until the next search: what it is expected to, and some slack.

    `largest` [m] bounds it, for the pairs' sake. The slack of what its trust radius has cut short
    grows; without an expectation it is infinite.
    """
    i = wp.tid()
    if cut[i] == BY_TRUST_RADIUS:
        slack[i] = growth * slack[i]
    path = 1.2 * wp.length(expected[i] - x[i]) + slack[i] * radius[i]
    # What is no surface may go anywhere.
    trust_radius[i] = wp.where(largest[i] < wp.inf, wp.min(path, largest[i]), wp.inf)
    x_found[i] = x[i]


@wp.kernel
def set_point_trust_radii(
    embedding: Embedding,
    # in and out
    trust_radius: wp.array[float],
):
    """How far embedded points may get when every vertex keeps to its `trust_radius` [m]."""
    p = wp.tid()
    farthest = float(0.0)
    for k in range(p * embedding.width, (p + 1) * embedding.width):
        w = wp.abs(embedding.weights[k])
        if w > 0.0:
            farthest += w * trust_radius[embedding.corners[k]]
    trust_radius[embedding.first + p] = farthest
