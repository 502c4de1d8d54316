# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions of muscle fibers from a curve, from bones, or from the Z axis of an object."""

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.curves import Strands, control_points
from ..objects.nearest import nearest
from ..objects.units import unit_scale
from .keyed import stored_keyed


def targets(objects):
    """The objects that fibers of soft bodies among `objects` run along."""
    soft = [ob for ob in objects if ob.vbd.role == "SOFT"]
    return [ob.vbd.fibers_along for ob in soft if ob.vbd.fibers_along is not None]


def fibers(ob, body, depsgraph):
    """Unit directions [element, 3] of the fibers in the body of a soft object; None without."""
    along = ob.vbd.fibers_along
    if along is None:
        return None
    if not along.visible_get():  # Blender would not move it
        raise ValueError(message("material.fibers_hidden", name=ob.name, along=along.name))
    matrix = read_mesh.matrix(along.evaluated_get(depsgraph))
    matrix[:3] *= unit_scale(depsgraph.scene)
    if along.type == "CURVE":
        ends = read_mesh.transformed(matrix, _along_curve(along, depsgraph))
    elif along.type == "ARMATURE":
        ends = read_mesh.transformed(matrix, _bones(ob, along, depsgraph))
    else:
        ends = np.array([[[0.0, 0.0, 0.0], matrix[:3, 2]]])
    ends = ends[np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > 0.0]
    if not len(ends):
        raise ValueError(message("material.fibers_no_length", name=ob.name, along=along.name))
    edges = np.arange(2 * len(ends)).reshape(-1, 2)
    middles = body.points[body.elements].mean(axis=1)
    found, _places = nearest(middles, ends.reshape(-1, 3), edges)
    steps = (ends[:, 1] - ends[:, 0])[found]
    return steps / np.linalg.norm(steps, axis=1, keepdims=True)


def _along_curve(ob, depsgraph):
    """Ends [edge, 2, 3] of the edges between samples of a curve, in its space."""
    evaluated = ob.evaluated_get(depsgraph)
    curve = evaluated.to_curve(depsgraph, apply_modifiers=True)
    try:
        strands = Strands(curve) if len(curve.splines) else None
    finally:
        evaluated.to_curve_clear()
    if strands is None:
        return np.zeros((0, 2, 3))
    points, _motion = control_points(ob, depsgraph)
    return strands.sampled(points.astype(np.float64))[strands.edges]


def _bones(ob, armature, depsgraph):
    """Ends [bone, 2, 3] of the chosen bone, or of all, posed, in the space of the armature."""
    bones, name = armature.evaluated_get(depsgraph).pose.bones, ob.vbd.fiber_bone
    if name and name not in bones:
        raise ValueError(
            message("material.no_bone", name=ob.name, bone=name, armature=armature.name)
        )
    chosen = [bones[name]] if name else bones
    ends = [(bone.head[:], bone.tail[:]) for bone in chosen]
    return np.array(ends, dtype=float).reshape(-1, 2, 3)


def notes(ob):
    """A sentence about a soft body that is to contract, but has no fibers."""
    active = ob.vbd.activation > 0.0 or "activation" in stored_keyed(ob)
    if ob.vbd.role == "SOFT" and active and ob.vbd.fibers_along is None:
        yield message("note.no_fibers", name=ob.name)
