# SPDX-License-Identifier: GPL-3.0-or-later
"""Free flight: what has nothing in its way moves by its common motion at once.

Among bodies a common motion changes no distance, so it needs no search; otherwise the caps of the
truncation, which are small beside the way of a fast body, would hold it back. Bodies that fall
together, one in the way of the other, have the mean of their motions in common.
"""

import numpy as np
import warp as wp

from ..kernels import flight
from ..topology.graphs import connected_components


def swept(low, high, motion):
    """Boxes [body, 3] stretched by motions [m]."""
    return low + np.minimum(motion, 0.0), high + np.maximum(motion, 0.0)


class Flight:
    """Moves the bodies of a model that fly, alone or together."""

    def __init__(self, model, pairs, colliders):
        self.model, self.pairs, self.colliders = model, pairs, colliders
        place = model.assembly.place
        count = len(place)
        self.size = np.array([len(p) for p in place])
        self.held = np.array([(p >= model.free_count).any() for p in place])
        self.low, self.high, self.motion = (
            wp.zeros(count, dtype=wp.vec3, device=model.device) for _ in range(3)
        )
        self.blocked = wp.zeros(count, dtype=int, device=model.device)

    def move(self):
        """Move what flies by the mean way to its candidates."""
        model, pairs = self.model, self.pairs
        self.low.fill_(np.inf)
        self.high.fill_(-np.inf)
        self.motion.zero_()
        self._measure(0, model.vertex_count, pairs.candidate)
        self._measure(model.led_end, len(model.surface.points), model.x)
        total = self.motion.numpy().astype(float)
        low, high = swept(self.low.numpy(), self.high.numpy(), total / self.size[:, None])
        flock = connected_components(np.argwhere(self._meets_body(low, high)), len(low))
        size = np.bincount(flock, self.size)
        motion = np.stack([np.bincount(flock, total[:, k]) / size for k in range(3)], axis=1)[flock]
        low, high = swept(self.low.numpy(), self.high.numpy(), motion)
        stays = self.held | self._meets_collider(low, high) | ~np.isfinite(motion).all(axis=1)
        motion[np.isin(flock, flock[stays])] = 0.0
        if motion.any():
            self.motion.assign(motion)
            wp.launch(
                flight.fly,
                dim=model.vertex_count,
                inputs=[pairs.struct.body, self.motion],
                outputs=[model.x],
                device=model.device,
            )
            pairs.followers.follow(0, model.vertex_count)

    def _measure(self, first, count, goal):
        """Extend the boxes of bodies by some vertices, and add up their ways to `goal`."""
        wp.launch(
            flight.measure_bodies,
            dim=count,
            inputs=[
                first,
                self.model.x,
                goal,
                self.pairs.struct.body,
                self.model.contact_model.state.radius,
            ],
            outputs=[self.low, self.high, self.motion],
            device=self.model.device,
        )

    def _meets_body(self, low, high):
        """Whose way meets that of another body it may touch, bool [body, body]."""
        apart = (low[:, None] > high[None]) | (high[:, None] < low[None])
        meets = ~apart.any(axis=2) & self.model.surface.may_touch[: len(low), : len(low)]
        return meets

    def _meets_collider(self, low, high):
        tree = self.pairs.trees.of["collider_triangle_tree"]
        if not tree.bvh:
            return np.full(len(low), tree.count > 0)
        # The boxes of the tree are those of the last search.
        reach = self.colliders.travel
        self.low.assign(low - reach)
        self.high.assign(high + reach)
        self.blocked.zero_()
        wp.launch(
            flight.find_obstacles,
            dim=len(low),
            inputs=[tree.id, self.low, self.high],
            outputs=[self.blocked],
            device=self.model.device,
        )
        return self.blocked.numpy() != 0
