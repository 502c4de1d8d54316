# SPDX-License-Identifier: GPL-3.0-or-later
"""Common data of all simulated bodies."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..messages import message
from ..settings import Material
from ..topology.meshes import checked_elements, finite_points, refuse_loose_vertices
from ..topology.values import number, numbers, refuse_other, whole_numbers
from .points import PointsInTime

# Values of a material that may change from frame to frame (descent/keyed.py).
KEYED = (
    *("youngs_modulus", "weft_modulus", "shear_modulus", "bending_stiffness", "density"),
    *("damping", "bending_damping", "friction", "drag", "air_friction", "shrink"),
    *("fiber_stiffness", "active_stress", "activation"),
)
# Values of a material that take the place of others.
REPLACED_BY = {"youngs_modulus": ("mu", "spring_stiffness"), "density": ("vertex_mass",)}


def check_names(name, collides_with):
    """Raise ValueError unless `collides_with` of a body is None or names of others."""
    if collides_with is not None:
        refuse_other(name, "collides_with", collides_with, tuple | list | set | frozenset)
        for other in collides_with:
            refuse_other(name, "collides_with", other, str)


@dataclass(eq=False)
class Pins:
    """Pinned vertices: fixed, or kinematic with `targets`.

    `indices`: vertices of the body. `targets` [m]: points [pin, 3] in time, or None for the
    initial positions.
    """

    indices: np.ndarray
    targets: PointsInTime | None = None

    def __post_init__(self):
        self.indices = whole_numbers("Pins", "indices", self.indices).ravel()
        vertices, times = np.unique(self.indices, return_counts=True)
        if (times > 1).any():
            raise ValueError(message("script.pinned_twice", vertex=vertices[times > 1][0]))


@dataclass(eq=False)
class Deformable:
    """Base of all simulated bodies; `rest_points` is the unstressed shape (`points` if None).

    `collides_with`: names of the bodies and colliders that it may touch, or None for all. Two
    collide only if both accept each other; self contact is a property of the material.
    `field_weights`: weights of force fields, 0 or more, by the name of the field; 1 for fields that
    are not named.
    `keyed`: functions of the time [s] by the name of one of the `KEYED` values of the material,
    which they replace. They are read once per frame, at its end.
    """

    points: np.ndarray
    elements: np.ndarray
    material: Material = field(default_factory=Material)
    pins: Pins | None = None
    velocities: np.ndarray | None = None
    rest_points: np.ndarray | None = None
    name: str = ""
    collides_with: tuple[str, ...] | None = field(default=None, kw_only=True)
    field_weights: dict[str, float] | None = field(default=None, kw_only=True)
    keeps_shape: bool = field(default=False, kw_only=True)
    keyed: dict[str, Callable] | None = field(default=None, kw_only=True)

    corners = 0
    element_name = ""

    def __post_init__(self):
        self.name = self.name or type(self).__name__
        self._refuse_other_kinds()
        self.points = finite_points(self.name, "points", self.points)
        count = len(self.points)
        self.elements = checked_elements(
            self.name, self.element_name, self.elements, self.corners, count
        )
        if not len(self.elements):
            raise ValueError(
                message("mesh.nothing_in_it", name=self.name, element=self.element_name)
            )
        refuse_loose_vertices(self.name, self._in_use(), count, self.element_name)
        if self.rest_points is None:
            self.rest_points = self.points
        else:
            self.rest_points = finite_points(self.name, "rest points", self.rest_points)
            self._same_shape("rest points", self.rest_points)
        if self.velocities is None:
            self.velocities = np.zeros_like(self.points)
        else:
            velocities = np.atleast_2d(numbers(self.name, "velocities", self.velocities))
            velocities = finite_points(self.name, "velocities", velocities)
            if len(velocities) != 1:
                self._same_shape("velocities", velocities)
            self.velocities = np.broadcast_to(velocities, self.points.shape)
        if self.pins is not None and len(self.pins.indices):
            outside = (self.pins.indices < 0) | (self.pins.indices >= count)
            if outside.any():
                pin = self.pins.indices[outside][0]
                raise ValueError(
                    message("script.pin_outside", name=self.name, pin=pin, count=count)
                )
        for name, weight in (self.field_weights or {}).items():
            if not 0.0 <= number(self.name, f"the weight of {name}", weight):
                raise ValueError(
                    message("material.field_weight", name=self.name, field=name, weight=weight)
                )
        for name in self.keyed or ():
            if name not in KEYED:
                known = {"value": name, "names": ", ".join(KEYED)}
                raise ValueError(message("script.one_of", name=self.name, what="keyed", **known))
            for other in REPLACED_BY.get(name, ()):
                if getattr(self.material, other) is not None:
                    raise ValueError(
                        message("material.keyed_replaced", name=self.name, keyed=name, other=other)
                    )
        self._check_rest_shape()

    def _refuse_other_kinds(self):
        """Refuse values that are not of their class."""
        refuse_other(self.name, "material", self.material, Material)
        for what, value, kind in (
            ("pins", self.pins, Pins),
            ("field_weights", self.field_weights, dict),
            ("keyed", self.keyed, dict),
        ):
            if value is not None:
                refuse_other(self.name, what, value, kind)
        for name, value in (self.keyed or {}).items():
            refuse_other(self.name, f"keyed {name}", value, None)
        refuse_other(self.name, "keeps_shape", self.keeps_shape, bool)
        check_names(self.name, self.collides_with)

    @property
    def touches_itself(self):
        """True if its surface may touch itself."""
        return self.material.self_contact

    def changes(self, *names):
        """Return whether any of these values of its material may change in time."""
        return not set(names).isdisjoint(self.keyed or ())

    def _same_shape(self, what, array):
        if array.shape != self.points.shape:
            raise ValueError(
                message(
                    "script.one_each",
                    name=self.name,
                    count=len(array),
                    what=what,
                    vertices=len(self.points),
                )
            )

    def _in_use(self):
        """The vertices of every element [element, any]."""
        return self.elements

    def _check_rest_shape(self):
        raise NotImplementedError
