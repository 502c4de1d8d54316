# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of a substep: which a scene has, in which order, and what they know of each other."""

import ast
import inspect
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from shapes import box, chain, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.descent import step as step_module
from vbd.solver.descent.stage import RecordedStage, Stage
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

FOLDER = Path(step_module.__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "method.md"
# What several stages share, and what puts them together.
SHARED = {"stage", "linkages", "flight", "accuracy", "holding", "rigid_steps", "island_moves"}
SHARED |= {"common_moves", "state_names"}


def stepper_of(bodies, **settings):
    """The stepper after one frame, and the frames, which keep it alive."""
    simulation = Simulation(bodies, Settings(substeps=2, **settings))
    frames = simulation.frames(100)
    next(frames)
    return simulation.stepper, frames


VERBS = ("begin_frame", "before_step", "begin_step", "before_sweep", "after_sweep", "end_step")


def does_something(stage, verb):
    return getattr(type(stage), verb) is not getattr(Stage, verb)


def stages_of(bodies, **settings):
    """Names of the stages that do something, by verbs, in the order in which a substep has them."""
    stepper, _frames = stepper_of(bodies, **settings)
    found = {verb: [] for verb in VERBS}
    for name, verb in written():
        stage = getattr(stepper.stages, name)
        if verb in VERBS and does_something(stage, verb):
            found[verb].append(type(stage).__name__)
    return found


def written_in(function):
    """(stage, verb) of all calls in a function of step.py, and None where iterations are run."""
    tree = ast.parse(inspect.getsource(step_module))
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    for node in functions[function].body:
        call = getattr(node, "value", None)
        text = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if text.startswith("s."):
            yield tuple(text.split(".")[1:])
        elif text == "self.iterations.run":
            yield None


def written():
    """(stage, verb) of all calls of a substep of one iteration, in their order."""
    for call in written_in("_solve"):
        yield from [call] if call else written_in("sweep")


def block(**material):
    points, tets = box((3, 3, 3))
    return Solid(points, tets, Material(**material))


def held():
    points, tets = box((3, 3, 3))
    return Solid(points, tets, pins=Pins(np.flatnonzero(points[:, 0] < 1e-9)))


def test_a_falling_body_has_just_what_it_needs():
    stages = stages_of([block()])
    assert stages["begin_step"] == ["Clock", "Prediction", "Kinematics", "Sweeps"]
    assert stages["before_sweep"] == ["CyclicCoarseSteps", "GuessGuard"]
    assert stages["after_sweep"] == ["CoarseMatrix"]
    assert stages["end_step"] == ["LinkageMomentum", "Velocities"]


def test_without_an_accuracy_coarse_steps_come_after_sweeps():
    stages = stages_of([block()], accuracy=0.0)
    assert stages["before_sweep"] == ["Marks", "GuessGuard"]
    assert stages["after_sweep"] == ["CoarseMatrix", "FewCoarseSteps"]


def test_what_is_held_keeps_no_momentum_and_what_is_still_has_no_guess():
    assert stages_of([held()])["end_step"] == ["Velocities"]
    still = stages_of([held()], quasistatic=True, coarse_correction=False)
    assert not still["before_sweep"] and not still["after_sweep"]


def test_contact_comes_before_the_sweeps_and_islands_after_them():
    stages = stages_of([block(), Collider(*plane(height=-1.0))])
    assert stages["begin_step"] == [
        "Anchors",
        "ContactLoad",
        "Clock",
        "Prediction",
        "Kinematics",
        "Contacts",
        "GentleStart",
        "Sweeps",
    ]
    assert stages["before_sweep"] == ["CyclicCoarseSteps", "Marks", "Contacts"]
    assert stages["end_step"] == ["Contacts", "GentleStart", "IslandMomentum", "Velocities"]


def test_multipliers_come_after_the_coarse_correction_and_before_the_acceleration():
    stiffness = np.where(np.arange(19) % 2, 1e9, 1e2)
    material = Material(spring_stiffness=stiffness, vertex_mass=0.01, damping=0.01)
    rod = Rod(*chain(20, 0.1), material)
    bodies = [rod, Attachment(rod, [0], 1e9, points=rod.points[:1], strength=1e6)]
    stages = stages_of(bodies, iterations=2)
    assert stages["begin_step"] == [
        "Clock",
        "Prediction",
        "Damping",
        "Kinematics",
        "Sweeps",
        "SpringMultipliers",
    ]
    multipliers = ["AttachmentMultipliers", "SpringMultipliers"]
    assert stages["after_sweep"] == ["CoarseMatrix", "FewCoarseSteps", "LastGuard", *multipliers]
    assert stages["end_step"] == ["Breaking", "Velocities"]
    stages = stages_of(bodies, acceleration=0.9)
    assert stages["after_sweep"] == [*multipliers, "Acceleration"]


def test_attachments_change_when_their_points_have_moved():
    rod = Rod(*chain(4, 0.1))
    tie = Attachment(rod, [0], 10.0, points=rod.points[:1], damping=0.1)
    stages = stages_of([rod, tie], iterations=2)
    assert stages["begin_step"][:4] == ["Clock", "Prediction", "Kinematics", "AttachmentLaws"]


def test_what_was_recorded_with_old_arrays_is_recorded_anew():
    model, recorded = SimpleNamespace(revisions=(0, 0)), []

    class Counting(RecordedStage):
        def record(self):
            recorded.append(self.model.revisions)

    stage = Counting(model)
    stage.renew()
    assert recorded == [(0, 0)]
    for revisions in ((1, 0), (1, 3)):
        model.revisions = revisions
        stage.renew()
        stage.renew()
    assert recorded == [(0, 0), (1, 0), (1, 3)]


def test_the_revision_rises_when_cloth_tears():
    points, triangles = grid(8)
    left, right = points[:, 0] < 1e-6, points[:, 0] > 1.0 - 1e-6
    ends = np.flatnonzero(left | right)
    apart = np.where(right[ends], 1.0, -1.0)[:, None] * [0.4, 0.0, 0.0]
    pins = Pins(ends, lambda time: points[ends] + time * apart)
    body = Cloth(points, triangles, pins=pins, tear_strain=0.15)
    stepper, frames = stepper_of([body], gravity=(0, 0, 0))
    assert stepper.model.revision == 0
    next(frame for frame in frames if (frame.elements[0] != triangles).any())
    assert stepper.model.revision > 0
    # The statistics of the frame have measured the residual of what is left.
    assert stepper.residual.revisions == stepper.model.revisions


def own_imports(path):
    """Names of the modules of the same folder that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield node.module


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_stage_knows_no_other_stage(path):
    if path.stem not in {"step", "stages"}:  # these put them together
        assert set(own_imports(path)) <= SHARED


def test_a_substep_is_what_is_written_and_what_the_page_says():
    sheet = Cloth(*grid(4), Material(self_contact=True))
    simulation = Simulation([sheet, Collider(*plane(height=-0.1))], Settings(iterations=1))
    stepper, done = simulation.stepper, []

    def noted(name, verb, action):
        return lambda: (done.append((name, verb)), action())

    for name, verb in written():
        stage = getattr(stepper.stages, name)
        setattr(stage, verb, noted(name, verb, getattr(stage, verb)))
    stepper.begin_frame(1, 1.0 / 24.0)
    stepper.step()
    assert done == list(written())
    line = " ".join(step_module.Stepper._solve.__doc__.split()[2:])
    assert line in PAGE.read_text(encoding="utf-8")
