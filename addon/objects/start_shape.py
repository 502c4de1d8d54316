# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape with which the next bake of an object starts, if it is not that of the object.

`object.vbd.start_shape` has the frame that it comes from, the number of simulated points, and their
coordinates in object space as text; it is empty without such a shape.
"""

import base64

import numpy as np

from ...solver.messages import message


def keep(ob, frame, points):
    """Let the next bake of an object start with `points` [point, 3] in object space."""
    coordinates = base64.b64encode(np.ascontiguousarray(points, "<f4").tobytes()).decode()
    ob.vbd.start_shape = f"{frame} {len(points)} {coordinates}"


def frame_of(ob):
    """The frame that the shape comes from; None without one, or if it is damaged."""
    frame = ob.vbd.start_shape.partition(" ")[0]
    return int(frame) if frame.lstrip("-").isdecimal() else None


def kept_points(ob):
    """The points [point, 3] in object space, float32; None without such a shape. ValueError for a
    text that does not hold them.
    """
    text = ob.vbd.start_shape
    if not text:
        return None
    try:
        _, count, coordinates = text.split(" ")
        points = np.frombuffer(base64.b64decode(coordinates, validate=True), "<f4")
        points = points.reshape(int(count), 3).astype(np.float32)
    except ValueError:
        points = np.array([np.nan])
    if not np.isfinite(points).all():
        raise ValueError(message("mesh.start_damaged", name=ob.name))
    return points
