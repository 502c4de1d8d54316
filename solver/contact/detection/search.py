# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for contact pairs: queries, and the lists of their results.

Everything is a launch: only the device knows how many results there are. Results beyond the
capacity are left out, and `ContactLists.needed` reports them.
"""

from functools import partial

import numpy as np
import warp as wp

from ...device.conditions import when
from ...device.launches import play
from ...device.memory import zeros_with_reserve
from ...device.scan import scan
from ...kernels.contact import friction_anchors, pairs
from ...kernels.contact.detection import pair_counts as counting
from ...kernels.contact.detection import pair_lists, search
from ...kernels.contact.detection.kinematic_pairs import exclude_at_edges, exclude_at_vertices
from ...kernels.contact.feasibility.trust_regions import NEXT, SOME, WHOLE
from ...messages import message
from ...model.contact_lists import refuse_outside, with_reserve
from ..friction_choice import choosing

# Initial capacity: triangles per vertex, and edges per edge.
TRIANGLE_SLOTS = 48
EDGE_SLOTS = 48
# Rough cost of a query, of a pair that is listed and made, and of an entry to be sorted [ns].
QUERY, LISTED, PAIR, ENTRY = 400.0, 10.0, 100.0, 2.0
# Widest distance at which entries are sorted, of the series 1, 4, 13, 40: one thread of the CPU
# places them nearly in order, those of a GPU in any.
ORDERED, MIXED = 1, 40


class Search:
    """Finds and lists the pairs that may touch before the next search. Trust regions begin at
    `x_search` [vertex].
    """

    state_name = "contact_search"

    def __init__(self, model, struct, x_search):
        self.model, self.struct, self.x_search = model, struct, x_search
        self.queries = len(struct.vertices), struct.body_edges
        self.slots = [TRIANGLE_SLOTS, EDGE_SLOTS]
        self.count, self.end = (
            [wp.zeros(max(number, 1), dtype=int, device=model.device) for number in self.queries]
            for _ in range(2)
        )
        self.exclusions = list(self._excluding())
        self.is_first_search = wp.ones(1, dtype=int, device=model.device)
        self.next = wp.zeros_like(model.lists.all.start)
        self.previous = pairs.PreviousLists()
        self.previous.end_of_vertices, self.previous.end_of_edges = map(wp.zeros_like, self.end)
        self.previous.counts = wp.zeros_like(model.lists.counts)
        self._make_slots()
        self._record()

    def _excluding(self):
        """Yield launches that find pins at other kinematic surfaces."""
        model, surface = self.model, self.model.surface
        is_pin = np.zeros(len(surface.body), dtype=bool)
        is_pin[model.free_count : surface.collider_start] = True
        pins = surface.vertices[is_pin[surface.vertices]]
        both = np.flatnonzero(is_pin[surface.edges].all(axis=1))
        for kernel, pinned, cost in (
            (exclude_at_vertices, pins, QUERY),
            (exclude_at_edges, both, 0.0),
        ):
            inputs = [model.upload(pinned, int), model.contact_model.state, self.x_search]
            yield model.launches.record(kernel, len(pinned), inputs, [self.struct], cost)

    def _make_slots(self):
        """Make arrays for the results of the queries."""
        self.found = [
            zeros_with_reserve(max(number, 1) * slots, int, self.model.device)
            for number, slots in zip(self.queries, self.slots, strict=True)
        ]

    def ensure_capacity(self, needed):
        """Grow slots where so many of both kinds were `needed`; return if there were enough."""
        previous = self.slots
        if any(with_reserve(*both) != both[0] for both in zip(previous, needed, strict=True)):
            # Both, because everything is recorded again.
            self.slots = [
                max(slots, with_reserve(0, n)) for slots, n in zip(previous, needed, strict=True)
            ]
            self._make_slots()
            self.model.lists.revision += 1
        return all(number <= slots for number, slots in zip(needed, previous, strict=True))

    def _record(self):
        """Record all launches with the present arrays."""
        launches, lists = self.model.launches, self.model.lists
        self.revision = lists.revision
        self.remember = self._remembering()
        self.finds = list(self._finding())
        self.ends = [scan(launches, *both) for both in zip(self.count, self.end, strict=True)]
        self.fills = {scope: list(self._filling(scope)) for scope in (SOME, NEXT)}
        self.fills[WHOLE] = self.fills[NEXT]
        self.count_entries, *self.sorts = self._sorting()
        self.start_entries = scan(launches, self.next, lists.all.start)
        self.update_pairs = partial(play, self._making(NEXT))

    def _making(self, scope):
        """Return the launches that bring listed pairs up to date."""
        model, lists = self.model, self.model.lists
        inputs = [self.struct, model.contact_model.state, model.x, lists.counts, int(scope == SOME)]
        extent, kernel = (lists.capacity, lists.expected), pair_lists.make_pairs
        outputs = [lists.pairs, lists.uncertain]
        make = model.launches.record_list(kernel, *extent, inputs, outputs, PAIR)
        return [make, *choosing(model)]

    def _remembering(self):
        """Return the launch that notes known pairs and their friction anchors."""
        lists = self.model.lists
        self.previous.anchors = lists.anchors
        extent, inputs = (lists.capacity, lists.expected), [lists.pairs, lists.pulled, lists.counts]
        kernel, cost = friction_anchors.remember_pairs, ENTRY
        return self.model.launches.record_list(kernel, *extent, inputs, [lists.anchors], cost)

    @property
    def saved(self):
        """Ends of the pairs of every query."""
        ends = {"end_of_vertices": self.end[0], "end_of_edges": self.end[1]}
        return {**ends, "forgets": self.is_first_search}

    def on_restored(self):
        """Refuse ends outside of the lists, and pairs of missing triangles and edges."""
        of_both = self.model.lists.counts.numpy()[:2].tolist()
        for end, count in zip(self.end, of_both, strict=True):
            ends = end.numpy()
            if ends[0] < 0 or (np.diff(ends) < 0).any() or ends[-1] != count:
                raise ValueError(message("cache.contact_lists"))
        others = np.split(self.model.lists.pairs.numpy()["other"][: sum(of_both)], of_both[:1])
        for name, numbers in zip(("triangles", "edges"), others, strict=True):
            refuse_outside(f"numbers of {name}", numbers, len(getattr(self.model.surface, name)))

    def _finding(self):
        """Yield launches that query every vertex and edge."""
        model, lists, launches = self.model, self.model.lists, self.model.launches
        needed, continues = lists.needed, model.frame_continues
        scene = [self.struct, model.contact_model.state, self.x_search]
        kernels = search.find_triangles, search.find_edges
        which = counting.TRIANGLE_SLOTS, counting.EDGE_SLOTS
        for k, (kernel, slot) in enumerate(zip(kernels, which, strict=True)):
            queries, count, slots = self.queries[k], self.count[k], self.slots[k]
            inputs, outputs = [*scene, slots, self.previous], [count, self.found[k]]
            yield launches.record(kernel, queries, inputs, outputs, QUERY)
            limit, outputs = counting.limit_slots, [count, needed, continues]
            yield launches.record_list(limit, queries, queries, [slots, int(slot)], outputs)

    def _filling(self, scope):
        """Yield launches that list the results as pairs, and separating ones behind them."""
        model, lists, record = self.model, self.model.lists, self.model.launches.record
        inputs = [*self.end, lists.separating, lists.capacity]
        outputs = [lists.counts, lists.needed, model.frame_continues]
        yield record(counting.count_pairs, 1, inputs, outputs)
        (vertices, edges), (triangle_slots, edge_slots) = self.queries, self.slots
        outputs = [lists.pairs, lists.pulled]
        inputs = [self.struct, triangle_slots, self.end[0], self.found[0], self.previous]
        each = LISTED * lists.expected / max(vertices + edges, 1)
        yield record(pair_lists.list_vertex_triangle, vertices, inputs, outputs, each)
        inputs = [self.struct, edge_slots, lists.counts, self.end[1], self.found[1], self.previous]
        yield record(pair_lists.list_edge_edge, edges, inputs, outputs, each)
        yield from self._making(scope)
        inputs, outputs = [lists.rows, lists.counts], [lists.pairs, lists.touches, lists.state]
        record_list, capacity = model.launches.record_list, len(lists.rows)
        yield record_list(pair_lists.fill_separating, capacity, 0, inputs, outputs)

    def _sorting(self):
        """Yield launches that list the pairs of every vertex, in the order of pairs."""
        model, lists, record_list = self.model, self.model.lists, self.model.launches.record_list
        extent = lists.capacity, lists.expected
        inputs, of_all = [lists.pairs, lists.counts], lists.all
        yield record_list(pair_lists.count_entries, *extent, inputs, [self.next])
        yield record_list(pair_lists.place_entries, *extent, inputs, [self.next, of_all.entry])
        each = ENTRY * (1 + 4 * lists.expected / lists.vertex_count)
        sort, count = pair_lists.sort_entries, lists.vertex_count
        order = [of_all.start, MIXED if model.launches.are_wide else ORDERED]
        yield model.launches.record(sort, count, order, [of_all.entry], each)
        if len(model.surface.points):
            inputs = [*inputs, model.contact_model.embedding]
            yield record_list(pair_lists.mark_listed, *extent, inputs, [of_all.listed])

    def _update_launches(self):
        """Record launches again if lists have been replaced."""
        if self.revision != self.model.lists.revision:
            self._record()

    def _reset_exclusions(self):
        """Find exclusions of pins again, in the first search of a frame."""
        self.struct.excluded.zero_()
        self.is_first_search.zero_()

    def update(self):
        """Bring the known pairs up to date where nothing needs a search."""
        self._update_launches()
        self.update_pairs()

    def run(self, scope=WHOLE):
        """Search the present trees for pairs of the vertices that `scope` gives new trust regions;
        rows of `Touch` that separate are pairs, too. Unless that is the WHOLE surface, the previous
        results of the others are known.
        """
        lists = self.model.lists
        self._update_launches()
        self.remember()
        wp.copy(self.previous.end_of_vertices, self.end[0])
        wp.copy(self.previous.end_of_edges, self.end[1])
        wp.copy(self.previous.counts, lists.counts)
        if scope == WHOLE:
            self.struct.moved.fill_(1)
        when(self.is_first_search, self._reset_exclusions)
        play(self.exclusions)
        play(self.finds)
        play(self.ends)
        play(self.fills[scope])
        self.next.zero_()
        self.count_entries()
        self.start_entries()
        wp.copy(self.next, lists.all.start)
        if len(self.model.surface.points):
            lists.all.listed.zero_()
        play(self.sorts)
