# SPDX-License-Identifier: GPL-3.0-or-later
"""One substep of vertex block descent (VBD 2024, algorithm 1; AVBD 2025 for the multipliers)."""

from itertools import count

from ..coarse.correction import CoarseCorrection, coarse_aggregates
from ..contact.load import Load
from .chebyshev import Acceleration
from .coarse import CoarseSteps
from .contact import ContactLoad, Contacts
from .convergence import Convergence
from .guess import GuessGuard, LastGuard, is_guarded
from .keeping import Keeper
from .kinematics import Kinematics
from .momentum import IslandMomentum, LinkageMomentum
from .multipliers import AttachmentMultipliers, Breaking, SpringMultipliers
from .prediction import Damping, Prediction, Velocities
from .stage import VERBS
from .sweeps import Sweeps


class Stepper:
    """The stages of a substep, and the order in which they come.

    All that the host decides within a substep: which searches for contacts are due (`Contacts`),
    what flies and who touches whom (`Flight`, `IslandMomentum`), which iterations have a coarse
    step (`CoarseSteps`), when they are enough (`Convergence`), whether they have to start over
    (`Acceleration`), and what tears (`Tearing`).
    """

    def __init__(self, model, kinematic, tearing, residual):
        self.model, self.residual = model, residual
        self.convergence = Convergence(model, residual)
        self.coarse = make_coarse(model)
        self.sweeps = Sweeps(model)
        self.acceleration = None
        if model.settings.is_accelerated and model.free_count > 0:
            self.acceleration = Acceleration(model, residual)
        stages = [
            *before_iterations(model, kinematic),
            *self._of_iterations(),
            *after_iterations(model, tearing),
        ]
        self.keeper = None
        if model.contact is not None:
            self.keeper = Keeper([model, model.contact, *stages])
        self.verbs = {
            verb: [getattr(stage, verb) for stage in stages if hasattr(stage, verb)]
            for verb in VERBS
        }

    def _of_iterations(self):
        """What happens in every iteration, besides the search for contacts."""
        model, settings = self.model, self.model.settings
        if is_guarded(model):
            yield GuessGuard(model, self.residual)
        yield self.sweeps
        if self.coarse:
            yield CoarseSteps(model, self.coarse)
            if is_guarded(model) and settings.is_short:
                yield LastGuard(model, self.residual)
        if (model.attachments.penalty > 0.0).any():
            yield AttachmentMultipliers(model)
        if (model.spring_penalty > 0.0).any():
            yield SpringMultipliers(model)
        if self.acceleration:
            yield self.acceleration

    def begin_frame(self, frame, time):
        """Begin a frame, number `frame`, that ends at a time [s]."""
        for begin in self.verbs["begin_frame"]:
            begin(frame, time)
        if self.keeper:
            self.keeper.keep()

    def end_frame(self):
        """Whether all contacts of the frame had room; else there is more of it now, and everything
        is as it was at the frame's start, to do it again.
        """
        if self.model.contact is None or self.model.contact.make_room():
            return True
        self.keeper.go_back()
        return False

    def step(self, substep):
        """Advance by one substep, number `substep` of the frame, counted from 1:

        predict → approach the guess, searching for contacts →
        [ search → sweep → coarse correction → multipliers → enough? ] → momentum → velocities
        """
        for look in self.verbs["look"]:
            look()
        self.solve(substep)

    def solve(self, substep):
        """The substep without what the host has to `look` at before."""
        substeps = self.model.settings.substeps
        for begin in self.verbs["begin_step"]:
            begin(substep / substeps)
        self.convergence.begin_step(substep == substeps or self.acceleration is not None)
        self._iterate()
        if self.acceleration and self.acceleration.must_start_over(self.convergence):
            self._iterate()
        for end in self.verbs["end_step"]:
            end()

    def _iterate(self):
        for iteration in count():
            self.sweep(iteration)
            if self.convergence.is_enough(iteration):
                return

    def sweep(self, iteration):
        """Visit every free vertex once, with all that comes before and after."""
        for prepare in self.verbs["before_sweep"]:
            prepare(iteration)
        self.sweeps.sweep()
        for follow in self.verbs["after_sweep"]:
            follow(iteration)


def before_iterations(model, kinematic):
    """The stages that predict, in order."""
    touches = model.contact is not None
    if (touches or model.has_analytic_colliders) and not model.settings.quasistatic:
        yield ContactLoad(model, Load(model, model.settings))
    yield Prediction(model)
    if model.damped_tables:
        yield Damping(model)
    yield Kinematics(model, kinematic)
    if touches:
        yield Contacts(model, kinematic)


def after_iterations(model, tearing):
    """The stages that conclude, in order."""
    if model.contact is not None:
        yield IslandMomentum(model)
    elif LinkageMomentum.is_needed(model):
        yield LinkageMomentum(model)
    if model.attachments.breakable:
        yield Breaking(model)
    yield Velocities(model)
    if tearing.tears:
        yield tearing


def make_coarse(model):
    """The `CoarseCorrection` of a scene, None where there is none."""
    aggregates = coarse_aggregates(model, model.settings)
    if aggregates is None:
        return None
    correction = CoarseCorrection(model, aggregates)
    model.inherited.append(correction.before)
    return correction
