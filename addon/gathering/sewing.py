# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a cloth that have no face: seams that draw their ends together."""

import numpy as np

from ..objects import read_mesh
from ..objects.units import shown

# How much stiffer than others those seams are that close a cut.
CLOSED = 100.0


def seams(ob, mesh, body, target):
    """The `Attachment` of the seams of a cloth that has become `body`, with its `Target`; None
    without loose edges.

    A seam is as stiff as a square of the cloth, E times thickness, and what is cut and sewn in one
    place `CLOSED` times as stiff, so that a cut does not show.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.attachments import Attachment

    ends = read_mesh.edges(mesh)[read_mesh.loose_edges(mesh)]
    if not len(ends):
        return None
    stiffness = float(np.mean(body.material.youngs_modulus) * np.mean(body.material.thickness))
    material, speed = body.material, shown(ob.vbd, "sewing_speed")
    points = target.start_points()
    length = np.linalg.norm(points[ends[:, 1]] - points[ends[:, 0]], axis=1)
    vertices, corners, both = ends[:, 0], ends[:, 1], {}
    if target.corners is not None:
        both = {"own_weights": target.weights[vertices], "weights": target.weights[corners]}
        vertices, corners = target.corners[vertices], target.corners[corners]
    limit = "strength" if ob.vbd.sewing_tears else "maximum_force"
    return Attachment(
        body,
        vertices,
        stiffness * np.where(length > 0.0, 1.0, CLOSED),
        other=body,
        corners=corners,
        name=f"{ob.name}: seams",
        damping=float(np.mean(material.damping)),
        length=length if speed > 0.0 else 0.0,
        shrink_speed=speed,
        **{limit: ob.vbd.sewing_force or np.inf},
        **both,
    )
