# SPDX-License-Identifier: GPL-3.0-or-later
"""One rigid step of every island at the end of a substep (kernels/rigid_step.py)."""

from functools import partial

import numpy as np
import warp as wp

from ..device.flow import repeat_while, when
from ..device.launches import play
from ..device.memory import spacious_zeros
from ..kernels import flight, island_moves, rigid_contacts, rigid_step
from ..kernels import islands as kernels
from ..kernels.chunks import Chunks
from ..kernels.contact.holding import take_least
from ..model.chunks import make_chunks
from ..scene.embedding import points_in_front
from .common_moves import CommonMoves

# What is added up for a chunk.
MOMENTS = {
    "weight": wp.float64,
    "center": wp.vec3d,
    "shift": wp.vec3d,
    "mixed": wp.mat33d,
    "spread": wp.mat33d,
}
# What is added up of contacts for a chunk, and what is known of an island.
SUMS = {
    "force": wp.vec3d,
    "torque": wp.vec3d,
    "along": wp.mat33d,
    "mixed": wp.mat33d,
    "around": wp.mat33d,
}
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
    "looks": int,
    "ahead": int,
    "goes_on": int,
}
BOXES = {"low": wp.vec3, "high": wp.vec3, "path": wp.vec3d}
# Rough cost of adding a vertex, of its contacts, of a pair among these, of moving a vertex, of a
# pair that it passes, and of an entry that may be one with what is outside [ns].
ADD, TOUCH, LOOK, MOVE, PASS, MEET = 15.0, 30.0, 25.0, 5.0, 20.0, 10.0
# On a GPU a thread sees to the contacts of one vertex, and so many add them up for every body.
PARTS = 64


