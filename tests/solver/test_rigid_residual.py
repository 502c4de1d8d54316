# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on the four points of rigid bodies, summed once per body."""

import numpy as np
import pytest
from rigid_shapes import cuboid, settings_of, tilted, tower
from shapes import cell_box

from vbd.solver.bodies import Cells
from vbd.solver.scene.joints import Joint
from vbd.solver.settings import Material
from vbd.solver.simulate import Simulation


def cushion():
    points, elements = cell_box((2, 2, 1), (0.4, 0.4, 0.2))
    return Cells(points - [0.2, 0.2, 0.22], elements, Material(youngs_modulus=1e5), name="Cushion")


def hinged():
    """A box on a hinge, and one that leans on it."""
    box, other = cuboid(0.1, (0.0, 0.0, 0.3)), cuboid(0.1, (0.03, 0.02, 0.51), tilted(5.0))
    return [box, other, Joint("hinge", box, None, (-0.1, 0.0, 0.3), (0.0, 1.0, 0.0))]


SCENES = {"tower": tower(3), "hinge": hinged(), "cushion": [cuboid(0.1, (0, 0, 0.11)), cushion()]}


@pytest.mark.parametrize("name", SCENES)
def test_they_are_those_of_its_points_one_by_one(name):
    """The kernel for other vertices finds the same sum, vertex by vertex."""
    simulation = Simulation(SCENES[name], settings_of(use_ground=True, ground_height=-0.22))
    for _ in simulation.frames(8):
        pass
    model, residual = simulation.model, simulation.stepper.residual
    model.rigid.residual(model.x, [residual.force, residual.rounding, residual.touching])()
    once = residual.force.numpy().copy()
    first, count = model.rigid.first, 4 * model.rigid.count
    kernel, inputs = model.kernels.residual, [model.x, model.objective, model.elements]
    outputs = [residual.force, residual.rounding, residual.touching]
    model.launches.record(kernel, count, inputs, outputs, first=first)()
    mine = slice(first, first + count)
    expected = residual.force.numpy()[mine]
    inertia = model.objective.inertia.numpy()[mine, None]
    parts = np.abs(inertia * (model.inertial.numpy() - model.x.numpy())[mine]).max()
    assert parts > 0.0 and np.abs(expected).max() > 0.0
    # Contact forces are some times those of inertia, and are rounded to float32 on either way.
    np.testing.assert_allclose(once[mine], expected, atol=1e-4 * parts)
