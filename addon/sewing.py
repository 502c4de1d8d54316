# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a cloth that have no face: seams that draw their ends together."""

import numpy as np

from . import read_mesh
from .units import shown


def seams(ob, mesh, body):
    """The `Attachment` of the seams of a cloth that has become `body`; None without loose edges.

    A seam is as stiff as a square of the cloth, E times thickness.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ..solver.attachments import Attachment

    ends = read_mesh.edges(mesh)[read_mesh.loose_edges(mesh)]
    if not len(ends):
        return None
    material, speed = body.material, shown(ob.vbd, "sewing_speed")
    length = np.linalg.norm(body.points[ends[:, 1]] - body.points[ends[:, 0]], axis=1)
    return Attachment(
        body,
        ends[:, 0],
        material.youngs_modulus * material.thickness,
        other=body,
        corners=ends[:, 1],
        name=f"{ob.name}: seams",
        damping=material.damping,
        length=length if speed > 0.0 else 0.0,
        shrink_speed=speed,
        maximum_force=ob.vbd.sewing_force or np.inf,
    )
