# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, center of mass and inertia of bodies with a surface: exact integrals over the inside of a
closed mesh, or over the shell around an open one.
"""

from dataclasses import dataclass

import numpy as np

from .meshes import triangle_areas

# A closed mesh is flat if its volume is below this fraction of its size cubed.
NO_VOLUME = 1e-9


@dataclass(frozen=True)
class MassProperties:
    """The `mass` [kg], the `center` of mass [m], and the second moment `second` = ∫ρ r rᵀ dV about
    it [kg m²].
    """

    mass: float
    center: np.ndarray
    second: np.ndarray

    @property
    def inertia(self):
        """The inertia tensor tr(J) 1 − J [kg m²], with J the second moment."""
        return np.trace(self.second) * np.eye(3) - self.second

    def with_mass(self, mass):
        """Return these properties scaled to another mass [kg]."""
        return MassProperties(mass, self.center, self.second * (mass / self.mass))


def is_closed(triangles):
    """Return whether each edge of a mesh has two triangles, with opposite directions along it."""
    directed = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)
    span = int(triangles.max()) + 1
    there, back = directed @ [span, 1], directed @ [1, span]
    return len(np.unique(there)) == len(there) and bool(np.isin(there, back).all())


def solid_properties(points, triangles, density):
    """Return the `MassProperties` of the inside of a closed mesh of a `density` [kg/m³]; the mass
    is negative where the triangles face inwards.

    A tet from the middle of the points to a triangle (a, b, c), of volume V, has the first moment
    V s/4 and the second V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20, s = a + b + c (Tonon 2004).
    """
    middle = points.mean(axis=0)
    corners = (points - middle)[triangles].transpose(1, 0, 2)
    a, b, c = corners
    volume = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0
    total = a + b + c
    whole = volume.sum()
    center = np.einsum("t,ti->i", volume, total) / (4.0 * whole)
    second = sum(np.einsum("t,ti,tj->ij", volume, p, p) for p in (*corners, total)) / 20.0
    second -= whole * np.outer(center, center)
    return MassProperties(density * whole, middle + center, density * second)


def shell_properties(points, triangles, thickness, density):
    """Return the `MassProperties` of a shell of a `thickness` [m] around a mesh.

    A triangle (a, b, c) of area A with the normal n has the second moment
    A t (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/12 + A t³ n nᵀ/12, s = a + b + c.
    """
    middle = points.mean(axis=0)
    corners = (points - middle)[triangles].transpose(1, 0, 2)
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), np.finfo(float).tiny)
    area, total = triangle_areas(points, triangles), a + b + c
    weight = thickness * area
    whole = weight.sum()
    center = np.einsum("t,ti->i", weight, total) / (3.0 * whole)
    second = sum(np.einsum("t,ti,tj->ij", weight, p, p) for p in (*corners, total)) / 12.0
    second += np.einsum("t,ti,tj->ij", weight * thickness**2, normal, normal) / 12.0
    second -= whole * np.outer(center, center)
    return MassProperties(density * whole, middle + center, density * second)


def has_volume(points, triangles):
    """Return whether a closed mesh encloses more than rounding."""
    size = np.ptp(points, axis=0).max()
    return abs(solid_properties(points, triangles, 1.0).mass) > NO_VOLUME * size**3
