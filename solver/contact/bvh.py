# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies of edges and triangles, fitted to where they may go."""

import warp as wp


class Tree:
    """Boxes of edges or triangles in a `wp.Bvh`."""

    def __init__(self, bound, first, count, device):
        self.bound, self.first, self.count, self.device = bound, first, count, device
        self.low = wp.zeros(max(count, 1), dtype=wp.vec3, device=device)
        self.high = wp.zeros(max(count, 1), dtype=wp.vec3, device=device)
        self.bvh = None

    def fit(self, surface, x, rebuild):
        """Fit the boxes to the positions and caps of now."""
        if not self.count:
            return
        wp.launch(
            self.bound,
            dim=self.count,
            inputs=[self.first, surface, x],
            outputs=[self.low, self.high],
            device=self.device,
        )
        if self.bvh is None:
            options = {"constructor": "cubql", "leaf_size": 4} if self.device.is_cpu else {}
            self.bvh = wp.Bvh(self.low, self.high, **options)
        elif rebuild:
            self.bvh.rebuild()
        else:
            self.bvh.refit()

    @property
    def id(self):
        return self.bvh.id if self.bvh else 0
