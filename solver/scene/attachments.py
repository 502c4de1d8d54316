# SPDX-License-Identifier: GPL-3.0-or-later
"""Weak constraints: points of bodies tied to points in space, of another body, or to each other.

    E = ½ Cᵀ K C,  C = Σ_j w_j x_j − Σ_k w_k x_k − p      (PBNG 2023, §4.1)

K is k I, or k_n along a normal and k_τ across it. With a rest length L it is E = ½ k (|C| − L)².
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..bodies import PointsInTime, points_at
from ..messages import message
from ..topology.graphs import unique_edges

# Smaller weights are rounding.
LEAST_WEIGHT = 1e-6
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
    with its corners as `vertices` [row, 1 to 8] and their `own_weights`. `offset` [m] is the rest
    vector from the target to the attached point: zero pulls them together, None keeps the initial
    distance.

    `stiffness` [N/m] is k, or k_n where `normal` (one unit vector, or one per row) is given, with
    `tangential_stiffness` k_τ across it; `damping` [s] times it resists changes of C. A row whose
    force exceeds `strength` [N] breaks permanently; its force is at most `maximum_force` [N].

    With a `length` [m] above 0 a row keeps that distance, in any direction; it decreases by
    `shrink_speed` [m/s] down to 0. `grip` [row] in time scales the stiffness: 0 releases, and from
    `HARD` on a row holds like a pin; a point that it catches moves to its target uniformly within
    the frame. Stiffness, strength, maximum force and length are one number, or one per row;
    strength and maximum force may also be functions of the time [s], read once per frame.
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

    def __post_init__(self):
        self.vertices = np.atleast_1d(self.vertices)
        rows = len(self.vertices)
        if not rows:
            raise ValueError(message("script.no_vertices", name=self.name))
        # Without such limits None: the fingerprints of older bakes have none.
        self.keyed = {n: getattr(self, n) for n in LIMITS if callable(getattr(self, n))} or None
        for name, limit in (self.keyed or {}).items():
            setattr(self, name, limit(0.0))
        self.vertices, self.own_weights = _points_of(
            self.name, self.body, self.vertices, self.own_weights, rows
        )
        self.check_numbers()
        if (self.points is None) == (self.other is None):
            raise ValueError(message("script.points_or_body", name=self.name))
        if self.points is not None:
            start = points_at(self.name, self.points, 0, 0.0)
            if len(start) != rows:
                raise ValueError(
                    message("script.target_points", name=self.name, count=len(start), rows=rows)
                )
            self.corners, self.weights = np.zeros((rows, 0), np.int64), np.zeros((rows, 0))
        else:
            if self.corners is None:
                raise ValueError(
                    message("script.corners_needed", name=self.name, most=MOST_CORNERS)
                )
            self.corners, self.weights = _points_of(
                self.name, self.other, self.corners, self.weights, rows
            )
        if self.normal is not None:
            normal = np.broadcast_to(np.asarray(self.normal, dtype=np.float64), (rows, 3))
            length = np.linalg.norm(normal, axis=1, keepdims=True)
            if not length.min() > 0.0:
                raise ValueError(message("script.normal_zero", name=self.name))
            self.normal = normal / length

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
        value, rows = np.asarray(value, dtype=np.float64), len(self.vertices)
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
        rows = len(self.vertices)
        if self.grip is None:
            return np.ones(rows)
        values = self.grip
        if callable(values):
            values = values(time)
        elif np.ndim(values[0]) == 1:
            values = values[frame]
        values = np.asarray(values, dtype=np.float64)
        if values.shape != (rows,) or not ((values >= 0.0) & (values <= 1.0)).all():
            raise ValueError(message("script.grip", name=self.name, rows=rows))
        return values

    def there(self, frame, time):
        """Target points in space [row, 3] in m; zero for rows to another body."""
        if self.points is None:
            return np.zeros((len(self.vertices), 3))
        points = points_at(self.name, self.points, frame, time)
        counts = {"count": len(points), "vertices": len(self.vertices)}
        if len(points) != len(self.vertices):
            raise ValueError(message("script.target_count", name=self.name, frame=frame, **counts))
        return points

    def rest_offset(self):
        """C at rest [row, 3] in m."""
        if self.offset is not None:
            shape = len(self.vertices), 3
            return np.broadcast_to(np.asarray(self.offset, dtype=np.float64), shape)
        there = self.there(0, 0.0)
        if self.other is not None:
            there = _mean(self.weights, self.other.points[self.corners])
        return _mean(self.own_weights, self.body.points[self.vertices]) - there


def _mean(weights, points):
    """Σ w x [row, 3] of points [row, n, 3]."""
    return np.einsum("rk,rki->ri", weights, points)


def _points_of(name, body, corners, weights, rows):
    """Corners and weights [row, n] of points of a body; equal weights if none are given."""
    corners = np.array(corners, dtype=np.int64)
    if corners.ndim not in (1, 2) or len(corners) != rows or not corners.size:
        raise ValueError(
            message(
                "script.corners_shape", name=name, shape=corners.shape, most=MOST_CORNERS, rows=rows
            )
        )
    corners = corners.reshape(rows, -1)
    count = corners.shape[1]
    if count > MOST_CORNERS:
        raise ValueError(message("script.many_corners", name=name, most=MOST_CORNERS))
    outside = (corners < 0) | (corners >= len(body.points))
    if outside.any():
        known = {"vertex": corners[outside][0], "count": len(body.points), "other": body.name}
        raise ValueError(message("script.corner_outside", name=name, **known))
    if weights is None:
        weights = np.full(corners.shape, 1.0 / count)
    weights = np.array(weights, dtype=np.float64).reshape(corners.shape)
    if not np.abs(weights.sum(axis=1) - 1.0).max() <= 1e-6:
        raise ValueError(message("script.row_weights", name=name))
    return corners, weights


@dataclass
class Rows:
    """All attachments in solver order: C = Σ weight x − point.

    `corners` [row, n]: those of the attached point, then of its target; n is that of the longest
    row, shorter ones are padded with the weight 0. No vertex has two weights in a row.
    """

    corners: np.ndarray
    weights: np.ndarray
    """[row, n]; they add up to 1 in rows to points in space, to 0 in others."""
    offset: np.ndarray
    normal: np.ndarray
    stiffness: np.ndarray
    """[row, 2]: k_n and k_τ [N/m]."""
    strength: np.ndarray
    damping: np.ndarray
    maximum_force: np.ndarray
    length: np.ndarray
    shrink_speed: np.ndarray
    grips: np.ndarray
    """True for rows with a grip that may change, bool [row]."""
    names: np.ndarray
    """Name of the attachment of each row [row]."""
    keyed: np.ndarray
    """True for rows whose limits change, bool [row]."""

    @property
    def is_adaptive(self):
        """True if any row changes from step to step."""
        changes = self.damping.any() or self.length.any() or (self.grips | self.keyed).any()
        return bool(changes or np.isfinite(self.maximum_force).any())

    def edges(self):
        """Pairs of vertices that are coupled by a row, [edge, 2]."""
        pairs = unique_edges(self.corners)
        return pairs[pairs[:, 0] != pairs[:, 1]]

    def joints(self):
        """Pairs of vertices in rows between bodies, [edge, 2]."""
        pairs = unique_edges(self.corners[~self.to_space()])
        return pairs[pairs[:, 0] != pairs[:, 1]]

    def to_space(self):
        """True for rows to points in space, bool [row]."""
        return self.weights.sum(axis=1) > 0.5


def join(attachments, bodies, offsets):
    """Return the `Rows` of attachments; the vertices of each body begin at `offsets` [body]."""
    begins = {id(body): int(offset) for body, offset in zip(bodies, offsets, strict=True)}
    width = max((t.vertices.shape[1] + t.corners.shape[1] for t in attachments), default=1)
    blocks = []
    for tie in attachments:
        for body in (tie.body, tie.other):
            if body is not None and id(body) not in begins:
                raise ValueError(message("script.not_a_body", name=tie.name, other=body.name))
        corners = tie.vertices + begins[id(tie.body)]
        if tie.other is not None:
            target = tie.corners + begins[id(tie.other)]
            corners = np.concatenate([corners, target], axis=1)
        rows, count = corners.shape
        weights = np.concatenate([tie.own_weights, -tie.weights], axis=1)
        missing = (0, 0), (0, width - count)
        corners, weights = np.pad(corners, missing, mode="edge"), np.pad(weights, missing)
        weights = _merged(corners, weights)
        lost = np.flatnonzero(~weights.any(axis=1))
        if len(lost):
            raise ValueError(message("script.row_to_itself", name=tie.name, row=lost[0]))
        normal = np.zeros((rows, 3)) if tie.normal is None else tie.normal
        across = tie.stiffness if tie.normal is None else tie.tangential_stiffness
        stiffness = np.stack([tie.stiffness, across], axis=1)
        limits = tie.strength, tie.damping, tie.maximum_force, tie.length, tie.shrink_speed
        last = np.full(rows, tie.grip is not None), np.full(rows, tie.name, dtype=object)
        last = *last, np.full(rows, bool(tie.keyed))
        blocks.append((corners, weights, tie.rest_offset(), normal, stiffness, *limits, *last))
    if not blocks:
        empty = [np.zeros((0, 1), np.int64), np.zeros((0, 1)), *np.zeros((2, 0, 3))]
        return Rows(*empty, np.zeros((0, 2)), *np.zeros((5, 0)), *np.zeros((3, 0), bool))
    return Rows(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))


def _merged(corners, weights):
    """Add weights [row, n] of repeated corners of a row to their first occurrence.

    A vertex that occurs twice in a row would be solved with half of its stiffness.
    """
    weights = weights.copy()
    for later in range(1, corners.shape[1]):
        for first in range(later):
            same = corners[:, first] == corners[:, later]
            weights[same, first] += weights[same, later]
            weights[same, later] = 0.0
    weights[np.abs(weights) < LEAST_WEIGHT] = 0.0
    return weights
