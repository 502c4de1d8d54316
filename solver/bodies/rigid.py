# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies, given by their surface and carried by four points.

A body of mass m with the center c and the second moment J = ∫ρ r rᵀ has the same mass, center and
inertia as four masses m/4 at

    X_k = c + L s_k,  L Lᵀ = J/m,  s = (1,1,1), (1,−1,−1), (−1,1,−1), (−1,−1,1),

since Σ s = 0 and Σ s sᵀ = 4·1. A point c + r of it is Σ β_k X_k, β_k = (1 + s_k·L⁻¹r)/4.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields

import numpy as np

from ..messages import message
from ..settings import Material
from ..topology.inertia import (
    has_volume,
    is_closed,
    shell_properties,
    solid_properties,
)
from ..topology.meshes import checked_elements, finite_points, refuse_flat_triangles
from ..topology.values import FARTHEST, number, numbers, refuse_other, three_numbers
from .deformable import Deformable
from .solids import EmbeddedSurface

# The signs s_k of the four points.
SIGNS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
# Values of its material, and those of them that may change in time.
OF_MATERIAL = (
    "density",
    "friction",
    "static_friction",
    "drag",
    "air_friction",
    "collision_thickness",
)
KEYED = ("friction", "drag", "air_friction")
# The least principal moment ∫ρ r rᵀ as a fraction of the largest: thinner bodies count as so thick.
THINNEST = 1e-8


