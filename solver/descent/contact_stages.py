# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact within a substep: the approach to the guess, searches, and what is kinematic."""

from functools import partial

import warp as wp

from ..device.conditions import repeat_while, when
from ..device.launches import play
from ..groups.free_flight import FreeFlight
from ..groups.uniform_steps import UniformSteps
from ..kernels.contact import friction_anchors
from ..model.stage import RecordedStage, Stage

# The approach to the initial guess is cut into at most so many searches for contact.
APPROACHES = 20
# Rough cost of what sticks, of a pair or a vertex [ns].
ANCHOR = 10.0


class ContactStage(Stage):
    """Keeps the lists of contacts fit for the sweeps."""

    def __init__(self, model, kinematic):
        super().__init__(model)
        self.contact, self.is_kinematic = model.contact, kinematic.moves_surfaces
        self.flight, self.holding = FreeFlight(model, kinematic.colliders), UniformSteps(model)
        # The approach to the guess is over when it has come as far as it can.
        self.approaching = self.contact.due(int(self.is_kinematic), most=APPROACHES)
        interval = model.settings.collision_interval
        # One vertex holds all of a stiff body back: there all count that it might have been.
        how = {"iterations": model.iteration, "counts_ends": self.holding.holds}
        self.searching = self.contact.due(interval, **how)

    def begin_frame(self, _frame, _time):
        self.contact.begin_frame(self.is_kinematic)

    def before_step(self):
        """Make room in time; look for intersections, where there may be any."""
        self.contact.make_room_ahead()
        self.contact.look()

    def begin_step(self):
        """Find what may touch in this substep; go to the initial guess as far as that allows."""
        model, contact = self.model, self.contact
        copy_behind(model.x_start, model.x, model.vertex_count)
        copy_behind(model.candidate, model.inertial, model.free_count)
        contact.begin_step()
        self.flight.move()
        self.approaching.begin()
        contact.begin_approach()
        self.flight.land(contact.begin_approach)
        self._go_on()
        repeat_while(self.approaching.goes_on, self._approach)
        when(contact.travelled, contact.part_anew)

    def _approach(self):
        """Search for what has used up its room, or look anew at what was found, and go on."""
        contact = self.contact
        when(self.approaching.searches, partial(contact.approach, whole=False), contact.part_anew)
        self._go_on()

    def _go_on(self):
        """Go to the initial guess as far as what was found allows."""
        model = self.model
        if self.is_kinematic:
            self.contact.make_way()
        self.holding.commit(0, model.kinematic_end)
        self.approaching.look()

    def before_sweep(self):
        """Search where that is due, bring all contacts up to date, and move what is kinematic on
        towards its goal.
        """
        model, contact = self.model, self.contact
        self.searching.look()
        when(self.searching.goes_on, self._look_again)
        contact.refresh()
        if self.is_kinematic:
            copy_behind(model.candidate, model.inertial, model.free_count)
            model.commit(model.free_count, model.kinematic_end)

    def _look_again(self):
        """Search, or let known pairs be parted anew."""
        when(self.searching.searches, partial(self.contact.search, whole=False))
        when(self.searching.parts, self.contact.part_anew)

    def end_step(self):
        """Sweeps have not moved embedded points that nothing was near."""
        self.contact.follow()


class ContactLoad(Stage):
    """Contacts follow the load that they carry (contact/load.py)."""

    state_name = "contact_load"

    def __init__(self, model, load):
        super().__init__(model)
        self.load = load

    @property
    def kept(self):
        """What passes from one substep to the next, where no `Contact` keeps that."""
        state = self.model.contact_model.state
        is_kept = self.model.contact is not None
        return {} if is_kept else {"stiffness": state.stiffness, "multiplier": state.multiplier}

    def begin_step(self):
        self.load.follow()


class Anchors(RecordedStage):
    """Keeps how far contacts have been pulled aside by the last step, so that what sticks does not
    creep.
    """

    state_name = "contact_anchors"

    def record(self):
        model, lists, contact_model = self.model, self.model.lists, self.model.contact_model
        self.launches = []
        if model.contact is not None:
            inputs = [model.x, lists.counts, lists.touches, lists.state, contact_model.law]
            record, extent = model.launches.record_list, (lists.capacity, lists.expected)
            of_pairs = record(
                friction_anchors.anchor_pairs, *extent, inputs, [lists.pulled], ANCHOR
            )
            self.launches.append(of_pairs)
        if model.has_analytic_colliders:
            inputs, kernel = [model.x, model.x_start], friction_anchors.anchor_at_colliders
            self.launches += [
                model.launches.record(kernel, count, inputs, [contact_model], ANCHOR, first)
                for first, count in model.surface_ranges()
            ]

    @property
    def kept(self):
        """What passes from one substep to the next, besides the lists."""
        return {"at_colliders": self.model.contact_model.state.pulled}

    def begin_step(self):
        """Before anything forgets how the last step began."""
        play(self.launches)


def copy_behind(target, source, first):
    """Copy all from number `first` on."""
    if first < len(source):  # a count of 0 would copy everything
        wp.copy(target, source, first, first, len(source) - first)
