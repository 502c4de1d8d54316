# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth whose faces are too large to fold: sentences that say so."""

import numpy as np

from ...solver.messages import message

# A plane, a cube and the like: with so few faces no cloth looks like one.
FEW = 6


def notes(ob, mesh):
    """What is to be said about the faces of a cloth object, which has the `mesh` where it is
    simulated; it folds along edges alone.
    """
    if ob.vbd.role != "CLOTH":
        return
    corners = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    many = int((corners > 4).sum())
    if many:
        yield (message("note.large_faces", name=ob.name, count=many))
    elif 0 < len(corners) <= FEW:
        yield message("note.few_faces", name=ob.name, count=len(corners))
