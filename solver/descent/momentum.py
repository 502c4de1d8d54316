# SPDX-License-Identifier: GPL-3.0-or-later
"""Momentum of bodies that nothing or only each other touches, kept however few the iterations.

All forces between and inside of such bodies cancel in their sum. At the minimum of the objective
Σ m (y − x) = 0 and Σ m x × (y − x) = 0, with y = xᵗ + h vᵗ + h² a. Stiff contacts and friction make
descent by vertices slow along just these common motions, so what is left of them is taken at once,
as one rigid motion of the island. It also takes what rounding adds: in float32 the forces inside of
a stiff body do not cancel, and would turn it as a torque from outside does.
"""

import numpy as np
import warp as wp

from ..device.threads import recorded_whole
from ..kernels import guess
from ..kernels.contact.measure import mark_at_colliders, mark_touching
from ..scene.embedding import points_in_front
from ..topology.graphs import connected_components
from .guess import make_pieces


class Momentum:
    """Moves free islands of touching bodies, or one alone, to where their momentum belongs.

    `touched` [body] tells who touched anything at the last `restore`.
    """

    def __init__(self, model, pairs, settings):
        self.model, self.pairs = model, pairs
        surface, scene = model.surface, model.assembly
        self.count = len(surface.may_touch)
        # What is held, or may touch what is no body, is no free island.
        self.anchored = np.ones(self.count, dtype=bool)
        tied = scene.held_from_outside()
        tied[scene.attachments.corners] = True
        for number, place in enumerate(scene.place):
            self.anchored[number] = tied[place].any()
        self.wanted = not self.anchored.all() and not settings.quasistatic
        self.mass = scene.mass[: model.free_count]
        self.body = surface.body[: model.free_count]
        self.touch = wp.zeros(self.count * self.count, dtype=int, device=model.device)
        self.at_bounds = wp.zeros(self.count, dtype=int, device=model.device)
        self.touched = np.zeros(self.count, dtype=bool)

    def restore(self):
        """Give every free island of bodies the momentum it should have."""
        touch, at_bounds = self._contacts()
        self.touched = touch.any(axis=1) | at_bounds
        if not self.wanted:
            return
        island = self._islands(touch, at_bounds)
        model = self.model
        if (island < 0).all():
            return
        x = model.x.numpy()[: model.free_count].astype(np.float64)
        way = model.inertial.numpy()[: model.free_count] - x
        moved = x.copy()
        for number in np.unique(island[island >= 0]):
            mine = np.flatnonzero(island[self.body] == number)
            moved[mine] += rigid_motion(self.mass[mine], x[mine], way[mine])
        self.pairs.candidate[: model.free_count].assign(moved.astype(np.float32))
        self.pairs.settle(0, model.free_count)

    def _contacts(self):
        """Who touches whom, bool [body, body], and who touches a bound, [body]."""
        model = self.model
        self.touch.zero_()
        self.at_bounds.zero_()
        wp.launch(
            mark_touching,
            dim=self.pairs.count,
            inputs=[
                model.x,
                self.pairs.struct.body,
                self.count,
                self.pairs.lists.touches,
                self.pairs.lists.state,
            ],
            outputs=[self.touch],
            device=model.device,
        )
        if model.has_analytic_colliders:
            for first, count in model.surface_ranges():
                wp.launch(
                    mark_at_colliders,
                    dim=count,
                    inputs=[first, model.x, self.pairs.struct.body, model.contact_model],
                    outputs=[self.at_bounds],
                    device=model.device,
                )
        touch = self.touch.numpy().reshape(self.count, self.count) != 0
        np.fill_diagonal(touch, False)
        return touch | touch.T, self.at_bounds.numpy() != 0

    def _islands(self, touch, at_bounds):
        """Number of the free island of each body, -1 for none."""
        island = connected_components(np.argwhere(touch), self.count)
        anchored = np.isin(island, island[self.anchored | at_bounds])
        return np.where(anchored, -1, island)


def rigid_motion(mass, x, way):
    """The rigid motion [vertex, 3] that takes up the momentum of the ways `way` [m] of masses."""
    center = mass @ x / mass.sum()
    arm = x - center
    shift = mass @ way / mass.sum()
    spin = mass @ np.cross(arm, way)
    inertia = mass @ (arm * arm).sum(axis=1) * np.eye(3) - (mass[:, None] * arm).T @ arm
    # A straight island does not turn about its own axis.
    turn = np.linalg.lstsq(inertia, spin, rcond=1e-9)[0]
    return shift + np.cross(turn, arm)


def restoring(model, followers):
    """Lists of launches, to be run one after the other, for scenes without pairs of contact.

    There an island is a piece (kernels/guess.py) that is not held and touches no bound.
    """
    pieces, device, free = make_pieces(model.assembly, model.device), model.device, model.free_count
    if pieces.held.numpy().all():
        return []
    before, way, still = wp.clone(model.x), wp.zeros_like(model.x), wp.zeros_like(model.x)
    moments = [before, way, still, model.objective.inertia, pieces]
    none = wp.zeros(2, dtype=wp.vec3, device=device)  # gravity is in what is inertial
    return [
        *(_hold_at_bounds(model, followers, pieces) if model.has_analytic_colliders else ()),
        [lambda: wp.copy(before, model.x)],
        recorded_whole(device, guess.find_ways, free, [before, model.inertial], [way]),
        recorded_whole(device, guess.add_moments, len(pieces.weight), moments, []),
        recorded_whole(device, guess.find_rigid_motion, len(pieces.held), [none, 1.0, pieces], []),
        recorded_whole(
            device, guess.move_rigidly, free, [before, pieces, model.contact_model], [model.x]
        ),
        *([launch] for launch in points_in_front(model, before, model.x)),
    ]


def _hold_at_bounds(model, followers, pieces):
    """Launches that add to the held pieces those that touch a bound now."""
    held, free = wp.clone(pieces.held), model.free_count
    of = np.zeros(len(model.x), dtype=np.int32)
    of[:free] = pieces.of.numpy()
    # Free vertices come first: of a point with some, its first corner is one.
    of[model.led_end :] = of[model.surface.points.corners.min(axis=1)]
    of = model.upload(of, int)
    return [
        [lambda: wp.copy(pieces.held, held)],
        [lambda: followers.follow(0, free)],
        *(
            recorded_whole(
                model.device,
                mark_at_colliders,
                count,
                [first, model.x, of, model.contact_model],
                [pieces.held],
            )
            for first, count in model.surface_ranges()
        ),
    ]
