# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs of a scene on the device: searched for, kept, and given to the vertices.

Lists begin small and grow: a search that finds more than fits is done again with more room.
"""

import numpy as np
import warp as wp

from ..device.threads import launches, recorded
from ..kernels import embedding
from ..kernels.contact import embedded_truncation, pair_lists, pairs, refresh, search, truncation
from ..kernels.contact import law as contact
from .bvh import Tree
from .tangles import Tangles

# Places for triangles per vertex and for edges per edge, at first.
TRIANGLE_SLOTS = 8
EDGE_SLOTS = 8
# A list that is too short grows to this many times what is needed.
GROWTH = 1.5
# A vertex may move this part of the contact offset more than it is expected to between searches...
SLACK = 0.25
# ... this many times as much after every search that gave it too little, until the next step, ...
MORE_SLACK = 4.0
# ... and never more than this part of the spacing of its mesh.
LONGEST_CAP = 0.5
# More vertices than this part are many: when their caps hold them back, a search is due at once.
MANY = 0.01
# Rough cost of a query, of looking at a pair, at its entry in a list, and of a move [ns].
QUERY, LOOK, ENTRY, MOVE = 400.0, 20.0, 2.0, 30.0


class Pairs:
    """The contact pairs of a model.

    `count` is how many there are, `searches` how often they were sought since `begin_frame`,
    `revision` rises when lists have grown.
    """

    def __init__(self, model, followers, names, settings, workers):
        self.model, self.settings, self.workers = model, settings, workers
        self.followers = followers
        self.device = model.device
        shape = self.shape = model.surface
        self.struct = self._upload(shape)
        self.trees = {
            "edge_tree": Tree(search.bound_edges, 0, shape.body_edges, self.device),
            "triangle_tree": Tree(search.bound_triangles, 0, shape.body_triangles, self.device),
            "collider_edge_tree": Tree(
                search.bound_edges,
                shape.body_edges,
                len(shape.edges) - shape.body_edges,
                self.device,
            ),
            "collider_triangle_tree": Tree(
                search.bound_triangles,
                shape.body_triangles,
                len(shape.triangles) - shape.body_triangles,
                self.device,
            ),
        }
        vertices = len(shape.body)
        self.vertex_count = vertices
        self.point_count = len(shape.points)
        self.x_seen = wp.clone(model.x)  # when gaps were measured
        self.x_found = wp.clone(model.x)
        self.candidate = wp.clone(model.x)
        self.part = wp.zeros(vertices, dtype=float, device=self.device)
        self.cut = wp.zeros(vertices, dtype=int, device=self.device)
        self.slack = wp.zeros(vertices, dtype=float, device=self.device)
        self.stuck = wp.zeros(3, dtype=int, device=self.device)
        self.travelled = wp.zeros(1, dtype=int, device=self.device)
        longest = np.maximum(LONGEST_CAP * shape.spacing, 2.0 * SLACK * shape.radius)
        longest[shape.spacing == 0.0] = np.inf  # no surface
        self.longest_cap = model.upload(longest, float)
        self.triangle_count = wp.zeros(len(shape.vertices), dtype=int, device=self.device)
        self.edge_count = wp.zeros(max(shape.body_edges, 1), dtype=int, device=self.device)
        self.triangle_end = wp.zeros_like(self.triangle_count)
        self.edge_end = wp.zeros_like(self.edge_count)
        self.start = wp.zeros(vertices + 1, dtype=int, device=self.device)
        self.near_end = wp.zeros(vertices, dtype=int, device=self.device)
        self.least_gap = wp.zeros(vertices, dtype=float, device=self.device)
        self.alert = wp.zeros(vertices, dtype=int, device=self.device)
        self.alarm = wp.zeros(1, dtype=int, device=self.device)
        self.changed = wp.zeros(vertices, dtype=int, device=self.device)
        self.slots = {"triangle": TRIANGLE_SLOTS, "edge": EDGE_SLOTS}
        self.count, self.capacity, self.searches = 0, 0, 0
        self.revision = 0
        self.of_vertices, self.of_edges = 0, 0
        self.fresh = True
        self._grow_slots()
        self._grow_pairs(1)
        self.tangles = Tangles(model, self, names, settings)

    def _upload(self, shape):
        upload = self.model.upload
        struct = pairs.Surface()
        struct.vertices = upload(shape.vertices, int)
        struct.edges = upload(shape.edges, wp.vec2i)
        struct.triangles = upload(shape.triangles, wp.vec3i)
        struct.body_edges = shape.body_edges
        struct.body_triangles = shape.body_triangles
        struct.collider_start = shape.collider_start
        struct.point_start = shape.point_start
        struct.rod_start = shape.rod_start
        struct.bodies = len(shape.may_touch)
        struct.may_touch = upload(shape.may_touch.ravel().astype(np.int32), int)
        struct.closed = upload(shape.closed.astype(np.int32), int)
        struct.joint = upload(shape.joint, int)
        struct.body = upload(shape.body, int)
        struct.radius = upload(shape.radius, float)
        struct.cap = upload(np.zeros(len(shape.body)), float)
        struct.friction = upload(shape.friction, float)
        struct.stiffness = self.model.bounds.stiffness  # follows the load there, too
        struct.lift = self.model.bounds.lift
        struct.rest = upload(shape.rest, wp.vec3)
        struct.inside = upload(np.zeros(len(shape.body)), int)
        struct.tangled = upload(np.zeros(len(shape.body)), int)
        return struct

    def _grow_slots(self):
        """Room for what a query finds."""
        self.found_triangles = wp.zeros(
            len(self.shape.vertices) * self.slots["triangle"], dtype=int, device=self.device
        )
        self.found_edges = wp.zeros(
            max(self.shape.body_edges, 1) * self.slots["edge"], dtype=int, device=self.device
        )

    def _grow_pairs(self, count):
        """Room for at least `count` pairs; what is recorded with the old lists is forgotten."""
        self.settling = {}
        self.revision += 1
        self.capacity = int(GROWTH * count) + 1
        self.pairs = wp.zeros(self.capacity, dtype=pairs.Pair, device=self.device)
        self.touches = wp.zeros(self.capacity, dtype=pairs.Touch, device=self.device)
        # Sorting needs twice the room.
        self.vertex = wp.zeros(8 * self.capacity, dtype=int, device=self.device)
        self.entry = wp.zeros(8 * self.capacity, dtype=int, device=self.device)
        self.state = wp.zeros(self.capacity, dtype=pairs.PairState, device=self.device)
        # Entries are looked up some places ahead.
        places = 4 * self.capacity + contact.AHEAD
        self.near_entry = wp.zeros(places, dtype=int, device=self.device)
        contacts = self.model.objective.contacts
        contacts.touches, contacts.entry = self.touches, self.near_entry
        contacts.start, contacts.end = self.start, self.near_end
        contacts.closing = wp.zeros(4 * self.capacity, dtype=wp.vec4, device=self.device)
        self.energy = wp.zeros(self.capacity, dtype=float, device=self.device)
        self.depth = wp.zeros(self.capacity, dtype=float, device=self.device)

    def _run(self, kernel, count, inputs, outputs, cost, first=0):
        """Launch over `count` threads, shared between workers where that pays."""
        launches(self.workers, self.device, kernel, count, inputs, outputs, cost, first)

    def begin_frame(self):
        """Count anew; build the trees anew at the next search."""
        self.fresh = True
        self.searches = 0
        self.untangled = False

    def begin_step(self):
        """Look for tangles at the start of a frame, and as long as there are any."""
        self.slack.fill_(np.inf if self.settings.quasistatic else SLACK)
        self.cut.zero_()
        self.stuck.zero_()
        if not self.untangled:
            self._fit_trees()
            self.untangled = not self.tangles.look() and self.settings.truncation

    def search(self, growth=MORE_SLACK):
        """Find all pairs that may touch before the next search; True when lists have grown.

        What caps have cut short since the last one gets more slack, by the factor `growth`.
        """
        self.searches += 1
        capacity = self.capacity
        model, struct = self.model, self.struct
        wp.launch(
            truncation.set_caps,
            dim=self.vertex_count,
            inputs=[model.x, model.inertial, struct.radius, self.longest_cap, self.cut, growth],
            outputs=[self.slack, struct.cap, self.x_found],
            device=self.device,
        )
        if self.point_count:
            wp.launch(
                embedding.set_point_caps,
                dim=self.point_count,
                inputs=[model.objective.embedding],
                outputs=[struct.cap],
                device=self.device,
            )
        self._fit_trees()
        self._find()
        self._fill()
        self._sort()
        self.stuck.zero_()
        self.travelled.zero_()
        self.alert.fill_(1)
        self.alarm.fill_(1)
        return self.capacity != capacity

    def _fit_trees(self):
        for name, tree in self.trees.items():
            tree.fit(self.struct, self.model.x, self.fresh)
            setattr(self.struct, name, tree.id)
        self.fresh = False

    def _find(self):
        """Query every vertex and edge; again with more slots while one has found too many."""
        while True:
            self._run(
                search.find_triangles,
                len(self.shape.vertices),
                [self.struct, self.model.x, self.slots["triangle"]],
                [self.triangle_count, self.found_triangles],
                QUERY,
            )
            self._run(
                search.find_edges,
                self.shape.body_edges,
                [self.struct, self.model.x, self.slots["edge"]],
                [self.edge_count, self.found_edges],
                QUERY,
            )
            most = {
                "triangle": int(self.triangle_count.numpy().max()),
                "edge": int(self.edge_count.numpy().max()),
            }
            if all(most[kind] <= self.slots[kind] for kind in most):
                return
            for kind, number in most.items():
                self.slots[kind] = max(self.slots[kind], int(GROWTH * number))
            self._grow_slots()

    def _fill(self):
        """Pairs of what was found."""
        wp.utils.array_scan(self.triangle_count, self.triangle_end)
        wp.utils.array_scan(self.edge_count, self.edge_end)
        self.of_vertices = int(self.triangle_end[-1:].numpy()[0])
        self.of_edges = int(self.edge_end[-1:].numpy()[0])
        leading = self.tangles.out
        found = self.of_vertices + self.of_edges
        self.count = found + len(leading)
        if self.count > self.capacity:
            self._grow_pairs(self.count)
        self._run(
            pair_lists.fill_vertex_triangle,
            len(self.shape.vertices),
            [
                self.struct,
                self.model.x,
                self.slots["triangle"],
                self.triangle_end,
                self.found_triangles,
            ],
            [self.pairs],
            LOOK,
        )
        self._run(
            pair_lists.fill_edge_edge,
            self.shape.body_edges,
            [
                self.struct,
                self.model.x,
                self.slots["edge"],
                self.of_vertices,
                self.edge_end,
                self.found_edges,
            ],
            [self.pairs],
            LOOK,
        )
        if len(leading):
            rows = wp.array(leading, dtype=pairs.Touch, device=self.device)
            wp.copy(self.touches, rows, found, 0, len(leading))
            wp.launch(
                pair_lists.fill_leading,
                dim=len(leading),
                inputs=[found, self.touches],
                outputs=[self.pairs, self.state],
                device=self.device,
            )

    def _sort(self):
        """List the pairs of every vertex, in the order of pairs."""
        entries = 4 * self.count
        if entries:
            self._run(
                pair_lists.list_corners, entries, [self.pairs], [self.vertex, self.entry], 2.0
            )
            bits = max(int(self.vertex_count - 1).bit_length(), 1)
            wp.utils.radix_sort_pairs(self.vertex, self.entry, entries, 0, bits)
        wp.launch(
            pair_lists.find_starts,
            dim=self.vertex_count + 1,
            inputs=[entries, self.vertex],
            outputs=[self.start],
            device=self.device,
        )

    def refresh(self):
        """Closest points of all pairs as they are now, and who may feel them."""
        for kernel, first, count in (
            (refresh.refresh_vertex_triangle, 0, self.of_vertices),
            (refresh.refresh_edge_edge, self.of_vertices, self.of_edges),
        ):
            inputs = [self.model.x, self.model.x_start, self.pairs, self.alarm]
            outputs = [self.touches, self.state, self.changed]
            self._run(kernel, count, inputs, outputs, LOOK, first)
        self._run(
            refresh.gather_near,
            self.vertex_count,
            [self.model.x, self.start, self.entry, self.state, self.alarm],
            [
                self.changed,
                self.near_entry,
                self.near_end,
                self.least_gap,
                self.x_seen,
                self.alert,
            ],
            ENTRY * (1 + 4 * self.count / self.vertex_count),
        )
        self.alarm.zero_()

    def make_way(self):
        """Let what is free give way to what is led towards it, in the candidates."""
        free = self.model.free_count
        self._run(
            truncation.make_way,
            free,
            [free, self.model.led_end, self.model.x, self.start, self.entry, self.pairs],
            [self.candidate],
            4 * MOVE,
        )

    def settle(self, first, last):
        """Move the vertices from `first` to `last` to their candidates, as far as they may."""
        if last <= first:
            return
        if not self.settings.truncation:
            wp.copy(self.model.x, self.candidate, first, first, last - first)
            self.alarm.fill_(1)
        else:
            if (first, last) not in self.settling:
                self.settling[first, last] = list(self._settling(first, last))
            for parts in self.settling[first, last]:
                self.workers.run(parts)
        self.followers.follow(first, last)

    def _settling(self, first, last):
        """The recorded launches of `settle`, a list for each of its kernels."""
        x, candidate, lists = self.model.x, self.candidate, [self.start, self.entry, self.pairs]
        caps = [self.x_found, self.struct.cap]
        if self.point_count:
            place = [self.model.objective.embedding, first, last, x, candidate]
            yield_to_plane = (
                (
                    embedded_truncation.alert_partners,
                    [*place, self.x_seen, self.least_gap, *lists],
                    [self.alert, self.alarm],
                    8 * MOVE,
                ),
                (
                    embedded_truncation.truncate,
                    [*place, *caps, *lists, self.alert],
                    [self.part, self.cut],
                    16 * MOVE,
                ),
            )
        else:
            yield_to_plane = (
                (
                    truncation.alert_partners,
                    [candidate, self.x_seen, self.least_gap, *lists],
                    [self.alert, self.alarm],
                    MOVE,
                ),
                (
                    truncation.truncate,
                    [first, last, x, candidate, *caps, *lists, self.alert],
                    [self.part, self.cut],
                    4 * MOVE,
                ),
            )
        for kernel, inputs, outputs, cost in (
            *yield_to_plane,
            (
                truncation.commit,
                [self.part, candidate, self.cut, self.struct.radius, SLACK],
                [x, self.stuck, self.travelled],
                MOVE,
            ),
        ):
            count = last - first
            yield recorded(self.workers, self.device, kernel, count, inputs, outputs, cost, first)

    @property
    def is_stuck(self):
        """Whether a step was cut short since the last search."""
        return not self.settings.truncation or bool(self.stuck.numpy().any())

    @property
    def is_capped(self):
        """Whether caps alone have cut short the steps of many vertices, as of their last steps."""
        if not self.stuck.numpy()[truncation.BY_CAP]:
            return False
        capped = (self.cut.numpy() == truncation.BY_CAP).sum()
        return bool(capped > MANY * len(self.shape.vertices))

    @property
    def has_travelled(self):
        """Whether a vertex has used up its slack since the last search."""
        return bool(self.travelled.numpy()[0])

    def measure(self):
        """(energy [J], touching pairs, deepest penetration of the contact distance [m]) of now."""
        if not self.count:
            return 0.0, 0, 0.0
        wp.launch(
            contact.measure_pairs,
            dim=self.count,
            inputs=[self.model.x, self.pairs, self.touches, self.state],
            outputs=[self.energy, self.depth],
            device=self.device,
        )
        depth = self.depth.numpy()[: self.count]
        energy = self.energy.numpy()[: self.count]
        return float(energy.sum(dtype=float)), int((energy > 0.0).sum()), float(depth.max())

    def truncated_count(self):
        """Vertices whose last step a pair has cut short."""
        return int((self.cut.numpy() == truncation.BY_PAIR).sum())
