# SPDX-License-Identifier: GPL-3.0-or-later
"""One substep of vertex block descent (VBD 2024, algorithm 1; AVBD 2025 for the multipliers)."""

from ..coarse.correction import CoarseCorrection, coarse_aggregates
from ..contact.load import Load
from ..device.flow import can_capture, when
from .chebyshev import Acceleration
from .clock import Clock
from .coarse import CoarseMatrix, CyclicCoarseSteps, FewCoarseSteps
from .contact import Anchors, ContactLoad, Contacts
from .convergence import Convergence
from .enclosed_air import EnclosedAir
from .forces import Forces
from .gentle_start import GentleStart
from .guess import GuessGuard, LastGuard, RestlessGuard, is_guarded
from .holding import Holding
from .iterations import Iterations
from .keeping import Keeper
from .kinematics import Kinematics
from .momentum import IslandMomentum, LinkageMomentum
from .multipliers import AttachmentLaws, AttachmentMultipliers, Breaking, SpringMultipliers
from .plasticity import Plasticity
from .prediction import Damping, Prediction, Velocities
from .stage import VERBS, RecordedStage
from .sweeps import PlainFirstSweep, Sweeps
from .tearing import TearDetection


class Stepper:
    """The stages of a substep, and the order in which they come.

    The host has a part only where something intersects (`Contacts`), before a substep; and where
    the rest of a frame was left out, since contacts lacked room or cloth is to tear (`Tearing`).
    """

    def __init__(self, model, kinematic, tearing, residual):
        self.model, self.residual, self.tearing = model, residual, tearing
        self.coarse = make_coarse(model)
        self.sweeps = Sweeps(model)
        self.iterations = Iterations(model)
        self.convergence = Convergence(model, residual, self.iterations, self.coarse)
        self.steps = self._coarse_steps()
        self.acceleration = None
        if model.settings.is_accelerated and model.free_count > 0:
            self.acceleration = Acceleration(model)
        stages = [
            *self._before_sweeps(),
            *before_iterations(model, kinematic, residual),
            *self._of_iterations(),
            *after_iterations(model, kinematic, tearing),
        ]
        self.recorded = [stage for stage in stages if isinstance(stage, RecordedStage)]
        of_contact = [] if model.contact is None else model.contact.keepers
        of_frame = [*kinematic.keepers, model.gravity]
        self.keeper = Keeper([*of_frame, tearing, model, *of_contact, *stages, self.convergence])
        self.verbs = {
            verb: [getattr(stage, verb) for stage in stages if hasattr(stage, verb)]
            for verb in VERBS
        }
        self.before_sweep, self.after_sweep = (
            [self._as_due(action) for action in self.verbs[verb]]
            for verb in ("before_sweep", "after_sweep")
        )
        self.iterations.record()
        self.graph = self.revisions = None
        self.is_captured = can_capture(model.device)

    def _as_due(self, action):
        """What a stage does in the iterations that it is due in."""
        is_due = getattr(action.__self__, "is_due", None)
        evenly = getattr(action.__self__, "is_due_evenly", is_due)
        return action if is_due is None else self.iterations.when_due(is_due, action, evenly=evenly)

    def _coarse_steps(self):
        """The stage of the coarse correction; None where there is none."""
        if self.convergence.accuracy:
            return CyclicCoarseSteps(self.model, self.coarse, self.convergence.are_even)
        return FewCoarseSteps(self.model, self.coarse) if self.coarse else None

    def _before_sweeps(self):
        """What comes first in every iteration, before a search for contacts."""
        if self.convergence.accuracy:
            yield self.steps
        yield from self.convergence.marks

    def _of_iterations(self):
        """What happens in every iteration, besides the search for contacts."""
        model, settings = self.model, self.model.settings
        if is_guarded(model):
            yield GuessGuard(model, self.residual, self.convergence.are_even)
        if PlainFirstSweep.is_needed(settings):
            yield PlainFirstSweep(model)
        yield self.sweeps
        if self.coarse:
            yield CoarseMatrix(model, self.coarse, self.steps)
            if not self.convergence.accuracy:
                yield self.steps
            if is_guarded(model) and settings.is_short:
                yield LastGuard(model, self.residual)
        if (model.attachments.penalty > 0.0).any():
            yield AttachmentMultipliers(model)
        if (model.spring_penalty > 0.0).any():
            yield SpringMultipliers(model)
        if EnclosedAir.is_needed(model):
            yield EnclosedAir(model)
        if self.acceleration:
            yield self.acceleration

    def begin_frame(self, frame, time):
        """Begin a frame, number `frame`, that ends at a time [s]."""
        for begin in self.verbs["begin_frame"]:
            begin(frame, time)
        if self.model.contact is not None:
            self.keeper.keep()

    def end_frame(self, numbers):
        """How many substeps are left to do, by the `numbers` that the frame has reported; None when
        it is done.

        Where contacts lacked room there is more of it now, and everything is as it was at the
        frame's start. Where cloth was to tear it has, and the frame goes on from there; after its
        last substep no more than the numbers are to be reported anew.
        """
        model, substeps = self.model, self.model.settings.substeps
        had_room = model.contact is None or model.contact.make_room(numbers)
        if numbers["frame_goes_on"][0]:
            return None
        model.frame_goes_on.fill_(1)
        if not had_room:
            self.keeper.go_back()
            return substeps
        self.tearing.tear()
        return round(substeps * (1.0 - numbers["fraction"][0]))

    def step(self):
        """Advance by one substep.

        The first one is launched plainly, and so is the first after arrays have been replaced: all
        that is needed is then loaded and recorded. The next one is captured into a graph, which is
        replayed from then on.
        """
        for prepare in self.verbs["before_step"]:
            prepare()
        is_new = self.revisions != self.model.revisions
        if is_new:
            self.graph, self.revisions = None, self.model.revisions
            for stage in self.recorded:
                stage.renew()
        if is_new or not self.is_captured:
            self.solve()
        else:
            if self.graph is None:
                self.graph = self.model.launches.graph(self.solve)
            self.graph.replay()

    def solve(self):
        """All that a graph holds: a substep, unless the rest of the frame is left out."""
        if self.model.contact is None and not self.tearing.tears:
            self._solve()
        else:
            when(self.model.frame_goes_on, self._solve)

    def _solve(self):
        """One substep:

        predict → approach the guess, searching for contacts →
        [ search → sweep → coarse correction → multipliers → enough? ] → momentum → velocities
        """
        for begin in self.verbs["begin_step"]:
            begin()
        self.convergence.begin()
        self.iterations.run(self._iterate)
        self.convergence.end()
        for end in self.verbs["end_step"]:
            end()

    def _iterate(self):
        self.sweep()
        self.convergence.look()

    def sweep(self):
        """Visit every free vertex once, with all that comes before and after."""
        for prepare in self.before_sweep:
            prepare()
        self.sweeps.sweep()
        for follow in self.after_sweep:
            follow()


