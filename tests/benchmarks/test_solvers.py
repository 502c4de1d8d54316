# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference solvers: all reach the same minimum, and Newton's method is really there."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from shapes import box, chain, grid

from vbd.benchmarks.reference import energies, newton
from vbd.benchmarks.reference.descent import block_jacobi, gradient_descent
from vbd.benchmarks.reference.local_global import local_global
from vbd.benchmarks.reference.problem import iterate, relative_losses
from vbd.benchmarks.reference.scene import (
    Scene,
    equilibrium_problem,
    scene_of,
    step_problem,
    trajectory,
)
from vbd.benchmarks.reference.vbd import vertex_block_descent
from vbd.benchmarks.reference.xpbd import xpbd
from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material

H = 1 / 30
GRAVITY = np.array([0.0, 0.0, -9.81])


def solid_scene(model="neo_hookean", pinned=True, damping=0.0):
    points, tets = box((4, 2, 2), (0.4, 0.2, 0.2))
    pins = Pins(np.flatnonzero(points[:, 0] == 0.0)) if pinned else None
    material = Material(youngs_modulus=2e4, damping=damping)
    return scene_of(Solid(points, tets, material, pins), model)


def cloth_scene(model="stvk", damping=0.0):
    points, triangles = grid(4, 0.5)
    material = Material(youngs_modulus=2e4, density=0.2, bending_stiffness=1e-3, damping=damping)
    pins = Pins(np.flatnonzero(points[:, 0] == 0.0))
    return scene_of(Cloth(points, triangles, material, pins), model)


def rod_scene(damping=0.0):
    points, edges = chain(6, 0.1)
    material = Material(spring_stiffness=200.0, vertex_mass=0.05, damping=damping)
    return scene_of(Rod(points, edges, material, Pins([0])), "spring")


def released(scene):
    """The first step after a random displacement of every free vertex."""
    push = np.random.default_rng(2).standard_normal(scene.points.shape)
    return step_problem(scene, scene.points, 0.5 * push, H)


SCENES = {
    "solid": solid_scene,
    "solid with log": partial(solid_scene, "neo_hookean_log"),
    "corotated solid": partial(solid_scene, "corotated"),
    "damped solid": partial(solid_scene, damping=0.02),
    "cloth": cloth_scene,
    "neo-Hookean cloth": partial(cloth_scene, "neo_hookean"),
    "damped cloth": partial(cloth_scene, damping=0.02),
    "rod": rod_scene,
    "damped rod": partial(rod_scene, damping=0.02),
}
METHODS = {
    "Newton, projected": (partial(newton.newton, exact=False), 60),
    "Newton, conjugate gradients": (newton.newton_cg, 60),
    "gradient descent": (gradient_descent, 600),
    "gradient descent, Chebyshev": (partial(gradient_descent, rho=0.9), 200),
    "block Jacobi": (block_jacobi, 400),
    "vertex block descent": (vertex_block_descent, 100),
    "over-relaxed": (partial(vertex_block_descent, relaxation=1.5), 60),
}


@pytest.mark.parametrize("name", SCENES)
def test_newton_ends_at_a_minimum(name):
    problem = released(SCENES[name]())
    x = newton.solve(problem)
    before, after = (np.abs(problem.gradient(p)).max() for p in (problem.guess, x))
    assert after < 1e-8 * before
    assert np.linalg.eigvalsh(problem.hessian(x).toarray()).min() > 0.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["solid", "cloth", "rod"])
def test_every_method_finds_the_minimum_of_newton(name, method):
    problem = released(SCENES[name]())
    best = problem.loss(newton.solve(problem))
    solve, count = METHODS[method]
    losses = relative_losses(iterate(problem, solve, count), best)
    assert abs(losses[-1]) < 1e-5


