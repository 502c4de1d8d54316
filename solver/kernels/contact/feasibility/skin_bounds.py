# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of the steps of smooth skins (kernels/lattice/skin.py): sides of pairs stay apart.

All points of skins move at once and everything else stands still. So that no two sides can meet,
each point goes at most a quarter of the present slack of each of its pairs towards their planes.
"""

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import Embedding
from ...lattice.skin_arrays import Skin
from ..pairs import PairLists
from .pair_bounds import Watch
from .plane_bounds import toward_plane
from .separating_planes import slack_between

wp.set_module_options(OPTIONS)

# Of the slack, which both sides may take: half of it stays.
PART = wp.constant(0.25)


@wp.kernel
def bound_skin_steps(
    first: int,
    x: wp.array[wp.vec3],
    lists: PairLists,
    embedding: Embedding,
    skin: Skin,
    # out
    watch: Watch,
    fraction: wp.array[float],
):
    """Find the `fraction` of its step that the pairs of every point of a skin allow. Gaps must be
    measured again.
    """
    p = skin.points[first + wp.tid()]
    s = embedding.first + p
    step = skin.step[p]
    least = float(1.0)
    if wp.length_sq(step) > 0.0:
        for k in range(lists.start[s], lists.start[s + 1]):
            pair = lists.pairs[lists.entry[k] / 4]
            along = wp.dot(toward_plane(lists.entry[k] % 4, pair), step)
            if along > 0.0:
                slack = wp.max(slack_between(pair.kind, pair, x), 0.0)
                least = wp.min(least, PART * slack / along)
        watch.is_stale[0] = 1
    fraction[s] = least
