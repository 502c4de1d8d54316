# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders, without a mesh: planes, boxes and spheres. Their friction may be a function
of time [s].
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact import analytic_colliders as kernels
from ..messages import message

__all__ = ["AnalyticCollider", "Box", "Plane", "Sphere"]


def _three(name, what, values):
    values = np.array(values, dtype=np.float64)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ValueError(message("script.three_numbers", name=name, what=what, values=values))
    return values


def _positive(name, what, value):
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(message("script.above_0", name=name, what=what, value=value))


@dataclass(eq=False)
class Plane:
    """A plane through `point` [m] that keeps bodies on the side of its `normal`."""

    point: np.ndarray
    normal: np.ndarray = (0.0, 0.0, 1.0)
    friction: float | Callable[[float], float] | None = None
    name: str = "Plane"

    def __post_init__(self):
        self.point = _three(self.name, "point", self.point)
        normal = _three(self.name, "normal", self.normal)
        _positive(self.name, "length of the normal", np.linalg.norm(normal))
        self.normal = normal / np.linalg.norm(normal)

    def walls(self):
        """(kind, center, normal, size) of every primitive of this collider."""
        return [(kernels.PLANE, self.point, self.normal, 0.0)]


@dataclass(eq=False)
class Box:
    """A box from corner `low` to corner `high` [m] that keeps bodies inside."""

    low: np.ndarray
    high: np.ndarray
    friction: float | Callable[[float], float] | None = None
    name: str = "Box"

    def __post_init__(self):
        self.low = _three(self.name, "low corner", self.low)
        self.high = _three(self.name, "high corner", self.high)
        _positive(self.name, "smallest side", (self.high - self.low).min())

    def walls(self):
        axes = np.eye(3)
        return [(kernels.PLANE, self.low, axis, 0.0) for axis in axes] + [
            (kernels.PLANE, self.high, -axis, 0.0) for axis in axes
        ]


@dataclass(eq=False)
class Sphere:
    """A sphere [m] that keeps bodies outside."""

    center: np.ndarray
    radius: float
    friction: float | Callable[[float], float] | None = None
    name: str = "Sphere"

    def __post_init__(self):
        self.center = _three(self.name, "center", self.center)
        _positive(self.name, "radius", self.radius)

    def walls(self):
        return [(kernels.SPHERE, self.center, np.array([0.0, 0.0, 1.0]), self.radius)]


AnalyticCollider = Plane | Box | Sphere


def friction_at(collider, settings, time):
    """Return the friction of a collider at a time [s]; without one of its own, the scene's."""
    own = collider.friction
    if own is None:
        return settings.friction
    return own(time) if callable(own) else own


def with_ground(colliders, settings):
    """Return analytic colliders with the ground of the settings, if it is used."""
    if not settings.use_ground:
        return colliders
    return [*colliders, Plane((0.0, 0.0, settings.ground_height), name="Ground")]


def frictions(colliders, settings, time):
    """Return the friction of all their walls at a time [s]."""
    return [
        friction_at(collider, settings, time)
        for collider in with_ground(colliders, settings)
        for _ in collider.walls()
    ]


def colliders_on_device(colliders, assembly, settings, device):
    """All analytic colliders and the ground of the settings as `kernels.AnalyticColliders`."""
    walls = [wall for one in with_ground(colliders, settings) for wall in one.walls()]
    kind, center, normal, size = zip(*walls, strict=True) if walls else [()] * 4

    def upload(values, dtype, shape):
        return wp.array(np.array(values).reshape(shape), dtype=dtype, device=device)

    struct = kernels.AnalyticColliders()
    struct.kind = upload(kind, int, -1)
    center = [c - assembly.origin for c in center]
    for k, of_kind in enumerate(kind):
        if of_kind == kernels.PLANE:  # its point nearest to the origin rounds the least
            center[k] = (center[k] @ normal[k]) * np.asarray(normal[k])
    struct.center = upload(center, wp.vec3, (-1, 3))
    struct.normal = upload(normal, wp.vec3, (-1, 3))
    struct.size = upload(size, float, -1)
    struct.friction = upload(frictions(colliders, settings, 0.0), float, -1)
    struct.step_time = settings.step_time
    return struct
