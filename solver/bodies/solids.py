# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies of cells or tets, and surfaces embedded in them."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..messages import message
from ..topology.meshes import (
    FLAT_TET,
    are_rows,
    boundary_triangles,
    checked_elements,
    finite_points,
    longest_edges,
    refuse_flat_triangles,
    tet_volumes,
)
from ..topology.values import numbers, refuse_other, whole_numbers
from .deformable import Deformable
from .skin import lattice_neighbors, skin_offsets

# Position of corner k of a cell, in sides along x, y and z from its lowest one.
CELL_CORNERS = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)])
# Tolerance of the corners of a cell relative to those of a cube at rest, in sides.
NOT_A_CUBE = 1e-4


@dataclass(eq=False)
class EmbeddedSurface:
    """A surface that follows a solid and replaces its own surface in contact.

    Its points are Σ w x of the `corners` [point, n] of one tet (n = 4) or cell (n = 8) each,
    vertices of the solid, with the `weights` [point, n], whose sum is 1: barycentric coordinates,
    or trilinear weights. `triangles` [triangle, 3] are between the points and face outwards.

    `smooth`: the points follow a smooth skin through the corners of cells of one size (skin.py);
    None for that of triangles finer than these.
    """

    corners: np.ndarray
    weights: np.ndarray
    triangles: np.ndarray
    smooth: bool | None = None

    @cached_property
    def neighbors(self):
        """Neighbors of the corners of a smooth skin, [vertex, 6]; `check` finds them. None for any
        other surface.
        """
        return None

    def points(self, positions, offsets=None):
        """Positions of the points [m], [point, 3], for `positions` of the vertices. Those of a
        smooth skin are exact with its `offsets` in a frame: contact may hold it back.
        """
        points = np.einsum("pk,pki->pi", self.weights, positions[self.corners])
        if self.neighbors is None:
            return points
        return points + (self.offsets(positions) if offsets is None else offsets)

    def offsets(self, positions):
        """Offsets [m] of the points of a smooth skin from the weighted sums, [point, 3]."""
        return skin_offsets(positions, self.corners, self.weights, self.neighbors)

    def check(self, body):
        """Convert all arrays to float64 and int32; refuses corners that are no element of a
        `Volume`.
        """
        name, what, width = body.name, body.element_name, body.corners
        self.corners = whole_numbers(name, "corners", self.corners).astype(np.int32)
        self.weights = np.array(numbers(name, "weights", self.weights))
        count = len(np.atleast_1d(self.corners))
        if not self.corners.shape == self.weights.shape == (count, width):
            raise ValueError(
                message(
                    "script.embedding_shapes",
                    name=name,
                    shape=self.corners.shape,
                    weights=self.weights.shape,
                    width=width,
                )
            )
        loose = np.flatnonzero(~are_rows(self.corners, body.elements))
        if len(loose):
            raise ValueError(
                message("script.embedding_corners", name=name, point=loose[0], element=what)
            )
        wrong = np.flatnonzero(~(np.abs(self.weights.sum(axis=1) - 1.0) < 1e-6))
        if len(wrong):
            raise ValueError(message("script.embedding_weights", name=name, point=wrong[0]))
        self.triangles = checked_elements(name, "triangle", self.triangles, 3, count)
        points = self.points(body.rest_points)
        refuse_flat_triangles(name, points, self.triangles)
        if self._is_smooth(points, body):
            self.neighbors = lattice_neighbors(body.cells, len(body.points))
            at = body.rest_points[self.corners]
            bits = at > at.mean(axis=1, keepdims=True)
            order = np.argsort(bits @ [1, 2, 4], axis=1)  # that of CELL_CORNERS
            for name in ("corners", "weights"):
                setattr(self, name, np.take_along_axis(getattr(self, name), order, axis=1))

    def _is_smooth(self, points, body):
        """Return whether the points follow a smooth skin."""
        if body.corners != 8 or self.smooth is False:
            return False
        sides = body.sides()
        if np.ptp(sides) > NOT_A_CUBE * sides.min():
            if self.smooth:
                raise ValueError(message("script.smooth_cells", name=body.name))
            return False
        edges = points[self.triangles] - points[np.roll(self.triangles, 1, axis=1)]
        mean = np.linalg.norm(edges, axis=2).mean() if len(edges) else np.inf
        return bool(self.smooth or mean < sides.min())


@dataclass(eq=False)
class Volume(Deformable):
    """A body with an inside; its contact surface is `surface`, or the boundary of its elements.

    `fibers` [element, 3]: directions of muscle fibers at rest, of any length, zero where there are
    none; one direction [3] for all; None for no fibers.
    """

    surface: EmbeddedSurface | None = field(default=None, kw_only=True)
    fibers: np.ndarray | None = field(default=None, kw_only=True)

    @cached_property
    def boundary(self):
        """Triangles around all elements, facing outwards, int64 [triangle, 3]."""
        return boundary_triangles(self.elements)

    def _check_rest_shape(self):
        self._check_elements()
        if self.surface is not None:
            refuse_other(self.name, "surface", self.surface, EmbeddedSurface)
            self.surface.check(self)
        if self.fibers is not None:
            self.fibers = self._unit_fibers()

    def _unit_fibers(self):
        """Unit vectors along the fibers, float64 [element, 3], zero where there are none."""
        shape, fibers = (len(self.elements), 3), numbers(self.name, "fibers", self.fibers)
        if fibers.shape not in {(3,), shape} or not np.isfinite(fibers).all():
            raise ValueError(message("script.fibers", name=self.name, shape=shape))
        length = np.linalg.norm(fibers, axis=-1, keepdims=True)
        return np.broadcast_to(fibers / np.where(length > 0.0, length, 1.0), shape)

    def _check_elements(self):
        raise NotImplementedError


