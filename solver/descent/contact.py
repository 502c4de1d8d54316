# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact within a substep: the approach to the guess, searches, and what is kinematic."""

import warp as wp

from ..device.flow import repeat_while, when
from .flight import Flight
from .holding import Holding
from .stage import Stage

# The approach to the initial guess is cut into at most so many searches for contact.
APPROACHES = 20


class Contacts(Stage):
    """Keeps the lists of contacts fit for the sweeps."""

    def __init__(self, model, kinematic):
        super().__init__(model)
        self.contact, self.is_kinematic = model.contact, kinematic.moves_surfaces
        self.flight, self.holding = Flight(model, kinematic.colliders), Holding(model)
        # The approach to the guess is over when it has come as far as it can.
        self.approaching = self.contact.due(int(self.is_kinematic), most=APPROACHES)
        interval = model.settings.collision_interval
        self.searching = self.contact.due(interval, iterations=model.iteration)

    def begin_frame(self, _frame, _time):
        self.contact.begin_frame()

    def before_step(self):
        """Look for intersections, where there may be any."""
        self.contact.look()

    def begin_step(self):
        """Find what may touch in this substep; go to the initial guess as far as that allows."""
        model, contact = self.model, self.contact
        copy_behind(model.x_start, model.x, model.vertex_count)
        copy_behind(model.candidate, model.inertial, model.free_count)
        contact.begin_step()
        self.flight.move()
        self.approaching.begin()
        repeat_while(self.approaching.goes_on, self._approach)
        when(contact.travelled, contact.part_anew)

    def _approach(self):
        """Search, or look anew at what was found, and go on as far as that allows."""
        model, contact = self.model, self.contact
        when(self.approaching.searches, contact.approach, contact.part_anew)
        if self.is_kinematic:
            contact.make_way()
        self.holding.commit(0, model.kinematic_end)
        self.approaching.look()

    def before_sweep(self):
        """Search where that is due, bring all contacts up to date, and move what is kinematic on
        towards its goal.
        """
        model, contact = self.model, self.contact
        self.searching.look()
        when(self.searching.searches, contact.search)
        when(self.searching.parts, contact.part_anew)
        contact.refresh()
        if self.is_kinematic:
            copy_behind(model.candidate, model.inertial, model.free_count)
            model.commit(model.free_count, model.kinematic_end)

    def end_step(self):
        """Sweeps have not moved embedded points that nothing was near."""
        self.contact.follow()


class ContactLoad(Stage):
    """Contacts follow the load that they carry (contact/load.py)."""

    def __init__(self, model, load):
        super().__init__(model)
        self.load = load

    def begin_step(self):
        self.load.follow()


def copy_behind(target, source, first):
    """Copy all from number `first` on."""
    if first < len(source):  # a count of 0 would copy everything
        wp.copy(target, source, first, first, len(source) - first)
