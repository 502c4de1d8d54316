# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices by what they belong to, in chunks that are added up by themselves and in order.

A sum is the same however many threads there are.
"""

import warp as wp


@wp.struct
class Chunks:
    """Vertices by their owners (bodies or linkages), and where the chunks of each begin."""

    vertex: wp.array[int]  # owner by owner
    start: wp.array[int]  # [chunk + 1] offsets in `vertex`
    owner: wp.array[int]  # [chunk]
    first: wp.array[int]  # [owner + 1] numbers of chunks
