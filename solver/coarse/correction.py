# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: after some sweeps, a small linear solve for affine patches of every body.

Vertex by vertex, a force passes one ring of neighbors per iteration. So now and then all aggregates
(aggregates.py) take a Newton step together, A z = Pᵀf with A = PᵀHP, and the bodies follow it,
d = P z, as far as G falls along d. A is assembled once per substep.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.conditions import repeat_while
from ..device.launches import nothing, play
from ..kernels.coarse import coarse_step, contact_terms, nearest_seeds, step_bounds
from ..kernels.coarse import slopes as coarse_slopes
from ..kernels.coarse.element_terms import coarse_kernels, kernels_in_lanes
from ..lattice.embedding import collider_point_limits
from .aggregates import AT_REST, IN_MOTION, make_aggregates
from .element_terms import chunked_elements, device_chunks, member_chunks
from .kept_blocks import KeptBlocks
from .line_sums import make_sums, record_choice, record_choice_and_move
from .matrix import CoarseMatrix
from .restriction import CoarseForces
from .step_groups import Groups

# The longest step along a direction, without and with contacts, which may shorten it.
LONGEST, LONGEST_WITH_CONTACTS = 2.0, 1.0
# Rough cost of an element, a vertex and a pair in a sum along the direction, and of a difference
# [ns].
SLOPE, MEMBER, PAIR, DIFFERENCE = 40.0, 10.0, 15.0, 5.0


def coarse_aggregates(model, settings):
    """The `Aggregates` of a coarse correction; None where it is off or no body gains from it."""
    if not settings.coarse_correction or settings.is_accelerated or model.free_count == 0:
        return None
    if model.device.is_cpu:
        model.launches.expect(nearest_seeds.add_seeds)
    # Bodies in contact share a matrix only while it is small.
    is_fine = settings.quasistatic and model.contact is None
    aggregates = make_aggregates(model.assembly, AT_REST if is_fine else IN_MOTION)
    return aggregates if len(aggregates) else None


