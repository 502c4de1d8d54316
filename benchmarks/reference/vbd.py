# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex block descent in float64, for the end of its convergence, which float32 hides.

Colors are visited in turn; the vertices of a color take their own Newton step (VBD 2024, §3.1).
"""

from dataclasses import replace

import numpy as np

from .coloring import vertex_colors


def vertex_block_descent(problem, relaxation=1.0, rho=0.0):
    """Yields x after every visit of all colors.

    relaxation: the fraction of the Newton step that is taken. rho > 0: Chebyshev acceleration
    between iterations, as in the paper (§3.8).
    """
    x = problem.guess.copy()
    last, weight = x.copy(), 1.0
    color = vertex_colors(len(x), problem.elements)
    groups = []
    for c in range(color.max() + 1):
        chosen = np.flatnonzero((color == c) & ~problem.pinned)
        if len(chosen):
            touched = [
                part.take(np.isin(part.corners, chosen).any(axis=1)) for part in problem.elements
            ]
            groups.append((chosen, replace(problem, elements=touched)))
    count = 0
    while True:
        before = x.copy()
        for chosen, part in groups:
            step = np.linalg.solve(part.blocks(x)[chosen], part.gradient(x)[chosen][:, :, None])
            x[chosen] -= relaxation * step[:, :, 0]
        count += 1
        if rho and count > 1:
            weight = 2.0 / (2.0 - rho**2) if count == 2 else 4.0 / (4.0 - rho**2 * weight)
            x = weight * (x - last) + last
        last = before
        yield x.copy()