@dataclass(eq=False)
class RigidBody(Deformable):
    """A rigid body: `RigidBody(points [point, 3], triangles [triangle, 3], material, ...)`.

    A closed mesh is filled by material of the density of `material` [kg/m³]; an open one needs the
    `thickness` [m] of a shell, which a closed one may have as well. `mass` [kg] replaces the
    density; of all other values of the material it takes those `OF_MATERIAL` and refuses the rest.
    `velocity` [m/s] is that of the center of mass, `angular_velocity` [rad/s].

    `poses` is a function of the time [s] that returns the matrix [4, 4] from where the points are
    given to where they are, or the pair (rotation [3, 3], translation [3]). The body follows it
    until the time `until` [s], None for ever, and is free then with the velocity that it had.

    As a `Deformable` it has four `points` [m], which carry the surface: `mesh_points` [point, 3]
    and `triangles`. `properties` are its `MassProperties`, and `frame.positions` its mesh points.
    Raises ValueError for meshes without mass, and for numbers out of range.
    """

    mass: float | None = field(default=None, kw_only=True)
    thickness: float | None = field(default=None, kw_only=True)
    velocity: np.ndarray = field(default=(0.0, 0.0, 0.0), kw_only=True)
    angular_velocity: np.ndarray = field(default=(0.0, 0.0, 0.0), kw_only=True)
    poses: Callable | None = field(default=None, kw_only=True)
    until: float | None = field(default=None, kw_only=True)
    surface: EmbeddedSurface = field(init=False)

    corners = 4
    element_name = "rigid body"

    def __post_init__(self):
        name = self.name = self.name or type(self).__name__
        self._refuse_other_kinds()
        self.check_numbers()
        self._refuse_deformation()
        self.mesh_points = finite_points(name, "points", self.points)
        count = len(self.mesh_points)
        triangles = checked_elements(name, "triangle", self.elements, 3, count)
        if not len(triangles):
            raise ValueError(message("mesh.rigid_without_faces", name=name))
        refuse_flat_triangles(name, self.mesh_points, triangles)
        self.first_pose = np.eye(3), np.zeros(3)
        if self.until is not None:
            number(name, "until", self.until)
        if self.poses is not None:
            refuse_other(name, "poses", self.poses, None)
            self.first_pose = self._pose(0.0)
            self.mesh_points = self.mesh_points @ self.first_pose[0].T + self.first_pose[1]
        for what in ("velocity", "angular_velocity"):
            value = three_numbers(self.name, what.replace("_", " "), getattr(self, what))
            setattr(self, what, value)
        self.properties, self.triangles = self._properties(triangles)
        spread, axes = np.linalg.eigh(self.properties.second / self.properties.mass)
        spread = np.maximum(spread, THINNEST * spread[-1])
        self.root = axes * np.sqrt(spread) @ axes.T
        self.points, self.elements = self.properties.center + SIGNS @ self.root, np.arange(4)[None]
        self.velocities = self.velocity_at(self.points)
        corners, weights = np.tile(np.arange(4), (count, 1)), self.weights_of(self.mesh_points)
        self.surface = EmbeddedSurface(corners, weights, self.triangles)
        super().__post_init__()

    def check_numbers(self):
        """Refuse a mass, thickness or density that is not above 0, values per vertex, and values of
        a material that a rigid body has not.
        """
        material = self.material
        for f in fields(Material):
            if f.name not in OF_MATERIAL and not np.array_equal(
                getattr(material, f.name), f.default
            ):
                known = {"what": f.name, "names": ", ".join(OF_MATERIAL)}
                raise ValueError(message("script.rigid_material", name=self.name, **known))
        given = {"mass": self.mass, "thickness": self.thickness}
        if self.mass is None:
            given["density"] = material.density
        for what in OF_MATERIAL:
            if np.ndim(getattr(material, what)):
                raise ValueError(
                    message("script.rigid_one", name=self.name, what=what.replace("_", " "))
                )
        for what, value in given.items():
            if value is not None and not 0.0 < number(self.name, what, value) < np.inf:
                raise ValueError(message("script.above_0", name=self.name, what=what, value=value))
        if self.thickness is not None and self.thickness > FARTHEST:
            raise ValueError(
                message("script.rigid_thick", name=self.name, value=self.thickness, most=FARTHEST)
            )

    def _refuse_deformation(self):
        """Refuse what only deformable bodies have."""
        for what in ("pins", "velocities", "rest_points", "keeps_shape"):
            value = getattr(self, what)
            if value is not None and value is not False:
                raise ValueError(
                    message("script.rigid_without", name=self.name, what=what.replace("_", " "))
                )
        for name in self.keyed or ():
            if name not in KEYED:
                known = {"value": name, "names": ", ".join(KEYED)}
                raise ValueError(message("script.one_of", name=self.name, what="keyed", **known))

    def _properties(self, triangles):
        """Return the `MassProperties`, and the triangles facing outwards where they are closed."""
        points, density = self.mesh_points, float(np.asarray(self.material.density))
        if self.thickness is not None:
            found = shell_properties(points, triangles, self.thickness, density)
        elif not is_closed(triangles):
            raise ValueError(message("mesh.rigid_open", name=self.name))
        elif not has_volume(points, triangles):
            raise ValueError(message("mesh.rigid_flat", name=self.name))
        else:
            found = solid_properties(points, triangles, density)
            if found.mass < 0.0:
                triangles = np.ascontiguousarray(triangles[:, ::-1])
                found = solid_properties(points, triangles, density)
        return (found if self.mass is None else found.with_mass(self.mass)), triangles

    @property
    def size(self):
        """The largest distance [m] of a mesh point from the center."""
        arms = self.mesh_points - self.properties.center
        return float(np.linalg.norm(arms, axis=1).max())

    def velocity_at(self, points):
        """Return the initial velocity [m/s] of points of the body [m], [point, 3]."""
        arms = np.asarray(points) - self.properties.center
        return self.velocity + np.cross(self.angular_velocity, arms)

    def weights_of(self, points):
        """Return the weights β [point, 4] of points of the body [m], where they are at first."""
        arms = np.asarray(points) - self.properties.center
        return 0.25 * (1.0 + np.linalg.solve(self.root, arms.T).T @ SIGNS.T)

    def carried(self, corners, weights):
        """Return Σ w x over mesh points, of their `corners` and `weights` [row, n], as the corners
        and weights [row, 4] of the four points.
        """
        weights = np.einsum("rk,rkj->rj", weights, self.surface.weights[corners])
        return np.tile(np.arange(4), (len(weights), 1)), weights

    def pose_at(self, time):
        """Return the center [m] and the rotation [3, 3] since the time 0, to which `poses` leads at
        a time [s].
        """
        rotation, shift = self._pose(time)
        back, before = self.first_pose
        rotation = rotation @ back.T
        if np.linalg.det(rotation) < 0.0:  # a mirror image since the start
            raise ValueError(message("script.rigid_pose", name=self.name, time=time))
        return rotation @ (self.properties.center - before) + shift, rotation

    def _pose(self, time):
        """Return the rotation [3, 3] and the translation [m] of `poses` at a time [s]."""
        pose = self.poses(time)
        if isinstance(pose, tuple | list) and len(pose) == 2:
            rotation, shift = (numbers(self.name, "poses", part) for part in pose)
        else:
            rotation = shift = numbers(self.name, "poses", pose)
            if rotation.shape in ((3, 4), (4, 4)):
                rotation, shift = rotation[:3, :3], rotation[:3, 3]
        known = rotation.shape == (3, 3) and shift.shape == (3,) and np.isfinite(shift).all()
        if not known or not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-4):
            raise ValueError(message("script.rigid_pose", name=self.name, time=time))
        left, _, right = np.linalg.svd(rotation)
        return left @ right, shift

    def leads(self, time):
        """Return whether `poses` leads the body at a time [s]."""
        return self.poses is not None and (self.until is None or time <= self.until * (1 + 1e-9))

    def points_at(self, center, rotation):
        """Return the mesh points [m] of a pose: center [3] and rotation [3, 3], 1 at first."""
        return center + (self.mesh_points - self.properties.center) @ np.transpose(rotation)

    def pose_of(self, points):
        """Return the center [m] and the rotation [3, 3] of mesh points, as of a frame in a cache:
        the least squares fit (Kabsch 1976).
        """
        own = self.mesh_points - self.mesh_points.mean(axis=0)
        points = np.asarray(points, dtype=np.float64)
        middle = points.mean(axis=0)
        left, _, right = np.linalg.svd((points - middle).T @ own)
        left[:, 2] *= np.linalg.det(left @ right)
        rotation = left @ right
        arm = self.properties.center - self.mesh_points.mean(axis=0)
        return middle + rotation @ arm, rotation

    def _check_rest_shape(self):
        self.surface.check(self)  # the four points are never flat
