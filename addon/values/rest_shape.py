# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest shape of an object: that of its equilibrium, or for cloth a shape key."""

import numpy as np
from bpy.props import BoolProperty, StringProperty

from ...solver.messages import message
from ..objects import read_mesh
from .declared import OVERRIDABLE


def rest_shape_properties():
    """Properties of an object for its rest shape."""
    return {
        "keeps_shape": BoolProperty(
            name="Keep Shape",
            description="The shape at the start is the one under gravity, so nothing sags. The "
            "shape without gravity is found before the first frame",
            default=False,
            options=set(),
            override=OVERRIDABLE,
        ),
        "rest_shape_key": StringProperty(
            name="Rest Shape Key",
            description="Shape key that the cloth tends to: its edges have their lengths there, "
            "and its folds their angles. Without one it is the shape that the cloth starts with",
            options=set(),
            override=OVERRIDABLE,
        ),
    }


def rest_points(ob, pose):
    """Points [m] of the shape key of the rest shape; None for the shape at the start."""
    name, keys = ob.vbd.rest_shape_key, ob.data.shape_keys
    if not name:
        return None
    block = keys.key_blocks.get(name) if keys else None
    if block is None:
        raise ValueError(message("material.no_shape_key", name=ob.name, key=name))
    points = np.empty((len(block.points), 3), np.float32)
    block.points.foreach_get("co", points.ravel())
    return read_mesh.transformed(pose.matrix, points)
