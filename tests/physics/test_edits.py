# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that change while a simulation runs, and vertices that are pulled."""

from dataclasses import replace

import numpy as np
import pytest
from shapes import box, bumpy_ball, cell_box, chain, grid, in_cells, rotation

from vbd.solver.attachments import Attachment, soft_pins
from vbd.solver.bodies import Cells, Cloth, Grains, Pins, RigidBody, Rod, Solid
from vbd.solver.bounds import Plane
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.editing import Edits
from vbd.solver.model.masses import vertex_mass
from vbd.solver.scene.force_fields import FieldNumbers, ForceField
from vbd.solver.scene.joints import Joint
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

T = 1.0 / 24.0
FIRM = {"youngs_modulus": 1e6, "poisson_ratio": 0.0, "density": 1000.0}


def bar(kind=Solid, **more):
    points, elements = (box if kind is Solid else cell_box)((2, 2, 4), (0.1, 0.1, 0.2))
    top = np.flatnonzero(points[:, 2] > 0.2 - 1e-9)
    return kind(points, elements, Material(**FIRM, **more), Pins(top), name="Bar")


def falling_cube(**more):
    points, elements = cell_box((2, 2, 2), (0.2, 0.2, 0.2))
    return Cells(points + [0.0, 0.0, 0.05], elements, Material(**FIRM, **more), name="Cube")


def run(scene, settings, frames, act=lambda edits, frame: None, restart=None):
    """All frames of a scene; `act(edits, frame)` is called after each."""
    edits, found = Edits(), []
    for frame in simulate(scene, settings, frames, edits=edits, restart=restart):
        found.append([points.copy() for points in frame.exact_positions])
        act(edits, frame.index)
    return found, edits


def test_a_run_without_edits_has_the_bits_of_one_that_allows_none():
    scene = [falling_cube(), Plane([0.0, 0.0, 0.0])]
    plain = [f.exact_positions[0] for f in simulate(scene, Settings(), 12)]
    found, edits = run(scene, Settings(), 12)
    assert edits.first_frame == 0
    for before, after in zip(plain, found, strict=True):
        np.testing.assert_array_equal(before, after[0])


def test_a_change_to_the_same_value_goes_on_as_before():
    """The rebuilt scene continues from the whole state: it lies still, and does not hop."""
    scene = [falling_cube(), Plane([0.0, 0.0, 0.0])]
    found, edits = run(scene, Settings(), 40, lambda edits, frame: frame in (5, 30) and
                       edits.change("Cube", density=1000.0))  # fmt: skip
    plain = [f.exact_positions[0] for f in simulate(scene, Settings(), 40)]
    assert edits.first_frame == 6
    moved = [np.abs(a - b[0]).max() for a, b in zip(plain, found, strict=True)]
    assert max(moved) < 2e-4  # the gap of an iteration that ends at the accuracy of 2 %


@pytest.mark.parametrize("kind", [Solid, Cells])
@pytest.mark.parametrize(
    ("values", "ratio"),
    [({"youngs_modulus": 1e7}, 0.1), ({"density": 2000.0}, 2.0)],
)
def test_a_bar_sinks_as_far_as_its_new_stiffness_and_density_say(kind, values, ratio):
    settings = Settings(quasistatic=True, iterations=100, accuracy=1e-4)
    body = bar(kind)
    lowest = np.argmin(body.points[:, 2])
    found, _ = run([body], settings, 3, lambda edits, frame: frame == 1 and
                   edits.change(body, **values))  # fmt: skip
    sunk = [-frame[0][lowest, 2] for frame in found]
    np.testing.assert_allclose(np.array(sunk[1:]) / sunk[0], ratio, rtol=0.03)


