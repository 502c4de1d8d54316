# SPDX-License-Identifier: GPL-3.0-or-later
"""Embedded points follow their corners."""

import warp as wp

from ..device.options import OPTIONS
from .embedding import Embedding, point_position

wp.set_module_options(OPTIONS)


@wp.kernel
def follow(
    first: int,
    points: wp.array[int],
    embedding: Embedding,
    # out
    x: wp.array[wp.vec3],
):
    """Move the embedded points of a list, from number `first` on, along with their corners."""
    v = embedding.first + points[first + wp.tid()]
    x[v] = point_position(v, x, embedding)


@wp.kernel
def follow_listed(
    first: int,
    points: wp.array[int],
    embedding: Embedding,
    start: wp.array[int],
    # out
    x: wp.array[wp.vec3],
):
    """Move embedded points that have pairs; the pairs of a vertex begin at `start` [vertex + 1]."""
    v = embedding.first + points[first + wp.tid()]
    if start[v] != start[v + 1]:
        x[v] = point_position(v, x, embedding)
