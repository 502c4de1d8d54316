# SPDX-License-Identifier: GPL-3.0-or-later
"""One substep of vertex block descent."""

from itertools import pairwise

import numpy as np
import warp as wp

from ..coarse.correction import CoarseCorrection
from ..contact.contact import Contact
from ..contact.load import Load
from ..device.threads import WORTH_SPLITTING, recorded_whole
from ..kernels.elements.table import rest_kernel
from ..kernels.motion import ADAPTIVE, INERTIA, INERTIA_ACCELERATION, PREVIOUS, begin_step, end_step
from ..model.multipliers import StiffSprings
from ..scene.embedding import Followers, points_in_front
from .flight import Flight
from .guess import first_guard, last_guard
from .iterations import Iterations
from .momentum import Momentum, restoring

INITIAL_GUESS = {
    "previous": PREVIOUS,
    "inertia": INERTIA,
    "inertia_acceleration": INERTIA_ACCELERATION,
    "adaptive": ADAPTIVE,
}
# Fewer iterations than these are not relaxed.
SETTLING = 3
# The way to the initial guess is cut into at most so many searches for contact.
STAGES = 20
# A body that nothing has touched for so many steps flies.
FLIGHT = 20
# Part of the iterations before the guess is drawn back: what they settle is no reason to do so.
BEFORE_GUARD = 0.25


def copy_range(target, source, first):
    """Copy all from number `first` on."""
    if first < len(source):  # a count of 0 would copy everything
        wp.copy(target, source, first, first, len(source) - first)


