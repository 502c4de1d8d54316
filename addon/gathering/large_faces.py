# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth whose faces are too large to fold: sentences that say so."""

import numpy as np

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
        yield (
            f"{ob.name}: Blender draws faces of more than 4 corners ({many} here) otherwise than "
            "they move; divide them (Edit Mode, Face > Poke Faces, then Edge > Subdivide)"
        )
    elif 0 < len(corners) <= FEW:
        faces = "1 face" if len(corners) == 1 else f"{len(corners)} faces"
        yield (
            f"{ob.name}: a cloth of {faces} hardly folds; subdivide it (Edit Mode, Edge > "
            "Subdivide, with 10 cuts or more)"
        )
