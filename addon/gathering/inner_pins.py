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
from ..objects.nearest import nearest, weights_in
from ..objects.tetmesh import LatticePins
from ..objects.units import shown

# A corner is pinned from this many cells above the depth on, so that on average the free layer
# between the skin and the first pinned corner is as thick as it should be.
ABOVE = 0.5


class InnerPins:
    """Pins of an object that hold the lattice of a soft body from inside.

    `indices` [pin] are its pinned vertices, ascending: those that `LatticePins` finds for the
    pinned vertices of the surface, if any, and those as deep below it as the Flesh Depth says.
    """

    def __init__(self, ob, points, triangles, weights, lattice, clamp):
        """`points` [vertex, 3], `triangles` and pin `weights` [vertex] are those of the surface,
        `clamp` the `PinnedCorners` of its pinned vertices, or None.
        """
        if not all(ob.vbd.pin_axes):
            raise ValueError(message("pin.depth_axes", name=ob.name))
        triangle, place = nearest(lattice.points, points, triangles)
        self.near = triangles[triangle]
        self.shares = weights_in(place, points[self.near])
        outward = self.at_vertices(_normals(points, triangles))
        deep = _deep(ob, lattice, place, outward, self.at_vertices(weights))
        self.indices = deep if clamp is None else np.union1d(deep, clamp.indices)
        skin = pinned_corners_of(points, triangles, np.arange(len(points)), lattice)
        self.skin = LatticePins(lattice.points, skin, points)
        self.extension = HarmonicExtension(lattice.points, lattice.cells, skin.indices)
        self.last = None  # for hard and soft pins of one frame

    def at_vertices(self, values):
        """Values [vertex of the lattice, ...] at the nearest places of the surface, for those at
        its own vertices, [vertex, ...].
        """
        return np.einsum("vk,vk...->v...", self.shares, values[self.near])

    def targets(self, now):
        """Positions of all vertices of the lattice, for those of the surface's vertices."""
        if self.last is None or not np.array_equal(now, self.last[0]):
            self.last = now, self.extension.of(self.skin.targets(now))
        return self.last[1]


def has_inner_pins(ob):
    """Return whether the pins of a soft body hold it from inside as well."""
    return bool(ob.vbd.soft_pins and ob.vbd.pin_group and ob.vbd.pin_depth > 0.0)


def _deep(ob, lattice, place, outward, weights):
    """Vertices of a lattice that are deep below a surface, with the nearest `place` and the
    direction `outward` there [vertex, 3], and its pin `weights` [vertex].
    """
    way = lattice.points - place
    layer = shown(ob.vbd, "pin_depth") * (1.0 - weights)
    is_deep = np.linalg.norm(way, axis=1) >= layer - ABOVE * lattice.cell_size
    # Where cells of several components are in one place, a vertex may be inside of another one.
    _, number, count = np.unique(lattice.grid, axis=0, return_inverse=True, return_counts=True)
    is_alone = count[number.ravel()] == 1
    return np.flatnonzero(is_deep & is_alone & ((way * outward).sum(axis=1) < 0.0))


def _normals(points, triangles):
    """Normals of vertices, weighted by area, [vertex, 3]."""
    a, b, c = (points[corner] for corner in triangles.T)
    normals = np.zeros_like(points)
    np.add.at(normals, triangles, np.cross(b - a, c - a)[:, None])
    return normals
