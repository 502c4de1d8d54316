# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard impacts of rigid bodies: their momentum passes on by impulses (kernels/rigid/impulses.py).

A contact pushes only within its distance, so a body that comes faster than that in a substep is
stopped by truncation, and the descent passes its momentum on by about a contact distance per
iteration. Where this leaves a free rigid body far behind, the positions of its island stay as they
are, and its velocities become those of an inelastic collision with friction.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..device.memory import zeros_with_reserve
from ..kernels.rigid import hits as finding
from ..kernels.rigid import impact_contacts as contacts
from ..kernels.rigid import impulses as kernels
from ..model.stage import Stage

# Fields of `Impulses` of every contact and of every body.
OF_CONTACTS = {
    "sides": wp.vec2i,
    "normal": wp.vec3d,
    "arm": wp.vec3d,
    "other_arm": wp.vec3d,
    "carried": wp.vec3d,
    "friction": wp.float64,
    "impulse": wp.vec3d,
}
OF_BODIES = {
    "velocity": wp.vec3d,
    "before": wp.vec3d,
    "spin": wp.vec3d,
    "inverse": wp.mat33d,
}


class Impacts(Stage):
    """Finds hit `islands`, and gives them their velocities at the end of the substep.

    `anchored` [body] marks bodies that are not free. `IslandMomentum` records this and plays `find`
    before islands move; `end_step` follows when velocities are known.
    """

    state_name = "impacts"

    def __init__(self, model, islands, anchored, residual):
        super().__init__(model)
        self.islands, self.anchored, self.residual = islands, anchored, residual
        count, device = len(anchored), model.device
        self.hits, self.impulses = finding.Hits(), contacts.Impulses()
        rigid = np.full(count, -1, dtype=np.int32)
        rigid[model.assembly.rigid.numbers] = np.arange(model.rigid.count)
        self.hits.rigid = model.upload(rigid, int)
        self.hits.colliders = len(model.assembly.vertices)
        for name in ("free", "parent", "mixed", "hit", "strong"):
            setattr(self.hits, name, wp.zeros(count, dtype=int, device=device))
        for name in ("suspected", "any_hit"):
            setattr(self.hits, name, wp.zeros(1, dtype=int, device=device))
        self.hits.kept = wp.zeros(model.rigid.count, dtype=int, device=device)
        self.saved = {"late": self.hits.kept}
        self.impulses.count = wp.zeros(1, dtype=int, device=device)
        for name, dtype in OF_BODIES.items():
            setattr(self.impulses, name, wp.zeros(model.rigid.count, dtype=dtype, device=device))

    def record(self):
        """Record all launches with the current arrays."""
        model, record, rigid = self.model, self.model.launches.record, self.model.rigid
        hits, islands, lists, count = self.hits, self.islands, model.lists, len(self.anchored)
        state = [rigid.points, model.contact_model.state.radius]
        state += [model.gravity.now, model.settings.step_time]
        alone = [self.anchored, model.asleep, model.contact_model]
        pairs = [lists.counts, model.contact_model.body, lists.all.pairs, lists.state, rigid.struct]
        forced = [rigid.numbers, *state, self.residual.force, rigid.struct]
        changed = [rigid.numbers, *state, self.impulses]
        confirm = [
            record(finding.begin_hits, count, alone, [hits]),
            model.launches.record_serial(finding.join_paired, lists.capacity, pairs, [hits]),
            record(finding.gather_mixed, count, [], [hits]),
            self.residual.forces_at(model.x),
            record(finding.find_hits, rigid.count, forced, [hits]),
            *self._exchange(),
            record(kernels.find_strong, rigid.count, changed, [hits]),
            record(finding.hold_hit_islands, count, [], [islands, hits]),
        ]
        self.find = [
            hits.suspected.zero_,
            hits.any_hit.zero_,
            record(finding.suspect_hits, rigid.count, [*state, rigid.struct], [hits]),
            partial(when, hits.suspected, partial(play, confirm)),
        ]
        outputs = [rigid.struct, model.velocity]
        inputs = [rigid.numbers, hits, self.impulses]
        self.take = record(kernels.take_impulses, rigid.count, inputs, outputs)

    def _exchange(self):
        """Launches that find the impulses."""
        model, record, rigid = self.model, self.model.launches.record, self.model.rigid
        lists, serial, out = model.lists, model.launches.record_serial, [self.impulses]
        colliders = model.contact_model.colliders.kind.shape[0]
        capacity = lists.capacity + int(np.sum(rigid.point_counts)) * colliders
        for name, dtype in OF_CONTACTS.items():
            setattr(self.impulses, name, zeros_with_reserve(capacity, dtype, model.device))
        h = wp.float64(model.settings.step_time)
        pairs = [lists.counts, lists.all.pairs, model.x, model.x_start, model.inertial]
        around = [model.contact_model, h, self.hits, rigid.struct]
        points = [rigid.numbers, rigid.points, model.x]
        begin = [rigid.numbers, h, model.gravity.now, self.hits, rigid.struct]
        return [
            record(kernels.begin_impulses, rigid.count, begin, out),
            serial(contacts.add_pairs, lists.capacity, [*pairs, *around], out),
            serial(contacts.add_at_colliders, rigid.count, [*points, *around], out),
            record(kernels.exchange_impulses, 1, [rigid.struct], out),
        ]

    def end_step(self):
        when(self.hits.any_hit, self.take)
