# SPDX-License-Identifier: GPL-3.0-or-later
"""Free flight: what nothing obstructs moves by its common motion at once.

Among bodies a common motion changes no distance, so it needs no search; otherwise the trust radii
of the truncation, which are small beside the path of a fast body, would hold it back. Bodies that
fall together, one towards the other, have the mean of their motions in common.
"""

import numpy as np
import warp as wp

from ..kernels import flight
from ..topology.graphs import connected_components


def swept(low, high, motion):
    """Boxes [body, 3] stretched by motions [m]."""
    return low + np.minimum(motion, 0.0), high + np.maximum(motion, 0.0)


class Flight:
    """Moves the bodies of a model that fly, alone or together with what they may meet."""

    def __init__(self, model, colliders):
        self.model, self.contact, self.colliders = model, model.contact, colliders
        bodies = model.assembly.vertices
        self.size = np.array([len(vertices) for vertices in bodies])
        self.held = np.array([(vertices >= model.free_count).any() for vertices in bodies])
        self.low, self.high, self.motion = (
            wp.zeros(len(bodies), dtype=wp.vec3, device=model.device) for _ in range(3)
        )
        self.blocked = wp.zeros(len(bodies), dtype=int, device=model.device)
        model.launches.expect(flight.measure_bodies)

    def move(self):
        """Move what flies by the mean path to its candidates."""
        model, contact = self.model, self.contact
        self.low.fill_(np.inf)
        self.high.fill_(-np.inf)
        self.motion.zero_()
        self._measure(0, model.vertex_count, contact.candidate)
        self._measure(model.kinematic_end, len(model.surface.points), model.x)
        total = self.motion.numpy().astype(float)
        low, high = swept(self.low.numpy(), self.high.numpy(), total / self.size[:, None])
        group = connected_components(np.argwhere(self._meets_body(low, high)), len(low))
        size = np.bincount(group, self.size)
        motion = np.stack([np.bincount(group, total[:, k]) / size for k in range(3)], axis=1)[group]
        low, high = swept(self.low.numpy(), self.high.numpy(), motion)
        stays = self.held | self._meets_collider(low, high) | ~np.isfinite(motion).all(axis=1)
        motion[np.isin(group, group[stays])] = 0.0
        if motion.any():
            self.motion.assign(motion)
            body = contact.struct.body
            model.launches.run(flight.fly, model.vertex_count, [body, self.motion], [model.x])
            model.followers.follow(0, model.vertex_count)

    def _measure(self, first, count, goal):
        """Extend the boxes of bodies by some vertices, and add up their paths to `goal`."""
        body, radius = self.contact.struct.body, self.model.contact_model.state.radius
        self.model.launches.run(
            flight.measure_bodies,
            count,
            [self.model.x, goal, body, radius],
            [self.low, self.high, self.motion],
            first=first,
        )

    def _meets_body(self, low, high):
        """Whose path meets that of another body it may touch, bool [body, body]."""
        apart = (low[:, None] > high[None]) | (high[:, None] < low[None])
        meets = ~apart.any(axis=2) & self.model.surface.may_touch[: len(low), : len(low)]
        return meets

    def _meets_collider(self, low, high):
        tree = self.contact.trees.of["collider_triangle_tree"]
        if not tree.bvh:
            return np.full(len(low), tree.count > 0)
        # The boxes of the tree are those of the last search.
        reach = self.colliders.travel
        self.low.assign(low - reach)
        self.high.assign(high + reach)
        self.blocked.zero_()
        self.model.launches.run(
            flight.find_obstacles, len(low), [tree.id, self.low, self.high], [self.blocked]
        )
        return self.blocked.numpy() != 0
