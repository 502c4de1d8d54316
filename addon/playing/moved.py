# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview of a rigid body: a modifier moves what is drawn, so that its object, which the
simulation reads, stays in place.
"""

import numpy as np

from ..objects.hair import node_group
from .object_keys import space_of

MATRIX = "Matrix"


def add(ob, name):
    """Give an object the modifier; returns it."""
    modifier = ob.modifiers.new(name, "NODES")
    group = modifier.node_group = node_group(name)
    new, link = group.nodes.new, group.links.new
    source, target = new("NodeGroupInput"), new("NodeGroupOutput")
    matrix, move = new("FunctionNodeCombineMatrix"), new("GeometryNodeTransform")
    matrix.name = MATRIX
    if hasattr(move, "mode"):
        move.mode = "MATRIX"
    else:  # from Blender 5.0 on
        move.inputs["Mode"].default_value = "Matrix"
    link(source.outputs[0], move.inputs["Geometry"])
    link(matrix.outputs[0], move.inputs["Transform"])
    link(move.outputs[0], target.inputs[0])
    return modifier


def move(ob, name, rows, depsgraph):
    """Draw an object where the `rows` of a frame (`object_keys.py`) put it."""
    modifier = ob.modifiers.get(name)
    if modifier is None:
        return
    basis = np.eye(4)
    basis[:3] = rows.T
    now = np.array(ob.evaluated_get(depsgraph).matrix_world)
    shift = np.linalg.inv(now) @ space_of(ob, depsgraph) @ basis
    for entry, value in zip(modifier.node_group.nodes[MATRIX].inputs, shift.T.flat, strict=True):
        entry.default_value = value
