# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies a scene is made of: plain NumPy data, checked when it comes in.

Points are metres, shape [vertex, 3]. Every error names the body and the first element at fault.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .settings import Material
from .topology.meshes import (
    FLAT_TET,
    FLAT_TRIANGLE,
    checked_elements,
    finite_points,
    longest_edges,
    refuse_flat_triangles,
    refuse_loose_vertices,
    tet_volumes,
)

PointsInTime = np.ndarray | Sequence[np.ndarray] | Callable[[float], np.ndarray]
"""One array for all times, one per frame (the input state first), or a function of time [s]."""


@dataclass(eq=False)
class Pins:
    """Vertices that are held, or led along `targets`.

    `indices`: vertices of the body. `targets` [m]: points [pin, 3] in time, or None to hold the
    pins where the body starts.
    """

    indices: np.ndarray
    targets: PointsInTime | None = None

    def __post_init__(self):
        self.indices = np.array(self.indices, dtype=np.int64).ravel()
        vertices, times = np.unique(self.indices, return_counts=True)
        if (times > 1).any():
            raise ValueError(f"vertex {vertices[times > 1][0]} is pinned twice; name it once")


@dataclass(eq=False)
class _Deformable:
    """What all simulated bodies share; `rest_points` is the unstressed shape (or `points`).

    `collides_with`: names of the bodies and colliders that it may touch, or None for all. Two meet
    only if both accept each other; contact with itself is the choice of the material.
    """

    points: np.ndarray
    elements: np.ndarray
    material: Material = field(default_factory=Material)
    pins: Pins | None = None
    velocities: np.ndarray | None = None
    rest_points: np.ndarray | None = None
    name: str = ""
    collides_with: tuple[str, ...] | None = field(default=None, kw_only=True)

    corners = 0
    element_name = ""

    def __post_init__(self):
        self.name = self.name or type(self).__name__
        self.points = finite_points(self.name, "points", self.points)
        count = len(self.points)
        self.elements = checked_elements(
            self.name, self.element_name, self.elements, self.corners, count
        )
        if not len(self.elements):
            raise ValueError(f"{self.name}: there is no {self.element_name} to simulate")
        refuse_loose_vertices(self.name, self.elements, count, self.element_name)
        if self.rest_points is None:
            self.rest_points = self.points
        else:
            self.rest_points = finite_points(self.name, "rest points", self.rest_points)
            self._same_shape("rest points", self.rest_points)
        if self.velocities is None:
            self.velocities = np.zeros_like(self.points)
        else:
            velocities = finite_points(self.name, "velocities", np.atleast_2d(self.velocities))
            self.velocities = np.broadcast_to(velocities, self.points.shape)
        if self.pins is not None and len(self.pins.indices):
            outside = (self.pins.indices < 0) | (self.pins.indices >= count)
            if outside.any():
                pin = self.pins.indices[outside][0]
                raise ValueError(f"{self.name}: pin {pin} is not one of the {count} vertices")
        self._check_rest_shape()

    def _same_shape(self, what, array):
        if array.shape != self.points.shape:
            raise ValueError(
                f"{self.name}: {len(array)} {what} for {len(self.points)} vertices; give one each"
            )

    def _check_rest_shape(self):
        raise NotImplementedError


@dataclass(eq=False)
class EmbeddedSurface:
    """A surface that follows a solid and touches others in its place.

    Its points are Σ w x of the `corners` [point, 4] of one tet each, vertices of the solid, with
    the `weights` [point, 4]: barycentric coordinates, whose sum is 1. `triangles` [triangle, 3] are
    between the points and face outwards.
    """

    corners: np.ndarray
    weights: np.ndarray
    triangles: np.ndarray

    def points(self, positions):
        """Where the points are [m], [point, 3], when the vertices are at `positions`."""
        return np.einsum("pk,pki->pi", self.weights, positions[self.corners])

    def check(self, name, rest_points, tets):
        """Make all arrays float64 and int32; refuses what is no surface in the tets of a body."""
        self.corners = np.array(self.corners, dtype=np.int32)
        self.weights = np.array(self.weights, dtype=np.float64)
        count = len(self.corners)
        if self.corners.shape != (count, 4) or self.weights.shape != (count, 4):
            raise ValueError(
                f"{name}: the corners and weights of the embedded surface have the shapes "
                f"{self.corners.shape} and {self.weights.shape}; both must be [point, 4]"
            )
        rows = np.sort(np.concatenate([tets, self.corners]), axis=1)
        _, number = np.unique(rows, axis=0, return_inverse=True)
        number = number.ravel()
        loose = np.flatnonzero(~np.isin(number[len(tets) :], number[: len(tets)]))
        if len(loose):
            raise ValueError(
                f"{name}: the corners of point {loose[0]} of the embedded surface are not those of "
                "a tet"
            )
        wrong = np.flatnonzero(~(np.abs(self.weights.sum(axis=1) - 1.0) < 1e-6))
        if len(wrong):
            raise ValueError(
                f"{name}: the weights of point {wrong[0]} of the embedded surface do not add up "
                "to 1"
            )
        self.triangles = checked_elements(name, "triangle", self.triangles, 3, count)
        refuse_flat_triangles(name, self.points(rest_points), self.triangles)


