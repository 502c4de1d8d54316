# SPDX-License-Identifier: GPL-3.0-or-later
"""One substep of vertex block descent (VBD 2024, algorithm 1; AVBD 2025 for the multipliers)."""

from ..coarse.correction import CoarseCorrection, coarse_aggregates
from ..device.conditions import can_capture, when
from ..groups.uniform_steps import UniformSteps
from ..model.stage import RecordedStage
from .checkpoints import Checkpoints
from .convergence import Convergence
from .iterations import Iterations
from .stages import make_stages


class Stepper:
    """The stages of a substep, and the order in which they come: `_solve` and `_iterate`.

    The host has a part only where something intersects (`ContactStage`), before a substep; and
    where the rest of a frame was left out, since contacts lacked room or cloth is to tear
    (`Tearing`).
    """

    def __init__(self, model, kinematic, tearing, residual):
        self.model, self.residual, self.tearing = model, residual, tearing
        self.coarse = make_coarse(model)
        self.iterations = Iterations(model)
        self.convergence = Convergence(model, residual, self.iterations, self.coarse)
        self.stages = make_stages(model, kinematic, tearing, residual, self.convergence)
        of_contact = [] if model.contact is None else model.contact.keepers
        of_frame = [*kinematic.keepers, model.gravity, tearing, model]
        self.keeper = Checkpoints([*of_frame, *of_contact, *self.stages, self.convergence])
        for stage in self.stages:
            self._wait_until_due(stage)
        self.iterations.record()
        self.graph = self.revisions = None
        self.is_captured = can_capture(model.device)

    def _wait_until_due(self, stage):
        """Let a stage do its parts of the iterations that it is due in, of these alone."""
        if not hasattr(stage, "is_due"):
            return
        evenly = getattr(stage, "is_due_evenly", stage.is_due)
        for verb in ("before_sweep", "after_sweep"):
            action = getattr(stage, verb)
            setattr(stage, verb, self.iterations.when_due(stage.is_due, action, evenly=evenly))

    def _solve(self):
        """One substep:

        predict → approach the guess, searching for contacts →
        [ search → sweep → coarse correction → multipliers → enough? ] → momentum → velocities
        """
        s = self.stages
        # Keep what contacts carried, before anything forgets how the last substep began.
        s.anchors.begin_step()
        s.contact_load.begin_step()  # their stiffness follows the load
        # Predict: where the substep begins, `x_start`, inertia leads, `inertial`, and the guess.
        s.clock.begin_step()
        s.prediction.begin_step()
        s.forces.begin_step()  # they change `inertial`
        s.plasticity.begin_step()  # rest values flow, ...
        s.damping.begin_step()  # ... and are blended with those at `x_start`
        s.kinematics.begin_step()  # goals of pins, colliders and attached points
        s.attachment_laws.begin_step()
        s.restless_guard.begin_step()  # draws the guess of nearly incompressible bodies back
        # Approach the guess, searching for contacts.
        s.contacts.begin_step()
        s.gentle_start.begin_step()  # once per scene: what begins nearer than its distance
        # Iterate.
        s.sweeps.begin_step()
        s.spring_multipliers.begin_step()
        s.enclosed_air.begin_step()
        s.acceleration.begin_step()
        self.convergence.begin()
        self.iterations.run(self._iterate)
        self.convergence.end()
        # Give back momentum, and find velocities.
        s.contacts.end_step()  # embedded points follow
        s.gentle_start.end_step()  # contact distances grow
        s.momentum.end_step()  # rigid steps of islands; marks what stands, for the next guess
        s.breaking.end_step()
        s.velocities.end_step()
        s.tear_detection.end_step()

    def _iterate(self):
        self.sweep()
        self.convergence.look()  # enough?

    def sweep(self):
        """Visit every free vertex once, with all that comes before and after."""
        s = self.stages
        s.coarse_steps.before_sweep()  # where iterations end at an accuracy, else after sweeps
        s.marks.before_sweep()  # positions that the error is estimated by
        s.contacts.before_sweep()  # search where due, refresh pairs, move colliders on
        s.guess_guard.before_sweep()  # once, early: draws what is no rigid motion back
        s.plain_first_sweep.before_sweep()  # no over-relaxation in the first one
        s.sweeps.sweep()  # every free vertex takes its Newton step, color by color
        s.plain_first_sweep.after_sweep()
        s.coarse_matrix.after_sweep()
        s.coarse_steps.after_sweep()
        s.last_guard.after_sweep()  # after the last one: draws back what overshot
        s.attachment_multipliers.after_sweep()
        s.spring_multipliers.after_sweep()
        s.enclosed_air.after_sweep()  # pressure follows volume
        s.acceleration.after_sweep()  # Chebyshev

    def begin_frame(self, frame, time):
        """Begin a frame, number `frame`, that ends at a time [s]."""
        for stage in self.stages:
            stage.begin_frame(frame, time)
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
        self.stages.contacts.before_step()
        is_new = self.revisions != self.model.revisions
        if is_new:
            self.graph, self.revisions = None, self.model.revisions
            for stage in self.stages:
                if isinstance(stage, RecordedStage):
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
        holding = UniformSteps(model)
        if holding.holds:
            correction.hold(holding)
    return correction