class RigidSteps:
    """Moves islands to where their momentum belongs, as far as what is not in them allows.

    `owner` [surface vertex] are the bodies or linkages, `count` of them, `islands` those of these.
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
        self.sums = filled(rigid_step.ContactSums(), SUMS, len(self.touch_cost), device)
        self.steps = filled(rigid_step.RigidSteps(), STEPS, count, device)
        self.goes_on = wp.zeros(1, dtype=int, device=device)
        self.least = wp.zeros(count, dtype=float, device=device)
        self.held_back, self.leaves = (wp.zeros(1, dtype=int, device=device) for _ in range(2))
        self.way = wp.zeros_like(model.x)
        self.whole = self.crowd = None

    def record(self):
        """Make all launches with the arrays of now."""
        model, record, islands = self.model, self.model.launches.record, self.islands
        chunks, moments, cost = self.chunks, self.moments, self.cost
        state = [self.before, model.inertial, model.objective.inertia, islands]
        begin, taken = [chunks, self.before, moments], [islands, self.steps]
        self.begin = [
            record(kernels.add_moments, len(cost), [chunks, *state], [moments], cost=cost),
            record(rigid_step.begin_rigid_steps, self.count, begin, taken),
        ]
        lists, surface = model.lists, [self.before, self.owner, *taken]
        self.move_surface = [
            record(rigid_contacts.move_surface, count, surface, [self.moved], MOVE, first)
            for first, count in model.surface_ranges()
        ]
        meetings = rigid_contacts.Meetings()
        meetings.entry, meetings.end = (
            spacious_zeros(room, int, model.device)
            for room in (4 * lists.capacity, lists.vertex_count)
        )
        if lists.capacity:
            inputs = [self.owner, lists.all, lists.counts, *taken]
            kernel = rigid_contacts.list_meetings
            cost = MEET * (1 + 4 * lists.expected / lists.vertex_count)
            self.begin += [
                record(kernel, count, inputs, [meetings], cost, first)
                for first, count in model.surface_ranges()
            ]
        around = [self.surface, self.before, self.moved, model.x_start, self.owner, lists.all]
        around += [meetings, lists.counts, lists.near.touches, lists.pulled]
        around += [model.contact_model, *taken]
        kernel, cost = rigid_contacts.add_contacts, self.touch_cost
        cost = cost + LOOK * lists.expected / max(len(cost), 1)
        self.contacts = [record(kernel, len(cost), around, [self.sums], cost=cost)]
        sums, outputs = [self.surface, self.sums], [*taken, self.goes_on]
        if model.launches.are_wide:
            fewer = self._fewer()
            inputs, kernel = [PARTS, *sums, *taken], rigid_step.add_up
            self.contacts.append(record(kernel, (self.count, PARTS), inputs, fewer[1:]))
            sums = fewer
        self.take = record(rigid_step.take_rigid_steps, self.count, sums, outputs)
        free, whose = model.free_count, [self.owner, islands]
        # Truncation asks analytic colliders itself, and what it allows all may take is rigid.
        self.move = self.propose(model.contact is None or not model.settings.truncation)
        ways, least = [self.before, model.candidate], [self.least, self.held_back]
        self.look = [
            partial(self.least.fill_, 1.0),
            self.held_back.zero_,
            record(island_moves.find_least_parts, free, [self.before, model.x, *whose], least),
        ]
        self.settle = [
            partial(model.commit, 0, free),
            *self.look,
            # What goes on where others are stopped would press the body flat.
            record(take_least, free, [self.vertex, self.owner, *ways, self.least], [model.x]),
            partial(model.followers.follow, 0, model.vertex_count),
        ]
        self.pass_by = (
            [] if model.contact is None else self._record_passing([self.before, model.x, *whose])
        )
        self.follow = [] if self.whole is None else self.whole.record(self)
        if self.crowd:
            self.crowd.record()

    def _fewer(self):
        """Room for the contacts of every body in PARTS chunks: `Chunks` and `ContactSums`."""
        chunks, first = Chunks(), PARTS * np.arange(self.count + 1, dtype=np.int32)
        chunks.first = self.model.upload(first, int)
        device = self.model.device
        return [chunks, filled(rigid_step.ContactSums(), SUMS, PARTS * self.count, device)]

    def propose(self, clips):
        """Launches that tell where islands should have got."""
        model = self.model
        moves = [self.before, model.x_start, self.owner, self.islands, int(clips)]
        moves.append(model.contact_model)
        launch = model.launches.record(
            island_moves.move_islands, model.free_count, moves, [model.candidate], cost=MOVE
        )
        in_front = points_in_front(model, self.before, model.candidate) if clips else []
        return [launch, *in_front]

    def _record_passing(self, ways):
        """Launches that lay planes anew so that islands pass by what is not in their way."""
        model, lists, record = self.model, self.model.lists, self.model.launches.record
        find = [
            record(island_moves.find_ways, count, ways, [self.way], MOVE, first)
            for first, count in model.surface_ranges()
        ]
        inputs, extent = [model.x, self.way, lists.counts], (lists.capacity, lists.expected)
        kernel, record_list = island_moves.part_for_ways, model.launches.record_list
        part = record_list(kernel, *extent, inputs, [lists.pairs], PASS)
        return [*find, part, model.contact.parted, *self.settle]

    def __call__(self):
        self._step()
        if self.crowd or self.pass_by:
            when(self.held_back, self._go_on)

    def _step(self):
        self.solve()
        play(self.move + self.settle)
        if self.pass_by:
            when(self.held_back, self._pass_by)
        play(self.follow)

    def solve(self):
        """Find where islands belong, from where they are."""
        wp.copy(self.before, self.model.x)
        wp.copy(self.moved, self.model.x)
        if self.crowd:
            self.crowd.solve(self._solve)
        else:
            self._solve()

    def _solve(self):
        play(self.begin)
        self.goes_on.fill_(1)
        repeat_while(self.goes_on, self._pass)

    def _go_on(self):
        """Let those that are still held back go on with what holds them."""
        play(self.look)
        when(self.held_back, self.crowd or self._step_again)

    def _step_again(self):
        """Take what is left of a step, after a search where trust regions have ended it."""
        self.model.contact.truncation.tell_lack_of_room(self.leaves)
        when(self.leaves, self.search)
        self._step()

    def search(self):
        """Find what is in the way of steps that trust regions have ended."""
        self.model.contact.approach(whole=False)
        self.model.contact.refresh()

    def _pass_by(self):
        play(self.pass_by)

    def _pass(self):
        self.goes_on.zero_()
        play(self.move_surface)
        play(self.contacts)
        self.take()


class WholeMoves:
    """Lets islands move as a whole, whatever held any of their vertices back, where nothing but
    they themselves is in the way (kernels/island_moves.py).
    """

    def __init__(self, model, travel):
        self.model, self.travel, device = model, travel, model.device
        self.chunks, bodies = surface_chunks(model), len(model.assembly.vertices)
        self.parts, self.boxes = (
            filled(flight.Boxes(), BOXES, count, device)
            for count in (len(self.chunks.owner), bodies)
        )
        self.stays = wp.zeros(bodies, dtype=int, device=device)

    def record(self, steps):
        """Launches after the moves of `RigidSteps`."""
        model, record, chunks = self.model, self.model.launches.record, self.chunks
        bodies, free, islands = len(self.stays), model.free_count, steps.islands
        cost = ADD * np.diff(chunks.start.numpy())
        boxes = [chunks, model.vertex_count, steps.before, steps.before]
        boxes.append(model.contact_model.state.radius)
        around = [model.contact.struct, self.travel, self.boxes, islands]
        moves, parts = [model.candidate, steps.owner, islands], [chunks, self.parts, islands]
        self.moves = CommonMoves(model, islands.island, self.stays, steps.before)
        held = [steps.before, *moves, model.contact_model.state.radius]
        stays, kernels = [self.stays], island_moves
        return [
            *steps.propose(clips=True),
            record(flight.measure_chunks, len(cost), boxes, [self.parts], cost=cost),
            record(kernels.sweep_boxes, bodies, parts, [self.boxes, *stays]),
            record(kernels.find_obstacles, bodies, around, stays),
            record(kernels.find_held_back, free, held, stays, cost=MOVE),
            self.moves.keep,
            record(kernels.move_whole, free, [*moves, *stays], [model.x], cost=MOVE),
            model.contact.follow,
            self.moves,
        ]


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
