# SPDX-License-Identifier: GPL-3.0-or-later
"""One substep of vertex block descent (VBD 2024, algorithm 1; AVBD 2025 for the multipliers)."""

from ..coarse.correction import CoarseCorrection, coarse_aggregates
from ..device.conditions import can_capture, when
from ..groups.uniform_steps import UniformSteps
from ..model.stage import RecordedStage, Stage
from .checkpoints import Checkpoints
from .convergence import Convergence
from .iterations import Iterations
from .sleep import Sleep
from .stages import make_stages


class Stepper:
    """Runs the stages of a substep in their order: see `_solve`, whose diagram leaves out guards,
    pressure and Chebyshev, and `_make_sweep`. Their classes are in stages.py.

    The host acts before a substep: where surfaces may intersect, and on a CPU where contact lists
    are nearly full (`ContactStage`); and where arrays have been replaced (`step`). It also acts
    after a frame whose rest was skipped, since contact lists lacked capacity or cloth must tear.
    """

    def __init__(self, model, kinematic, tearing, residual):
        self.model, self.residual, self.tearing = model, residual, tearing
        self.may_sleep = Sleep.is_needed(model)
        self.coarse = make_coarse(model)
        self.iterations = Iterations(model)
        self.convergence = Convergence(model, residual, self.iterations, self.coarse)
        self.stages = make_stages(model, kinematic, tearing, residual, self.convergence)
        contact_owners = [] if model.contact is None else model.contact.state_owners
        frame_owners = [*kinematic.state_owners, model.gravity, tearing, model]
        self.checkpoints = Checkpoints(
            [*frame_owners, *contact_owners, *self.stages, self.convergence]
        )
        for stage in self.stages:
            self._wait_until_due(stage)
        self.sweep = self._make_sweep()
        self.iterations.record()
        self.graph = self.revisions = None
        self.is_captured = can_capture(model.device)

    def _wait_until_due(self, stage):
        """Restrict the sweep methods of a stage to the iterations in which it is due."""
        if not hasattr(stage, "is_due"):
            return
        when_fixed = getattr(stage, "is_due_when_fixed", stage.is_due)
        for verb in ("before_sweep", "after_sweep"):
            action = getattr(stage, verb)
            if acts(action):
                due = self.iterations.when_due(stage.is_due, action, when_fixed=when_fixed)
                setattr(stage, verb, due)

    def _solve(self):
        """One substep:

        predict → approach the guess, searching for contacts →
        [ coarse step → search → sweep → multipliers → enough? ] → momentum → velocities
        """
        s = self.stages
        # Save friction anchors before the start positions of the last substep are lost.
        s.anchors.begin_step()
        s.contact_load.begin_step()  # contact stiffness follows the load
        # Predict: start positions `x_start`, inertial positions `inertial`, and the guess.
        s.frame_progress.begin_step()
        s.collider_motion.begin_step()  # goals of analytic colliders that move
        s.prediction.begin_step()
        s.forces.begin_step()  # they change `inertial`
        s.plasticity.begin_step()  # rest values flow, ...
        s.damping.begin_step()  # ... and are blended with strains, angles, lengths at `x_start`
        s.kinematics.begin_step()  # goals of pins, colliders and attached points
        s.skin.begin_step()  # attachments hold on to smooth skins
        s.attachment_laws.begin_step()
        s.joint_guides.begin_step()  # rows of joints follow their bodies
        s.joint_contact.begin_step()  # bodies whose joint has broken may touch
        # Guards draw positions back to the rigid motion of their components: with mesh contact only
        # the guess of nearly incompressible cells, whose error oscillates from sweep to sweep.
        s.restless_guard.begin_step()
        # Approach the guess, searching for contacts.
        s.contacts.begin_step()
        s.gentle_start.begin_step()  # once per scene: reduces too large contact distances
        # Iterate.
        s.sweeps.begin_step()
        s.spring_multipliers.begin_step()
        s.enclosed_air.begin_step()
        s.acceleration.begin_step()
        self.convergence.begin()
        self.iterations.run(self.sweep)
        self.convergence.end()
        # Restore momentum, and find velocities.
        s.contacts.end_step()  # embedded points follow
        s.gentle_start.end_step()  # contact distances grow
        s.momentum.end_step()  # rigid steps of islands; marks standing (lately touched) vertices
        s.breaking.end_step()
        s.velocities.end_step()
        s.impacts.end_step()  # velocities of rigid bodies that are hit hard
        s.skin.end_step()  # offsets of smooth skins follow their cells
        s.tear_detection.end_step()
        s.sleep.end_step()  # nothing has moved for a while?

    def _make_sweep(self):
        """Return the sweep of an iteration: it visits every free vertex once, with all stages
        before and after, and checks the state.
        """
        s = self.stages
        actions = [
            s.coarse_steps.before_sweep,  # in motion, where an accuracy can end the substep
            s.error_samples.before_sweep,  # positions for the error estimate
            s.contacts.before_sweep,  # search where due, refresh pairs, move colliders on
            s.collider_motion.before_sweep,  # move analytic colliders on
            s.skin.before_sweep,  # in quasistatic frames
            s.guess_guard.before_sweep,  # once, early, without mesh contact: draws x back
            s.plain_first_sweep.before_sweep,  # ω = 1 in the first if the guess is `x_start`
            s.joint_multipliers.before_sweep,
            s.sweeps.sweep,  # every free vertex takes its Newton step, color by color
            s.plain_first_sweep.after_sweep,
            # After the first sweep; after each if quasistatic; before each coarse step where bodies
            # are stiff.
            s.coarse_matrix.after_sweep,
            s.coarse_steps.after_sweep,  # in all other cases
            s.last_guard.after_sweep,  # draws the overshoot of one or two iterations back
            s.attachment_multipliers.after_sweep,
            s.joint_multipliers.after_sweep,
            s.joint_guides.after_sweep,
            s.spring_multipliers.after_sweep,
            s.enclosed_air.after_sweep,  # pressure follows volume
            s.acceleration.after_sweep,  # Chebyshev
        ]
        checks = self.convergence.checks  # enough?
        return self.iterations.in_turn([*filter(acts, actions), *checks])

    def begin_frame(self, frame, time):
        """Begin a frame, number `frame`, that ends at a time [s]."""
        for stage in self.stages:
            stage.begin_frame(frame, time)
        if self.model.contact is not None:
            self.checkpoints.save()

    def end_frame(self, numbers):
        """Return the number of substeps left by the `numbers` that the frame has reported; None
        when it is done.

        If contact lists lacked capacity, enlarge them and restore the state at the frame's start.
        If cloth must tear, split it; the frame continues from there. If it tore in the last
        substep, 0 is returned, and only the numbers are reported again.
        """
        model, substeps = self.model, self.model.settings.substeps
        had_capacity = model.contact is None or model.contact.ensure_capacity(numbers)
        if numbers["frame_continues"][0]:
            return None
        model.frame_continues.fill_(1)
        if not had_capacity:
            self.checkpoints.rewind()
            return substeps
        self.tearing.tear()
        return round(substeps * (1.0 - numbers["fraction"][0]))

    def step(self):
        """Advance by one substep.

        The first substep, also after arrays have been replaced, is launched without a graph, so
        that all kernels are loaded and recorded. The next one is captured into a graph, which is
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
        """Run a substep, unless the rest of the frame is skipped; a graph captures this."""
        if self.model.contact is None and not self.tearing.tears:
            self._solve_awake()
        else:
            when(self.model.frame_continues, self._solve_awake)

    def _solve_awake(self):
        if self.may_sleep:
            when(self.stages.sleep.is_awake, self._solve, self._skip)
        else:
            self._solve()

    def _skip(self):
        """A substep of a scene that sleeps."""
        self.stages.frame_progress.begin_step()
        self.stages.sleep.skip()


def acts(method):
    """Return whether a method of a stage is more than that of the plain `Stage`."""
    function = getattr(method, "__func__", None)
    return function is None or function is not vars(Stage).get(function.__name__)


def make_coarse(model):
    """Return the `CoarseCorrection` of a scene, or None."""
    aggregates = coarse_aggregates(model, model.settings)
    if aggregates is None:
        return None
    correction = CoarseCorrection(model, aggregates)
    model.inherited.append(correction.before)
    # Bodies with separate matrices do not know of each other, and would block each other.
    touches = model.contact is not None and correction.groups.fit_one_matrix
    if touches and not model.settings.quasistatic:
        uniform_steps = UniformSteps(model)
        if uniform_steps.has_stiff_bodies:
            correction.use_uniform_steps(uniform_steps)
    return correction
