# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices by their owners, in chunks that are added up by themselves
(kernels/device/chunks.py).
"""

import numpy as np
import warp as wp

from ..kernels.device.chunks import Chunks

# An owner is added up in about as many chunks as each has vertices, but not in smaller ones.
SMALLEST_CHUNK = 64


def chunked(of, count, size=None):
    """What belongs to each of `count` owners, `of` [vertex] their numbers, in chunks: `vertex`,
    `start`, `owner` and `first`, as in kernels/device/chunks.py; chunks of that `size` if it is
    given.
    """
    sizes = np.bincount(of, minlength=count)
    chunk_sizes = np.maximum(np.sqrt(sizes).astype(int), SMALLEST_CHUNK)
    if size is not None:
        chunk_sizes[:] = size
    chunks = -(-sizes // chunk_sizes)
    first = np.concatenate([[0], np.cumsum(chunks)])
    owner = np.repeat(np.arange(count), chunks)
    within = np.arange(first[-1]) - first[owner]
    begin = (np.cumsum(sizes) - sizes)[owner] + within * chunk_sizes[owner]
    return np.argsort(of, kind="stable"), np.append(begin, len(of)), owner, first


def make_chunks(vertex, of, count, device, size=None):
    """The `Chunks` on the device of vertices with the numbers `vertex`."""
    chunks = Chunks()
    order, *rest = chunked(of, count, size)
    named = zip(("start", "owner", "first"), rest, strict=True)
    for name, values in (("vertex", vertex[order]), *named):
        setattr(chunks, name, wp.array(values.astype(np.int32), dtype=int, device=device))
    return chunks


def body_chunks(model):
    """The free vertices of every body, and how many each body has."""
    mine = [vertices[vertices < model.free_count] for vertices in model.assembly.vertices]
    counts = np.array([len(vertices) for vertices in mine])
    owner = np.repeat(np.arange(len(mine)), counts)
    return make_chunks(np.concatenate(mine), owner, len(mine), model.x.device), counts
