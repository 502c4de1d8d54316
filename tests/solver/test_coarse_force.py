# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction: forces on patches, matrices that turn with them, and their updates."""

import numpy as np
import pytest
from coarse_scenes import AXIS, ON_GROUND, SCENES, bar, prolongation, put, shaken, stepper_of
from shapes import grid, rotation

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


@pytest.mark.parametrize("name", SCENES)
def test_right_side_is_the_force_on_the_modes(name):
    """All terms together, turned back to the orientation in which the matrix was assembled."""
    stepper, _frames = stepper_of(SCENES[name](), use_ground=name in ON_GROUND)
    model, coarse = stepper.model, stepper.coarse
    put(stepper, model.assembly.rest_points)
    coarse.assemble()
    points = shaken(stepper, 1e-3)
    free = slice(0, model.free_count)
    points[free] = points[free] @ rotation(AXIS, 0.03).T
    put(stepper, points)
    if model.contact:
        model.contact.search()
        model.contact.refresh()
    coarse._follow()
    stepper.residual.find_forces()
    force = stepper.residual.force.numpy()[: len(model.assembly.points)].astype(float)
    coarse.kept.find_turns()
    coarse.forces.find()
    right, first = coarse.groups.systems.right.numpy(), coarse.groups.patches.first.numpy()
    found = [right[a : a + rows] for a, rows in zip(first, coarse.groups.rows, strict=True)]
    p = prolongation(coarse)
    turns = np.repeat(coarse.groups.patches.turn.numpy(), coarse.groups.rows // 3, axis=0)
    expected = np.einsum("mji,mj->mi", turns, (p.T @ force.ravel()).reshape(-1, 3))
    # float32 sums of forces that cancel out may lose a fraction of their magnitudes.
    scale = (abs(p).T @ abs(force).ravel()).max()
    assert abs(np.concatenate(found) - expected.ravel()).max() < 1e-5 * scale
    solid = coarse.aggregates.mode_count.max() == 4
    assert (abs(turns - np.eye(3)).max() > 0.01) == solid


@pytest.mark.parametrize("angle", [0.02, 0.9])
def test_a_matrix_turns_with_its_body(angle):
    """Without pins and gravity a turned body takes the turned step, by the old matrix."""
    body = bar()
    body.pins.indices = np.zeros(0, dtype=int)
    stepper, _frames = stepper_of([body], gravity=(0, 0, 0))
    model, coarse = stepper.model, stepper.coarse
    count = len(model.assembly.points)
    shape = shaken(stepper, 1e-3)
    turn = rotation(AXIS, angle)
    steps = []
    for points in (shape, shape @ turn.T):
        put(stepper, points)
        model.inertial.assign(model.x)
        if not steps:
            coarse.kept.forget()
            coarse.assemble()
        coarse.step()
        steps.append(coarse.direction.numpy()[:count].astype(float))
    assert abs(coarse.groups.patches.turn.numpy() - turn).max() < 1e-4
    # Relative to forces that have lost 1e-4 in the strains by float32.
    assert abs(steps[1] - steps[0] @ turn.T).max() < 0.01 * abs(steps[0]).max()


def test_a_tear_leaves_the_residual_before_a_step_in_its_place():
    points, triangles = grid(20)
    top = np.flatnonzero(points[:, 1] > 1.0 - 1e-9)
    material = Material(youngs_modulus=1e4, density=0.3)
    cloth = Cloth(points, triangles, material, Pins(top), tear_strain=0.12)
    settings = Settings(substeps=2, iterations=10)
    torn, seen = 0, len(triangles)
    for frame in simulate([cloth], settings, 14):
        if len(np.unique(frame.elements[0])) > seen:
            torn += 1
            # Positions of sleeping duplicates would make it a thousand times the other.
            assert frame.stats.residual_before_coarse < 10.0 * frame.stats.residual
        seen = len(np.unique(frame.elements[0]))
    assert torn > 1


def test_an_equilibrium_is_found_with_few_iterations():
    """It is so far away that the first matrix would fail: that leaves 4."""
    points, triangles = grid(30)
    material = Material(youngs_modulus=1e6, density=0.3, bending_stiffness=1e-3)
    cloth = Cloth(points, triangles, material, Pins([0, 30]))
    (frame,) = simulate([cloth], Settings(quasistatic=True, iterations=60), 1)
    assert frame.stats.residual < 0.2
