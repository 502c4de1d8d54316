# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape that a cloth has at rest: shrunk by a vertex group, or another shape key."""

from dataclasses import replace

import numpy as np
from bpy.props import StringProperty

from . import read_mesh
from .declared import OVERRIDABLE
from .material import material_of


def rest_shape_properties():
    """Properties of an object that say what shape is at rest."""
    return {
        "shrink_group": StringProperty(
            name="Shrink Group",
            description="Vertex group whose weights are parts of the shrink factor. Without one "
            "all of the cloth shrinks by it",
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


def cloth_material(ob, mesh):
    """`Material` of a cloth, shrunk by the weights of its vertex group."""
    material, group = material_of(ob), ob.vbd.shrink_group
    if not group or not material.shrink:
        return material
    return replace(material, shrink=material.shrink * read_mesh.group_weights(ob, mesh, group))


def rest_points(ob, pose):
    """Points [m] of the shape key that is at rest; None for the shape at the start."""
    name, keys = ob.vbd.rest_shape_key, ob.data.shape_keys
    if not name:
        return None
    block = keys.key_blocks.get(name) if keys else None
    if block is None:
        raise ValueError(
            f'{ob.name}: there is no shape key "{name}"; choose another one or clear the field'
        )
    points = np.empty((len(block.points), 3), np.float32)
    block.points.foreach_get("co", points.ravel())
    return read_mesh.transformed(pose.matrix, points)
