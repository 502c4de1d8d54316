# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that may move in time."""

from collections.abc import Callable, Sequence

import numpy as np

from ..messages import message
from ..topology.meshes import finite_points
from ..topology.values import as_array

PointsInTime = np.ndarray | Sequence[np.ndarray] | Callable[[float], np.ndarray]
"""One array for all times, one per frame (the input state first), or a function of time [s]."""


def points_at(name, source, frame, time):
    """The array [n, 3] of a `PointsInTime` at a frame (counted from 0) and its time [s]."""
    return finite_points(name, "points", value_at(name, source, frame, time, 2))


def moves(source):
    """Return whether a `PointsInTime` may change."""
    return callable(source) or _is_by_frame(source, 2)


def value_at(name, source, frame, time, dimensions):
    """Return the value at a frame and time [s] of one array of so many dimensions, of one such
    array per frame, or of a function of time.
    """
    if callable(source):
        return source(time)
    if not _is_by_frame(source, dimensions):
        return source
    if frame >= len(source):
        raise ValueError(
            message("script.points_missing", name=name, count=len(source), frame=frame)
        )
    return source[frame]


def _is_by_frame(source, dimensions):
    """Return whether a source has an array of so many dimensions for every frame."""
    is_list = isinstance(source, list | tuple) or (isinstance(source, np.ndarray) and source.ndim)
    array = as_array(source[0]) if is_list and len(source) else None
    return array is not None and array.ndim == dimensions
