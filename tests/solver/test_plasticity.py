# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest values that have flowed: energies, forces and blocks stay consistent."""

import numpy as np
import pytest
import warp as wp
from element_kernels import evaluation
from shapes import cell_box, grid

from vbd.solver.bodies import Cells, Cloth, Filling, Rod, Solid
from vbd.solver.contact.surface import contact_surface
from vbd.solver.descent.plasticity import Plasticity
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.model.assembly import assemble
from vbd.solver.model.model import Model
from vbd.solver.report.sums import Sums
from vbd.solver.scene.moving_colliders import AnalyticMotion
from vbd.solver.settings import Material, Settings

SLACK = {"youngs_modulus": 1e-3, "shear_modulus": 0.0, "weft_modulus": 1e-3}
STIFF = {"youngs_modulus": 1e5, "weft_modulus": 4e4, "shear_modulus": 2e4, "thickness": 1e-2}
BENT = np.array(
    [[-0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.48, 0.36, 0.0], [-0.25, 0.1, 0.5], [0.1, 0.4, 0.6]]
)


def sheet(**material):
    points, triangles = grid(2)
    material = Material(**{"adapt_folds": False, **material})
    return Cloth(points, triangles, material, uv=points[:, :2])


def wire():
    material = Material(youngs_modulus=2e6, thickness=0.05, bending_factor=0.5, crease_radius=3.0)
    return Rod(BENT, [[0, 1], [1, 2]], material, directors=[3, 4])


def clay_cells():
    """Two cells, one of them partly filled."""
    points, cells = cell_box((2, 1, 1), (2.0, 1.0, 1.0))
    material = Material(youngs_modulus=1e5, poisson_ratio=0.4, density=1e3, yield_strain=0.02)
    middle, spread = np.array([[0.0] * 3, [0.2, -0.3, 0.1]]), np.array([[1.0] * 3, [0.7, 0.5, 0.8]])
    return Cells(points, cells, material, filling=Filling(np.array([1.0, 0.5]), middle, spread))


def clay_tets():
    """Two tets that share a face."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=float)
    material = Material(youngs_modulus=1e5, poisson_ratio=0.4, density=1e3, yield_strain=0.02)
    return Solid(points, [[0, 1, 2, 3], [1, 2, 3, 4]], material)


BODIES = {
    "cells": clay_cells,
    "tets": clay_tets,
    "hinges": lambda: sheet(bending_stiffness=0.02, crease_radius=1.0, **SLACK),
    "triangles": lambda: sheet(bending_stiffness=0.0, yield_strain=0.02, **STIFF),
    "woven triangles": lambda: sheet(
        bending_stiffness=0.0, yield_strain=0.02, membrane="orthotropic", **STIFF
    ),
    "bends": wire,
}


class Scene:
    """One body, whose rest values flow by its bending and stretch at `x`."""

    def __init__(self, kind, flow_time=0.0):
        self.body = BODIES[kind]()
        settings, launches = Settings(), Launches("cpu", Workers(1))
        scene = assemble([self.body], settings)
        surface = contact_surface(scene, [self.body], [], settings)
        analytic = AnalyticMotion([], scene, settings, "cpu").struct
        self.model = Model(scene, settings, surface, analytic, launches)
        self.place = scene.vertices[0]
        self.stage = Plasticity(self.model)
        self.sums = Sums(self.model, wp.zeros(self.model.free_count, dtype=int, device="cpu"))

    def move(self, x):
        points = np.empty_like(x)
        points[self.place] = x
        for state in (self.model.x, self.model.x_start):
            state.assign(points.astype(np.float32))

    def flow(self, x):
        self.move(x)
        self.stage.begin_step()

    def energy(self, x):
        """[J] of all elements."""
        self.move(x)
        self.sums.find()
        return float(self.sums.elastic.numpy()[0])

    def force_hessian(self, x):
        """Forces and blocks of all kinds of elements together."""
        self.move(x)
        total = np.zeros((len(x), 3)), np.zeros((len(x), 3, 3))
        for table in self.model.tables.values():
            out = [wp.zeros(len(x), dtype=t, device="cpu") for t in (wp.vec3, wp.mat33)]
            inputs = [self.model.x, table.struct]
            wp.launch(evaluation(table.kind), len(x), inputs=inputs, outputs=out, device="cpu")
            for sum_, part in zip(total, out, strict=True):
                sum_ += part.numpy()[self.place]
        return total


def disturbed(body, amount, seed=1):
    """Stretched, and bent at random, by multiples that float32 has exactly."""
    noise = np.random.default_rng(seed).uniform(-amount, amount, body.points.shape)
    return np.round((1.1 * body.points + noise) * 2**12) / 2**12


@pytest.mark.parametrize("kind", BODIES)
def test_forces_are_slopes_of_the_energy_after_the_flow(kind):
    scene = Scene(kind)
    before = {name: rest.numpy().copy() for name, rest in scene.model.plastic.items()}
    scene.flow(disturbed(scene.body, 0.15))
    (name,) = before
    assert np.abs(scene.model.plastic[name].numpy() - before[name]).max() > 0.03
    x = disturbed(scene.body, 0.1, seed=2)
    force, _ = scene.force_hessian(x)
    # Steps that float32 has exactly.
    wanted = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        ends = []
        for step in (2.0**-11, -(2.0**-11)):
            moved = x.copy()
            moved[place] += step
            ends.append(scene.energy(moved))
        wanted[place] = -(ends[0] - ends[1]) / 2.0**-10
    room = 1e-3 * np.abs(force).max()
    np.testing.assert_allclose(force, wanted, atol=room)


@pytest.mark.parametrize("kind", ["triangles", "woven triangles", "cells", "tets"])
def test_blocks_of_dented_triangles_are_second_derivatives_under_tension(kind):
    scene = Scene(kind)
    scene.flow(1.2 * scene.body.points)
    x = 1.5 * disturbed(scene.body, 0.02)
    _, hessian = scene.force_hessian(x)
    step = 2.0**-8
    for vertex in (0, 4):
        wanted = np.empty((3, 3))
        for axis in range(3):
            ends = []
            for way in (step, -step):
                moved = x.copy()
                moved[vertex, axis] += way
                ends.append(scene.force_hessian(moved)[0][vertex])
            wanted[axis] = -(ends[0] - ends[1]) / (2.0 * step)
        np.testing.assert_allclose(hessian[vertex], wanted, atol=2e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("seed", range(4))
def test_energy_never_grows_by_the_flow(kind, seed):
    scene = Scene(kind)
    for number in range(6):
        x = disturbed(scene.body, 0.4, seed=10 * seed + number)
        before = scene.energy(x)
        scene.flow(x)
        # To float32 of the rest values.
        assert scene.energy(x) <= before * (1.0 + 1e-6) + 1e-12