def test_gravity_and_substeps_change_the_fall_from_the_next_frame_on():
    points, elements = box((1, 1, 1), (0.1, 0.1, 0.1))
    body = Solid(points, elements, Material(**FIRM))

    def act(edits, frame):
        if frame == 6:
            edits.change(gravity=(0.0, 0.0, 0.0))
            edits.change(substeps=8)

    found, _ = run([body], Settings(), 12, act)
    height = np.array([frame[0][:, 2].mean() for frame in found])
    speed = np.diff(height) / T
    np.testing.assert_allclose(np.diff(speed[:5]) / T, -9.81, rtol=1e-3)
    np.testing.assert_allclose(speed[6:], speed[-1], rtol=1e-4)
    # The speed at frame 6 is the whole fall: implicit Euler is exact in it.
    np.testing.assert_allclose(speed[-1], -9.81 * 6 * T, rtol=1e-3)


def test_a_block_slides_when_its_friction_is_lowered():
    tilt = rotation([0.0, 1.0, 0.0], np.arctan(0.3))
    points, tets = box((4, 4, 2), (0.2, 0.2, 0.06))
    points = (points - [0.1, 0.1, -0.003]) @ tilt.T
    block = Solid(points, tets, Material(youngs_modulus=1e7, friction=0.5), name="Block")
    slope = Plane([0.0, 0.0, 0.0], tilt @ [0.0, 0.0, 1.0], friction=0.5, name="Slope")

    def act(edits, frame):
        if frame == 7:
            edits.change("Block", friction=0.1)
            edits.change("Slope", friction=0.1)

    found, _ = run([block, slope], Settings(), 14, act)
    downhill = tilt @ [1.0, 0.0, 0.0]
    speed = np.abs(np.diff([(frame[0] @ downhill).mean() for frame in found])) / T
    assert speed[3:6].max() < 0.01
    acceleration = 9.81 * (np.sin(np.arctan(0.3)) - 0.1 * np.cos(np.arctan(0.3)))
    np.testing.assert_allclose(np.diff(speed)[-4:] / T, acceleration, rtol=0.05)


def test_soft_pins_and_wind_change():
    points, triangles = grid(4, 0.4)
    sheet = Cloth(points, triangles, Material(density=0.5, drag=1.0, youngs_modulus=1e5), name="S")
    hem = soft_pins(sheet, np.arange(5), 400.0, points=points[:5], damping=0.1)
    wind = ForceField("wind", FieldNumbers(strength=0.0), blows=True, name="Wind")
    settings = Settings(gravity=(0.0, 0.0, 0.0))

    def act(edits, frame):
        if frame == 2:
            edits.change("Wind", strength=5.0)
        if frame == 8:
            edits.change(hem, stiffness=0.0)

    found, _ = run([sheet, hem, wind], settings, 12, act)
    held = np.array([frame[0][:5, 2].mean() for frame in found])
    center = np.array([frame[0][:, 2].mean() for frame in found])
    assert abs(center[1]) < 1e-9 and center[7] > 0.02  # wind along z from frame 3 on
    assert held[-1] - held[7] > 3.0 * held[7]  # let go of


def test_bending_from_none_goes_on_with_hinges():
    """Hinges couple other vertices, which may change the order in which they are solved."""
    points, triangles = grid(6, 0.3)
    held = Pins(np.flatnonzero(points[:, 0] < 0.06))
    limp = Material(density=0.3, youngs_modulus=1e5, bending_stiffness=0.0, adapt_folds=False)
    sheet = Cloth(points, triangles, limp, held, name="Sheet")

    def tip(stiffness):
        act = lambda edits, frame: frame == 4 and edits.change("Sheet", bending_stiffness=stiffness)  # noqa: E731
        found, _ = run([sheet], Settings(damping=0.02), 16, act)
        steps = np.linalg.norm(found[4][0] - found[3][0], axis=1)
        assert steps.max() < 0.1  # no vertex has jumped to the place of another
        return found[-1][0][-1, 2]

    assert tip(1.0) > tip(0.0) + 0.05


