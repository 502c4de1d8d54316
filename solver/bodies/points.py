# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that may move in time."""

from collections.abc import Callable, Sequence

import numpy as np

from ..messages import message
from ..topology.meshes import finite_points

PointsInTime = np.ndarray | Sequence[np.ndarray] | Callable[[float], np.ndarray]
"""One array for all times, one per frame (the input state first), or a function of time [s]."""


def points_at(name, source, frame, time):
    """The array [n, 3] of a `PointsInTime` at a frame (counted from 0) and its time [s]."""
    if callable(source):
        points = source(time)
    elif np.ndim(source[0]) == 2:
        if frame >= len(source):
            raise ValueError(
                message("script.points_missing", name=name, count=len(source), frame=frame)
            )
        points = source[frame]
    else:
        points = source
    return finite_points(name, "points", points)
