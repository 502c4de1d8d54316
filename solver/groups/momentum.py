# SPDX-License-Identifier: GPL-3.0-or-later
"""Momentum of bodies that touch nothing or only each other, conserved with few iterations.

All forces between and inside such bodies cancel in their sum. At the minimum of the objective
Σ m (y − x) = 0 and Σ m x × (y − x) = 0, with y = xᵗ + h vᵗ + h² a. Stiff contacts and friction make
descent by vertices slow along just these common motions, so the rest of them is taken at once, as
one rigid motion of the island. It also removes rounding: in float32 the forces inside a stiff body
do not cancel, and would turn it like an external torque.
"""

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.contact.measure import mark_at_colliders
from ..kernels.groups import islands as kernels
from ..lattice.embedding import collider_step_limits
from ..model.components import find_components
from ..model.stage import RecordedStage
from .impacts import Impacts
from .island_moves import IslandMoves
from .rigid_steps import RigidSteps, filled

# A body without contact for this many steps flies. The guess must not let a solid fall that stands
# on something, or has just jumped off it: a stack of stiff ones would be pressed together and jump
# again. The same holds for the vertices of cloth and rods at rest on something.
FLIGHT = 20
# Fields of `Islands`.
ISLANDS = {
    "parent": int,
    "touched": int,
    "at_colliders": int,
    "island": int,
    "held": int,
    "stands": int,
    "center": wp.vec3d,
    "shift": wp.vec3d,
    "turn": wp.mat33d,
}


class IslandMomentum(RecordedStage):
    """Gives islands of touching bodies, or single bodies, the momentum that they should have.

    For scenes with contact pairs; `travel` is the most that colliders move in a frame [m], an array
    of one float. Marks in `model.standing` the vertices of solids that stand, and of cloth and rods
    that lie.
    """

    state_name = "contact_islands"

    def __init__(self, model, travel, residual):
        assembly, upload = model.assembly, model.upload
        owners, bodies = len(model.surface.may_touch), len(assembly.vertices)
        self.islands = filled(kernels.Islands(), ISLANDS, owners, model.device)
        anchored = self._anchored(model)
        self.anchored, self.bodies = upload(anchored, int), bodies
        self.is_any_free = wp.zeros(1, dtype=int, device=model.device)
        self.steps_in_flight = upload(np.full(bodies, FLIGHT, np.int32), int)
        solid = np.zeros(model.vertex_count, dtype=np.int32)
        for solids in assembly.solids:
            solid[solids.corners] = 1
        solid[assembly.rigid.corners] = 1
        self.is_solid = upload(solid, int)
        self.untouched = upload(model.augmented.astype(np.int32), int)
        # State that passes from step to step.
        self.saved = {"steps_in_flight": self.steps_in_flight, "standing": model.standing}
        self.restoring, self.impacts = None, None
        if not anchored.all() and not model.settings.quasistatic:
            self.restoring = IslandMoves(model, self.islands, self.anchored, travel)
            if model.rigid:
                self.impacts = Impacts(model, self.islands, self.anchored, residual)
        super().__init__(model)

    @staticmethod
    def _anchored(model):
        """1 for bodies and colliders that are held [body]."""
        assembly = model.assembly
        anchored = np.ones(len(model.surface.may_touch), dtype=np.int32)
        tied = assembly.held_from_outside()
        rows = assembly.attachments
        tied[rows.corners[~rows.bonds]] = True
        tied[assembly.rigid.corners] = False  # joints may break: `anchoring` follows them
        for number, vertices in enumerate(assembly.vertices):
            anchored[number] = tied[vertices].any()
        return anchored

    def record(self):
        model, islands, record = self.model, self.islands, self.model.launches.record
        contact, lists, count = model.contact, model.contact.lists, len(self.anchored)
        body = contact.struct.body
        if self.impacts:
            self.impacts.record()
        pairs = [lists.counts, model.x, body, lists.touches, lists.state, self.anchored]
        join = model.launches.record_serial(kernels.join_touching, lists.capacity, pairs, [islands])
        steps, flag = self.steps_in_flight, self.is_any_free
        self.launches = [
            record(kernels.separate, count, [], [islands, flag]),
            *([model.rigid.anchoring(self.anchored)] if model.rigid else []),
            join,
            *collider_touches(model, body, islands.at_colliders),
            record(kernels.name_islands, count, [self.anchored, model.asleep], [islands]),
            *(self.impacts.find if self.impacts else []),
            record(kernels.count_flight, self.bodies, [islands], [steps, flag]),
            record(
                kernels.mark_standing,
                model.vertex_count,
                [body, self.is_solid, steps, FLIGHT, model.touched, self.untouched],
                [model.standing],
            ),
        ]
        if self.restoring:
            self.restoring.record()

    def end_step(self):
        play(self.launches)
        if self.restoring:
            when(self.is_any_free, self.restoring)


class ComponentMomentum(RecordedStage):
    """Momentum in scenes without contact pairs: an island is a component that is not held."""

    @staticmethod
    def is_needed(model):
        """Return whether any component is free to move."""
        if not model.free_count or model.contact is not None or model.settings.quasistatic:
            return False
        return not find_components(model.assembly)[1].all()

    def record(self):
        """Find the components again: cloth may have torn."""
        model = self.model
        of, held = find_components(model.assembly)
        # Free vertices come first: the first corner of a point with any is free.
        owner = np.zeros(len(model.x), dtype=np.int64)
        owner[: model.free_count] = of
        owner[model.kinematic_end :] = owner[model.surface.points.corners.min(axis=1)]
        islands = filled(kernels.Islands(), ISLANDS, len(held), model.device)
        islands.island = model.upload(np.arange(len(held)).astype(np.int32), int)
        islands.held = model.upload(held.astype(np.int32), int)
        self.steps = RigidSteps(model, owner, len(held), islands)
        self.steps.record()
        self.in_front = collider_step_limits(model, self.steps.before, model.candidate)

    def end_step(self):
        model = self.model
        model.commit(0, model.free_count)
        self.steps.solve()
        self.steps.propose()
        play(self.in_front)
        model.followers.follow(0, model.vertex_count)


def collider_touches(model, of, flags):
    """Launches that set `flags` of the bodies `of` [vertex] that touch analytic colliders."""
    if not model.has_analytic_colliders:
        return []
    return [
        model.launches.record(
            mark_at_colliders, count, [model.x, of, model.contact_model], [flags], first=first
        )
        for first, count in model.surface_ranges()
    ]
