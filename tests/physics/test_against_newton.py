# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories against implicit Euler solved to the end by Newton's method in float64.

The reference shares no code with the solver: other energies, other Hessians, another method.
One substep per frame, so that the steps are the same; enough iterations to converge in float32, and
no accuracy that ends them before.
"""

import numpy as np
import pytest
from shapes import box, chain, grid, rotation

from vbd.benchmarks.reference.scene import scene_of, trajectory
from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

STEPS = 20
FRAME = 1 / 60
# Rounding in float32 leaves about 1e-6 of the motion; the tolerance is 1e-3.
CLOSE = 1e-4


def held_at_the_left(points):
    return Pins(np.flatnonzero(points[:, 0] == points[:, 0].min()))


def solid(velocities=None, pinned=True, **material):
    points, tets = box((6, 2, 2), (0.6, 0.2, 0.2))
    pins = held_at_the_left(points) if pinned else None
    return Solid(points, tets, Material(**{"youngs_modulus": 5e4, **material}), pins, velocities)


def cloth(bending_stiffness=2e-2, damping=0.0):
    points, triangles = grid(6, 0.6)
    material = Material(
        youngs_modulus=1e5, density=0.2, bending_stiffness=bending_stiffness, damping=damping
    )
    return Cloth(points, triangles, material, held_at_the_left(points))


def rod(damping=0.0):
    points, edges = chain(10, 0.1)
    material = Material(spring_stiffness=500.0, vertex_mass=0.05, damping=damping)
    return Rod(points, edges, material, Pins([0]))


def largest_difference(body, model, iterations, led=None):
    """Largest distance between solver and reference, over the largest motion."""
    settings = Settings(frame_time=FRAME, substeps=1, iterations=iterations, accuracy=0.0)
    reference = trajectory(scene_of(body, model), FRAME, STEPS, led=led)
    motion = apart = 0.0
    for frame, wanted in zip(simulate([body], settings, STEPS), reference, strict=True):
        apart = max(apart, np.linalg.norm(frame.positions[0] - wanted, axis=1).max())
        motion = max(motion, np.linalg.norm(wanted - body.points, axis=1).max())
    assert motion > 0.1  # m: the scenes are a metre large and must really move
    return apart / motion


def test_a_sagging_beam_agrees():
    assert largest_difference(solid(), "neo_hookean", 200) < CLOSE


def test_a_nearly_incompressible_beam_agrees():
    assert largest_difference(solid(poisson_ratio=0.48), "neo_hookean", 600) < CLOSE


def test_a_beam_with_a_stiffness_for_every_tet_agrees():
    count = len(solid().tets)
    body = solid(
        youngs_modulus=np.geomspace(2e4, 2e5, count), density=np.linspace(500.0, 1500.0, count)
    )
    assert largest_difference(body, "neo_hookean", 300) < CLOSE


def test_a_thrown_tumbling_body_agrees():
    points, _ = box((6, 2, 2), (0.6, 0.2, 0.2))
    tumbling = np.cross([2.0, 3.0, 5.0], points - points.mean(axis=0)) + [0.5, 0.0, 1.0]
    tumbling += np.random.default_rng(7).standard_normal(points.shape)
    assert largest_difference(solid(tumbling, pinned=False), "neo_hookean", 200) < CLOSE


@pytest.mark.parametrize("scale", [(2.0, 0.8, 0.8), (0.3, 1.0, 1.0), (1.0, 1.0, -0.5)])
def test_a_body_released_stretched_squeezed_or_mirrored_agrees(scale):
    points, tets = box((6, 2, 2), (0.6, 0.2, 0.2))
    body = Solid(points * scale, tets, Material(youngs_modulus=5e4), rest_points=points)
    assert largest_difference(body, "neo_hookean", 200) < CLOSE


def test_a_twisted_beam_with_led_pins_agrees():
    body = solid()
    held = body.points[body.pins.indices]
    center = held.mean(axis=0)

    def turned(time):
        return (held - center) @ rotation([1.0, 0.0, 0.0], 3.0 * time).T + center

    body.pins.targets = turned
    assert largest_difference(body, "neo_hookean", 200, led=turned) < CLOSE


def test_a_falling_sheet_agrees():
    assert largest_difference(cloth(), "stvk", 400) < CLOSE


def test_bending_is_part_of_what_agrees():
    # A sheet without bending is far off, so the test above detects bending.
    limp = scene_of(cloth(bending_stiffness=0.0), "stvk")
    stiff = scene_of(cloth(), "stvk")
    *_, a = trajectory(limp, FRAME, STEPS)
    *_, b = trajectory(stiff, FRAME, STEPS)
    assert np.abs(a - b).max() > 100.0 * CLOSE * np.abs(b - stiff.points).max()


def test_a_sheet_that_is_curved_at_rest_agrees():
    flat = cloth()
    arc = flat.points[:, 0] * 2.0
    curved = np.stack([np.sin(arc) / 2.0, flat.points[:, 1], (1.0 - np.cos(arc)) / 2.0], axis=1)
    body = Cloth(flat.points, flat.triangles, flat.material, flat.pins, rest_points=curved)
    assert largest_difference(body, "stvk", 400) < CLOSE


def test_a_tossed_crumpling_sheet_agrees():
    flat = cloth()
    tossed = 2.0 * np.random.default_rng(3).standard_normal(flat.points.shape)
    body = Cloth(flat.points, flat.triangles, flat.material, velocities=tossed)
    assert largest_difference(body, "stvk", 800) < CLOSE


@pytest.mark.parametrize("damping", [0.01, 0.1])
def test_a_damped_sheet_agrees(damping):
    assert largest_difference(cloth(damping=damping), "stvk", 400) < CLOSE


@pytest.mark.parametrize("damping", [0.0, 0.02, 0.2])
def test_a_swinging_chain_agrees_with_and_without_damping(damping):
    assert largest_difference(rod(damping), "spring", 600) < CLOSE


@pytest.mark.parametrize("model", ["neo_hookean", "neo_hookean_log", "corotated"])
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_every_solid_model_agrees_with_and_without_damping(model, damping):
    body = solid(solid_model=model, damping=damping)
    assert largest_difference(body, model, 300) < CLOSE


def test_a_sheet_with_a_stable_membrane_agrees():
    flat = cloth()
    material = Material(
        youngs_modulus=1e5, density=0.2, bending_stiffness=2e-2, membrane="neo_hookean"
    )
    body = Cloth(flat.points, flat.triangles, material, flat.pins)
    assert largest_difference(body, "neo_hookean", 400) < CLOSE


def test_a_chain_of_very_unequal_springs_agrees():
    # A thousand times stiffer in turn: this one converges through its multipliers.
    points, edges = chain(10, 0.1)
    stiffness = np.where(np.arange(9) % 2 == 0, 100.0, 1e6)
    body = Rod(points, edges, Material(spring_stiffness=stiffness, vertex_mass=0.05), Pins([0]))
    assert largest_difference(body, "spring", 2000) < 1e-3
