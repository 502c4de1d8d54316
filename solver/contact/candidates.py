# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for contact pairs: queries, and the lists of what they find.

Lists begin small and grow: a search that finds more than fits is done again with more room.
"""

import warp as wp

from ..kernels.contact import pair_lists, pairs, search
from ..model.contact_lists import GROWTH
from .refresh import LOOK

# Room for triangles per vertex and for edges per edge, at first.
TRIANGLE_SLOTS = 8
EDGE_SLOTS = 8
# Rough cost of a query, and of a corner of a pair [ns].
QUERY, CORNER = 400.0, 2.0


class Search:
    """Finds the pairs that may touch before the next search, and lists them."""

    def __init__(self, model, struct):
        self.model, self.struct = model, struct
        self.queries = len(struct.vertices), struct.body_edges
        model.launches.expect(search.find_edges, pair_lists.find_starts)
        self.slots = [TRIANGLE_SLOTS, EDGE_SLOTS]
        self.count, self.end = (
            [wp.zeros(max(number, 1), dtype=int, device=model.device) for number in self.queries]
            for _ in range(2)
        )
        self._make_room()

    def _make_room(self):
        """Room for what the queries find."""
        self.found = [
            wp.zeros(max(number, 1) * slots, dtype=int, device=self.model.device)
            for number, slots in zip(self.queries, self.slots, strict=True)
        ]

    def run(self, separating):
        """Search in the trees of now; `separating` rows of `Touch` are pairs, too."""
        lists = self.model.lists
        lists.searches += 1
        self._find()
        for count, end in zip(self.count, self.end, strict=True):
            wp.utils.array_scan(count, end)
        lists.of_vertices, lists.of_edges = (int(end[-1:].numpy()[0]) for end in self.end)
        lists.count = lists.of_vertices + lists.of_edges + len(separating)
        lists.make_room(lists.count)
        self._fill(lists, separating)
        self._sort(lists)

    def _find(self):
        """Query every vertex and edge; again with more slots while one has found too many."""
        launches, state = self.model.launches, self.model.contact_model.state
        kernels = search.find_triangles, search.find_edges
        while True:
            for k, kernel in enumerate(kernels):
                inputs = [self.struct, state, self.model.x, self.slots[k]]
                outputs = [self.count[k], self.found[k]]
                launches.run(kernel, self.queries[k], inputs, outputs, QUERY)
            most = [int(count.numpy().max()) for count in self.count]
            if all(number <= slots for number, slots in zip(most, self.slots, strict=True)):
                return
            self.slots = [
                max(slots, int(GROWTH * number))
                for number, slots in zip(most, self.slots, strict=True)
            ]
            self._make_room()

    def _fill(self, lists, separating):
        """Pairs of what was found, and those that separate behind them."""
        run, model = self.model.launches.run, self.model
        scene = [self.struct, model.contact_model.state, model.x]
        (triangle_slots, edge_slots), (vertices, edges) = self.slots, self.queries
        inputs = [*scene, triangle_slots, self.end[0], self.found[0]]
        run(pair_lists.fill_vertex_triangle, vertices, inputs, [lists.pairs], LOOK)
        inputs = [*scene, edge_slots, lists.of_vertices, self.end[1], self.found[1]]
        run(pair_lists.fill_edge_edge, edges, inputs, [lists.pairs], LOOK)
        if len(separating):
            first = lists.of_vertices + lists.of_edges
            rows = wp.array(separating, dtype=pairs.Touch, device=model.device)
            wp.copy(lists.touches, rows, first, 0, len(separating))
            outputs = [lists.pairs, lists.state]
            kernel, number = pair_lists.fill_separating, len(separating)
            run(kernel, number, [lists.touches], outputs, first=first)

    def _sort(self, lists):
        """List the pairs of every vertex, in the order of pairs."""
        run, entries = self.model.launches.run, 4 * lists.count
        vertex, entry = lists.vertex, lists.all.entry
        if entries:
            run(pair_lists.list_corners, entries, [lists.pairs], [vertex, entry], CORNER)
            bits = max(int(lists.vertex_count - 1).bit_length(), 1)
            wp.utils.radix_sort_pairs(vertex, entry, entries, 0, bits)
        outputs = [lists.all.start]
        run(pair_lists.find_starts, lists.vertex_count + 1, [entries, vertex], outputs)
        if len(self.model.surface.points):
            lists.all.listed.zero_()
            inputs = [lists.pairs, self.model.contact_model.embedding]
            run(pair_lists.mark_listed, lists.count, inputs, [lists.all.listed])
