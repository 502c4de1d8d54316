# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies without a thickness: a sentence about them."""

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.tetmesh import TETS

# What is thinner than this fraction of its length has no inside: less than rounding may leave.
FLAT = 1e-5


def notes(ob, mesh):
    """Sentences about a flat soft body, with the `mesh` at its place in the stack."""
    if ob.vbd.role != "SOFT" or TETS in mesh or not len(mesh.polygons):
        return
    points = read_mesh.positions(mesh).astype(np.float64)
    if not np.isfinite(points).all():
        return  # refused later
    thin, _, long = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[::-1]
    if thin <= FLAT * long:
        yield message("note.flat", name=ob.name)
