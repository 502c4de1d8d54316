# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid bodies of a scene, and their colors."""

from dataclasses import dataclass

import numpy as np

from ..bodies import RigidBody
from ..topology.coloring import color_vertices

# Bodies whose initial spheres meet, enlarged by this fraction, have different colors where there
# are enough: forces allow for equal ones (kernels/rigid/forces.py).
NEAR = 0.1
# Up to so many bodies all couples are compared; more than that have colors by their numbers.
MOST_COMPARED = 4000
# The most colors: a body in the middle of a pile meets a dozen others.
MOST_COLORS = 6


@dataclass
class RigidSet:
    """Rigid bodies in solver order: `numbers` [body] among all bodies, `corners` [body, 4], their
    vertices, and `color` [body].
    """

    bodies: list
    numbers: np.ndarray
    corners: np.ndarray
    color: np.ndarray

    def __len__(self):
        return len(self.bodies)

    def inserted(self, order, color_start):
        """Return the vertex order and color starts with the vertices of rigid bodies behind all
        others that are free, color by color.
        """
        if not len(self):
            return order, color_start
        free = order[: color_start[-1]]
        pinned = order[color_start[-1] :]
        pinned = pinned[~np.isin(pinned, self.corners)]
        sizes = 4 * np.bincount(self.color)
        ends = color_start[-1] + np.cumsum(sizes[sizes > 0])
        order = np.concatenate([free, self.corners.ravel(), pinned])
        return order, np.concatenate([color_start, ends])


def rigid_set(bodies, offsets, rows):
    """Return the `RigidSet` of all bodies, whose vertices begin at `offsets` [body]; bodies that
    `Rows` of attachments join have different colors.
    """
    numbers = np.array([n for n, b in enumerate(bodies) if isinstance(b, RigidBody)], dtype=int)
    if not len(numbers):
        return RigidSet([], numbers, np.zeros((0, 4), np.int64), numbers)
    number_of = np.full(int(offsets[-1]), -1)
    for k, number in enumerate(numbers):
        number_of[offsets[number] : offsets[number] + 4] = k
    joined = number_of[rows.edges()] if len(rows.corners) else np.zeros((0, 2), int)
    joined = joined[(joined >= 0).all(axis=1) & (joined[:, 0] != joined[:, 1])]
    color = body_colors([bodies[n] for n in numbers], joined)
    order = np.argsort(color, kind="stable")
    numbers, color = numbers[order], color[order]
    corners = np.asarray(offsets)[numbers][:, None] + np.arange(4)
    return RigidSet([bodies[n] for n in numbers], numbers, corners, color)


def body_colors(bodies, joined):
    """Return a color [body] such that few bodies of one color may touch soon; contact allows it."""
    if len(bodies) > MOST_COMPARED:
        return np.arange(len(bodies)) % MOST_COLORS
    center = np.array([body.properties.center for body in bodies])
    size = np.array([body.size for body in bodies])
    apart = np.linalg.norm(center[:, None] - center, axis=2) - (1 + NEAR) * (size[:, None] + size)
    near = np.argwhere(np.triu(apart < 0.0, 1))
    edges = np.unique(np.sort(np.concatenate([near, joined]), axis=1), axis=0)
    return color_vertices(edges.astype(np.int32), len(bodies)) % MOST_COLORS