@dataclass(eq=False)
class Solid(_Deformable):
    """A soft body of tetrahedra: `Solid(points [vertex, 3], tets [tet, 4], ...)`.

    Contact is that of `surface`, or of the faces that belong to one tet only.
    """

    surface: EmbeddedSurface | None = field(default=None, kw_only=True)

    corners = 4
    element_name = "tet"

    @property
    def tets(self):
        return self.elements

    def _check_rest_shape(self):
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
                    f"{self.name}: {len(at)} of {len(volumes)} tets are {word} in the rest shape "
                    f"(first: tet {at[0]}, vertices {self.elements[at[0]].tolist()}); mesh it again"
                )
        if self.surface is not None:
            self.surface.check(self.name, self.rest_points, self.elements)


@dataclass(eq=False)
class Cloth(_Deformable):
    """A sheet of triangles: `Cloth(points [vertex, 3], triangles [triangle, 3], ...)`.

    `uv` [vertex, 2] or [triangle, 3, 2]: woven cloth has its warp along u. `tear_strain`: an edge
    longer than its rest length by more than this part splits; `Frame.elements` then tells which
    vertices the triangles have, and the positions of duplicates follow those of the points.
    """

    uv: np.ndarray | None = None
    tear_strain: float | None = None

    corners = 3
    element_name = "triangle"

    @property
    def triangles(self):
        return self.elements

    def _check_rest_shape(self):
        refuse_flat_triangles(self.name, self.rest_points, self.elements)
        if self.tear_strain is not None and not self.tear_strain > 0.0:
            raise ValueError(
                f"{self.name}: the tear strain is {self.tear_strain}; it must be above 0"
            )
        if self.uv is not None:
            self.uv = np.array(self.uv, dtype=np.float64)
            if self.uv.shape not in {(len(self.points), 2), (len(self.elements), 3, 2)}:
                raise ValueError(
                    f"{self.name}: the UV map has the shape {self.uv.shape}; "
                    "[vertex, 2] or [triangle, 3, 2] is needed"
                )


class Rod(_Deformable):
    """Particles on springs: `Rod(points [vertex, 3], edges [edge, 2], ...)`."""

    corners = 2
    element_name = "edge"

    @property
    def edges(self):
        return self.elements

    def _check_rest_shape(self):
        size = longest_edges(self.rest_points, self.elements)
        short = np.flatnonzero(size <= FLAT_TRIANGLE * size.max())
        if len(short):
            raise ValueError(
                f"{self.name}: {len(short)} of {len(size)} edges have no length "
                f"(first: edge {short[0]}); merge vertices by distance"
            )


@dataclass(eq=False)
class Collider:
    """A triangle mesh that pushes bodies and is never moved by them.

    `points` [m]: [vertex, 3], or such an array per frame (the input state first), or a function of
    time. `friction` None takes the scene's. `thickness` [m] is added to that of the bodies.
    A closed mesh pushes things out of its inside; an open one pushes on both sides.
    `collides_with`: names of the bodies that it may touch, or None for all.
    """

    points: PointsInTime
    triangles: np.ndarray
    friction: float | None = None
    thickness: float = 0.0
    name: str = "Collider"
    collides_with: tuple[str, ...] | None = None

    def __post_init__(self):
        self.start = points_at(self.name, self.points, 0, 0.0)
        self.vertex_count = len(self.start)
        self.triangles = checked_elements(
            self.name, "triangle", self.triangles, 3, self.vertex_count
        )
        if not len(self.triangles):
            raise ValueError(f"{self.name}: there is no triangle to collide with")


def points_at(name, source, frame, time):
    """The array [n, 3] of a `PointsInTime` at a frame (counted from 0) and its time [s]."""
    if callable(source):
        points = source(time)
    elif np.ndim(source[0]) == 2:
        if frame >= len(source):
            raise ValueError(
                f"{name}: points are given for {len(source)} frames, the input state included; "
                f"frame {frame} has none"
            )
        points = source[frame]
    else:
        points = source
    return finite_points(name, "points", points)
