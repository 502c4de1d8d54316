# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of a substep: those of a scene, their order, and their independence."""

import ast
import inspect
from dataclasses import fields
from pathlib import Path

import pytest
from shapes import box, chain, grid, plane

from vbd.solver.bodies import Cloth, Collider, Rod, Solid
from vbd.solver.descent import step as step_module
from vbd.solver.model.stage import Stage
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

FOLDER = Path(step_module.__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "method.md"
# Modules that several stages share, and modules that compose stages.
SHARED = {"stage", "components", "flight", "accuracy", "holding", "rigid_steps", "island_moves"}
SHARED |= {"common_moves", "state_names", "body_errors", "equilibrium_accuracy"}


def written_in(function):
    """(stage, verb) of all methods in a function of step.py, and None in place of iterations."""
    tree = ast.parse(inspect.getsource(step_module))
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    named = [n for n in ast.walk(functions[function]) if isinstance(n, ast.Attribute)]
    for node in sorted(named, key=lambda node: (node.lineno, node.col_offset)):
        text = ast.unparse(node)
        if text.startswith("s.") and text.count(".") == 2:
            yield tuple(text.split(".")[1:])
        elif text == "self.iterations.run":
            yield None


def written():
    """(stage, verb) of all calls of a substep of one iteration, in their order."""
    for call in written_in("_solve"):
        yield from [call] if call else written_in("_make_sweep")


def stages_of(*bodies, **settings):
    """(name, stage) of a scene."""
    stages = Simulation(bodies, Settings(**settings)).stepper.stages
    return [(field.name, getattr(stages, field.name)) for field in fields(stages)]


def test_whatever_a_stage_does_a_substep_asks_for():
    points, edges = chain(4, 0.1)
    rod = Rod(points, edges, Material(spring_stiffness=[1e2, 1e9, 1e2], vertex_mass=0.1))
    tie = Attachment(rod, [0], 1e9, points=points[:1], strength=10.0, damping=0.1)
    cloth = Cloth(*grid(4), Material(self_contact=True, damping=0.01), tear_strain=0.1)
    cube = Solid(*box((3, 3, 3)), Material(yield_strain=0.1))
    scenes = [
        stages_of(rod, tie, iterations=2),
        stages_of(cloth, Collider(*plane(height=-0.1))),
        stages_of(cube, acceleration=0.9, accuracy=0.0),
    ]
    asked = {*written(), ("contacts", "before_step")}
    for name, stage in (each for scene in scenes for each in scene):
        for verb in ("before_step", "begin_step", "before_sweep", "after_sweep", "end_step"):
            if getattr(type(stage), verb) is not getattr(Stage, verb):
                assert (name, verb) in asked, f"{type(stage).__name__}.{verb} is never called"


def own_imports(path):
    """Names of the modules of the same folder that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield node.module


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_stage_knows_no_other_stage(path):
    # step and stages compose the stages; keeping is a name that scripts know.
    if path.stem not in {"step", "stages", "keeping"}:
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
    stepper.sweep = stepper._make_sweep()
    stepper.begin_frame(1, 1.0 / 24.0)
    stepper.step()
    assert done == list(written())
    line = " ".join(step_module.Stepper._solve.__doc__.split()[2:])
    assert line in PAGE.read_text(encoding="utf-8")