def test_the_local_global_solver_finds_the_minimum_of_newton_and_never_ascends():
    problem = released(rod_scene())
    best = problem.loss(newton.solve(problem))
    steps = iterate(problem, local_global, 400)
    assert abs(relative_losses(steps, best)[-1]) < 1e-5
    assert all(b.loss <= a.loss * (1.0 + 1e-13) for a, b in pairwise(steps))


def test_xpbd_is_implicit_euler_where_the_gradients_of_its_constraints_are_constant():
    points, edges = chain(5, 0.1)
    hanging = points[:, [1, 2, 0]] * -1.0
    material = Material(spring_stiffness=100.0, vertex_mass=0.05)
    scene = scene_of(Rod(hanging, edges, material, Pins([0])), "spring")
    problem = step_problem(scene, scene.points, scene.velocities, H)
    *_, last = iterate(problem, xpbd, 300)
    np.testing.assert_allclose(last.x, newton.solve(problem), atol=1e-9)


def test_xpbd_comes_to_implicit_euler_on_tets_by_smaller_steps_and_not_by_more_iterations():
    scene = solid_scene()

    def error(substeps, iterations):
        h = H / substeps
        *_, wanted = trajectory(scene, h, 3 * substeps)
        *_, x = trajectory(
            scene, h, 3 * substeps, lambda problem: iterate(problem, xpbd, iterations)[-1].x
        )
        return np.abs(x - wanted).max() / np.abs(wanted - scene.points).max()

    assert error(1, 20) > 0.1
    assert error(1, 40) == pytest.approx(error(1, 20), rel=0.01)
    assert error(16, 1) < 0.01


@pytest.mark.parametrize("name", ["solid", "solid with log", "corotated solid", "cloth"])
def test_pins_carry_the_weight_of_a_body_at_rest(name):
    scene = SCENES[name]()
    x = newton.solve(equilibrium_problem(scene))
    load = scene.mass[:, None] * -scene.acceleration
    for part in scene.elements:
        np.add.at(load, part.corners, part.gradient(x))
    weight = scene.mass.sum() * 9.81
    np.testing.assert_allclose(load[~scene.pinned], 0.0, atol=1e-8 * weight)
    np.testing.assert_allclose(load[scene.pinned].sum(axis=0), [0, 0, weight], atol=1e-8 * weight)


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_steps_of_a_free_body_are_free_fall(damping):
    scene = solid_scene(pinned=False, damping=damping)
    for n, x in enumerate(trajectory(scene, H, 3), start=1):
        fallen = 0.5 * GRAVITY * H**2 * n * (n + 1)
        np.testing.assert_allclose(x, scene.points + fallen, atol=1e-10)


def test_a_damped_body_keeps_its_momentum():
    scene = solid_scene(pinned=False, damping=0.05)
    scene.acceleration = np.zeros(3)
    scene.velocities = np.random.default_rng(3).standard_normal(scene.points.shape)
    center = scene.mass @ scene.points / scene.mass.sum()
    velocity = scene.mass @ scene.velocities / scene.mass.sum()
    for n, x in enumerate(trajectory(scene, H, 4), start=1):
        np.testing.assert_allclose(
            scene.mass @ x / scene.mass.sum(), center + n * H * velocity, atol=1e-10
        )


def test_a_dashpot_holds_back_with_the_force_of_its_rate():
    # One spring along its axis: m a = −k k_d l̇ at rest length, in one step of implicit Euler.
    k, k_d, mass, speed = 50.0, 0.02, 0.3, 0.4
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    part = energies.springs(points, np.array([[0, 1]]), k)
    scene = Scene(
        points,
        np.array([[0.0, 0.0, 0.0], [speed, 0.0, 0.0]]),
        np.full(2, mass),
        np.array([True, False]),
        [part],
        [k_d],
        np.zeros(3),
    )
    (x,) = trajectory(scene, H, 1)
    v = (x[1, 0] - 1.0) / H
    assert mass * (v - speed) / H == pytest.approx(-k * H * v - k * k_d * v, rel=1e-9)
