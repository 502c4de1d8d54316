# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors on surfaces in the viewport: values to colors, and drawing just in front of a mesh."""

from contextlib import contextmanager

import gpu
import numpy as np
from mathutils import Matrix

# Offset of drawings toward the eye from the mesh, as a fraction of the distance.
NEARER = 0.002


def ramp(fractions, stops, opacity=1.0):
    """Colors [n, 4], float32, of fractions from 0 to 1 between evenly spaced `stops` [stop, 3]."""
    stops = np.asarray(stops, np.float64)
    at = np.linspace(0.0, 1.0, len(stops))
    channels = [np.interp(fractions, at, channel) for channel in stops.T]
    return np.stack([*channels, np.full(len(fractions), opacity)], axis=1).astype(np.float32)


@contextmanager
def in_front(view):
    """Draw shapes on surfaces nearer to the eye of a `RegionView3D` than these, behind objects in
    front of them, and blended.
    """
    if view.is_perspective:
        nearer = Matrix.Diagonal((1.0 - NEARER,) * 3).to_4x4()
    else:
        nearer = Matrix.Translation((0.0, 0.0, NEARER * view.view_distance))
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    try:
        with gpu.matrix.push_pop():
            gpu.matrix.load_matrix(nearer @ gpu.matrix.get_model_view_matrix())
            yield
    finally:
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")
