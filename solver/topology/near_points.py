# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of points that are near each other, or near places."""

import numpy as np

# A cube and half of the 26 around it: every two neighbors are met once.
AROUND = [
    (x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) >= (0, 0, 0)
]


def near_pairs(points, reach):
    """Pairs of `points` [n, 3] at most `reach` [m] apart, int64 [pair, 2], in ascending order.

    Points are sorted into cubes of that size, so the time grows with their number alone unless
    many are in one place.
    """
    place = np.floor((points - points.min(axis=0, initial=np.inf)) / reach).astype(np.int64) + 1
    span = place.max(axis=0, initial=0) + 2
    key = (place[:, 0] * span[1] + place[:, 1]) * span[2] + place[:, 2]
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    found = [np.zeros((0, 2), dtype=np.int64)]
    for x, y, z in AROUND:
        there = sorted_key + (x * span[1] + y) * span[2] + z
        begin = np.searchsorted(sorted_key, there)
        end = np.searchsorted(sorted_key, there, side="right")
        if (x, y, z) == (0, 0, 0):
            begin = np.arange(len(order)) + 1
        count = np.maximum(end - begin, 0)
        one = np.repeat(np.arange(len(order)), count)
        other = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        pairs = np.stack([order[one], order[other + np.repeat(begin, count)]], axis=1)
        apart = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
        found.append(np.sort(pairs[apart <= reach], axis=1))
    pairs = np.concatenate(found)
    return pairs[np.lexsort(pairs.T[::-1])]


def near_places(points, places, reach):
    """Pairs (point, place) of `points` [n, 3] at most `reach` [m] from `places` [m, 3], int64
    [pair, 2], in ascending order.

    Points are sorted into cubes of twice that size, of which eight are around a place.
    """
    low, size = points.min(axis=0) if len(points) else np.zeros(3), 2.0 * reach
    cube = np.floor((points - low) / size).astype(np.int64)
    corners = (places - low)[:, None] + reach * (2.0 * np.indices((2, 2, 2)).reshape(3, 8).T - 1.0)
    around = np.floor(corners / size).astype(np.int64).reshape(-1, 3)
    span = cube.max(axis=0, initial=-1) + 1
    place = np.flatnonzero(((around >= 0) & (around < span)).all(axis=1))
    key, wanted = ((c[:, 0] * span[1] + c[:, 1]) * span[2] + c[:, 2] for c in (cube, around[place]))
    order = np.argsort(key, kind="stable")
    begin = np.searchsorted(key[order], wanted)
    count = np.searchsorted(key[order], wanted, side="right") - begin
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    pairs = np.stack(
        [order[within + np.repeat(begin, count)], np.repeat(place // 8, count)], axis=1
    )
    apart = np.linalg.norm(points[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    return np.unique(pairs[apart <= reach], axis=0)