@pytest.mark.parametrize("kind", ["solid", "cells", "surface", "cloth", "rod"])
def test_a_pull_gives_a_free_body_the_momentum_of_its_spring(kind):
    """m (v' − v) = h k (goal − x') in every step of implicit Euler; the point x' is at its end."""
    bodies = {
        "solid": lambda: Solid(*box((2, 2, 2), (0.2, 0.2, 0.2)), Material(**FIRM)),
        "cells": lambda: Cells(*cell_box((2, 2, 2), (0.2, 0.2, 0.2)), Material(**FIRM)),
        "surface": lambda: in_cells(*bumpy_ball(0.1), 4, Material(**FIRM)),
        "cloth": lambda: Cloth(*grid(3, 0.2), Material(density=0.5, youngs_modulus=1e5)),
        "rod": lambda: Rod(*chain(6, 0.05), Material(youngs_modulus=1e6, thickness=0.01)),
    }
    body = bodies[kind]()
    surface = getattr(body, "surface", None)
    mass = vertex_mass(body)
    stiffness, goal = 5.0 * mass.sum(), np.array([0.5, 0.1, 0.3])

    def act(edits, frame):
        if frame == 1:
            act.pull = edits.pull(body, 3, goal, stiffness)
        elif frame == 4:
            act.pull.goal = goal + [0.0, 0.2, 0.0]
        elif frame == 6:
            act.pull.release()

    # A cloth that is pulled at a corner turns far in the first step.
    exact = {"substeps": 1, "accuracy": 0.0, "iterations": 3000 if kind == "cloth" else 400}
    settings = Settings(gravity=(0.0, 0.0, 0.0), **exact)
    found, edits = run([body], settings, 9, act)
    x = np.array([body.points, *(frame[0] for frame in found)])
    momentum = np.einsum("v,fvi->fi", mass, np.diff(x, axis=0)) / T
    point = x if surface is None else np.array([surface.points(each) for each in x])
    goals = np.array([goal] * 3 + [goal + [0.0, 0.2, 0.0]] * 2)
    force = stiffness * (goals - point[2:7, 3])
    assert edits.first_frame == 2
    assert np.abs(momentum[0]).max() < 1e-6 * mass.sum()
    scale = np.abs(momentum).max()
    np.testing.assert_allclose(np.diff(momentum, axis=0)[:5], T * force, atol=2e-3 * scale)
    np.testing.assert_allclose(np.diff(momentum, axis=0)[5:], 0.0, atol=1e-3 * scale)


def test_a_state_saved_during_a_pull_resumes_without_it():
    """It moves as after a release at the same frame, but for the accuracy of 2 %."""
    sheet = Cloth(*grid(4, 0.4), Material(density=0.5, youngs_modulus=1e4), Pins([0, 4]), name="S")
    edits, settings = Edits(), Settings()
    for frame in simulate([sheet], settings, 5, edits=edits):
        if frame.index == 2:
            pull = edits.pull(sheet, 20, [0.2, 0.2, 0.5], 50.0, damping=0.1)
        elif frame.index == 4:
            restart, held = Restart(4, frame.state()), frame.exact_positions[0]
            pull.release()
    (later,) = simulate([sheet], settings, 5, restart=restart)
    moved = np.abs(frame.exact_positions[0] - held).max()
    np.testing.assert_allclose(
        later.exact_positions[0], frame.exact_positions[0], atol=0.05 * moved
    )


def test_two_pulls_and_the_attachments_of_the_scene_keep_their_rows():
    """Releasing the first pull leaves the second and a tie with a multiplier as they are."""
    material = Material(youngs_modulus=1e6, thickness=0.01, density=0.1)
    rope = Rod(*chain(9, 0.05), material, name="Rope")
    tie = Attachment(rope, [0], 1e7, points=rope.points[:1])
    ends = np.array([[0.15, 0.0, 0.12], [0.3, 0.08, 0.04]])

    def act(edits, frame):
        if frame == 1:
            act.pulls = [
                edits.pull("Rope", v, g, 1e4, damping=0.1)
                for v, g in zip((4, 8), ends, strict=True)
            ]
        elif frame == 12:
            act.pulls[0].release()

    found, _ = run([rope, tie], Settings(damping=0.05), 30, act)
    x = np.array([frame[0] for frame in found])
    np.testing.assert_allclose(x[:, 0], rope.points[0] * np.ones((30, 1)), atol=1e-3)
    np.testing.assert_allclose(x[11:, 8], ends[1] * np.ones((19, 1)), atol=5e-3)
    np.testing.assert_allclose(x[11, 4], ends[0], atol=5e-3)
    assert x[-1, 4, 2] < 0.09


