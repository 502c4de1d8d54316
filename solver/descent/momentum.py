# SPDX-License-Identifier: GPL-3.0-or-later
"""Momentum of bodies that nothing or only each other touches, kept however few the iterations.

All forces between and inside of such bodies cancel in their sum. At the minimum of the objective
Σ m (y − x) = 0 and Σ m x × (y − x) = 0, with y = xᵗ + h vᵗ + h² a. Stiff contacts and friction make
descent by vertices slow along just these common motions, so what is left of them is taken at once,
as one rigid motion of the island. It also takes what rounding adds: in float32 the forces inside of
a stiff body do not cancel, and would turn it as a torque from outside does.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.flow import when
from ..device.launches import play
from ..kernels import guess
from ..kernels import islands as kernels
from ..kernels.contact.measure import mark_at_colliders
from ..model.chunks import make_chunks
from ..scene.embedding import points_in_front
from .linkages import find_linkages, make_linkages, rigid_motions
from .stage import RecordedStage

# A body that nothing has touched for so many steps flies. A solid that stands on something, or has
# just jumped off it, must not be guessed to fall: a stack of stiff ones would be pressed together
# and jump again.
FLIGHT = 20
# What is added up for a chunk.
MOMENTS = {
    "weight": wp.float64,
    "center": wp.vec3d,
    "shift": wp.vec3d,
    "spin": wp.vec3d,
    "spread": wp.mat33d,
}
# Rough cost of adding a vertex and of moving one [ns].
ADD, MOVE = 15.0, 5.0


class IslandMomentum(RecordedStage):
    """Moves free islands of bodies that touch, or one alone, to where their momentum belongs.

    For scenes with contact pairs. Marks the vertices of solids that stand in `model.standing`.
    """

    def __init__(self, model):
        assembly, upload = model.assembly, model.upload
        self.islands, anchored = self._islands(model)
        self.anchored = upload(anchored, int)
        self.restores = not anchored.all() and not model.settings.quasistatic
        self.chunks, self.moments, self.cost = self._moments(model)
        self.is_any_free = wp.zeros(1, dtype=int, device=model.device)
        self.steps_in_flight = upload(np.full(len(assembly.vertices), FLIGHT, np.int32), int)
        solid = np.unique(np.concatenate([solids.corners.ravel() for solids in assembly.solids]))
        self.solid = upload(solid.astype(np.int32), int)
        # What passes from step to step.
        self.kept = {"steps_in_flight": self.steps_in_flight, "standing": model.standing}
        super().__init__(model)

    @staticmethod
    def _islands(model):
        """`Islands` of nothing yet, and who is held, or may touch what is no body: [body]."""
        count, assembly, islands = len(model.surface.may_touch), model.assembly, kernels.Islands()
        for name in ("parent", "touched", "at_colliders", "island", "held"):
            setattr(islands, name, wp.zeros(count, dtype=int, device=model.device))
        for name in ("center", "shift", "turn"):
            setattr(islands, name, wp.zeros(count, dtype=wp.vec3d, device=model.device))
        anchored = np.ones(count, dtype=np.int32)
        tied = assembly.held_from_outside()
        tied[assembly.attachments.corners] = True
        for number, vertices in enumerate(assembly.vertices):
            anchored[number] = tied[vertices].any()
        return islands, anchored

    @staticmethod
    def _moments(model):
        """`Chunks` of the free vertices of every body, their `Moments` and their work [ns]."""
        free = np.arange(model.free_count)
        count, moments = len(model.assembly.vertices), kernels.Moments()
        chunks = make_chunks(free, model.surface.body[free], count, model.device)
        for name, dtype in MOMENTS.items():
            setattr(moments, name, wp.zeros(len(chunks.owner), dtype=dtype, device=model.device))
        return chunks, moments, ADD * np.diff(chunks.start.numpy())

    def record(self):
        model, islands, record = self.model, self.islands, self.model.launches.record
        contact, lists, count = model.contact, model.contact.lists, len(self.anchored)
        body, bodies = contact.struct.body, len(self.steps_in_flight)
        pairs = [lists.counts, model.x, body, lists.touches, lists.state]
        join = model.launches.record_serial(kernels.join_touching, lists.capacity, pairs, [islands])
        steps, flag = self.steps_in_flight, self.is_any_free
        self.launches = [
            record(kernels.separate, count, [], [islands, flag]),
            join,
            *touches_of_colliders(model, body, islands.at_colliders),
            record(kernels.name_islands, count, [self.anchored], [islands]),
            record(kernels.count_flight, bodies, [islands], [steps, flag]),
            record(
                kernels.mark_standing,
                len(self.solid),
                [self.solid, body, steps, FLIGHT],
                [model.standing],
            ),
        ]
        self.restoring = self._record_restoring() if self.restores else []

    def _record_restoring(self):
        """Launches that give every free island of bodies the momentum it should have."""
        model, record, free = self.model, self.model.launches.record, self.model.free_count
        chunks, islands, moments = self.chunks, self.islands, self.moments
        state = [model.x, model.inertial, model.objective.inertia, islands]
        moves = [model.x, model.contact.struct.body, islands]
        bodies, parts = len(self.steps_in_flight), len(chunks.owner)
        return [
            record(kernels.add_moments, parts, [chunks, *state], [moments], cost=self.cost),
            record(kernels.find_motions, bodies, [chunks, model.x, moments], [islands]),
            record(kernels.move_islands, free, moves, [model.candidate], cost=MOVE),
            partial(model.commit, 0, free),
        ]

    def end_step(self):
        play(self.launches)
        if self.restoring:
            when(self.is_any_free, partial(play, self.restoring))


class LinkageMomentum(RecordedStage):
    """The same for scenes without contact pairs, where an island is a linkage that is not held and
    touches no analytic collider.
    """

    @staticmethod
    def is_needed(model):
        """Whether anything is free to move."""
        if not model.free_count or model.contact is not None or model.settings.quasistatic:
            return False
        return not find_linkages(model.assembly)[1].all()

    def record(self):
        model, launches = self.model, self.model.launches
        linkages = make_linkages(model.assembly, model.device)
        before, displacement = wp.clone(model.x), wp.zeros_like(model.x)
        still = wp.zeros_like(model.x)
        moments = [before, displacement, still, model.objective.inertia]
        # Gravity is in what is inertial.
        none = wp.zeros(2, dtype=wp.vec3, device=model.device)
        free = model.free_count
        in_front = points_in_front(model, before, model.x)
        moves = [before, linkages, model.contact_model]
        self.launches = [
            *self._hold_at_colliders(linkages),
            partial(wp.copy, before, model.x),
            launches.record(
                guess.find_displacements, free, [before, model.inertial], [displacement]
            ),
            *rigid_motions(launches, linkages, moments, none, 1.0),
            launches.record(guess.move_rigidly, free, moves, [model.x]),
            *in_front,
        ]

    def _hold_at_colliders(self, linkages):
        """Launches that add to the held linkages those that touch an analytic collider now."""
        model, held = self.model, wp.clone(linkages.held)
        if not model.has_analytic_colliders:
            return []
        of = np.zeros(len(model.x), dtype=np.int32)
        of[: model.free_count] = linkages.of.numpy()
        # Free vertices come first: of a point with some, its first corner is one.
        of[model.kinematic_end :] = of[model.surface.points.corners.min(axis=1)]
        return [
            partial(wp.copy, linkages.held, held),
            partial(model.commit, 0, model.free_count),
            *touches_of_colliders(model, model.upload(of, int), linkages.held),
        ]

    def end_step(self):
        play(self.launches)


def touches_of_colliders(model, of, marks):
    """Launches that mark what touches an analytic collider, `of` [vertex] what that belongs to."""
    if not model.has_analytic_colliders:
        return []
    return [
        model.launches.record(
            mark_at_colliders, count, [model.x, of, model.contact_model], [marks], first=first
        )
        for first, count in model.surface_ranges()
    ]
