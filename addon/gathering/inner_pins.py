# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of cells deep inside a soft body that follow its animated surface, as flesh follows the
bones inside.

The animation moves the surface alone. Corners next to it follow their places on it, those farther
inside by harmonic extension.
"""

import numpy as np

from ...solver.lattice.harmonic import HarmonicExtension
from ...solver.lattice.pinned_corners import pinned_corners_of
from ...solver.messages import message
from ..objects import read_mesh
from ..objects.nearest import nearest, weights_in
from ..objects.tetmesh import LatticePins
from ..objects.units import shown

# A corner is pinned from this many cells above the depth on, so that on average the free layer
# between the skin and the first pinned corner is as thick as it should be.
ABOVE = 0.5


class InnerPins:
    """Pinned corners of a lattice: those that `LatticePins` finds for the pinned vertices of the
    surface, if any, and the deep ones.

    `indices` [pin] are their vertices, ascending; `targets` gives their positions for those of all
    vertices of the surface.
    """

    def __init__(self, points, triangles, lattice, clamp, deep):
        """`clamp` are the `PinnedCorners` of the pinned vertices or None, `deep` [n] vertices."""
        every = np.arange(len(points))
        skin = pinned_corners_of(points, triangles, every, lattice)
        self.skin = LatticePins(lattice.points, skin, points)
        self.extension = HarmonicExtension(lattice.points, lattice.cells, skin.indices)
        self.indices = deep if clamp is None else np.union1d(deep, clamp.indices)

    def targets(self, now):
        return self.extension.of(self.skin.targets(now))[self.indices]


def has_inner_pins(ob):
    """Return whether the pins of a soft body hold it from inside as well."""
    return bool(ob.vbd.soft_pins and ob.vbd.pin_group and ob.vbd.pin_depth > 0.0)


def deep_corners(ob, mesh, points, triangles, lattice):
    """Vertices of a lattice that are as deep below the surface as the pins of an object hold it:
    the Flesh Depth where their weight is 0, and in proportion less where it is more.
    """
    if not ob.vbd.pin_axes[:] == (True, True, True):
        raise ValueError(message("pin.depth_axes", name=ob.name))
    weights = read_mesh.group_weights(ob, mesh, ob.vbd.pin_group)
    triangle, place = nearest(lattice.points, points, triangles)
    corners = triangles[triangle]
    shares = weights_in(place, points[corners])
    normal = (shares[:, :, None] * _normals(points, triangles)[corners]).sum(axis=1)
    inward = place - lattice.points
    depth = np.linalg.norm(inward, axis=1)
    layer = shown(ob.vbd, "pin_depth") * (1.0 - (shares * weights[corners]).sum(axis=1))
    is_deep = depth >= layer - ABOVE * lattice.cell_size
    # A vertex that cells of several components share a place with may be inside of another one.
    alone = np.unique(lattice.grid, axis=0, return_inverse=True, return_counts=True)
    is_alone = alone[2][alone[1].ravel()] == 1
    return np.flatnonzero(is_deep & is_alone & ((inward * normal).sum(axis=1) > 0.0))


def _normals(points, triangles):
    """Normals of vertices, weighted by area, [vertex, 3]."""
    a, b, c = (points[corner] for corner in triangles.T)
    normals = np.zeros_like(points)
    np.add.at(normals, triangles, np.cross(b - a, c - a)[:, None])
    return normals
