# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies of edges and triangles, fitted to where they may go."""

import warp as wp

from ..kernels.contact import search


class Tree:
    """Boxes of edges or triangles in a `wp.Bvh`; `bound` is the kernel that fits them."""

    def __init__(self, model, struct, bound, first, count):
        self.device = model.device
        self.low = wp.zeros(max(count, 1), dtype=wp.vec3, device=model.device)
        self.high = wp.zeros(max(count, 1), dtype=wp.vec3, device=model.device)
        self.bvh, self.count = None, count
        inputs = [first, struct, model.contact_model.state, model.x]
        self.bound = model.launches.record(bound, count, inputs, [self.low, self.high])

    def build(self):
        """Build the tree anew for the positions and trust radii of now."""
        self.bound()
        if self.bvh is not None:
            self.bvh.rebuild()
        elif self.count:
            options = {"constructor": "cubql", "leaf_size": 4} if self.device.is_cpu else {}
            self.bvh = wp.Bvh(self.low, self.high, **options)

    def fit(self):
        """Fit its boxes to the positions and trust radii of now."""
        self.bound()
        if self.bvh is not None:
            self.bvh.refit()

    @property
    def id(self):
        return self.bvh.id if self.bvh else 0


class Trees:
    """The trees of bodies and of colliders, by their names in the `kernels.Surface`, which learns
    their numbers when they are built first.
    """

    def __init__(self, model, struct):
        self.struct, shape = struct, model.surface
        edges, triangles = shape.body_edges, shape.body_triangles
        of_colliders = len(shape.edges) - edges, len(shape.triangles) - triangles
        ranges = {
            "edge_tree": (search.bound_edges, 0, edges),
            "triangle_tree": (search.bound_triangles, 0, triangles),
            "collider_edge_tree": (search.bound_edges, edges, of_colliders[0]),
            "collider_triangle_tree": (search.bound_triangles, triangles, of_colliders[1]),
        }
        self.of = {name: Tree(model, struct, *which) for name, which in ranges.items()}
        self.is_fresh = False

    def begin_frame(self):
        """Build the trees anew when they are fitted next."""
        self.is_fresh = False

    def fit(self):
        """Fit all trees to the positions and trust radii of now."""
        if self.is_fresh:
            for tree in self.of.values():
                tree.fit()
            return
        for name, tree in self.of.items():
            tree.build()
            setattr(self.struct, name, tree.id)
        self.is_fresh = True
