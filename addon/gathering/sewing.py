# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a cloth without a face: seams that pull their ends together."""

import numpy as np

from ..objects import read_mesh
from ..objects.units import shown
from .keyed import followed, stored_keyed

# Stiffness of a seam relative to a square of the cloth: one that closes, so that it stays closed
# under tension and bodies between the panels have time to move, and one that closes a cut, which
# stays invisible.
CLOSING, CLOSED = 10.0, 100.0


def seam_ends(ob, mesh):
    """Vertices at both ends of every seam of a cloth, int [seam, 2]; None where nothing is sewn."""
    ends = read_mesh.edges(mesh)[read_mesh.loose_edges(mesh)]
    return ends if ob.vbd.use_sewing and len(ends) else None


def _force(gathered, ob):
    """The most that a seam pulls with [N], a number or a function of time."""
    if "sewing_force" not in stored_keyed(ob):
        return ob.vbd.sewing_force or np.inf
    force = followed(gathered, ob, "sewing_force")
    return lambda time: force(time) or np.inf


def seams(gathered, ob, mesh, body, target):
    """The `Attachment` of the seams of a cloth with this `body` and `Target`; None where nothing is
    sewn.

    A seam is `CLOSING` times as stiff as a square of the cloth, which is E times thickness, and a
    seam of length zero, along a cut, `CLOSED` times.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.attachments import Attachment

    ends = seam_ends(ob, mesh)
    if ends is None:
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
        stiffness * np.where(length > 0.0, CLOSING, CLOSED),
        other=body,
        corners=corners,
        name=f"{ob.name}: seams",
        damping=float(np.mean(material.damping)),
        length=length if speed > 0.0 else 0.0,
        shrink_speed=speed,
        **{limit: _force(gathered, ob)},
        **both,
    )
