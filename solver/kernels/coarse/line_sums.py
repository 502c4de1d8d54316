# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope of the energy along a coarse step.

Along the direction d the slope φ'(α) = ∂G/∂α of most elements is a polynomial, whose coefficients
are added up. Other slopes are sampled at equal distances and interpolated linearly.
"""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

SAMPLES = wp.constant(8)
vec8 = wp.types.vector(length=8, dtype=float)
vec6d = wp.types.vector(length=6, dtype=wp.float64)

# Elements below this fraction of their volume have collapsed.
COLLAPSED = wp.constant(0.1)


@wp.struct
class LineSums:
    """Slopes of the elements of every chunk, and the chunks of every component."""

    start: wp.array[int]  # [component + 1] slots of `chunk`
    chunk: wp.array[int]
    slope: wp.array[vec6d]  # [chunk] coefficients of 1, α … α⁵
    samples: wp.array[vec8]  # [chunk] of other slopes, less the slope at 0
    collapsed: wp.array[int]
    count: wp.array[int]
