# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices grouped by owner, in chunks that are summed separately (kernels/device/chunks.py)."""

import numpy as np
import warp as wp

from ..kernels.device.chunks import Chunks

# An owner has about as many chunks as each chunk has vertices, but no smaller chunks than this.
SMALLEST_CHUNK = 64


def chunked(of, count, size=None):
    """Return `vertex`, `start`, `owner` and `first` (kernels/device/chunks.py) for the vertices of
    `count` owners, with the owners `of` [vertex]; in chunks of a `size` if it is given.
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
    """Return the `Chunks` on the device of vertices with the numbers `vertex`."""
    chunks = Chunks()
    order, *rest = chunked(of, count, size)
    named = zip(("start", "owner", "first"), rest, strict=True)
    for name, values in (("vertex", vertex[order]), *named):
        setattr(chunks, name, wp.array(values.astype(np.int32), dtype=int, device=device))
    return chunks


def body_chunks(model):
    """Return the `Chunks` of the free vertices of every body, and their number per body."""
    free = [vertices[vertices < model.free_count] for vertices in model.assembly.vertices]
    counts = np.array([len(vertices) for vertices in free])
    owner = np.repeat(np.arange(len(free)), counts)
    return make_chunks(np.concatenate(free), owner, len(free), model.x.device), counts
