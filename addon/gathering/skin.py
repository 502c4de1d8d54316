# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth skin of a soft body at the vertices of its object."""

import numpy as np
from mathutils.kdtree import KDTree

from ...solver.bodies.skin import skin_offsets

# Points of contact whose mean a vertex follows, and the distance over the size of the body below
# which it is one of them.
NEAREST, TOGETHER = 4, 1e-9


class DrawnSkin:
    """Offsets of vertices [vertex, 3] from their places among the `corners` of cells with trilinear
    `weights` [vertex, 8].

    Contact may hold its own points, in `surface`, back from where the cells want them. A vertex
    that is none of these is held back as the mean of the nearest, the more the nearer they are.
    """

    def __init__(self, body, points, corners, weights):
        self.surface, self.known = body.surface, (corners, weights, body.surface.neighbors)
        touching = self.surface.points(body.rest_points)
        tree = KDTree(len(touching))
        for number, point in enumerate(touching):
            tree.insert(point, number)
        tree.balance()
        near = [tree.find_n(point, NEAREST) for point in points]
        self.nearest = np.array([[number for _, number, _ in row] for row in near])
        distance = np.array([[distance for *_, distance in row] for row in near])
        share = 1.0 / np.maximum(distance, TOGETHER * np.ptp(touching))
        self.share = (share / share.sum(axis=1, keepdims=True))[..., None]

    def offsets(self, positions, found=None):
        """Offsets [m] for positions of the body, and those `found` of its surface in contact."""
        offsets = skin_offsets(positions, *self.known)
        if found is not None:
            held_back = found - self.surface.offsets(positions)
            offsets += (self.share * held_back[self.nearest]).sum(axis=1)
        return offsets
