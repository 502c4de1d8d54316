# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse step: forces brought down to the aggregates, and their step brought up."""

import warp as wp

from .coarse import Patches, mat43

wp.set_module_options({"enable_backward": False})

SAMPLES = wp.constant(8)
vec8 = wp.types.vector(length=8, dtype=float)


@wp.struct
class Members:
    """The vertices of all aggregates, and their sums per chunk."""

    vertex: wp.array[int]  # aggregate by aggregate
    start: wp.array[int]  # [chunk + 1] places in `vertex`
    first_chunk: wp.array[int]  # [aggregate + 1]
    restricted: wp.array[mat43]  # [chunk] Σ p fᵀ
    slope: wp.array[wp.vec2d]  # [chunk] −Σ f·d, and its rise by inertia and attachments
    samples: wp.array[vec8]  # [chunk] of contacts, the slope at 0 taken off


@wp.struct
class Islands:
    """What is searched along together, in parties of islands that touch each other."""

    start: wp.array[int]  # [party + 1] places in `island`
    island: wp.array[int]
    first_chunk: wp.array[int]  # [island + 1] of the chunks of `Members`
    share: wp.array[float]  # α of the last step, [island]; 0 when it was skipped
    skipped: wp.array[int]  # how often, [island]
    crowded: wp.array[int]  # whether too many of its tets have collapsed, [island]


@wp.kernel
def restrict_chunks(
    first: int,
    force: wp.array[wp.vec3],
    members: Members,
    patches: Patches,
):
    """Σ p fᵀ of chunks of vertices."""
    chunk = first + wp.tid()
    total = mat43()
    for q in range(members.start[chunk], members.start[chunk + 1]):
        i = members.vertex[q]
        total += wp.outer(patches.modes[i], force[i])
    members.restricted[chunk] = total


@wp.kernel
def restrict(
    members: Members,
    patches: Patches,
    # out
    right: wp.array[wp.float64],
):
    """Pᵀf of every aggregate."""
    k = wp.tid()
    total = mat43()
    for chunk in range(members.first_chunk[k], members.first_chunk[k + 1]):
        total += members.restricted[chunk]
    for m in range(patches.mode_count[k]):
        for i in range(3):
            right[patches.first[k] + 3 * m + i] = wp.float64(total[m, i])


@wp.kernel
def prolong(
    first: int,
    way: wp.array[wp.float64],
    members: Members,
    patches: Patches,
    x: wp.array[wp.vec3],
    # out
    direction: wp.array[wp.vec3],
    moved: wp.array[wp.vec3],
):
    """d = P z of the vertices of aggregates, and where it leads to."""
    i = members.vertex[first + wp.tid()]
    k = patches.of[i]
    p = patches.modes[i]
    d = wp.vec3(0.0)
    for m in range(patches.mode_count[k]):
        q = patches.first[k] + 3 * m
        d += p[m] * wp.vec3(float(way[q]), float(way[q + 1]), float(way[q + 2]))
    if not wp.isfinite(d):  # there is no decomposition
        d = wp.vec3(0.0)
    direction[i] = d
    moved[i] = x[i] + d


@wp.kernel
def take_difference(
    first: int,
    before: wp.array[wp.vec3],
    after: wp.array[wp.vec3],
    # out
    direction: wp.array[wp.vec3],
):
    """The direction that truncation has left."""
    i = first + wp.tid()
    direction[i] = after[i] - before[i]


@wp.kernel
def move(
    first: int,
    before: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    members: Members,
    island: wp.array[int],
    islands: Islands,
    relaxation: wp.array[float],
    # out
    x: wp.array[wp.vec3],
    relaxed: wp.array[float],
):
    """x + α d of the vertices of aggregates; `island` [vertex].

    `relaxed` is the relaxation of the next sweep: none where tets have collapsed.
    """
    i = members.vertex[first + wp.tid()]
    k = island[i]
    share = islands.share[k]
    x[i] = before[i]
    if share > 0.0:
        x[i] = before[i] + share * direction[i]
    if i < relaxed.shape[0]:
        relaxed[i] = wp.where(islands.crowded[k] != 0, 1.0, relaxation[i])
