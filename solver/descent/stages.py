# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of the substeps of a scene."""

from dataclasses import dataclass, fields

from ..contact.load import Load
from ..groups.momentum import ComponentMomentum, IslandMomentum
from ..groups.sleep import Rest
from ..model.stage import Stage
from .chebyshev import Acceleration
from .coarse_steps import CoarseMatrixUpdate, CyclicCoarseSteps, FewCoarseSteps
from .collider_motion import ColliderMotion
from .contact_stages import Anchors, ContactLoad, ContactStage
from .convergence import ErrorSamples
from .enclosed_air import EnclosedAir
from .forces import Forces
from .frame_progress import FrameProgress
from .gentle_start import GentleStart
from .guess import GuessGuard, LastGuard, RestlessGuard, is_guarded
from .joints import JointContact, JointGuides, JointMultipliers
from .kinematics import Kinematics
from .multipliers import AttachmentLaws, AttachmentMultipliers, Breaking, SpringMultipliers
from .plasticity import Plasticity
from .prediction import Damping, Prediction, Velocities
from .skin import SmoothSkin
from .sleep import Sleep
from .sweeps import PlainFirstSweep, Sweeps
from .tear_detection import TearDetection


@dataclass(eq=False)
class Stages:
    """All possible stages; each that a scene does not need is a plain `Stage`, which does nothing.

    `step.py` defines the order in which their methods are called.
    """

    anchors: Stage
    contact_load: Stage
    frame_progress: Stage
    collider_motion: Stage
    prediction: Stage
    forces: Stage
    plasticity: Stage
    damping: Stage
    kinematics: Stage
    attachment_laws: Stage
    joint_multipliers: Stage
    joint_guides: Stage
    joint_contact: Stage
    restless_guard: Stage
    contacts: Stage
    gentle_start: Stage
    error_samples: Stage
    guess_guard: Stage
    plain_first_sweep: Stage
    sweeps: Sweeps
    coarse_matrix: Stage
    coarse_steps: Stage
    last_guard: Stage
    attachment_multipliers: Stage
    spring_multipliers: Stage
    enclosed_air: Stage
    acceleration: Stage
    momentum: Stage
    breaking: Stage
    velocities: Stage
    impacts: Stage
    skin: Stage
    tear_detection: Stage
    sleep: Stage

    def __iter__(self):
        return (getattr(self, field.name) for field in fields(self))


def make_stages(model, kinematic, tearing, residual, convergence):
    """Return the `Stages` of a scene."""
    made, rest = _of_motion(model, kinematic, tearing, residual), None
    if Sleep.is_needed(model):
        rest = Rest(model)
        made["sleep"] = Sleep(model, kinematic, rest)
    made |= _of_iterations(model, residual, convergence)
    made |= _of_contact(model, kinematic, residual, rest)
    return Stages(**{field.name: made.get(field.name) or Stage(model) for field in fields(Stages)})


def _of_motion(model, kinematic, tearing, residual):
    """Return the stages of motion at the beginning and end of a substep, by name."""
    made = {"frame_progress": FrameProgress(model), "prediction": Prediction(model)}
    made |= {"kinematics": Kinematics(model, kinematic), "velocities": Velocities(model)}
    if SmoothSkin.is_needed(model):
        made["skin"] = SmoothSkin(model)
    if Forces.is_needed(model):
        made["forces"] = Forces(model)
    if Plasticity.is_needed(model):
        made["plasticity"] = Plasticity(model)
    if model.damped_tables or {"damping", "bending_damping"} & model.assembly.keyed:
        made["damping"] = Damping(model)
    if model.attachments.is_adaptive:
        made["attachment_laws"] = AttachmentLaws(model, kinematic.attached)
    if JointGuides.is_needed(model):
        made["joint_guides"] = JointGuides(model, kinematic.attached)
    if JointContact.is_needed(model, tearing.bodies):
        made["joint_contact"] = JointContact(model, tearing.bodies)
    if JointMultipliers.is_needed(model):
        made["joint_multipliers"] = JointMultipliers(model)
    if model.attachments.breakable:
        made["breaking"] = Breaking(model)
    if tearing.tears:
        made["tear_detection"] = TearDetection(model, tearing)
    return made


def _of_iterations(model, residual, convergence):
    """Return the stages of the iterations, by name."""
    settings, coarse, made = model.settings, convergence.coarse, {"sweeps": Sweeps(model)}
    if convergence.error:
        made["error_samples"] = ErrorSamples(
            model, convergence.iterations, convergence.error.samples
        )
    if is_guarded(model):
        made["guess_guard"] = GuessGuard(model, residual, convergence.has_fixed_period)
    if PlainFirstSweep.is_needed(settings):
        made["plain_first_sweep"] = PlainFirstSweep(model)
    if coarse:
        steps = FewCoarseSteps(model, coarse)
        if convergence.accuracy and settings.is_cyclic:
            steps = CyclicCoarseSteps(model, coarse, convergence.has_fixed_period)
        made |= {"coarse_matrix": CoarseMatrixUpdate(model, coarse, steps), "coarse_steps": steps}
        if is_guarded(model) and settings.is_short:
            made["last_guard"] = LastGuard(model, residual)
    if (model.attachments.penalty > 0.0).any():
        made["attachment_multipliers"] = AttachmentMultipliers(model)
    if (model.spring_penalty > 0.0).any():
        made["spring_multipliers"] = SpringMultipliers(model)
    if EnclosedAir.is_needed(model):
        made["enclosed_air"] = EnclosedAir(model)
    if settings.is_accelerated and model.free_count > 0:
        made["acceleration"] = Acceleration(model)
    return made


def _of_contact(model, kinematic, residual, rest):
    """Return the stages of contact, by name."""
    made = {}
    if kinematic.analytic.moves:
        made["collider_motion"] = ColliderMotion(model, kinematic.analytic)
    if model.contact is not None:
        if RestlessGuard.is_needed(model):
            made["restless_guard"] = RestlessGuard(model, residual)
        made["contacts"] = ContactStage(model, kinematic, rest)
        made["momentum"] = IslandMomentum(model, kinematic.colliders.travel, residual)
        made["impacts"] = made["momentum"].impacts
    elif ComponentMomentum.is_needed(model):
        made["momentum"] = ComponentMomentum(model)
    touches = model.contact is not None or model.has_analytic_colliders
    if touches and not model.settings.quasistatic:  # contacts remember their load
        made |= {"anchors": Anchors(model), "gentle_start": GentleStart(model)}
        made["contact_load"] = ContactLoad(model, Load(model, model.settings))
    return made
