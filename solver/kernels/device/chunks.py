# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices grouped by owner, in chunks that are summed separately and in order.

A sum does not depend on the number of threads.
"""

import warp as wp


@wp.struct
class Chunks:
    """Vertices by owner (body or connected component), and the first chunk of each owner."""

    vertex: wp.array[int]  # owner by owner
    start: wp.array[int]  # [chunk + 1] offsets in `vertex`
    owner: wp.array[int]  # [chunk]
    first: wp.array[int]  # [owner + 1] numbers of chunks