def has_dynamic_contact(model):
    """Whether anything may touch, and contacts remember what they carried."""
    touches = model.contact is not None or model.has_analytic_colliders
    return touches and not model.settings.quasistatic


def before_iterations(model, kinematic, residual):
    """The stages that predict, in order."""
    touches = model.contact is not None
    if has_dynamic_contact(model):
        yield Anchors(model)
        yield ContactLoad(model, Load(model, model.settings))
    yield Clock(model)
    yield Prediction(model)
    if Forces.is_needed(model):
        yield Forces(model)
    if Plasticity.is_needed(model):
        yield Plasticity(model)
    if model.damped_tables:
        yield Damping(model)
    yield Kinematics(model, kinematic)
    if model.attachments.is_adaptive:
        yield AttachmentLaws(model, kinematic.attached)
    if touches:
        if RestlessGuard.is_needed(model):
            yield RestlessGuard(model, residual)
        yield Contacts(model, kinematic)
    if has_dynamic_contact(model):
        yield GentleStart(model)


def after_iterations(model, kinematic, tearing):
    """The stages that conclude, in order."""
    if model.contact is not None:
        yield IslandMomentum(model, kinematic.colliders.travel)
    elif LinkageMomentum.is_needed(model):
        yield LinkageMomentum(model)
    if model.attachments.breakable:
        yield Breaking(model)
    yield Velocities(model)
    if tearing.tears:
        yield TearDetection(model, tearing)


def make_coarse(model):
    """The `CoarseCorrection` of a scene, None where there is none."""
    aggregates = coarse_aggregates(model, model.settings)
    if aggregates is None:
        return None
    correction = CoarseCorrection(model, aggregates)
    model.inherited.append(correction.before)
    # What has matrices of its own moves one after the other, and would hold each other still.
    touches = model.contact is not None and correction.groups.fit_one_matrix
    if touches and not model.settings.quasistatic:
        holding = Holding(model)
        if holding.holds:
            correction.hold(holding)
    return correction
