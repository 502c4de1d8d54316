# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements in the order in which the coarse correction sums them (kernels/coarse/matrix.py)."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..elements.element_kind import ElementKind
from ..elements.vertex_records import element_data, in_lanes, structured, wide_start
from ..kernels.coarse import coarse_step, line_sums
from ..kernels.coarse.matrix import ElementChunks
from ..kernels.device.lanes import wide
from ..kernels.elements.corner_vectors import Corners, CornersInLanes
from ..topology.graphs import stable_order

# Elements and vertices that one thread sums: a GPU has many slow threads, and the contacts of a
# vertex take longer there than an element. It sums as few elements as keep so many threads busy,
# within limits: every chunk has blocks of the matrix of its own.
CHUNK, WIDE_CHUNK, WIDE_MEMBERS = 256, (2, 8), 2
BUSY = 16384


def chunk_size(model):
    """Return the number of elements, or of forces, that one thread sums up."""
    if not model.launches.are_wide:
        return CHUNK
    return int(np.clip(sum(map(len, model.assembly.corners())) // BUSY, *WIDE_CHUNK))


@dataclass
class Chunked:
    """The elements of one kind, sorted by component and by the aggregates of their corners.

    `corners` [element, n]; `start` [chunk + 1]; `slots` [chunk, n] the aggregates of each chunk, -1
    behind the last; `whole` [chunk], True where one aggregate has all corners; `component` [chunk].
    `data` are the `element`s of the kind on the device, `rest` the rest values of its records.
    If the kind is evaluated in lanes, `wide_data` are the elements, eight of a chunk in one, and
    `arms` their corners relative to the first one at rest [m], `CornersInLanes`.
    """

    kind: ElementKind
    data: wp.array
    rest: wp.array
    corners: np.ndarray
    start: np.ndarray
    slots: np.ndarray
    whole: np.ndarray
    component: np.ndarray
    wide_data: wp.array | None = None
    arms: wp.array | None = None

    @property
    def size(self):
        """Mean number of elements in a chunk."""
        return self.start[-1] / (len(self.start) - 1)


def chunked(table, aggregates, model, h):
    """The `Chunked` elements of a `model.tables.ElementTable` with a corner in any aggregate."""
    kind, columns = table.kind, table.columns
    order, slots, whole = by_aggregates(aggregates.of.astype(np.int32)[columns.corners])
    corners = columns.corners[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = whole[1:] != whole[:-1]
    for slot in slots.T:
        new[1:] |= slot[1:] != slot[:-1]
    run = np.flatnonzero(new)
    within = np.arange(len(order)) - np.repeat(run, np.diff(np.append(run, len(order))))
    begin = np.flatnonzero(within % chunk_size(model) == 0)
    data = element_data(kind, model.assembly.rest_points, columns, h, order)
    # Damping moves the rest values of free vertices only.
    free = np.zeros(len(order), dtype=int)
    held = np.flatnonzero(corners[:, 0] >= model.free_count)
    free[held] = np.argmax(corners[held] < model.free_count, axis=1)
    data["record"] = table.number[order, free]
    start = np.append(begin, len(order))
    found = Chunked(
        kind,
        model.hand_over(data, kind.element),
        table.struct.rest,
        corners,
        start,
        slots[begin],
        whole[begin],
        aggregates.component[slots[begin, 0]],
    )
    if table.in_lanes and kind.forces_in_lanes is not None:
        Wide = wide(kind.element)
        found.wide_data = model.hand_over(in_lanes(data, start, Wide), Wide)
        arms = corner_arms(aggregates.modes[corners, 1:])
        found.arms = model.hand_over(in_lanes(arms, start, CornersInLanes), CornersInLanes)
    return found


def by_aggregates(of):
    """Elements with a corner in any aggregate, sorted by their aggregates, from `of` [element,
    corner], the aggregate of each or -1. Components follow one another as aggregates do.

    Returns their indices, `slots` [element, corner], the aggregates of each in descending order, -1
    behind the last, and `whole`, True where one aggregate has all corners.
    """
    least, most = (extreme.reduce(of.T) for extreme in (np.minimum, np.maximum))
    inside = np.flatnonzero((least == most) & (least >= 0))
    across = np.flatnonzero(least != most)
    found = -np.sort(-of[across], axis=1)
    found[:, 1:][found[:, 1:] == found[:, :-1]] = -1
    found = -np.sort(-found, axis=1)
    by_slots = np.lexsort(found.T[::-1])
    # Of one aggregate those come first that have other corners in none, then those inside, ...
    rank = 3 * np.concatenate([found[by_slots, 0], least[inside]]).astype(np.int64)
    rank[: len(across)] += 2 * (found[by_slots, 1:] >= 0).any(axis=1)
    rank[len(across) :] += 1
    order = stable_order(rank)
    slots = np.full((len(order), of.shape[1]), -1, dtype=np.int32)
    slots[: len(across)] = found[by_slots]
    slots[len(across) :, 0] = least[inside]
    is_whole = np.arange(len(order)) >= len(across)
    return np.concatenate([across[by_slots], inside])[order], slots[order], is_whole[order]


def corner_arms(places):
    """`Corners` relative to the first one, from the `places` of all [element, corner, 3]."""
    names = "first", "second", "third"
    columns = zip(names, np.moveaxis(places[:, 1:] - places[:, :1], 1, 0), strict=False)
    return structured(Corners, len(places), dict(columns))


def chunked_elements(model, aggregates, h):
    """The `Chunked` elements of every kind that has any."""
    made = (chunked(table, aggregates, model, h) for table in model.tables.values())
    return [elements for elements in made if elements.start[-1]]


def device_chunks(elements, offset, model):
    """The `ElementChunks` of `Chunked` elements; their sums begin at an offset."""
    chunks = ElementChunks()
    chunks.start = model.upload(elements.start.astype(np.int32), int)
    if elements.wide_data is not None:
        chunks.wide_start = model.upload(wide_start(elements.start), int)
    chunks.offset = offset
    chunks.vertex = model.upload(elements.corners[elements.start[:-1], 0].astype(np.int32), int)
    chunks.asleep = model.contact_model.state.asleep
    return chunks


def matrix_entries(chunked, count):
    """Entries of the sums over chunks that make up the blocks of the matrix. Each of the `count`
    aggregates has a block on the diagonal, those of grains without an element.

    Returns (chunk, row, column) [entry], for every `Chunked` the ranges (whole, others) of its
    entries, and the blocks: rows and columns [block], entries as `start` [block + 1] and `entry`.
    """
    lists, ranges, first = [np.zeros((0, 3), dtype=np.int64)], [], 0
    for elements in chunked:
        slots = elements.slots
        filled = (slots >= 0).sum(axis=1)
        ranges.append([])
        for wanted in (elements.whole, ~elements.whole):
            chunk = np.flatnonzero(wanted)
            own = [
                np.stack([mine, slots[mine, r], slots[mine, c]], axis=1)
                for r in range(slots.shape[1])
                for c in range(r + 1)
                for mine in [chunk[filled[chunk] > r]]
            ]
            own = np.concatenate(own)
            ranges[-1].append((first, len(own)))
            first += len(own)
            lists.append(own)
    entries = np.concatenate([np.zeros((0, 3), dtype=int), *lists])
    diagonal = np.repeat(np.arange(count)[:, None], 2, axis=1)
    places = np.concatenate([entries[:, 1:], diagonal])
    blocks, block = np.unique(places, axis=0, return_inverse=True)
    block = block.ravel()[: len(entries)]
    order = np.argsort(block, kind="stable")
    start = np.searchsorted(block[order], np.arange(len(blocks) + 1))
    return entries, ranges, (blocks, start, order)


def chunk_starts(sizes, size):
    """Chunks of `size` entries in lists of `sizes` entries, one list per aggregate:
    start [chunk + 1], first chunk [aggregate + 1].
    """
    chunks = -(-sizes // size)
    first = np.concatenate([[0], np.cumsum(chunks)])
    within = np.arange(first[-1]) - np.repeat(first[:-1], chunks)
    start = np.repeat(np.cumsum(sizes) - sizes, chunks) + size * within
    return np.append(start, sizes.sum()), first


def member_chunks(of, aggregates, model):
    """`Members`: the vertices and embedded points of all aggregates; `of` [`model.x`]."""
    members = coarse_step.Members()
    vertex = np.flatnonzero(of >= 0)
    vertex = vertex[np.argsort(of[vertex], kind="stable")]
    size = WIDE_MEMBERS if model.launches.are_wide else CHUNK
    start, first = chunk_starts(np.bincount(of[vertex], minlength=len(aggregates)), size)
    members.vertex = model.upload(vertex.astype(np.int32), int)
    members.start = model.upload(start.astype(np.int32), int)
    members.first_chunk = model.upload(first.astype(np.int32), int)
    # Embedded points and duplicates of torn cloth follow others; an unused one may be anywhere.
    own = vertex < len(aggregates.of)
    own[own] = model.assembly.parent[vertex[own]] == vertex[own]
    arms = np.zeros((len(vertex), 3))
    arms[own] = aggregates.modes[vertex[own], 1:]
    members.arm = model.upload(arms, wp.vec3)
    for name, dtype in (
        ("shape", wp.mat33),
        ("slope", wp.vec2d),
        ("samples", line_sums.vec8),
    ):
        setattr(members, name, wp.zeros(len(start) - 1, dtype=dtype, device=model.device))
    return members, first
