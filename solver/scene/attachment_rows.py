# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of all attachments of a scene in solver order."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from ..messages import message
from ..topology.graphs import unique_edges

# Smaller weights are rounding.
LEAST_WEIGHT = 1e-6
# Corners of a point of a rigid body.
RIGID = 4


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
    bonds: np.ndarray
    """True for rows whose ends still touch each other, bool [row]."""
    joint: np.ndarray
    """The `Joint` of each row, None of others [row]."""
    guides: np.ndarray
    """`GuidedPoint`s of joints, None in other rows [row]."""

    def used(self):
        """True for corners in use, bool [row, n]: all of joints, else those with a weight."""
        used = self.weights != 0.0
        joined = np.array([joint is not None for joint in self.joint], dtype=bool)
        used[joined, :RIGID] = True
        used[joined & ~self.to_space(), RIGID : 2 * RIGID] = True
        return used

    def identities(self, order):
        """Return a number [row] for the name and the vertices of every row, the same for any solver
        `order` [vertex].
        """
        given = np.argsort(order).astype(np.int64)
        used = zip(self.names, self.corners, self.weights != 0.0, strict=True)
        keys = (f"{name} {given[row[mask]].tolist()}".encode() for name, row, mask in used)
        return np.array([crc32(key) for key in keys], dtype=np.int64)

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
        """Pairs of vertices in rows between bodies, [edge, 2], which do not touch each other."""
        pairs = unique_edges(self.corners[~self.to_space() & ~self.bonds])
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
        guides = np.full(rows, None)
        guides[:] = tie.guides or None
        last = *last, np.full(rows, bool(tie.keyed)), np.full(rows, tie.are_bonds)
        last = *last, np.full(rows, tie.joint), guides
        blocks.append((corners, weights, tie.rest_offset(), normal, stiffness, *limits, *last))
    if not blocks:
        empty = [np.zeros((0, 1), np.int64), np.zeros((0, 1)), *np.zeros((2, 0, 3))]
        return Rows(*empty, np.zeros((0, 2)), *np.zeros((5, 0)), *np.zeros((6, 0), bool))
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
