# SPDX-License-Identifier: GPL-3.0-or-later
"""The line about folds of a cloth: fold length of its fabric, and the shortest of its mesh."""

import numpy as np

from ...solver.bodies.folds import fold_length, mesh_fold_length
from ...solver.messages import message
from ...solver.report.lengths import length
from ..objects.face_size import triangle_area
from ..objects.units import gravity_of
from .advice import draw_wrapped

# A mesh whose folds are longer than those of the fabric by this factor shows too few of them.
COARSE = 2.0


def fold_lengths(ob, scene):
    """The fold lengths [m] of the fabric and of the mesh of a cloth object; None if the cloth has
    no weight or does not resist bending, or the size of its faces is unknown.
    """
    gravity = np.linalg.norm(gravity_of(scene))
    if ob.vbd.role != "CLOTH" or not gravity or not ob.vbd.bending_stiffness:
        return None
    area = triangle_area(ob)
    if not area:
        return None
    fabric = fold_length(ob.vbd.bending_stiffness, ob.vbd.density, gravity)
    return float(fabric), float(mesh_fold_length(area))


def is_coarse(lengths):
    """Return whether a mesh with these fold lengths would show finer folds if subdivided."""
    return lengths is not None and lengths[1] > COARSE * lengths[0]


def draw_folds(layout, context, ob, always=True):
    """Draw the line, with a button if finer faces would show finer folds; unless `always` only
    then.
    """
    lengths = fold_lengths(ob, context.scene)
    coarse = is_coarse(lengths)
    if not (coarse or (always and lengths)):
        return
    fabric, mesh = map(length, lengths)
    column = layout.column(align=True)
    text = message("bake.folds", fabric=fabric, mesh=mesh)
    draw_wrapped(column, context, text, "INFO" if coarse else "NONE")
    if coarse:
        column.operator("vbd.subdivide_faces", text="Subdivide")