@pytest.mark.parametrize(
    ("of", "values", "words"),
    [
        ("Cube", {"collision_thickness": 0.1}, "start again"),
        ("Cube", {"youngs_modulus": -1.0}, "youngs_modulus"),
        ("Cube", {"density": np.ones(3)}, "3 values of density"),
        ("Cube", {"color": 1.0}, "color"),
        ("Ground", {"friction": -1.0}, "number from 0"),
        ("Ground", {"density": 1.0}, "friction"),
        ("Sphere", {"friction": 1.0}, "named Sphere"),
        (None, {"frame_time": 1.0}, "start again"),
        (None, {"substeps": 0}, "substeps"),
    ],
)
def test_what_cannot_change_is_refused_in_words(of, values, words):
    edits = Edits()
    with pytest.raises(ValueError, match="call simulate"):
        edits.change(of, **values)
    simulate([falling_cube(), Plane([0.0, 0.0, 0.0], name="Ground")], Settings(), 1, edits=edits)
    with pytest.raises(ValueError, match=words):
        edits.change(of, **values)
    assert edits.take(1) is None


def test_what_has_a_function_of_time_or_no_such_point_is_refused():
    cube = falling_cube()
    cube.keyed = {"density": lambda time: 1000.0}
    edits = Edits()
    simulate([cube, Plane([0.0, 0.0, 0.0], name="Ground")], Settings(), 1, edits=edits)
    for match, act in {
        "function of time": lambda: edits.change("Cube", density=1.0),
        "not one of the 27": lambda: edits.pull("Cube", 27, [0, 0, 0], 1.0),
        "no element": lambda: edits.pull("Cube", [0, 26], [0, 0, 0], 1.0, weights=[0.5, 0.5]),
        "nothing but its animation": lambda: edits.pull("Ground", 0, [0, 0, 0], 1.0),
        "three finite": lambda: edits.pull("Cube", 0, [0, np.nan, 0], 1.0),
    }.items():
        with pytest.raises(ValueError, match=match):
            act()
    assert edits.take(1) is None


def test_a_body_that_keeps_its_shape_may_be_pulled_and_changed():
    """Its rest shape stays: four times the stiffness keep a quarter of the way to it."""
    points, elements = box((2, 2, 4), (0.1, 0.1, 0.4))
    top = np.flatnonzero(points[:, 2] > 0.4 - 1e-9)
    soft = Material(youngs_modulus=2e4, density=1000.0, poisson_ratio=0.0)
    body = Solid(points, elements, soft, Pins(top), name="Bar", keeps_shape=True)
    lowest = np.argmin(points[:, 2])
    settings = Settings(quasistatic=True, iterations=100, accuracy=1e-4)

    def act(edits, frame):
        if frame == 1:
            edits.change("Bar", youngs_modulus=8e4)
        elif frame == 3:
            edits.pull("Bar", lowest, points[lowest] + [0.0, 0.0, -0.1], 1e6)

    found, _ = run([body], settings, 5, act)
    height = [frame[0][lowest, 2] for frame in found]
    assert abs(height[0]) < 4e-4
    sag = 9.81 * 1000.0 * 0.4**2 / (2.0 * 2e4)  # of the bar without the switch
    np.testing.assert_allclose(height[2], 0.75 * sag, rtol=0.1)
    assert height[4] < -0.09


