# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleep: how long bodies have rested, and which of them sleep while others move.

No vertex of a body that sleeps moves, and what it touches treats it like a collider. It wakes
before the iterations of the substep in which anything may touch it that is awake or animated, so no
impact is lost.
"""

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.groups import sleep as kernels
from ..model.chunks import make_chunks
from ..topology.graphs import connected_components

# A body is at rest once no vertex has been farther than this fraction of its size from where it was
# so long ago [s]. So what goes on at a constant speed, creeping or turning, is at rest only if it
# would take TIME / DISTANCE = 2,500 s for its own size; and a pendulum of two seconds, which has
# swung back within TIME, only with an amplitude below 0.07 % of it.
DISTANCE, TIME = 2e-4, 0.5
# Nor is a body at rest that gravity can turn back within TIME: it falls by g TIME²/8 on either side
# of its highest place, which is this many times as far as a body at rest may move.
LESS_THAN_FALL = 10.0
# Rough cost of a vertex [ns].
VERTEX = 4.0


class Rest:
    """Counts the `steps` [chunk] in which no vertex of a chunk has left its `place` [vertex, m];
    a body is at rest after `enough` of them.
    """

    def __init__(self, model):
        vertices, self.model = model.assembly.vertices, model
        of = np.repeat(np.arange(len(vertices)), [len(mine) for mine in vertices])
        self.chunks = make_chunks(np.concatenate(vertices), of, len(vertices), model.device)
        owner, self.sizes = self.chunks.owner.numpy(), np.diff(self.chunks.start.numpy())
        self.distance = model.upload(self._distance(vertices)[owner], float)
        self.place = wp.clone(model.x)
        self.steps = wp.zeros(len(owner), dtype=int, device=model.device)
        self.enough = int(np.ceil(TIME / model.settings.step_time))
        self.driven = wp.zeros(len(vertices), dtype=int, device=model.device)
        record, count = model.launches.record, len(owner)
        inputs, outputs = [self.chunks, model.x, self.distance], [self.place, self.steps]
        self.count = record(kernels.count_rest, count, inputs, outputs, VERTEX * self.sizes)
        self.restart = record(kernels.restart, count, [self.chunks, self.driven], [self.steps])

    def _distance(self, vertices):
        """Return how far [body, m] bodies with these `vertices` may move while they are at rest."""
        points, gravity = self.model.assembly.points, np.linalg.norm(self.model.settings.gravity)
        distance = DISTANCE * np.array([np.ptp(points[mine], axis=0).max() for mine in vertices])
        if gravity > 0.0:
            distance = np.minimum(distance, gravity * TIME**2 / (8.0 * LESS_THAN_FALL))
        return distance

    def wake(self, driven):
        """Count from 0 for the bodies of a mask [body]."""
        self.driven.assign(driven.astype(np.int32))
        self.restart()


class SleepingBodies:
    """Bodies that sleep while others move, in `model.asleep`; only with contact pairs."""

    def __init__(self, model, rest):
        self.model, self.rest = model, rest
        count, device = len(model.assembly.vertices), model.device
        self.sleepers = kernels.Sleepers()
        self.sleepers.attached = model.upload(self._attached(count), int)
        self.sleepers.may_sleep = model.upload(self._may_sleep(count), int)
        self.sleepers.parent, self.sleepers.wakes = (
            wp.zeros(count, dtype=int, device=device) for _ in range(2)
        )
        self.changes = wp.zeros(1, dtype=int, device=device)
        self.revision = None
        self._record()

    def _attached(self, count):
        """Return the first body of those that are attached to each, directly or by others."""
        joints = self.model.surface.body[self.model.assembly.attachments.joints()]
        group = connected_components(joints, count)
        return np.unique(group, return_index=True)[1][group]

    def _may_sleep(self, count):
        """Return 1 for bodies of which nothing but positions would go on: no multipliers, which
        converge with the sweeps, nor plastic flow [body].
        """
        model, may_sleep = self.model, np.ones(count, dtype=np.int32)
        goes_on = model.augmented.copy()
        for name in model.plastic:
            goes_on[model.assembly.elements[name].corners] = True
        may_sleep[model.surface.body[np.flatnonzero(goes_on)]] = 0
        return may_sleep

    def _record(self):
        model, rest, record = self.model, self.rest, self.model.launches.record
        self.revision, lists, surface = model.lists.revision, model.lists, model.contact.struct
        state, count = model.contact_model.state, len(model.assembly.vertices)
        inputs = [rest.chunks, rest.steps, rest.enough, model.asleep]
        self.begin = record(kernels.begin, count, inputs, [self.sleepers, self.changes])
        inputs = [lists.counts, lists.all.pairs, surface, model.x_start, model.inertial]
        join = model.launches.record_serial(
            kernels.join_near, lists.capacity, inputs, [self.sleepers]
        )
        vertices = len(model.surface.body)
        self.launches = [
            join,
            record(kernels.wake_neighbors, count, [], [self.sleepers]),
            record(kernels.mark, count, [self.sleepers], [model.asleep]),
            record(kernels.mark_vertices, vertices, [surface.body, model.asleep], [state.asleep]),
        ]
        inputs = [model.x_start, state.asleep]
        self.hold = record(kernels.hold, model.free_count, inputs, [model.contact.candidate])

    def decide(self):
        """Find the bodies that sleep, after a search."""
        if self.revision != self.model.lists.revision:
            self._record()
        self.changes.zero_()
        self.begin()
        when(self.changes, lambda: play(self.launches))
