# SPDX-License-Identifier: GPL-3.0-or-later
"""Greedy colors for the methods that visit vertices or elements in turn."""

import numpy as np


def vertex_colors(count, elements):
    """Color [vertex]: no element has two vertices of one color. Largest degree first."""
    neighbors = [set() for _ in range(count)]
    for part in elements:
        for corners in part.corners.tolist():
            for i in corners:
                neighbors[i].update(corners)
    color = np.full(count, -1)
    for i in sorted(range(count), key=lambda i: -len(neighbors[i])):
        taken = {color[j] for j in neighbors[i]}
        color[i] = next(c for c in range(count) if c not in taken)
    return color


def element_colors(count, corners):
    """Color [element]: no vertex has two elements of one color."""
    taken = [set() for _ in range(count)]
    color = np.zeros(len(corners), dtype=int)
    for e, own in enumerate(corners.tolist()):
        used = set().union(*(taken[i] for i in own))
        color[e] = next(c for c in range(len(corners)) if c not in used)
        for i in own:
            taken[i].add(color[e])
    return color
