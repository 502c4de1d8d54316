# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders, without a mesh: planes, boxes and spheres. Their friction may be a function
of time [s]; `static_friction` acts until a contact slides, if it is larger.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..kernels.contact import analytic_colliders as kernels
from ..messages import message
from ..settings import check_friction
from ..topology.values import number, refuse_other, three_numbers

MotionInTime = Callable[[float], np.ndarray] | None
"""A function of time [s]: the matrix [4, 4] that maps a collider from where it is given to where it
is then, in homogeneous coordinates [m]; None where it stays there.
"""

# Tolerance of the relative lengths of axes where a sphere needs equal ones, and of the cosine of
# their angles.
EVEN = 1e-4

__all__ = ["AnalyticCollider", "Box", "Plane", "Sphere"]


def _positive(name, what, value):
    """Return a number above 0."""
    value = number(name, f"the {what}", value)
    if not value > 0.0:
        raise ValueError(message("script.above_0", name=name, what=what, value=value))
    return value


def _check(collider):
    """Check the values that all analytic colliders have."""
    check_friction(collider.name, collider.friction)
    check_friction(
        collider.name, number(collider.name, "static friction", collider.static_friction)
    )
    if collider.motion is not None:
        refuse_other(collider.name, "motion", collider.motion, None)


@dataclass(eq=False)
class Plane:
    """A plane through `point` [m] that keeps bodies on the side of its `normal`."""

    point: np.ndarray
    normal: np.ndarray = (0.0, 0.0, 1.0)
    friction: float | Callable[[float], float] | None = None
    name: str = "Plane"
    motion: MotionInTime = None
    static_friction: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        _check(self)
        self.point = three_numbers(self.name, "point", self.point)
        normal = three_numbers(self.name, "normal", self.normal)
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
    motion: MotionInTime = None
    static_friction: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        _check(self)
        self.low = three_numbers(self.name, "low corner", self.low)
        self.high = three_numbers(self.name, "high corner", self.high)
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
    motion: MotionInTime = None
    static_friction: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        _check(self)
        self.center = three_numbers(self.name, "center", self.center)
        self.radius = _positive(self.name, "radius", self.radius)

    def walls(self):
        return [(kernels.SPHERE, self.center, np.array([0.0, 0.0, 1.0]), self.radius)]


AnalyticCollider = Plane | Box | Sphere


def friction_at(collider, settings, time):
    """Return the friction of a collider at a time [s]; without one of its own, the scene's."""
    own = collider.friction
    if own is None:
        return settings.friction
    value = own(time) if callable(own) else own
    check_friction(collider.name, value)
    return value


def even_scale(name, axes):
    """Return the length of axes [3, 3] that keep a sphere round; refuse others."""
    products = axes.T @ axes
    size = products.trace() / 3.0
    if np.abs(products - size * np.eye(3)).max() > EVEN * size:
        raise ValueError(message("collider.sphere_scale", name=name))
    return float(np.sqrt(size))
