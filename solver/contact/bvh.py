# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies of edges, triangles and bodies, fitted to where they may go."""

from functools import partial

import warp as wp

from ..device.launches import play
from ..kernels.contact import boxes, neighborhoods, renewal
from ..kernels.contact.trust_radii import SOME, WHOLE

# Rough cost of bounding a thing, of keeping its box, and of its part in fitting a tree [ns].
BOUND, KEEP, FIT = 15.0, 6.0, 7.0
# What bounds edges or triangles, and what keeps the boxes of renewed ones.
OF_EDGES = boxes.bound_edges, renewal.keep_renewed_edges
OF_TRIANGLES = boxes.bound_triangles, renewal.keep_renewed_triangles


class Tree:
    """Boxes of so many things in a `wp.Bvh`; `bound` finds these as they are now, and is given
    later.
    """

    def __init__(self, device, count):
        self.device, self.bvh, self.count = device, None, count
        self.low, self.high = (
            wp.zeros(max(count, 1), dtype=wp.vec3, device=device) for _ in range(2)
        )

    def build(self):
        """Build the tree for its boxes."""
        if self.bvh is not None:
            self.bvh.rebuild()
        elif self.count:
            options = {"constructor": "cubql", "leaf_size": 4} if self.device.is_cpu else {}
            self.bvh = wp.Bvh(self.low, self.high, **options)

    def fit(self):
        """Fit it to its boxes, with the order in which it was built."""
        if self.bvh is not None:
            self.bvh.refit()

    @property
    def id(self):
        return self.bvh.id if self.bvh else 0


class Trees:
    """The trees of bodies and of colliders, by their names in the `kernels.Surface`, which learns
    their numbers when they are built first; and who is a neighbor of whom. Whether `colliders_move`
    is given later.
    """

    def __init__(self, model, struct, x_found):
        self.model, self.struct, shape = model, struct, model.surface
        self.x_found = x_found
        edges, triangles = shape.body_edges, shape.body_triangles
        of_colliders = len(shape.edges) - edges, len(shape.triangles) - triangles
        ranges = {
            "edge_tree": (*OF_EDGES, 0, edges),
            "triangle_tree": (*OF_TRIANGLES, 0, triangles),
            "collider_edge_tree": (*OF_EDGES, edges, of_colliders[0]),
            "collider_triangle_tree": (*OF_TRIANGLES, triangles, of_colliders[1]),
        }
        self.of, self.renewed = {}, {}
        for name, which in ranges.items():
            self.of[name], self.renewed[f"renewed_{name}"] = self._trees(*which)
        self.of["body_tree"] = self._tree_of_bodies()
        self.is_built, self.colliders_move = False, True

    def _trees(self, bound, keep, first, count):
        """Of edges or triangles, which a kernel bounds, and of the renewed ones alone."""
        model, record = self.model, self.model.launches.record
        tree, renewed = (Tree(model.device, count) for _ in range(2))
        boxes = [tree.low, tree.high]
        inputs = [first, self.struct, model.contact_model.state, self.x_found]
        tree.bound = record(bound, count, inputs, boxes, BOUND)
        inputs = [first, self.struct, *boxes]
        renewed.bound = record(keep, count, inputs, [renewed.low, renewed.high], KEEP)
        return tree, renewed

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
        inputs = [struct, model.contact_model.state, self.x_found]
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

    def build(self):
        """Build the trees for the trust regions of now: what they find does not depend on how they
        are built, only how fast. Those of colliders that do not move stay as good as they were.
        """
        trees = self._of_what_moves() if self.is_built else self.of | self.renewed
        self._do(Tree.build, trees.values())
        for name, tree in trees.items():
            setattr(self.struct, name, tree.id)
        self.is_built = True

    def _of_what_moves(self):
        """All trees by their names, but for those of colliders where these keep still."""
        if self.colliders_move:
            return self.of
        return {name: tree for name, tree in self.of.items() if not name.startswith("collider")}

    def fit(self, who=WHOLE):
        """Fit all trees to the trust regions of now; those of what is renewed, too, unless that is
        the WHOLE surface. For SOME of it, within a step, those of colliders that keep still stay:
        their boxes grow with the load alone, from step to step.
        """
        if not self.is_built:
            self.build()
        trees = self._of_what_moves() if who == SOME else self.of
        if who != WHOLE:
            trees = trees | self.renewed
        self._do(Tree.fit, trees.values())
        self.find_neighbors()

    def _do(self, action, trees):
        """What is to be done with trees, side by side, when their boxes are known."""
        for tree in trees:
            tree.bound()
        actions = [(partial(action, tree), FIT * tree.count) for tree in trees]
        self.model.launches.side_by_side(actions)
