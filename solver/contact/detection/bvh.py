# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding volume hierarchies of edges, triangles and bodies, fitted to their trust regions.

The entries of a node are chosen once, by initial positions: neighbors on a body stay near. Those of
grains, which do not, are chosen again in every frame; that changes no result of a query.
"""

import numpy as np
import warp as wp

from ...device.launches import play
from ...kernels.contact.detection import boxes, broad_phase
from ...kernels.contact.detection import bvh as kernels
from ...kernels.contact.feasibility.trust_regions import SOME, WHOLE

# Rough cost of bounding the entries of a node, and of joining the nodes below one [ns].
BOUND, JOIN = 150.0, 150.0
WIDTH, LEVELS = kernels.WIDTH, kernels.LEVELS
OF_BODIES = kernels.EDGES, kernels.TRIANGLES
OF_COLLIDERS = kernels.COLLIDER_EDGES, kernels.COLLIDER_TRIANGLES
OF_EDGES = kernels.EDGES, kernels.COLLIDER_EDGES
OF_TRIANGLES = kernels.TRIANGLES, kernels.COLLIDER_TRIANGLES
MOVED = kernels.MOVED


def near_order(points, group):
    """Return an order of points [n, 3] in which `group` in a row, twice as many and so on are near
    each other, int [a multiple of group], -1 for nothing: halves of halves along their longest
    sides.
    """
    count, size = len(points), group
    while size < count:
        size *= 2
    order = np.full(size, -1)
    order[:count] = np.arange(count)
    x = np.full((size, 3), np.inf, dtype=np.float32)
    x[:count] = points
    while size > group:
        order, x = order.reshape(-1, size), x.reshape(-1, size, 3)
        extent = np.where(x < np.inf, x, -np.inf).max(axis=1) - x.min(axis=1)
        along = np.take_along_axis(x, extent.argmax(axis=1)[:, None, None], axis=2)[:, :, 0]
        half = np.argpartition(along, size // 2, axis=1)
        order = np.take_along_axis(order, half, axis=1)
        x = np.take_along_axis(x, half[:, :, None], axis=1)
        size //= 2
    order = order.ravel()
    return order[: -(-count // group) * group]


def order_of(points, body):
    """Return an order of entries at points [n, 3]: bodies in the `near_order` of their means, and
    the entries of each body in their own.
    """
    by_body = np.argsort(body, kind="stable")
    bodies = np.split(by_body, np.flatnonzero(np.diff(body[by_body])) + 1) if len(body) else []
    middles = np.array([points[mine].mean(axis=0) for mine in bodies]).reshape(-1, 3)
    orders = [np.zeros(0, dtype=int)]
    for mine in (bodies[number] for number in near_order(middles, 1)):
        order = near_order(points[mine], WIDTH)
        orders.append(np.where(order < 0, -1, mine[order]))
    return np.concatenate(orders)


def trees_of(orders, model):
    """Return the `kernels.TreeArrays` of entries in these orders, one per tree, and the nodes of
    each level of every tree, int [node, 3]: each with its first entry and 1 in trees of moved ones
    or, above level 0, with its first child and the end of their level.
    """
    nodes, starts, tops, node = [], [], [], 0
    padded = [np.pad(order, (0, -len(order) % WIDTH), constant_values=-1) for order in orders]
    first = np.cumsum([0, *map(len, padded)])[:-1]
    for tree, order in enumerate(padded):
        levels, begins, entry, width = [], [], first[tree], len(order)
        while width and (width > 1 or not levels):
            width = -(-width // WIDTH)
            k, last = np.arange(width), node if levels else tree // MOVED % 2
            levels.append(np.stack([node + k, entry + WIDTH * k, np.full(width, last)], axis=1))
            begins.append(node)
            node, entry = node + width, node
        starts.append(np.pad(begins, (0, LEVELS - len(levels))))
        nodes.append(levels)
        tops.append(len(levels) - 1)
    trees = kernels.TreeArrays()
    trees.nodes = wp.zeros(max(int(node), 1), dtype=kernels.EightBoxes, device=model.device)
    trees.level = model.upload(np.concatenate(starts), int)
    trees.top, trees.first = model.upload(tops, int), model.upload(first, int)
    trees.entry = model.upload(np.concatenate([*padded, [-1]]), int)
    return trees, nodes


class Trees:
    """Trees of bodies, of colliders, of the moved entries of both, and of whole bodies; and the
    neighbors of every body. `colliders_move` is set later.
    """

    def __init__(self, model, struct, x_search):
        self.model, self.struct, self.x_search = model, struct, x_search
        self.struct.trees, self.nodes = self._make_trees()
        self.grains = self._places_of_grains()
        moved = [tree + MOVED for tree in (*OF_BODIES, *OF_COLLIDERS)]
        at_rest, everything = [*OF_BODIES, *moved], [*OF_BODIES, *OF_COLLIDERS, *moved]
        self.fit_whole = self.fitting([*OF_BODIES, *OF_COLLIDERS])
        self.fit_but_colliders, self.fit_all = self.fitting(at_rest), self.fitting(everything)
        self.find_neighbors = self._finding_neighbors()
        self.is_fitted, self.colliders_move = False, True

    def sort_grains(self):
        """Choose the entries of all nodes of grains again, by their present positions."""
        if not len(self.grains):
            return
        x, entry = self.model.x.numpy(), self.struct.trees.entry.numpy().copy()
        vertex = self.model.surface.edges[:, 0]
        for place in self.grains:
            mine = entry[place]
            grains = np.sort(mine[mine >= 0])
            order = near_order(x[vertex[grains]], WIDTH)
            entry[place] = np.where(order < 0, -1, grains[order])
        self.struct.trees.entry.assign(entry)

    def _places_of_grains(self):
        """Return the places in `trees.entry` [place] of the grains of each body, in each tree."""
        surface, entry = self.model.surface, self.struct.trees.entry.numpy()
        is_grain = (entry >= surface.grain_start) & (entry < surface.body_edges)
        body = np.where(is_grain, surface.body[surface.edges[np.maximum(entry, 0), 0]], -1)
        first = self.struct.trees.first.numpy()
        found = []
        for tree in (kernels.EDGES, kernels.EDGES + MOVED):
            end = first[first > first[tree]].min(initial=len(entry) - 1)
            for number in np.unique(body[body >= 0]):
                place = np.flatnonzero(body == number)
                place = place[(place >= first[tree]) & (place < end)]
                # All places of the last node, too.
                found.append(np.arange(place[0], place[0] + -(-len(place) // WIDTH) * WIDTH))
        return found

    def _make_trees(self):
        """Return the unfitted `kernels.TreeArrays`, and the nodes of each level of every tree."""
        model, surface = self.model, self.model.surface
        x, orders = model.x.numpy(), {}
        both = (surface.edges, surface.body_edges), (surface.triangles, surface.body_triangles)
        for trees, (corners, of_bodies) in zip((OF_EDGES, OF_TRIANGLES), both, strict=True):
            middles, body = x[corners].mean(axis=1), surface.body[corners[:, 0]]
            for tree, mine in zip(trees, (slice(of_bodies), slice(of_bodies, None)), strict=True):
                order = order_of(middles[mine], body[mine])
                orders[tree] = np.where(order < 0, -1, order + (mine.start or 0))
        orders |= {tree + MOVED: order for tree, order in orders.items()}
        count = np.maximum(np.bincount(surface.body, minlength=self.struct.bodies), 1)
        middles = [np.bincount(surface.body, each, self.struct.bodies) / count for each in x.T]
        orders[kernels.WHOLE_BODIES] = near_order(np.column_stack(middles), WIDTH)
        return trees_of([orders[tree] for tree in sorted(orders)], model)

    def fitting(self, trees):
        """Return launches that fit some trees: first the boxes of all entries, then those of all
        nodes of each level.
        """
        known = [self.model.contact_model.state, self.x_search]
        both = (boxes.bound_edges, OF_EDGES), (boxes.bound_triangles, OF_TRIANGLES)
        return [
            *(
                self._over_boxes(
                    kernel, [t for t in trees if t % MOVED in mine], 0, known, self.struct, BOUND
                )
                for kernel, mine in both
            ),
            *self._joins(trees),
        ]

    def _joins(self, trees):
        """Return launches that fit the levels of trees above 0, from the lowest up."""
        kernel, arrays = kernels.join_nodes, self.struct.trees
        levels = max(len(self.nodes[tree]) for tree in trees)
        return [
            self._over_boxes(kernel, trees, level, [], arrays, JOIN) for level in range(1, levels)
        ]

    def _over_boxes(self, kernel, trees, level, inputs, arrays, cost):
        """Return the launch of a kernel over all boxes of a level of some trees. A thread of the
        CPU takes those of a node, one of a GPU a single one. `cost` [ns] is that of a node.
        """
        launches = self.model.launches
        nodes = [mine for tree in trees for mine in self.nodes[tree][level : level + 1]]
        rows = np.concatenate([np.zeros((0, 3), dtype=int), *nodes])
        each = 1 if launches.are_wide else WIDTH
        inputs = [each, self.model.upload(rows, wp.vec3i), *inputs]
        return launches.record(kernel, len(rows) * WIDTH // each, inputs, [arrays], cost)

    def _finding_neighbors(self):
        """Return launches that find the boxes of bodies and colliders, and which overlap."""
        model, struct, record = self.model, self.struct, self.model.launches.record
        bodies = struct.bodies
        number = wp.zeros(bodies, dtype=int, device=model.device)
        neighbor = wp.zeros(bodies * int(broad_phase.NEIGHBORS), dtype=int, device=model.device)
        reach = wp.zeros(bodies, dtype=float, device=model.device)
        struct.body_low, struct.body_high = (
            wp.zeros(bodies, dtype=wp.vec3, device=model.device) for _ in range(2)
        )
        struct.neighbors, struct.neighbor = number, neighbor
        both, count = [struct.body_low, struct.body_high], len(model.surface.vertices)
        inputs = [struct, model.contact_model.state, self.x_search]
        return [
            record(broad_phase.clear_boxes, bodies, [], [*both, reach]),
            record(broad_phase.gather_boxes, count, inputs, [*both, reach]),
            record(broad_phase.widen_boxes, bodies, [reach], both),
            *self.bounding_bodies(*both),
            record(broad_phase.find_neighbors, bodies, [struct], [number, neighbor]),
        ]

    def bounding_bodies(self, low, high):
        """Return launches that fit the tree of whole bodies to boxes from `low` to `high` [body, m]
        for the next queries; bodies behind the end of these arrays have none.
        """
        trees, kernel = [kernels.WHOLE_BODIES], broad_phase.bound_bodies
        bound = self._over_boxes(kernel, trees, 0, [low, high], self.struct, JOIN)
        return [bound, *self._joins(trees)]

    def fit(self, scope=WHOLE):
        """Fit all trees to the present trust regions; those of moved entries, too, unless that is
        the WHOLE surface. For SOME of it, within a step, trees of colliders at rest stay: their
        boxes grow with the load alone, from step to step.
        """
        are_at_rest = scope == SOME and self.is_fitted and not self.colliders_move
        if scope == WHOLE:
            play(self.fit_whole)
        else:
            play(self.fit_but_colliders if are_at_rest else self.fit_all)
        play(self.find_neighbors)
        self.is_fitted = True
