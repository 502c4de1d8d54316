# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleep: how long vertices have stayed where they are, and whether the scene may rest."""

import warp as wp

from ..device.chunks import Chunks
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.kernel
def count_rest(
    first: int,
    chunks: Chunks,
    x: wp.array[wp.vec3],
    distance: wp.array[float],
    # in and out
    place: wp.array[wp.vec3],
    steps: wp.array[int],
):
    """Count the `steps` [chunk] since any vertex of a chunk was farther than a `distance` [chunk,
    m] from its `place` [vertex]; then all of these become the present ones. One thread per chunk.
    """
    chunk = first + wp.tid()
    farthest = float(0.0)
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        farthest = wp.max(farthest, wp.length_sq(x[i] - place[i]))
    # Positions that are not finite are not at rest.
    if farthest <= distance[chunk] * distance[chunk]:
        steps[chunk] = steps[chunk] + 1
        return
    steps[chunk] = 0
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        place[i] = x[i]


@wp.kernel
def decide(
    steps: wp.array[int],
    enough: int,
    # out
    is_awake: wp.array[int],
):
    """Set `is_awake` if any chunk has moved within the last `enough` steps. One thread per chunk;
    all of them write the same value.
    """
    if steps[wp.tid()] < enough:
        is_awake[0] = 1
