# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies of edges, triangles and bodies, fitted to where they may go."""

from functools import partial

import warp as wp

from ..device.launches import play
from ..kernels.contact import neighborhoods, search


class Tree:
    """Boxes of so many things in a `wp.Bvh`; `bound` fits them, and is given later."""

    def __init__(self, device, count):
        self.device, self.bvh, self.count = device, None, count
        self.low, self.high = (
            wp.zeros(max(count, 1), dtype=wp.vec3, device=device) for _ in range(2)
        )

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
    their numbers when they are built first; and who is a neighbor of whom.
    """

    def __init__(self, model, struct):
        self.model, self.struct, shape = model, struct, model.surface
        edges, triangles = shape.body_edges, shape.body_triangles
        of_colliders = len(shape.edges) - edges, len(shape.triangles) - triangles
        ranges = {
            "edge_tree": (search.bound_edges, 0, edges),
            "triangle_tree": (search.bound_triangles, 0, triangles),
            "collider_edge_tree": (search.bound_edges, edges, of_colliders[0]),
            "collider_triangle_tree": (search.bound_triangles, triangles, of_colliders[1]),
        }
        self.of = {name: self._tree(*which) for name, which in ranges.items()}
        self.of["body_tree"] = self._tree_of_bodies()
        self.is_fresh = False

    def _tree(self, bound, first, count):
        """Of edges or triangles, which a kernel bounds."""
        model, tree = self.model, Tree(self.model.device, count)
        inputs = [first, self.struct, model.contact_model.state, model.x]
        tree.bound = model.launches.record(bound, count, inputs, [tree.low, tree.high])
        return tree

    def _tree_of_bodies(self):
        """Of whole bodies and colliders; `find_neighbors` asks it."""
        model, struct, record = self.model, self.struct, self.model.launches.record
        tree = Tree(model.device, struct.bodies)
        number = wp.zeros(tree.count, dtype=int, device=model.device)
        neighbor = wp.zeros(
            tree.count * int(neighborhoods.NEIGHBORS), dtype=int, device=model.device
        )
        reach = wp.zeros(tree.count, dtype=float, device=model.device)
        struct.body_low, struct.body_high = tree.low, tree.high
        struct.neighbors, struct.neighbor = number, neighbor
        boxes, count = [tree.low, tree.high, reach], len(model.surface.vertices)
        inputs = [struct, model.contact_model.state, model.x]
        tree.bound = partial(
            play,
            [
                record(neighborhoods.clear_boxes, tree.count, [], boxes),
                record(neighborhoods.gather_boxes, count, inputs, boxes),
                record(neighborhoods.widen_boxes, tree.count, [reach], [tree.low, tree.high]),
            ],
        )
        self.find_neighbors = record(
            neighborhoods.find_neighbors, tree.count, [struct], [number, neighbor]
        )
        return tree

    def begin_frame(self):
        """Build the trees anew when they are fitted next."""
        self.is_fresh = False

    def fit(self):
        """Fit all trees to the positions and trust radii of now."""
        for name, tree in self.of.items():
            if self.is_fresh:
                tree.fit()
            else:
                tree.build()
                setattr(self.struct, name, tree.id)
        self.is_fresh = True
        self.find_neighbors()
