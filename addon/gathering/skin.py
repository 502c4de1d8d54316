# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth skin of a soft body at the vertices of its object."""

from ...solver.bodies.skin import skin_offsets
from ..objects.nearest import nearest, weights_in


class DrawnSkin:
    """Offsets of vertices [vertex, 3] from their places among the `corners` of cells with trilinear
    `weights` [vertex, 8].

    Contact may hold its own points, in `surface`, back from where the cells want them. A vertex is
    held back as the nearest place between these, most of which are vertices.
    """

    def __init__(self, body, points, corners, weights):
        self.surface, self.known = body.surface, (corners, weights, body.surface.neighbors)
        touching, triangles = self.surface.points(body.rest_points), self.surface.triangles
        found, places = nearest(points, touching, triangles)
        self.corners = triangles[found]
        self.shares = weights_in(places, touching[self.corners])[..., None]

    def offsets(self, positions, found=None):
        """Offsets [m] for positions of the body, and those `found` of its surface in contact."""
        offsets = skin_offsets(positions, *self.known)
        if found is not None:
            held_back = found - self.surface.offsets(positions)
            offsets += (self.shares * held_back[self.corners]).sum(axis=1)
        return offsets