class Stepper:
    """The launches of a substep, recorded once; `step()` plays them."""

    def __init__(self, model, aggregates, led, ties, tearing, residual, names, settings, workers):
        colliders, pins = led
        self.model, self.colliders, self.pins, self.ties = model, colliders, pins, ties
        self.tearing, self.residual = tearing, residual
        self.stiff_springs = StiffSprings(model, settings)
        self.settings, self.workers = settings, workers
        # Chebyshev extrapolates plain sweeps, and multipliers need them too: relaxed, they grow.
        # So does a substep that is too short to settle what relaxation overshoots.
        chebyshev = settings.acceleration > 0.0 or settings.estimate_acceleration
        short = settings.iterations < SETTLING and not settings.quasistatic
        omega = 1.0 if chebyshev or short else settings.relaxation
        self.no_extrapolation = model.upload(model.augmented.astype(np.int32), int)
        self.relaxation = model.upload(np.where(model.augmented, 1.0, omega), float)
        self.followers = Followers(model)
        self.contact = Contact(model, names, settings) if model.surface.can_touch else None
        self.lists_revision = model.lists.revision
        follows = (self.contact or model.has_analytic_colliders) and not settings.quasistatic
        self.load = Load(model, settings) if follows else None
        self.coarse = None
        if aggregates is not None:
            self.coarse = CoarseCorrection(
                model, aggregates, self.contact, self.followers, self.relaxation, workers
            )
        self.leads = colliders.moves or bool(pins.led)
        self.flight = Flight(model, self.contact, colliders) if self.contact else None
        self.momentum = Momentum(model, self.contact, settings) if self.contact else None
        self.iterations = Iterations(
            model,
            residual,
            settings,
            self.sweep,
            carried=[*ties.carried(), *self.stiff_springs.carried()],
            pairs=self.contact,
            search=self._search,
        )
        guess = "previous" if settings.quasistatic else settings.initial_guess
        self.flown = np.full(len(model.assembly.place), FLIGHT)
        self.standing = model.upload(self._standing(), int)
        self.begin = recorded_whole(
            model.device,
            begin_step,
            model.vertex_count,
            [
                model.gravity.on_device,
                settings.step_time,
                INITIAL_GUESS[guess],
                model.velocity,
                model.x,
                self.standing,
                model.contact_model,
            ],
            [
                self.places(),
                model.x_start,
                model.inertial,
                model.last_velocity,
                model.acceleration,
                model.steady,
            ],
        )
        self.keep_points = points_in_front(model, model.x_start, self.places())
        # Chebyshev extrapolates from sweep to sweep, and must not meet a jump on the way.
        self.guard_at = 0 if chebyshev else int(BEFORE_GUARD * settings.iterations)
        self.guarded = guess == "adaptive" and model.free_count > 0 and not self.contact
        self.restores = model.free_count > 0 and not self.contact and not settings.quasistatic
        self.end = recorded_whole(
            model.device,
            end_step,
            model.vertex_count,
            [settings.step_time, model.x, model.x_start],
            [model.velocity],
        )
        if self.contact:
            residual.before = self.contact.refresh
        self._record_elements()

    def _count_flight(self):
        """Count the steps since each body was touched; where that matters, guess it otherwise."""
        landed = self.momentum.touched[: len(self.flown)]
        before = self.flown >= FLIGHT
        self.flown = np.where(landed, 0, self.flown + 1)
        if ((self.flown >= FLIGHT) != before).any():
            self.standing.assign(self._standing())

    def _standing(self):
        """Vertices whose guess is steady, marked by 1.

        A solid that stands on something, or has just jumped off it, must not be guessed to fall: a
        stack of stiff ones would be pressed together and jump again.
        """
        model = self.model
        marks = np.zeros(model.vertex_count, dtype=np.int32)
        tets = model.assembly.tets.corners
        standing = (self.flown < FLIGHT)[model.surface.body[tets[:, 0]]]
        marks[tets[standing]] = 1
        return marks

    def places(self):
        """Where new positions go: to be truncated first where there are contact pairs."""
        return self.contact.candidate if self.contact else self.model.x

    def _record_elements(self):
        """The launches that know the elements: again when tearing has changed them."""
        model, kernels = self.model, self.model.kernels
        self.move_rest_values = [
            self._record_range(
                rest_kernel(table.kind),
                (0, model.free_count),
                [model.x_start, table.struct, table.undamped, table.blend],
                [table.struct.rest],
            )
            for table in model.tables.values()
            if table.is_damped
        ]
        guard = [model, self.residual, self.settings]
        self.guard = first_guard(*guard) if self.guarded else []
        # In few coarse iterations fast vibrations overshoot, and would gain energy.
        few = self.coarse and self.settings.iterations < SETTLING
        self.last_guard = last_guard(*guard) if self.guarded and few else []
        self.restoring = restoring(model, self.followers) if self.restores else []
        self.colors = [
            self._record_range(
                kernels.search if self.settings.line_search else kernels.solve,
                color,
                [wp.vec2i(*color), model.objective, model.elements, self.relaxation],
                [model.x, self.places(), model.touched, model.rejected, model.lists.closing],
            )
            for color in pairwise(model.color_start)
        ]

    def _record_range(self, kernel, vertices, inputs, outputs):
        """Launches that cover a range of vertices, one per thread when that pays."""
        first, last = vertices
        work = np.cumsum(self.model.work[first:last])
        parts = 1
        # A line search moves vertices to and fro, in sight of partners of the same color.
        whole = not self.model.device.is_cpu or (self.contact and self.settings.line_search)
        if not whole and len(work) and work[-1] > WORTH_SPLITTING:
            parts = min(self.workers.count, int(work[-1] / WORTH_SPLITTING) + 1)
        total = work[-1] if len(work) else 0.0
        cuts = np.searchsorted(work, np.arange(1, parts) * total / parts) + first
        bounds = [first, *cuts.tolist(), last]
        device = self.model.device
        return [
            launch
            for a, b in pairwise(bounds)
            if b > a
            for launch in recorded_whole(device, kernel, int(b - a), [int(a), *inputs], outputs)
        ]

    def _run(self, launches):
        if len(launches) > 1:
            self.workers.run(launches)
        elif launches:
            launches[0]()

    def begin_frame(self):
        if self.contact:
            self.contact.begin_frame()
        if self.coarse:
            self.coarse.begin_frame()

    def sweep(self, iteration):
        """Visit every free vertex once, color by color."""
        if self.contact:
            self._sweep_with_pairs(iteration)
        else:
            if iteration == self.guard_at:
                for launches in self.guard:
                    self._run(launches)
            for color in self.colors:
                self._run(color)
        # After iterations 1, 2, 3, 5, 9, 17, …: the smooth part of the error needs no more, and the
        # rest of it is left to sweeps, which cost less.
        if self.coarse and iteration & (iteration - 1) == 0:
            # To an equilibrium it is farther than a matrix can be turned.
            if iteration == 0 or self.settings.quasistatic:
                self.coarse.assemble()
            self.coarse.step()
            if iteration == self.settings.iterations - 1:
                for launches in self.last_guard:
                    self._run(launches)
        self.ties.after_sweep(self.model.x)
        self.stiff_springs.after_sweep()

    def _sweep_with_pairs(self, iteration):
        contact = self.contact
        due = iteration % self.settings.collision_interval == 0
        if contact.is_capped or (due and iteration > 0 and contact.is_stuck):
            self._search()
        contact.refresh()
        self._lead()
        for color, (first, last) in zip(self.colors, pairwise(self.model.color_start), strict=True):
            self._run(color)
            contact.settle(first, last)

    def _search(self, *growth):
        """Search for pairs; lists that have grown are new arrays, to be recorded anew."""
        self.contact.search(*growth)
        if self.lists_revision != self.contact.revision:
            self.lists_revision = self.contact.revision
            self.residual.record(self.model)
            self._record_elements()

    def _lead(self):
        """Move what is led (pins, colliders) on towards its place."""
        if self.leads:
            copy_range(self.contact.candidate, self.model.inertial, self.model.free_count)
            self.contact.settle(self.model.free_count, self.model.led_end)

    def step(self, substep):
        """Advance by one substep, number `substep` of the frame, counted from 1."""
        count, model = self.settings.substeps, self.model
        if self.load:
            self.load.follow()
        model.pull(substep / count, self.settings)
        self._run(self.begin)
        for launch in self.keep_points:
            launch()
        for launches in self.move_rest_values:
            self._run(launches)
        self.pins.move(substep / count, model.inertial if self.contact else model.x)
        self.ties.move(substep / count)
        self.stiff_springs.begin_step()
        wp.copy(model.touched, self.no_extrapolation)
        if self.contact:
            self._begin_pairs(substep / count)
        self.iterations.run(watched=substep == count)
        if self.contact:
            self.momentum.restore()
            self._count_flight()
        else:
            for launches in self.restoring:
                self._run(launches)
            self.followers.follow(0, model.free_count)
        self.ties.after_step(model.x)
        self._run(self.end)
        if self.tearing.after_step(model, [self.coarse.before] if self.coarse else []):
            self.residual.record(model)
            self._record_elements()
            if self.coarse:
                self.coarse.record()

    def _begin_pairs(self, share):
        """Find what may touch in this substep; go to the initial guess as far as that allows."""
        model, contact = self.model, self.contact
        copy_range(model.x_start, model.x, model.vertex_count)
        self.colliders.move(share, model.inertial)
        copy_range(contact.candidate, model.inertial, model.free_count)
        contact.begin_step()
        self.flight.move()
        for _ in range(STAGES):
            self._search(1.0)  # what is left of the way is expected, and needs no more slack
            if self.leads:
                contact.make_way()
            contact.settle(0, model.led_end)
            if not (contact.is_capped or (self.leads and contact.is_stuck)):
                break
        if contact.has_travelled:
            self._search()  # what lies ahead is shorter, and so is the list
