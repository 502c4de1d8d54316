# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid steps that islands lack at the end of a substep (kernels/groups/rigid_steps.py)."""

import numpy as np
import warp as wp

from ..device.conditions import repeat_while
from ..device.launches import THREADS, play
from ..device.memory import zeros_with_reserve
from ..kernels.groups import island_moves, rigid_contacts, rigid_steps, wrench
from ..kernels.groups import islands as kernels
from ..model.chunks import make_chunks

# Fields of `Moments`, sums per chunk.
MOMENTS = {
    "weight": wp.float64,
    "center": wp.vec3d,
    "shift": wp.vec3d,
    "mixed": wp.mat33d,
    "spread": wp.mat33d,
}
# Fields of `RigidStepArrays`, per island.
STEPS = {
    "weight": wp.float64,
    "tensor": wp.mat33d,
    "push": wp.vec3d,
    "moment": wp.mat33d,
    "shift": wp.vec3d,
    "turn": wp.vec3d,
    "gain": wp.float64,
    "first_gain": wp.float64,
    "passes": int,
    "retries": int,
    "is_retry": int,
    "is_active": int,
}
# Rough cost to add a vertex, its contacts and a pair of them, to move a vertex, and to test whether
# an entry is an external pair [ns].
ADD, TOUCH, PAIR, MOVE, LIST = 15.0, 30.0, 25.0, 5.0, 10.0


class RigidSteps:
    """Finds the rigid step of islands from their momentum and their external contacts.

    `owner` [surface vertex] are the bodies or components, `count` of them, and `islands` their
    islands. Steps begin at `before` [vertex, m]; `propose()` sets the candidates to their ends.
    """

    def __init__(self, model, owner, count, islands):
        self.model, self.islands, self.count = model, islands, count
        self.before, self.moved = wp.clone(model.x), wp.clone(model.x)
        self.owner = model.upload(owner.astype(np.int32), int)
        free, device = np.arange(model.free_count), model.device
        self.vertex = model.upload(free.astype(np.int32), int)
        self.chunks = make_chunks(free, owner[free], count, device)
        self.cost = ADD * np.diff(self.chunks.start.numpy())
        self.moments = filled(kernels.Moments(), MOMENTS, len(self.cost), device)
        surface = np.concatenate([first + np.arange(n) for first, n in model.surface_ranges()])
        size = 1 if model.launches.are_wide else None
        self.surface = make_chunks(surface, owner[surface], count, device, size)
        self.touch_cost = TOUCH * np.diff(self.surface.start.numpy())
        self.sums = wp.zeros(len(self.touch_cost), dtype=wrench.Wrench, device=device)
        self.steps = filled(rigid_steps.RigidStepArrays(), STEPS, count, device)
        self.any_active = wp.zeros(1, dtype=int, device=device)

    def record(self):
        """Record all launches with the current arrays."""
        model, record, islands = self.model, self.model.launches.record, self.islands
        chunks, moments, cost = self.chunks, self.moments, self.cost
        state = [self.before, model.inertial, model.objective.inertia, islands]
        begin, taken = [chunks, self.before, moments], [islands, self.steps]
        self.begin = [
            record(kernels.add_moments, len(cost), [chunks, *state], [moments], cost=cost),
            record(
                rigid_steps.begin_rigid_steps,
                self.count,
                begin,
                [*taken, self.any_active],
                tile_threads=THREADS,
            ),
        ]
        lists, surface = model.lists, [self.before, self.owner, *taken]
        self.move_surface = [
            record(rigid_steps.move_surface, count, surface, [self.moved], MOVE, first)
            for first, count in model.surface_ranges()
        ]
        external = rigid_contacts.ExternalPairs()
        external.lists, external.counts, external.pulled = lists.all, lists.counts, lists.pulled
        external.touches = lists.near.touches
        if lists.capacity:
            external.entry, external.end = (
                zeros_with_reserve(capacity, int, model.device)
                for capacity in (4 * lists.capacity, lists.vertex_count)
            )
            kernel = rigid_contacts.list_external_pairs
            cost = LIST * (1 + 4 * lists.expected / lists.vertex_count)
            self.begin += [
                record(kernel, count, [self.owner, *taken], [external], cost, first)
                for first, count in model.surface_ranges()
            ]
        around = [self.surface, self.before, self.moved, model.x_start, external]
        around += [model.contact_model, *taken]
        cost = self.touch_cost + PAIR * lists.expected / max(len(self.touch_cost), 1)
        self.contacts = [
            record(rigid_contacts.add_contacts, len(cost), around, [self.sums], cost=cost)
        ]
        reduced = wp.zeros(self.count, dtype=wrench.Wrench, device=model.device)
        ended = wp.zeros_like(self.any_active)
        sums, outputs = [self.surface, self.sums], [reduced, ended, *taken, self.any_active]
        self.take = record(
            rigid_steps.take_rigid_steps, self.count, sums, outputs, tile_threads=THREADS
        )
        moves, free = [self.before, self.owner, islands], model.free_count
        self.propose = record(island_moves.move_islands, free, moves, [model.candidate], MOVE)

    def solve(self):
        """Find `islands.shift` and `islands.turn`."""
        wp.copy(self.before, self.model.x)
        wp.copy(self.moved, self.model.x)
        self.solve_again()

    def solve_again(self):
        """Find both again from the same `before`, after islands have joined."""
        play(self.begin)
        repeat_while(self.any_active, self._pass)

    def _pass(self):
        play(self.move_surface)
        play(self.contacts)
        self.take()


def surface_chunks(model):
    """`Chunks` of the vertices and embedded points of every body."""
    points = model.kinematic_end + np.arange(len(model.surface.points))
    vertex = np.concatenate([np.arange(model.vertex_count), points])
    bodies = len(model.assembly.vertices)
    return make_chunks(vertex, model.surface.body[vertex], bodies, model.device)


def filled(struct, arrays, count, device):
    """A struct with an array of zeros for each of the names and types in `arrays`."""
    for name, dtype in arrays.items():
        setattr(struct, name, wp.zeros(count, dtype=dtype, device=device))
    return struct
