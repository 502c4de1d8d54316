# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies of edges and triangles, fitted to where they may go."""

import warp as wp

from ..kernels.contact import search


class Tree:
    """Boxes of edges or triangles in a `wp.Bvh`; `bound` is the kernel that fits them."""

    def __init__(self, model, bound, first, count):
        self.model, self.bound, self.first, self.count = model, bound, first, count
        self.low = wp.zeros(max(count, 1), dtype=wp.vec3, device=model.device)
        self.high = wp.zeros(max(count, 1), dtype=wp.vec3, device=model.device)
        self.bvh = None
        model.launches.expect(bound)

    def fit(self, struct, rebuild):
        """Fit the boxes to the positions and trust radii of now."""
        if not self.count:
            return
        model = self.model
        inputs = [self.first, struct, model.contact_model.state, model.x]
        model.launches.run(self.bound, self.count, inputs, [self.low, self.high])
        if self.bvh is None:
            options = {"constructor": "cubql", "leaf_size": 4} if model.device.is_cpu else {}
            self.bvh = wp.Bvh(self.low, self.high, **options)
        elif rebuild:
            self.bvh.rebuild()
        else:
            self.bvh.refit()

    @property
    def id(self):
        return self.bvh.id if self.bvh else 0


class Trees:
    """The trees of bodies and of colliders, by their names in the `kernels.Surface`, which learns
    their numbers.
    """

    def __init__(self, model, struct):
        self.struct, shape = struct, model.surface
        edges, triangles = shape.body_edges, shape.body_triangles
        of_colliders = len(shape.edges) - edges, len(shape.triangles) - triangles
        self.of = {
            "edge_tree": Tree(model, search.bound_edges, 0, edges),
            "triangle_tree": Tree(model, search.bound_triangles, 0, triangles),
            "collider_edge_tree": Tree(model, search.bound_edges, edges, of_colliders[0]),
            "collider_triangle_tree": Tree(
                model, search.bound_triangles, triangles, of_colliders[1]
            ),
        }
        self.fresh = True

    def begin_frame(self):
        """Build the trees anew when they are fitted next."""
        self.fresh = True

    def fit(self):
        """Fit all trees to the positions and trust radii of now."""
        for name, tree in self.of.items():
            tree.fit(self.struct, self.fresh)
            setattr(self.struct, name, tree.id)
        self.fresh = False
