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

from ..device.launches import play
from ..kernels import guess
from ..kernels.contact.measure import mark_at_colliders, mark_touching
from ..scene.embedding import points_in_front
from ..topology.graphs import connected_components
from .linkages import find_linkages, make_linkages, rigid_motions
from .stage import RecordedStage, Stage

# A body that nothing has touched for so many steps flies.
FLIGHT = 20


class IslandMomentum(Stage):
    """Moves free islands of bodies that touch, or one alone, to where their momentum belongs.

    For scenes with contact pairs. Marks the vertices of solids that stand in `model.standing`.
    """

    def __init__(self, model):
        super().__init__(model)
        surface, scene, device = model.surface, model.assembly, model.device
        self.count = len(surface.may_touch)
        # What is held, or may touch what is no body, is no free island.
        self.anchored = np.ones(self.count, dtype=bool)
        tied = scene.held_from_outside()
        tied[scene.attachments.corners] = True
        for number, vertices in enumerate(scene.vertices):
            self.anchored[number] = tied[vertices].any()
        self.wanted = not self.anchored.all() and not model.settings.quasistatic
        self.mass = scene.mass[: model.free_count]
        self.body = surface.body[: model.free_count]
        self.touch = wp.zeros(self.count * self.count, dtype=int, device=device)
        self.at_colliders = wp.zeros(self.count, dtype=int, device=device)
        self.steps_in_flight = np.full(len(scene.vertices), FLIGHT)
        self._mark_standing()
        model.launches.expect(mark_touching)
        self.mark_at_colliders = touches_of_colliders(
            model, model.contact.struct.body, self.at_colliders
        )

    def keep(self):
        """Keep who flies; returns what brings it back."""
        steps = self.steps_in_flight

        def bring_back():
            self.steps_in_flight = steps

        return bring_back

    def end_step(self):
        touch, at_colliders = self._contacts()
        if self.wanted:
            self._restore(touch, at_colliders)
        self._count_flight(touch.any(axis=1) | at_colliders)

    def _restore(self, touch, at_colliders):
        """Give every free island of bodies the momentum it should have."""
        model, free = self.model, self.model.free_count
        island = self._islands(touch, at_colliders)
        if (island < 0).all():
            return
        x = model.x.numpy()[:free].astype(np.float64)
        displacement = model.inertial.numpy()[:free] - x
        moved = x.copy()
        for number in np.unique(island[island >= 0]):
            mine = np.flatnonzero(island[self.body] == number)
            moved[mine] += rigid_motion(self.mass[mine], x[mine], displacement[mine])
        model.candidate[:free].assign(moved.astype(np.float32))
        model.commit(0, free)

    def _contacts(self):
        """Who touches whom, bool [body, body], and who touches an analytic collider, [body]."""
        model, contact = self.model, self.model.contact
        self.touch.zero_()
        self.at_colliders.zero_()
        model.launches.run(
            mark_touching,
            contact.count,
            [model.x, contact.struct.body, self.count, contact.lists.touches, contact.lists.state],
            [self.touch],
        )
        play(self.mark_at_colliders)
        touch = self.touch.numpy().reshape(self.count, self.count) != 0
        np.fill_diagonal(touch, False)
        return touch | touch.T, self.at_colliders.numpy() != 0

    def _islands(self, touch, at_colliders):
        """Number of the free island of each body, -1 for none."""
        island = connected_components(np.argwhere(touch), self.count)
        anchored = np.isin(island, island[self.anchored | at_colliders])
        return np.where(anchored, -1, island)

    def _count_flight(self, touched):
        """Count the steps since each body was touched; where that matters, guess it otherwise."""
        landed, before = touched[: len(self.steps_in_flight)], self.steps_in_flight >= FLIGHT
        self.steps_in_flight = np.where(landed, 0, self.steps_in_flight + 1)
        if ((self.steps_in_flight >= FLIGHT) != before).any():
            self._mark_standing()

    def _mark_standing(self):
        """Mark vertices whose guess is steady by 1.

        A solid that stands on something, or has just jumped off it, must not be guessed to fall: a
        stack of stiff ones would be pressed together and jump again.
        """
        model = self.model
        marks = np.zeros(model.vertex_count, dtype=np.int32)
        standing = self.steps_in_flight < FLIGHT
        for solids in model.assembly.solids:
            marks[solids.corners[standing[model.surface.body[solids.corners[:, 0]]]]] = 1
        model.standing.assign(marks)


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
        self.renew()
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


def rigid_motion(mass, x, displacement):
    """The rigid motion [vertex, 3] that takes up the momentum of displacements [m] of masses."""
    center = mass @ x / mass.sum()
    arm = x - center
    shift = mass @ displacement / mass.sum()
    spin = mass @ np.cross(arm, displacement)
    inertia = mass @ (arm * arm).sum(axis=1) * np.eye(3) - (mass[:, None] * arm).T @ arm
    # A straight island does not turn about its own axis.
    turn = np.linalg.lstsq(inertia, spin, rcond=1e-9)[0]
    return shift + np.cross(turn, arm)