# Air that is kept expands against that outside, of 100 kPa.
@pytest.mark.parametrize(("keep_volume", "pressure"), [(False, 80.0), (True, 2e4)])
def test_a_balloon_grows_when_its_pressure_rises(keep_volume, pressure):
    points, triangles = bumpy_ball(0.2)
    rubber = Material(youngs_modulus=1e5, thickness=1e-3, density=0.2, pressure=20.0, damping=0.05)
    balloon = Cloth(points, triangles, replace(rubber, keep_volume=keep_volume), name="Balloon")

    def grown(pressure):
        act = lambda edits, frame: frame == 4 and edits.change("Balloon", pressure=pressure)  # noqa: E731
        found, _ = run([balloon], Settings(gravity=(0.0, 0.0, 0.0)), 24, act)
        return np.linalg.norm(found[-1][0], axis=1).mean() / np.linalg.norm(points, axis=1).mean()

    assert grown(pressure) > grown(20.0) + 0.02


def rigid_box(name="Box", **more):
    """A rigid box of 0.2 m, whose last corner is at 0.1 m along x, y and z."""
    corners = [[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return RigidBody(0.1 * np.array(corners), triangles, mass=1.0, name=name, **more)


@pytest.mark.parametrize("corners", [7, (4, 5, 7)])
def test_a_rigid_body_hangs_by_the_point_that_is_pulled(corners):
    """A corner, or the middle of a face of the mesh, stays where a stiff pull holds it."""
    body, weights = rigid_box(), None if corners == 7 else np.full(3, 1.0 / 3.0)
    triangle = np.any([sorted(t) == sorted(np.ravel(corners)) for t in body.triangles.tolist()])
    assert corners == 7 or triangle
    place = body.mesh_points[np.atleast_1d(corners)].mean(axis=0)

    def hold(edits, frame):
        if frame == 1:
            edits.pull("Box", corners, place, 1e5, weights=weights)

    found = run([body], Settings(), 12, hold)[0]
    held = found[-1][0][np.atleast_1d(corners)].mean(axis=0)
    assert np.linalg.norm(held - place) < 2e-3  # it has fallen 4 mm and rests 0.1 mm below
    assert found[-1][0][:, 2].mean() < place[2]


def test_pulls_and_changes_leave_bonds_and_joints_as_they_were():
    """Broken bonds and joints stay broken, in a scene that is also pulled and changed."""
    stuck = Material(cohesion=1.0, density=1000.0)
    grains = Grains([[0.0, 0.0, 0.0], [0.0, 0.0, 0.02]], 0.01, stuck, name="Grains")
    crate = rigid_box(collides_with=())
    hinge = Joint("ball", crate, None, (0.0, 0.0, 0.1), strength=5.0, name="Hinge")
    cloth = Cloth(*grid(2), Material(), Pins([0]), name="Cloth")

    def act(edits, frame):
        if frame == 2:
            edits.pull("Cloth", 8, (0.5, 0.5, 0.0), 10.0)
        if frame == 4:
            edits.change("Box", friction=0.3)
            edits.change("Grains", friction=0.3)

    found = run([grains, crate, hinge, cloth], Settings(), 8, act)[0]
    # The joint holds 5 N of 9.81: it broke at once, and the crate falls on.
    assert found[-1][1][:, 2].mean() == pytest.approx(-0.5 * 9.81 * (8 * T) ** 2, rel=0.1)


@pytest.mark.parametrize("values", [{"density": 500.0}, {"cohesion": 10.0}])
def test_what_is_found_once_of_rigid_bodies_and_grains_cannot_change(values):
    body = rigid_box() if "density" in values else Grains([[0.0, 0.0, 0.0]], 0.01, name="Box")
    words = next(iter(values))

    def act(edits, _frame):
        with pytest.raises(ValueError, match=words):
            edits.change("Box", **values)

    run([body], Settings(), 1, act)


def test_a_joint_cannot_change_while_it_runs():
    body = rigid_box()
    hinge = Joint("ball", body, None, (0.0, 0.0, 0.1), name="Hinge")

    def act(edits, _frame):
        with pytest.raises(ValueError, match="Hinge"):
            edits.change("Hinge", strength=3.0)

    run([body, hinge], Settings(), 1, act)
