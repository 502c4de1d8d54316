# SPDX-License-Identifier: GPL-3.0-or-later
"""Weak constraints: vertices tied to points in space, to points of another body, or to each other.

    E = ½ Cᵀ K C,  C = x_v − Σ_k w_k x_k − p      (PBNG 2023, §4.1)

K is k I, or k_n along a normal and k_τ across it.
"""

from dataclasses import dataclass

import numpy as np

from ..bodies import PointsInTime, points_at


@dataclass(eq=False)
class Attachment:
    """Ties `vertices` [row] of `body`; give it to `simulate` among the bodies.

    To points in space: `points` [m], one per row, as an array, one array per frame, or a function
    of time. To another body, or another part of the same: `other`, its `corners` [row, 1 to 4] and
    their `weights` [row, 1 to 4], which add up to 1: a vertex (a seam), a point of a triangle, of a
    tet. Both sides then feel it. `offset` [m] is the vector from there to the vertex at rest: zero
    pulls them together, None keeps the distance they have at the start.

    `stiffness` [N/m] is k, or k_n where `normal` (one unit vector, or one per row) is given, with
    `tangential_stiffness` k_τ across it. A row whose force exceeds `strength` [N] breaks for good.
    """

    body: object
    vertices: np.ndarray
    stiffness: float
    points: PointsInTime | None = None
    other: object = None
    corners: np.ndarray | None = None
    weights: np.ndarray | None = None
    offset: np.ndarray | None = 0.0
    normal: np.ndarray | None = None
    tangential_stiffness: float = 0.0
    strength: float = np.inf
    name: str = "Attachment"

    def __post_init__(self):
        self.vertices = np.array(self.vertices, dtype=np.int64).ravel()
        rows = len(self.vertices)
        _refuse_outside(self.name, self.vertices, self.body)
        for stiffness in (self.stiffness, self.tangential_stiffness):
            if not 0.0 <= stiffness < np.inf:
                raise ValueError(f"{self.name}: the stiffness is {stiffness}; it must be finite")
        if not self.strength > 0.0:
            raise ValueError(f"{self.name}: the strength is {self.strength}; it must be above 0")
        if not rows:
            raise ValueError(f"{self.name}: it has no vertices")
        if (self.points is None) == (self.other is None):
            raise ValueError(f"{self.name}: give either points in space or another body")
        if self.points is not None:
            start = points_at(self.name, self.points, 0, 0.0)
            if len(start) != rows:
                raise ValueError(f"{self.name}: {len(start)} points for {rows} vertices")
            self.corners, self.weights = np.zeros((rows, 0), np.int64), np.zeros((rows, 0))
        else:
            self.corners = _corners(self.name, self.corners, rows)
            if self.weights is None:
                self.weights = np.full(self.corners.shape, 1.0 / self.corners.shape[1])
            self.weights = np.array(self.weights, dtype=np.float64).reshape(self.corners.shape)
            if self.corners.shape[1] > 4:
                raise ValueError(f"{self.name}: a row has at most 4 corners")
            if not np.abs(self.weights.sum(axis=1) - 1.0).max() <= 1e-6:
                raise ValueError(f"{self.name}: the weights of a row must add up to 1")
            _refuse_outside(self.name, self.corners, self.other)
            _refuse_repeated(self)
        if self.normal is not None:
            normal = np.broadcast_to(np.asarray(self.normal, dtype=np.float64), (rows, 3))
            length = np.linalg.norm(normal, axis=1, keepdims=True)
            if not length.min() > 0.0:
                raise ValueError(f"{self.name}: a normal has no length")
            self.normal = normal / length

    def there(self, frame, time):
        """Points [row, 3] that the rows lead to, as far as they lie in space [m]."""
        if self.points is None:
            return np.zeros((len(self.vertices), 3))
        points = points_at(self.name, self.points, frame, time)
        if len(points) != len(self.vertices):
            raise ValueError(
                f"{self.name}: {len(points)} points in frame {frame} after the start for "
                f"{len(self.vertices)} vertices; give one each"
            )
        return points

    def rest_offset(self):
        """C at rest [row, 3] in m."""
        if self.offset is not None:
            shape = len(self.vertices), 3
            return np.broadcast_to(np.asarray(self.offset, dtype=np.float64), shape)
        there = self.there(0, 0.0)
        if self.other is not None:
            there = np.einsum("rk,rki->ri", self.weights, self.other.points[self.corners])
        return self.body.points[self.vertices] - there


