# SPDX-License-Identifier: GPL-3.0-or-later
"""Skyline storage of symmetric matrices: their lower triangles, in panels of rows.

A panel has all columns from the first one that any of its rows needs up to its diagonal, column by
column of PANEL places; a Cholesky decomposition fills no others (Jennings, "A compact storage
scheme for the solution of symmetric linear simultaneous equations", 1966).
"""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Rows of a panel, and of a tile on the GPU. The native code of `cholesky.py` and
# `cholesky_gpu.py` says 16 as well.
PANEL = wp.constant(16)


@wp.struct
class Skyline:
    """Panels of all matrices, matrix by matrix; every matrix begins a new panel."""

    count: wp.array[int]  # [1] number of matrices
    rows: wp.array[int]  # [matrix]
    first: wp.array[int]  # [matrix + 1] panels
    matrix: wp.array[int]  # [panel] its matrix; -1 behind the last
    start: wp.array[int]  # [panel] its first column, a multiple of PANEL
    width: wp.array[int]  # [panel] its number of columns, 0 behind the last panel
    begin: wp.array[int]  # [panel] number of columns in all panels before it


@wp.func
def place(row: int, column: int, skyline: Skyline):
    """The place of an entry; `row` counts over the panels of all matrices, `column` in its own."""
    panel = row / PANEL
    return PANEL * (skyline.begin[panel] + column - skyline.start[panel]) + row % PANEL


@wp.kernel
def begin_panels(
    # in and out
    skyline: Skyline,
):
    """Set the panels of every matrix, each with its diagonal tile only."""
    g = wp.tid()
    if g < skyline.count[0]:
        for panel in range(skyline.first[g], skyline.first[g + 1]):
            skyline.matrix[panel] = g
            skyline.start[panel] = PANEL * (panel - skyline.first[g])


@wp.kernel
def measure_panels(
    # in and out
    skyline: Skyline,
):
    """Set the width of every panel from its first column."""
    panel = wp.tid()
    g = skyline.matrix[panel]
    width = int(0)
    if g >= 0:
        width = PANEL * (panel - skyline.first[g] + 1) - skyline.start[panel]
    skyline.width[panel] = width


@wp.kernel
def clear_panels(
    first: int,
    skyline: Skyline,
    # out
    matrix: wp.array[wp.float64],
):
    """Zero the entries of every panel."""
    panel = first + wp.tid()
    begin = PANEL * skyline.begin[panel]
    for k in range(begin, begin + PANEL * skyline.width[panel]):
        matrix[k] = wp.float64(0.0)
