# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth skin of a soft body at the vertices of its object."""

import numpy as np
from mathutils.kdtree import KDTree

from ...solver.bodies.skin import skin_offsets


class DrawnSkin:
    """Offsets of vertices [vertex, 3] from their places among the `corners` of cells with trilinear
    `weights` [vertex, 8].

    Contact may hold its own points, in `surface`, back from where the cells want them. A vertex is
    held back as much as the nearest of these; most are such points.
    """

    def __init__(self, body, points, corners, weights):
        self.surface, self.known = body.surface, (corners, weights, body.surface.neighbors)
        touching = self.surface.points(body.rest_points)
        tree = KDTree(len(touching))
        for number, point in enumerate(touching):
            tree.insert(point, number)
        tree.balance()
        self.nearest = np.array([tree.find(point)[1] for point in points])

    def offsets(self, positions, found=None):
        """Offsets [m] for positions of the body, and those `found` of its surface in contact."""
        offsets = skin_offsets(positions, *self.known)
        if found is not None:
            offsets += (found - self.surface.offsets(positions))[self.nearest]
        return offsets
