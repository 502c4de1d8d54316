# SPDX-License-Identifier: GPL-3.0-or-later
"""Weak constraints: points of bodies tied to points in space, of another body, or to each other.

    E = ½ Cᵀ K C,  C = Σ_j w_j x_j − Σ_k w_k x_k − p      (PBNG 2023, §4.1)

K is k I, or k_n along a normal and k_τ across it. With a rest length L it is E = ½ k (|C| − L)².
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..bodies import Deformable, PointsInTime, RigidBody, points_at
from ..bodies.points import value_at
from ..messages import message
from ..topology.values import numbers, refuse_other, whole_numbers

# Forces [N] at which a row breaks, and with which it pulls at most.
LIMITS = ("strength", "maximum_force")
# The most corners that a point may have: those of a cell.
MOST_CORNERS = 8


@dataclass(eq=False)
class Attachment:
    """Attaches `vertices` [row] of `body`; give it to `simulate` among the bodies.

    To points in space: `points` [m], one per row, as an array, one array per frame, or a function
    of time. To another body, or another part of the same: `other`, its `corners` [row, 1 to 8] and
    their `weights` [row, 1 to 8], which add up to 1: a vertex (a seam), a point of a triangle, of a
    tet, of a cell. Forces then act on both sides. The attached point may be such a sum as well,
    with its corners as `vertices` [row, 1 to 8] and their `own_weights`. Those of a `RigidBody` are
    mesh points. `offset` [m] is the rest vector from the target to the attached point: zero pulls
    them together, None keeps the initial distance.

    `stiffness` [N/m] is k, or k_n where `normal` (one unit vector, or one per row) is given, with
    `tangential_stiffness` k_τ across it; `damping` [s] times it resists changes of C. A row whose
    force exceeds `strength` [N] breaks permanently; its force is at most `maximum_force` [N].

    With a `length` [m] above 0 a row keeps that distance, in any direction; it decreases by
    `shrink_speed` [m/s] down to 0. `grip` [row] in time scales the stiffness: 0 releases, and from
    `HARD` on a row holds like a pin; a point that it catches moves to its target uniformly within
    the frame. Stiffness, strength, maximum force and length are one number, or one per row;
    strength and maximum force may also be functions of the time [s], read once per frame.

    `joint`: the `Joint` that made this (joints.py), and `guides` its `GuidedPoint` of every row
    whose normal and target follow `other`.
    """

    body: object
    vertices: np.ndarray
    stiffness: float | np.ndarray
    points: PointsInTime | None = None
    other: object = None
    corners: np.ndarray | None = None
    weights: np.ndarray | None = None
    offset: np.ndarray | None = 0.0
    normal: np.ndarray | None = None
    tangential_stiffness: float = 0.0
    strength: float | np.ndarray | Callable = np.inf
    name: str = "Attachment"
    own_weights: np.ndarray | None = None
    damping: float = field(default=0.0, kw_only=True)
    maximum_force: float | np.ndarray | Callable = field(default=np.inf, kw_only=True)
    length: float | np.ndarray = field(default=0.0, kw_only=True)
    shrink_speed: float = field(default=0.0, kw_only=True)
    grip: PointsInTime | None = field(default=None, kw_only=True)
    joint: object = field(default=None, kw_only=True)
    guides: tuple = field(default=(), kw_only=True)

    are_bonds = False  # True where both ends still touch each other (model/bonds.py)

    def __post_init__(self):
        refuse_other(self.name, "body", self.body, Deformable)
        if self.other is not None:
            refuse_other(self.name, "other", self.other, Deformable)
        self.vertices = np.atleast_1d(whole_numbers(self.name, "vertices", self.vertices))
        if not (rows := len(self.vertices)):
            raise ValueError(message("script.no_vertices", name=self.name))
        # Without such limits None: the fingerprints of older bakes have none.
        self.keyed = {n: getattr(self, n) for n in LIMITS if callable(getattr(self, n))} or None
        for name, limit in (self.keyed or {}).items():
            setattr(self, name, limit(0.0))
        self.vertices, self.own_weights = _points_of(
            self.name, self.body, self.vertices, self.own_weights, rows, self.joint is not None
        )
        self.check_numbers()
        if (self.points is None) == (self.other is None):
            raise ValueError(message("script.points_or_body", name=self.name))
        if self.points is not None:
            self.there(0, 0.0)  # refuses wrong ones
            self.corners, self.weights = np.zeros((rows, 0), np.int64), np.zeros((rows, 0))
        elif self.corners is None:
            raise ValueError(message("script.corners_needed", name=self.name, most=MOST_CORNERS))
        else:
            self.corners, self.weights = _points_of(
                self.name, self.other, self.corners, self.weights, rows, self.joint is not None
            )
        if self.normal is not None:
            normal = self._vectors("normal", self.normal)
            length = np.linalg.norm(normal, axis=1, keepdims=True)
            if not length.min() > 0.0:
                raise ValueError(message("script.normal_zero", name=self.name))
            self.normal = normal / length

    def _vectors(self, name, values):
        """Return a finite vector for every row, [row, 3], from one or from one per row."""
        array, rows = numbers(self.name, name, values), len(self.vertices)
        if array.shape not in ((), (3,), (1, 3), (rows, 3)) or not np.isfinite(array).all():
            known = {"what": name, "shape": array.shape}
            raise ValueError(message("script.points_shape", name=self.name, **known))
        return np.broadcast_to(array, (rows, 3))

    def check_numbers(self):
        """Convert numbers of rows to float64 [row]; refuses invalid ones."""
        for name in LIMITS:
            setattr(self, name, self._limit(name, getattr(self, name)))
        for name in ("stiffness", "tangential_stiffness", "damping", "length", "shrink_speed"):
            values = self._per_row(name, getattr(self, name))
            wrong = values[~((values >= 0.0) & (values < np.inf))]
            if len(wrong):
                known = {"what": name.replace("_", " "), "value": wrong[0]}
                raise ValueError(message("script.not_negative", name=self.name, **known))
            setattr(self, name, values)
        if self.normal is not None and self.length.any():
            raise ValueError(message("script.normal_or_length", name=self.name))

    def _per_row(self, name, value):
        value, rows = numbers(self.name, name.replace("_", " "), value), len(self.vertices)
        if value.shape not in ((), (rows,)):
            known = {"count": value.size, "what": name.replace("_", " "), "rows": rows}
            raise ValueError(message("script.row_numbers", name=self.name, **known))
        return np.broadcast_to(value, rows).copy()

    def _limit(self, name, value):
        """A limit [N] of every row, [row]; refuses one that is not above 0."""
        values = self._per_row(name, value)
        if not (values > 0.0).all():
            known = {"what": name.replace("_", " "), "value": values.min()}
            raise ValueError(message("script.above_0", name=self.name, **known))
        return values

    def limits(self, time):
        """The limits [N] that change, [row] by name, at a time [s]."""
        return {name: self._limit(name, limit(time)) for name, limit in self.keyed.items()}

    def grips(self, frame, time):
        """The grip of every row, [row]; 1 if none is given."""
        rows, values = len(self.vertices), self.grip
        if values is None:
            return np.ones(rows)
        values = numbers(self.name, "grip", value_at(self.name, self.grip, frame, time, 1))
        if values.shape != (rows,) or not ((values >= 0.0) & (values <= 1.0)).all():
            raise ValueError(message("script.grip", name=self.name, rows=rows))
        return values

    def there(self, frame, time):
        """Target points in space [row, 3] in m; zero for rows to another body."""
        if self.points is None:
            return np.zeros((len(self.vertices), 3))
        points, rows = points_at(self.name, self.points, frame, time), len(self.vertices)
        if len(points) != rows:
            counts = {"frame": frame, "count": len(points), "vertices": rows}
            raise ValueError(message("script.target_count", name=self.name, **counts))
        return points

    def rest_offset(self):
        """C at rest [row, 3] in m."""
        if self.offset is not None:
            return self._vectors("offset", self.offset)
        there = self.there(0, 0.0)
        if self.other is not None:
            there = _mean(self.weights, self.other.points[self.corners])
        return _mean(self.own_weights, self.body.points[self.vertices]) - there


def _mean(weights, points):
    """Σ w x [row, 3] of points [row, n, 3]."""
    return np.einsum("rk,rki->ri", weights, points)


def _points_of(name, body, corners, weights, rows, of_joint):
    """Corners and weights [row, n] of points of a body; equal weights if none are given. Those of a
    joint are the four points of a rigid body already.
    """
    corners = whole_numbers(name, "corners", corners)
    form = {"shape": corners.shape, "most": MOST_CORNERS, "rows": rows}
    if corners.ndim not in (1, 2) or len(corners) != rows or not corners.size:
        raise ValueError(message("script.corners_shape", name=name, **form))
    corners = corners.reshape(rows, -1)
    count = corners.shape[1]
    if count > MOST_CORNERS:
        raise ValueError(message("script.many_corners", name=name, most=MOST_CORNERS))
    is_rigid = isinstance(body, RigidBody) and not of_joint
    total = len(body.mesh_points if is_rigid else body.points)
    outside = (corners < 0) | (corners >= total)
    if outside.any():
        known = {"vertex": corners[outside][0], "count": total, "other": body.name}
        raise ValueError(message("script.corner_outside", name=name, **known))
    if weights is None:
        weights = np.full(corners.shape, 1.0 / count)
    weights = np.array(numbers(name, "weights", weights))
    if weights.size != corners.size:
        form["shape"] = weights.shape
        raise ValueError(message("script.corners_shape", name=name, **form))
    weights = weights.reshape(corners.shape)
    if not np.abs(weights.sum(axis=1) - 1.0).max() <= 1e-6:
        raise ValueError(message("script.row_weights", name=name))
    return body.carried(corners, weights) if is_rigid else (corners, weights)
