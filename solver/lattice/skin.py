# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth skins on the device."""

import numpy as np
import warp as wp

from ..kernels.lattice.skin_arrays import Skin

# Least and largest change of an offset that a search allows for, as a fraction of the contact
# distance and of the spacing of the mesh: trust regions grow by it, and lists of pairs with them.
LEAST_REACH, LARGEST_REACH = 0.25, 0.5


def upload_skin(points, surface, upload):
    """Return the `Skin` of `EmbeddedPoints` of a `ContactSurface` on the device."""
    skin, count = Skin(), len(points) if len(points.skin) else 0
    corners = np.unique(points.corners[points.skin])
    skin.corners = upload(corners.astype(np.int32), int)
    skin.neighbors = upload(points.neighbors[corners].astype(np.int32).ravel(), int)
    skin.slopes = upload(np.zeros((3 * len(points.neighbors) if count else 0, 3)), wp.vec3)
    skin.points = upload(points.skin.astype(np.int32), int)
    skin.step, skin.searched = (upload(np.zeros((count, 3)), wp.vec3) for _ in range(2))
    skin.change, skin.reach = (upload(np.zeros(count), float) for _ in range(2))
    least, largest = np.zeros((2, count))
    if count:
        at = surface.point_start + points.skin
        least[points.skin] = LEAST_REACH * surface.radius[at]
        largest[points.skin] = np.maximum(
            LARGEST_REACH * surface.spacing[at], 2.0 * least[points.skin]
        )
    skin.least_reach, skin.largest_reach = upload(least, float), upload(largest, float)
    skin.largest = upload(np.zeros(1), float)
    return skin