@dataclass(eq=False)
class Filling:
    """Filling of cells by material: the filled fraction `part` [cell] of their volume, its `middle`
    [cell, 3] relative to that of the cell, -1 to 1 along each axis, and its `spread` [cell, 3], its
    mean square distance from there over that of a full cell. `held` [cell] is the fraction of the
    material, 0 to 1, that cannot deform; None for 0. The rest deforms for the whole cell, which is
    then stiffer. `evenness` [cell], 0 to 1, is the stiffness of the material with its sections in
    series over that with uniform sections; None for 1.
    """

    part: np.ndarray
    middle: np.ndarray
    spread: np.ndarray
    held: np.ndarray | None = None
    evenness: np.ndarray | None = None

    @classmethod
    def full(cls, count):
        """The filling of full cells."""
        return cls(np.ones(count), np.zeros((count, 3)), np.ones((count, 3)))

    def check(self, name, count):
        """Convert all arrays to float64; refuses values out of range."""
        if self.held is None:
            self.held = np.zeros(count)
        if self.evenness is None:
            self.evenness = np.ones(count)
        for what, shape, low, high in (
            ("part", (count,), 0.0, 1.0),
            ("middle", (count, 3), -1.0, 1.0),
            ("spread", (count, 3), 0.0, np.inf),
            ("held", (count,), 0.0, 1.0),
            ("evenness", (count,), 0.0, 1.0),
        ):
            values = np.array(numbers(name, f"{what} of the Filling", getattr(self, what)))
            if values.shape != shape or not ((values >= low) & (values <= high)).all():
                raise ValueError(
                    message("script.filling", name=name, what=what, shape=shape, low=low, high=high)
                )
            setattr(self, what, values)


@dataclass(eq=False)
class Cells(Volume):
    """A soft body of cubes: `Cells(points [vertex, 3], cells [cell, 8], ...)`.

    At rest every cell is a cube along the axes of space, with corner k at CELL_CORNERS[k]: x first,
    z last. Cells may differ in size. `filling`: material in each cell; None for full cells.
    `unstressed_points` [vertex, 3]: corners of the cells without stress, if these are not the
    cubes; only for the solid model `neo_hookean`.
    """

    filling: Filling | None = field(default=None, kw_only=True)
    unstressed_points: np.ndarray | None = field(default=None, kw_only=True)

    corners = 8
    element_name = "cell"

    @property
    def cells(self):
        return self.elements

    def sides(self):
        """Side [m] of every cell at rest, [cell]."""
        return self.rest_points[self.elements[:, 1], 0] - self.rest_points[self.elements[:, 0], 0]

    def _check_elements(self):
        if self.filling is None:
            self.filling = Filling.full(len(self.elements))
        refuse_other(self.name, "filling", self.filling, Filling)
        self.filling.check(self.name, len(self.elements))
        if self.unstressed_points is not None:
            points = finite_points(self.name, "unstressed points", self.unstressed_points)
            self._same_shape("unstressed points", points)
            self.unstressed_points = points
        sides = self.sides()[:, None, None]
        lowest = self.rest_points[self.elements[:, :1]]
        gap = np.abs(self.rest_points[self.elements] - lowest - sides * CELL_CORNERS)
        at = np.flatnonzero(~(gap.max(axis=(1, 2)) < NOT_A_CUBE * sides[:, 0, 0]))
        if len(at):
            raise ValueError(
                message(
                    "mesh.no_cubes",
                    name=self.name,
                    count=len(at),
                    total=len(sides),
                    first=at[0],
                    vertices=self.elements[at[0]].tolist(),
                )
            )


@dataclass(eq=False)
class Solid(Volume):
    """A soft body of tetrahedra: `Solid(points [vertex, 3], tets [tet, 4], ...)`."""

    corners = 4
    element_name = "tet"

    @property
    def tets(self):
        return self.elements

    def _check_elements(self):
        volumes = tet_volumes(self.rest_points, self.elements)
        if (volumes < 0.0).all():  # the other orientation convention, not an inverted mesh
            self.elements = self.elements[:, [0, 2, 1, 3]]
            volumes = -volumes
        size = longest_edges(self.rest_points, self.elements)
        for word, bad in (
            ("flat", np.abs(6.0 * volumes) <= FLAT_TET * size**3),
            ("inverted", volumes < 0.0),
        ):
            at = np.flatnonzero(bad)
            if len(at):
                raise ValueError(
                    message(
                        "mesh.bad_tets",
                        name=self.name,
                        count=len(at),
                        total=len(volumes),
                        word=word,
                        first=at[0],
                        vertices=self.elements[at[0]].tolist(),
                    )
                )
