# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact within a substep: the approach to the guess, searches, and kinematic motion."""

from functools import partial

import warp as wp

from ..contact.friction_choice import marking
from ..device.conditions import repeat_while, when
from ..device.launches import play
from ..groups.free_flight import FreeFlight
from ..groups.sleep import SleepingBodies
from ..groups.uniform_steps import UniformSteps
from ..kernels.contact import friction_anchors
from ..model.stage import RecordedStage, Stage

# Maximum number of searches for contact during the approach to the initial guess.
APPROACHES = 20
# Rough cost of a friction anchor, of a pair or a vertex [ns].
ANCHOR = 10.0


class ContactStage(Stage):
    """Keeps the contact lists up to date during the sweeps. `rest` tells which bodies may sleep;
    None where none does.
    """

    def __init__(self, model, kinematic, rest):
        super().__init__(model)
        self.sleepers = SleepingBodies(model, rest) if rest else None
        self.contact, self.is_kinematic = model.contact, kinematic.moves_surfaces
        self.colliders = kinematic.colliders
        self.contact.flat_colliders.update(self.colliders.known)
        self.flight, self.uniform_steps = (
            FreeFlight(model, kinematic.colliders),
            UniformSteps(model),
        )
        # The approach to the guess ends when all vertices are as near to it as they can get.
        self.approaching = self.contact.search_schedule(int(self.is_kinematic), most=APPROACHES)
        interval = model.settings.collision_interval
        # One truncated vertex shortens the step of a stiff body: all that might have done so count.
        options = {
            "iterations": model.iteration,
            "counts_ends": self.uniform_steps.has_stiff_bodies,
        }
        self.searching = self.contact.search_schedule(interval, **options)

    def begin_frame(self, _frame, _time):
        if self.colliders.moves:
            self.contact.flat_colliders.update(self.colliders.known)
        self.flight.begin_frame()
        self.contact.begin_frame(self.is_kinematic)

    def before_step(self):
        """Ensure the capacity of lists; check for intersections, where there may be any."""
        self.contact.ensure_capacity_early()
        self.contact.check()

    def begin_step(self):
        """Find possible contacts of this substep; approach the guess as far as they allow."""
        model, contact = self.model, self.contact
        copy_behind(model.x_start, model.x, model.vertex_count)
        copy_behind(model.candidate, model.inertial, model.free_count)
        contact.begin_step()
        if self.sleepers:
            self.sleepers.hold()
        self.flight.move()
        self.approaching.begin()
        contact.begin_approach()
        self.flight.verify(contact.begin_approach)
        self._advance()
        repeat_while(self.approaching.goes_on, self._approach)
        when(contact.needs_search, contact.renew_planes)
        self._wake_touched()

    def _wake_touched(self):
        """Find the bodies that sleep: after a search, before anything can touch others."""
        if self.sleepers:
            self.sleepers.decide()

    def _approach(self):
        """Search for vertices at the end of their trust regions, or update known pairs; advance."""
        contact = self.contact
        when(
            self.approaching.searches, partial(contact.approach, whole=False), contact.renew_planes
        )
        self._advance()

    def _advance(self):
        """Advance to the initial guess as far as known pairs allow."""
        model = self.model
        if self.is_kinematic:
            self.contact.yield_to_kinematic()
        self.uniform_steps.commit(0, model.kinematic_end, together=True)
        self.approaching.check()

    def before_sweep(self):
        """Search where that is due, refresh all contacts, and move kinematic vertices towards their
        goals.
        """
        model, contact = self.model, self.contact
        self.searching.check()
        when(self.searching.goes_on, self._search_or_update)
        contact.refresh()
        if self.is_kinematic:
            copy_behind(model.candidate, model.inertial, model.free_count)
            model.commit(model.free_count, model.kinematic_end)

    def _search_or_update(self):
        """Search, or choose new separating planes for known pairs."""
        when(self.searching.searches, self._search)
        when(self.searching.planes, self.contact.renew_planes)

    def _search(self):
        self.contact.search(whole=False)
        self._wake_touched()

    def end_step(self):
        """Move embedded points without contacts, which sweeps have not moved."""
        self.contact.follow()


class ContactLoad(Stage):
    """Lets the stiffness of contacts follow the load that they carry (contact/load.py)."""

    state_name = "contact_load"

    def __init__(self, model, load):
        super().__init__(model)
        self.load = load

    @property
    def saved(self):
        """State that passes from one substep to the next, where no `Contact` has it."""
        state = self.model.contact_model.state
        is_kept = self.model.contact is not None
        return {} if is_kept else {"stiffness": state.stiffness, "multiplier": state.multiplier}

    def begin_step(self):
        self.load.follow()


class Anchors(RecordedStage):
    """Friction anchors: keep the tangential displacement of contacts in the last step, so that
    sticking contacts do not creep.
    """

    state_name = "contact_anchors"

    def record(self):
        model, lists, contact_model = self.model, self.model.lists, self.model.contact_model
        self.launches = []
        if model.contact is not None:
            inputs = [model.x, lists.counts, lists.touches, lists.state, contact_model.law]
            record, extent = model.launches.record_list, (lists.capacity, lists.expected)
            pair_launch = record(
                friction_anchors.anchor_pairs, *extent, inputs, [lists.pulled], ANCHOR
            )
            self.launches += [pair_launch, *marking(model)]
        if model.has_analytic_colliders:
            inputs, kernel = [model.x, model.x_start], friction_anchors.anchor_at_colliders
            self.launches += [
                model.launches.record(kernel, count, inputs, [contact_model], ANCHOR, first)
                for first, count in model.surface_ranges()
            ]

    @property
    def saved(self):
        """State that passes from one substep to the next, besides the lists."""
        return {"at_colliders": self.model.contact_model.state.pulled}

    def begin_step(self):
        """Update the anchors before the positions at the start of the last step are lost."""
        play(self.launches)


def copy_behind(target, source, first):
    """Copy all elements from index `first` on."""
    if first < len(source):  # a count of 0 would copy everything
        wp.copy(target, source, first, first, len(source) - first)
