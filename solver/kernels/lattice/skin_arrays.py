# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of smooth skins (skin.py), and the part of their motion that a search has allowed for."""

import warp as wp

from ..device.options import OPTIONS
from .embedding import Embedding

wp.set_module_options(OPTIONS)

# A new search allows for this many more changes of an offset as large as the last one, ...
FORESIGHT = wp.constant(2.0)
# ... and comes when little more than one of these may be left.
MARGIN = wp.constant(1.2)


@wp.struct
class Skin:
    """Smooth skins; arrays are empty where there are none."""

    corners: wp.array[int]  # vertices of their cells
    neighbors: wp.array[int]  # [corner · 6] of each below and above it along each axis, or itself
    places: wp.array[wp.vec3]  # of these, smoothed along all axes, [vertex, m]; `between`: two axes
    between: wp.array[wp.vec3]
    slopes: wp.array[wp.vec3]  # [vertex · 3] of these along each axis [m per cell]
    points: wp.array[int]  # numbers of their points
    # Per embedded point: its last step [m], how far it was from where it should be [m], its offset
    # as its trust region was set [m], and how far the offset may change until the next search [m],
    # at least and at most so far.
    step: wp.array[wp.vec3]
    change: wp.array[float]
    searched: wp.array[wp.vec3]
    reach: wp.array[float]
    least_reach: wp.array[float]
    largest_reach: wp.array[float]
    largest: wp.array[float]  # the largest offset [m]
    # Rows of attachments with ends on skins: their numbers and the first of their ends [row + 1],
    # and the sign, corners and weights of these [end · 8].
    rows: wp.array[int]
    first_end: wp.array[int]
    sign: wp.array[float]
    end_corners: wp.array[int]
    end_weights: wp.array[float]


@wp.func
def is_used_up(p: int, embedding: Embedding, skin: Skin):
    """Return whether the offset of embedded point p may soon change farther than allowed."""
    used_up = bool(False)
    if skin.points.shape[0] > 0:
        used = wp.length(embedding.offset[p] - skin.searched[p])
        reach = skin.reach[p]
        used_up = used > 0.5 * reach
        if reach < skin.largest_reach[p]:
            used_up = used_up or used + MARGIN * skin.change[p] > reach
    return used_up


@wp.func
def renewed_reach(p: int, embedding: Embedding, skin: Skin):
    """Return how far [m] the offset of embedded point p may change from now on, and keep that."""
    reach = float(0.0)
    if skin.points.shape[0] > 0:
        reach = wp.max(skin.least_reach[p], FORESIGHT * skin.change[p])
        reach = wp.min(reach, skin.largest_reach[p])
        skin.reach[p] = reach
        skin.searched[p] = embedding.offset[p]
    return reach