def _corners(name, corners, rows):
    """`corners` as [row, n]; refuses what is not there or has another number of rows."""
    if corners is None:
        raise ValueError(f"{name}: give the corners of the other body, [row, 1 to 4]")
    corners = np.array(corners, dtype=np.int64)
    if corners.ndim not in (1, 2) or len(corners) != rows or not corners.size:
        raise ValueError(
            f"{name}: the corners have the shape {corners.shape}; [row, 1 to 4] with {rows} rows "
            "is needed"
        )
    return corners.reshape(rows, -1)


def _refuse_repeated(tie):
    """A vertex that is twice in a row would be moved with half of its stiffness."""
    corners = tie.corners
    if tie.other is tie.body:
        corners = np.concatenate([corners, tie.vertices[:, None]], axis=1)
    ordered = np.sort(corners, axis=1)
    repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(repeated):
        raise ValueError(f"{tie.name}: row {repeated[0]} has the same vertex twice")


def _refuse_outside(name, vertices, body):
    outside = (vertices < 0) | (vertices >= len(body.points))
    if outside.any():
        raise ValueError(
            f"{name}: vertex {vertices[outside].flat[0]} is not one of the {len(body.points)} "
            f"of {body.name}"
        )


@dataclass
class Rows:
    """All attachments in solver order. `corners` [row, 5]: the vertex, then up to four others."""

    corners: np.ndarray
    weights: np.ndarray
    """[row, 5]; C = Σ weight x − point."""
    offset: np.ndarray
    normal: np.ndarray
    stiffness: np.ndarray
    """[row, 2]: k_n and k_τ [N/m]."""
    strength: np.ndarray

    def edges(self):
        """Pairs of vertices that feel each other, [edge, 2]."""
        first = np.repeat(self.corners[:, :1], 4, axis=1).ravel()
        others = self.corners[:, 1:]
        pairs = [np.stack([first, others.ravel()], axis=1)]
        for a in range(4):
            for b in range(a + 1, 4):
                pairs.append(others[:, [a, b]])
        pairs = np.concatenate(pairs)
        return pairs[pairs[:, 0] != pairs[:, 1]]


def join(attachments, bodies, offsets):
    """`Rows` of attachments; `offsets` [body] is where the vertices of each body begin."""
    begins = {id(body): int(offset) for body, offset in zip(bodies, offsets, strict=True)}
    parts = []
    for tie in attachments:
        for body in (tie.body, tie.other):
            if body is not None and id(body) not in begins:
                raise ValueError(f"{tie.name}: {body.name} is not among the bodies")
        rows, count = tie.corners.shape
        corners = np.repeat(tie.vertices[:, None] + begins[id(tie.body)], 5, axis=1)
        weights = np.zeros((rows, 5))
        weights[:, 0] = 1.0
        if count:
            corners[:, 1 : 1 + count] = tie.corners + begins[id(tie.other)]
            weights[:, 1 : 1 + count] = -tie.weights
        normal = np.zeros((rows, 3)) if tie.normal is None else tie.normal
        across = tie.stiffness if tie.normal is None else tie.tangential_stiffness
        stiffness = np.tile([tie.stiffness, across], (rows, 1))
        strength = np.full(rows, tie.strength)
        parts.append((corners, weights, tie.rest_offset(), normal, stiffness, strength))
    if not parts:
        empty = [np.zeros((0, 5), np.int64), np.zeros((0, 5)), *np.zeros((2, 0, 3))]
        return Rows(*empty, np.zeros((0, 2)), np.zeros(0))
    return Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