class CoarseCorrection:
    """The coarse step: `assemble()` once per substep, then `step()` after sweeps.

    `before` [vertex] are the positions [m] before the last step. `has_stiff_bodies` is True where
    stiff bodies take steps of a uniform fraction.
    """

    def __init__(self, model, aggregates):
        self.model, self.aggregates = model, aggregates
        self.truncates = model.contact is not None or model.has_analytic_colliders
        self.relaxation = wp.clone(model.relaxation)
        self.longest = LONGEST_WITH_CONTACTS if self.truncates else LONGEST
        self.direction = wp.zeros_like(model.x)
        # How far contacts are sampled: along all of the longest step, unless one ends early.
        self.reach = wp.full(1, self.longest, dtype=float, device=model.device)
        self.is_early = wp.zeros(1, dtype=int, device=model.device)
        self.before = wp.clone(model.x)
        self.commit, self.has_stiff_bodies = model.commit, False
        self.groups = Groups(model, aggregates)
        self.members, first_chunk = member_chunks(self.groups.of, aggregates, model)
        self.components = self.groups.components
        self.kept = KeptBlocks(model, self.groups, self.members)
        self.matrix = CoarseMatrix(model, self.groups, self.members, self.kept)
        self.forces = CoarseForces(model, self.groups)
        begin = np.searchsorted(aggregates.component, np.arange(self.groups.component_count + 1))
        self.components.first_chunk = model.upload(first_chunk[begin].astype(np.int32), int)
        self.record()

    def _renew(self):
        """Record launches again whose arrays have been replaced."""
        before, self.revisions = self.revisions, self.model.revisions
        if self.revisions[0] != before[0]:
            self.record()
        elif self.revisions != before:
            self._record_vertices()

    def record(self):
        """Record the launches over elements, again when tearing has changed these."""
        model, self.revisions = self.model, self.model.revisions
        chunked, offset = [], 0
        for elements in chunked_elements(model, self.aggregates, model.settings.step_time):
            chunked.append((elements, device_chunks(elements, offset, model)))
            offset += len(elements.start) - 1
        self.forces.record(chunked)
        self.matrix.record(chunked)
        component = [elements.component for elements, _ in chunked]
        component = np.concatenate([np.zeros(0, dtype=int), *component])
        self.sums = make_sums(component, self.groups.component_count, model)
        self.slopes = [self._slopes(*each) for each in chunked]
        self._record_vertices()

    def _slopes(self, elements, chunks):
        """The launch that adds the slopes of the elements of one kind."""
        kernel, data = coarse_kernels(elements.kind).add_slopes, elements.data
        if elements.wide_data is not None:
            kernel, data = kernels_in_lanes(elements.kind)[1], elements.wide_data
        inputs = [chunks, data, self.before, self.direction, elements.rest, self.longest]
        record, count = self.model.launches.record, len(elements.start) - 1
        return record(kernel, count, inputs, [self.sums], SLOPE * elements.size)

    def _record_vertices(self):
        """Record the launches over vertices and contacts, again when lists have grown."""
        model, members, record = self.model, self.members, self.model.launches.record
        self.forces.record_vertices()
        self.groups.record_pairs()
        self.matrix.record_vertices()
        chunks, count = len(members.shape), len(members.vertex)
        each, asleep = MEMBER * count / chunks, model.contact_model.state.asleep
        moves, patches = coarse_step.Moves(), self.groups.patches
        moves.x, moves.before, moves.asleep = model.x, self.before, asleep
        moves.direction, moves.moved = self.direction, model.candidate
        moves.component, moves.relaxation = self.groups.component, self.relaxation
        moves.relaxed = model.relaxation
        how = [patches, self.forces.pulls, members, moves, each]
        self.solving = self.groups.factors.step(*how)
        touching = [model.objective.contacts, model.contact_model]
        self.line = self._line(chunks, each, touching, moves)
        self.line_without_contacts = None
        if self.truncates and model.settings.quasistatic:
            inputs = [self.before, members, self.groups.component, self.components]
            outputs = [model.candidate, self.direction]
            shorten = record(coarse_step.shorten, count, inputs, outputs, MEMBER)
            line = self._line(chunks, each, coarse_slopes.no_contacts())
            self.line_without_contacts = [*line, shorten, *self._fractions(chunks, each), shorten]
        self.of_rigid = []
        if model.rigid:
            moving = [self.groups.component, self.components]
            self.of_rigid.append(model.rigid.moving_in_line(*moving))
        self._record_contacts()

    def _line(self, chunks, each, touching, moves=None):
        """Launches of the line search, after the slopes of elements, with the contacts `touching`.
        They give the `moves`; skipped steps are not counted where there are none.
        """
        model, record = self.model, self.model.launches.record
        objective, members = model.objective, self.members
        state = [self.before, self.direction, self.forces.force, objective.inertia, model.x_start]
        along = [*state, model.free_count, self.reach, objective.attachments, *touching]
        cost = each + PAIR * model.lists.expected / chunks
        kernel = coarse_slopes.slopes_kernel(model.device.is_cpu)
        slopes = record(kernel, chunks, along, [members], cost)
        state = self.reach, self.components, self.is_early
        known = chunks, self.longest, members, self.sums, state
        if moves is None:
            return [slopes, record_choice(model, *known, counts_skips=0)]
        self.move = nothing
        if model.launches.are_wide:
            return [slopes, record_choice_and_move(model, *known, moves)]
        count, step = len(members.vertex), [members, self.components]
        self.move = record(coarse_step.move, count, step, [moves], MEMBER)
        return [slopes, record_choice(model, *known, counts_skips=1)]

    def _fractions(self, chunks, each):
        """Launches that find the fraction of the direction that all vertices may take."""
        model, record, members = self.model, self.model.launches.record, self.members
        fractions = wp.zeros(chunks, dtype=float, device=model.device)
        longest = wp.zeros(0, dtype=float, device=model.device)
        if model.contact is not None:
            longest = model.contact.regions.struct.largest
        inputs = [self.before, self.direction, longest, members, model.contact_model]
        count = self.groups.component_count
        return [
            record(step_bounds.find_fractions, chunks, inputs, [fractions], each),
            record(step_bounds.choose_fractions, count, [fractions], [self.components]),
        ]

    def _record_contacts(self):
        """Record the launches that limit the direction by contacts and analytic colliders."""
        model, vertices, record = self.model, self.members.vertex, self.model.launches.record
        self.collider_bounds = []
        if model.has_analytic_colliders:
            inputs = [vertices, self.before, model.contact_model]
            kernel, moved = contact_terms.bound_member_steps, [model.candidate]
            self.collider_bounds.append(record(kernel, len(vertices), inputs, moved))
        self.collider_bounds += collider_point_limits(model, self.before, model.candidate)
        ends, kernel = [self.before, model.x], coarse_step.take_difference
        self.differences = [
            record(kernel, count, ends, [self.direction], DIFFERENCE, first)
            for first, count in model.surface_ranges()
        ]

    def use_uniform_steps(self, uniform_steps):
        """Let all vertices of a stiff body take the smallest fraction of any, by `UniformSteps`.

        A direction that is truncated vertex by vertex presses bodies flat. The energy does not fall
        along it, so all steps of an impact would be skipped.
        """
        self.commit, self.has_stiff_bodies = uniform_steps.commit, True

    def begin_frame(self):
        """Reset the count of skipped steps, and find all blocks again: a resumed run lacks them."""
        self.components.skipped.zero_()
        self.kept.forget()

    @property
    def saved(self):
        """State that passes from substep to substep: relaxation and the count of skipped steps."""
        return {"relaxation": self.model.relaxation, "skipped": self.components.skipped}

    @property
    def reported(self):
        """Numbers reported per frame and component: α of the last step, and the number of skipped
        steps since `begin_frame`.
        """
        return {
            "coarse_share": self.components.step_length,
            "coarse_skips": self.components.skipped,
        }

    def assemble(self):
        """Assemble and factor the matrix at the current positions."""
        self._renew()
        self._follow()
        self.groups.find_islands()
        self.matrix.assemble()

    def step(self):
        """Take one coarse step of all islands."""
        self._renew()
        model = self.model
        self.groups.update_islands()
        self._follow()
        if model.rigid:
            model.rigid.save_poses()
        self.kept.find_turns()
        self.forces.find()
        self.solving()
        if self.truncates:
            self._truncate()
        play(self.slopes)
        play(self.line)
        if self.truncates:
            repeat_while(self.is_early, partial(play, self.line))
        self.move()
        play(self.of_rigid)
        model.followers.follow(0, model.free_count)
        if model.contact is not None:  # planes were turned for the whole step
            model.contact.truncation.turn(0, model.free_count)

    def _follow(self):
        """Move embedded points to where their corners carry them."""
        self.model.followers.follow(0, self.model.free_count)

    def _truncate(self):
        """Shorten the direction where surfaces or analytic colliders limit it.

        In quasistatic solves the direction may lead far beyond the minimum of the elements, and
        truncation vertex by vertex would turn it: it is shortened as a whole first.
        """
        if self.line_without_contacts:
            play(self.slopes)
            play(self.line_without_contacts)
        play(self.collider_bounds)
        self.commit(0, self.model.free_count)
        if self.model.contact is not None:  # points without pairs
            self._follow()
        play(self.differences)
