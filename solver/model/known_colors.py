# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors of vertices that need no coloring."""

import numpy as np

from ..bodies import Cells, Grains
from ..topology.coloring import chessboard_colors, scattered_colors


def known_colors(body):
    """Return the given colors [vertex] of a body's vertices, -1 where coloring must find one."""
    if isinstance(body, Cells):
        return chessboard_colors(body.rest_points, body.cells)
    if isinstance(body, Grains) and not len(body.bonds):
        return scattered_colors(len(body.points))
    return np.full(len(body.points), -1)
