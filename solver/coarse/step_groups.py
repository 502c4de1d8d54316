# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and islands of a coarse step: one system of equations per group, one α per island.

The device finds both, by launches that are the same in every substep.
"""

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..device.scan import scan
from ..kernels.coarse import coarse_step, contact_terms, near_components
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import skyline as panels
from ..kernels.coarse import step_groups as kernels
from ..kernels.coarse.cholesky_cpu import SHIFT, SHIFT_AT_REST
from ..kernels.coarse.skyline import PANEL
from .aggregates import with_points
from .cholesky import Factors, Systems, TileFactors
from .ordering import make_clusters

# Components that may touch share a matrix of up to this many rows.
MOST_ROWS = 960
# Rough time to clear a place [ns].
CLEAR = 0.1


class Groups:
    """The aggregates of a scene on the device, and the matrices of their groups.

    `patches` are the aggregates; `component` and `of` [slot of `model.x`] are the component and the
    aggregate of each vertex. `systems` are A, Pᵀf and z of all groups, and `factors` solve for z.
    `components` know their islands, each with one step length.

    A matrix has places for blocks that elements and attachments join, and, while it is small, for
    the contacts at the time of its assembly.
    """

    def __init__(self, model, aggregates):
        self.model, self.aggregates = model, aggregates
        self.rows = 3 * aggregates.mode_count
        self.component_count = int(aggregates.component[-1]) + 1
        self.clusters = make_clusters(aggregates, model.assembly, MOST_ROWS)
        self.of, modes = with_points(aggregates, model)
        of_vertex = np.where(self.of >= 0, aggregates.component[self.of], -1)
        self.component = model.upload(of_vertex.astype(np.int32), int)
        self.patches = self._upload_patches(modes)
        self.systems = self._make_systems()
        self.factors = self._make_factors()
        self.components = coarse_step.ComponentSteps()
        for name in ("island", "next", "last", "collapsed", "ruined", "skipped"):
            setattr(self.components, name, self._zeros(self.component_count))
        self.components.step_length = self._zeros(self.component_count, float)
        # True where groups and islands have been found for good: for a single component, or without
        # contact, ...
        self.are_found = False
        # ... and where no contact widens the matrix either.
        self.is_known = False
        self._record()

    def _zeros(self, count, dtype=int):
        return wp.zeros(count, dtype=dtype, device=self.model.device)

    def _upload(self, values):
        return self.model.upload(values.astype(np.int32), int)

    def _upload_patches(self, modes):
        """The aggregates on the device; `modes` [slot of `model.x`, 4]."""
        patches, aggregates, upload = coarse.Patches(), self.aggregates, self.model.upload
        patches.of = self._upload(self.of)
        patches.modes = upload(modes, wp.vec4)
        patches.slope = upload(aggregates.slope, coarse.mat43)
        patches.mode_count = self._upload(aggregates.mode_count)
        patches.turn = upload(np.tile(np.eye(3), (len(aggregates), 1, 1)), wp.mat33)
        bodies, body = np.unique(aggregates.mesh_component, return_inverse=True)
        patches.body, patches.is_kept = self._upload(body), self._zeros(len(bodies))
        for name in ("row", "first", "start"):
            setattr(patches, name, self._zeros(len(aggregates)))
        return patches

    def _make_systems(self):
        """Arrays for the most matrices that there may be, with their vectors."""
        clusters, touches = self.clusters, self.model.contact is not None
        matrices, count = len(clusters.size), int(clusters.panels.sum())
        skyline = panels.Skyline()
        skyline.count, skyline.rows = self._zeros(1), self._zeros(matrices)
        skyline.first = self._zeros(matrices + 1)
        for name in ("matrix", "start", "width", "begin"):
            setattr(skyline, name, self._zeros(count))
        matrix = self._zeros(PANEL * clusters.capacity(touches), wp.float64)
        right, solution = (self._zeros(PANEL * count, wp.float64) for _ in range(2))
        sizes = matrices, clusters.most_panels(touches), clusters.most_below(touches)
        return Systems(skyline, matrix, right, solution, *sizes)

    def _make_factors(self):
        launches, systems = self.model.launches, self.systems
        if launches.are_wide:
            return TileFactors(launches, systems)
        shift = SHIFT_AT_REST if self.model.settings.quasistatic else SHIFT
        return Factors(launches, systems, shift)

    def _record(self):
        """Record the launches that form groups and islands and place the rows of aggregates."""
        systems, record = self.systems, self.model.launches.record
        patches, skyline, count = self.patches, systems.skyline, self.component_count
        self.near = self._zeros(count * -(-count // kernels.WORD))
        clusters = kernels.ClusterArrays()
        for name in ("component", "size", "of", "offset", "front"):
            setattr(clusters, name, self._upload(getattr(self.clusters, name)))
        clusters.group, clusters.row = (self._zeros(len(self.clusters.size)) for _ in range(2))
        size = np.bincount(self.aggregates.component, self.rows, minlength=count)
        joined, total, group = (self._zeros(count) for _ in range(3))
        small = [self.near, self._upload(size), MOST_ROWS]
        self.island_search = record(kernels.find_islands, 1, [self.near], [self.components])
        self.joining = [
            record(kernels.join_while_small, 1, small, [joined, total]),
            record(kernels.number_groups, 1, [joined], [group, clusters, skyline]),
        ]
        self.placing = [
            record(panels.begin_panels, systems.matrices, [], [skyline]),
            record(kernels.place_patches, len(self.aggregates), [clusters, skyline], [patches]),
        ]
        number = systems.all_panels
        self.panel_widening = [
            record(kernels.widen_panels, len(self.aggregates), [patches], [skyline]),
            record(panels.measure_panels, number, [], [skyline]),
        ]
        self.beginning = scan(self.model.launches, skyline.width, skyline.begin, inclusive=False)
        each = CLEAR * len(systems.matrix) / number
        self.clearing = systems.matrix.zero_
        if not self.model.launches.are_wide:
            self.clearing = record(panels.clear_panels, number, [skyline], [systems.matrix], each)
        self.last_search, self.is_due = self._zeros(1), self._zeros(1)
        known, counts = [self.last_search, self.is_due], self.model.lists.counts
        self.checking = record(near_components.check_for_search, 1, [counts], known)

    def record_pairs(self):
        """Record the launches over contact lists, again when these have grown."""
        model, lists, patches = self.model, self.model.lists, self.patches
        self.marking, self.contact_widening, record_serial = [], [], model.launches.record_serial
        if model.contact is None:
            return
        if self.component_count > 1:
            inputs = [lists.counts, lists.pairs, self.component, self.component_count]
            mark = near_components.mark_neighbors
            self.marking = [record_serial(mark, lists.capacity, inputs, [self.near])]
        law, skyline = model.contact_model.law, self.systems.skyline
        inputs = [lists.counts, model.x, lists.touches, lists.state, law, MOST_ROWS, skyline]
        widen = contact_terms.widen_patches
        self.contact_widening = [record_serial(widen, lists.capacity, inputs, [patches])]

    @property
    def fit_one_matrix(self):
        """True where all components together fit one matrix."""
        return self.rows.sum() <= MOST_ROWS

    def find_islands(self):
        """Find the islands of components that may touch, as of the last search.

        An island has one step length: otherwise one of its bodies could press the others together.
        """
        if not self.are_found:
            self.checking()
            self._search()

    def update_islands(self):
        """Find islands again after a search."""
        if self.marking:
            self.checking()
            when(self.is_due, self._search)

    def _search(self):
        self.near.zero_()
        play(self.marking)
        self.island_search()

    def regroup(self):
        """Form the groups that share a matrix, after `find_islands`, and clear the matrices.

        All of a small component shares one, and so do small components that may touch, up to
        `MOST_ROWS` together.
        """
        if not self.are_found:
            self.systems.skyline.matrix.fill_(-1)
            play(self.joining)
        if not self.is_known:
            play(self.placing)
            play(self.contact_widening)
            play(self.panel_widening)
            self.beginning()
        if not self.model.device.is_capturing:  # what is captured has not run
            self.is_known = self.model.contact is None
            self.are_found = self.is_known or self.component_count == 1
        self.clearing()
