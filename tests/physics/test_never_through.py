# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes from findings of random ones, and scenes with strong contact.

Each is judged exactly after every substep, as random scenes are (tests/fuzz).
"""

import numpy as np
import pytest
from fuzz.judge import Judge
from fuzz.run import run_scene
from fuzz.scenes import Scene
from shapes import block, box, bumpy_ball, cell_box, grid, in_cells, plane, roller, rotation

from vbd.solver.bodies import Cells, Cloth, Collider, Pins, Solid
from vbd.solver.scene.analytic_colliders import Box, Plane, Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate


def cube(low, velocity=None, turn=None, cells=1, size=1.0, **how):
    """A cube of a size whose lowest corner, before it is turned about its middle, is at `low`."""
    points, tets = box((cells, cells, cells), (size, size, size))
    turned = (points - 0.5 * size) @ (np.eye(3) if turn is None else turn).T + 0.5 * size
    material = Material(**{"youngs_modulus": 1e5, "friction": 0.0, **how})
    return Solid(turned + low, tets, material, velocities=velocity, name=f"Cube at {low}")


def assert_apart(bodies, frames=8, **settings):
    outcome = run_scene(Scene("", bodies, Settings(threads=1, **settings), frames))
    assert outcome.is_scene and not outcome.findings, outcome.findings
    return outcome


COLLIDERS = {
    "plane": Plane((0.0, 0.0, 0.0), (0.1, 0.0, 1.0)),
    "sphere": Sphere((0.5, 0.5, -3.0), 2.9),
    "box": Box((-2.0, -2.0, -0.1), (9.0, 3.0, 9.0)),
}


@pytest.mark.parametrize("name", COLLIDERS)
@pytest.mark.parametrize("how", [{}, {"acceleration": 0.9}, {"iterations": 1}])
@pytest.mark.parametrize("count", [1, 2])
def test_what_turns_on_its_way_does_not_enter_an_analytic_collider(name, how, count):
    # Its mean motion ends in front of the collider, that of a corner does not.
    turn = rotation((0.6, 0.8, 0.0), 0.7)
    bodies = [cube((1.5 * k, 0.0, 0.3), turn=turn, youngs_modulus=1e6) for k in range(count)]
    for body in bodies:
        spin = np.cross([0.0, 14.0, 3.0], body.points - body.points.mean(axis=0))
        body.velocities = spin + [0.0, 0.0, -12.0]
    assert_apart([*bodies, COLLIDERS[name]], gravity=(0.0, 0.0, -9.81), **how)


@pytest.mark.parametrize("iterations", [3, 20])
@pytest.mark.parametrize("plate", ["sheet", "block"])
def test_what_is_pressed_into_an_analytic_collider_stays_in_front(plate, iterations):
    mesh, triangles = plane(3.0) if plate == "sheet" else block((3.0, 3.0, 1.0), (0.0, 0.0, 0.5))
    down = np.linspace(0.0, 0.7, 9)[:, None, None] * [0.0, 0.0, -1.0]
    press = Collider(mesh + [0.5, 0.5, 1.02] + down, triangles)
    assert_apart([cube((0.0, 0.0, 0.01), cells=2), press], use_ground=True, iterations=iterations)


@pytest.mark.parametrize("size", [1e-3, 1000.0])
def test_a_skin_thinner_than_rounding_stays_in_front_of_a_plane(size):
    thin = {"size": size, "collision_thickness": 1e-5 * size, "youngs_modulus": 1e7}
    fast = [0.0, 0.0, -10.0 * size]
    cubes = [cube((1.2 * size * k, 0.0, 0.1 * size), fast, **thin) for k in range(2)]
    assert_apart([*cubes, Plane((0.0, 0.0, 0.0), (0.3, 0.2, 1.0))])


@pytest.mark.parametrize("velocity", [0.0, 3.0])
def test_a_tet_in_a_slot_of_its_own_width_and_a_millionth(velocity):
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    material = Material(youngs_modulus=1e6, friction=0.0)
    aside = [velocity, 0.0, 0.0]
    bodies = [Solid(points, np.array([[0, 1, 2, 3]]), material, velocities=aside)]
    for x in (-0.5 - 0.5e-6, 1.5 + 0.5e-6):
        bodies.append(Collider(*block((1.0, 4.0, 4.0), (x, 0.5, 0.0))))
    assert_apart(bodies)


@pytest.mark.parametrize("speed", [1e5, 1e6, 1e7])
@pytest.mark.parametrize("gap", [1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("spin", [0.0, 10.0])
def test_what_flies_to_where_digits_are_few_stays_apart(speed, gap, spin):
    # A last digit is 10 μm after one substep of the slowest, and 8 cm at the end of the fastest.
    turn = rotation((0.6, 0.8, 0.0), 2.7)
    bodies = [cube((0.0, 0.0, k * (1.0 + gap)), collision_thickness=0.01) for k in range(2)]
    for body in bodies:
        body.points = (body.points - 0.5) @ turn.T
        around = np.cross(spin * np.array([0.3, 0.4, -0.9]), body.points)
        body.velocities = speed * np.array([1.0, 0.3, 0.2]) + around
    assert_apart(bodies, 4, gravity=(0.0, 0.0, 0.0))


def strips(gap, turn, across):
    """Two small sheets far from the middle of the scene, the later one above the other by a gap and
    thrown at it; alike, or crosswise, so that no vertex of one lies above a triangle of the other.
    """
    flat, triangles = grid(2, 0.002)
    narrow = flat * [1.0, 0.1, 1.0] - [0.001, 0.0001, 0.0] if across else flat
    material = Material(youngs_modulus=1e5, thickness=1e-4, density=200.0)
    wide = narrow[:, [1, 0, 2]] * [-1.0, 1.0, 1.0] if across else narrow
    for k, points in enumerate([narrow, wide]):
        place = points @ rotation((1.0, 0.0, 0.0), turn).T + [0.3, 0.2, 0.1 + k * gap]
        velocities = np.tile([0.0, 0.0, -k * np.sign(gap)], (len(place), 1))
        yield Cloth(place, triangles, material, name=f"Sheet {k}", velocities=velocities)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi])
@pytest.mark.parametrize("gap", [3e-8, -3e-8])
def test_sheets_that_begin_a_last_digit_apart_stay_on_their_sides(gap, turn, across):
    sheets = list(strips(gap, turn, across))
    scene = [*sheets, cube((-0.6, -0.4, -0.2), size=0.01)]
    settings = Settings(threads=1, gravity=(0.0, 0.0, 0.0))
    (frame,) = simulate(scene, settings, 1)
    low, high = (frame.positions[k].mean(axis=0)[2] for k in range(2))
    assert (high - low) * np.sign(gap) > 1e-6
    # Later they slide off each other, and either may be the higher one.
    assert_apart(scene, 4, gravity=(0.0, 0.0, 0.0))


def rollers(frames, gap, turn=0.2):
    """Two rollers side by side that draw down the body on them."""
    points, triangles = roller(16, 2.0)
    for side in (-1.0, 1.0):
        turns = [rotation((0.0, 1.0, 0.0), -side * turn * f) for f in range(frames + 1)]
        way = np.stack([points @ turned.T for turned in turns])
        middle = [0.5 * side * (1.0 + gap), 0.0, 0.0]
        yield Collider(way + middle, triangles, friction=1.0, name=f"Roller {side:+.0f}")


def test_a_soft_ball_drawn_through_rollers_comes_out_whole():
    # The gap is a twentieth of its diameter: some of it is inverted in between.
    frames = 22
    points, triangles = bumpy_ball(0.6, rows=7)
    material = Material(youngs_modulus=1e4, friction=1.0)
    ball = in_cells(points + [0.0, 0.0, 0.67], triangles, 8, material, name="Ball")
    outcome = assert_apart([ball, *rollers(frames, 0.03)], frames, iterations=10)
    assert outcome.inverted > 0 and outcome.inverted_at_end == 0


@pytest.mark.parametrize("shape, stiffness", [(Solid, 1e6), (Cells, 1e5)])
def test_what_is_pressed_flat_turns_inside_out_says_so_and_gets_its_shape_back(shape, stiffness):
    points, elements = (box if shape is Solid else cell_box)((3, 3, 3))
    material = Material(youngs_modulus=stiffness, friction=0.5)
    body = shape(points + [0.0, 0.0, 0.01], elements, material, name="Sponge")
    other = cube((5.0, 0.0, 0.01))
    frames = np.arange(17)
    down = np.interp(frames, [0, 8, 9, 11], [0.0, 0.95, 0.95, -1.0])[:, None, None]
    aside = np.interp(frames, [0, 8], [0.0, 1.0])[:, None, None]
    mesh, triangles = block((3.0, 3.0, 1.0), (0.5, 0.5, 1.52))
    press = Collider(mesh + down * [0.0, 0.0, -1.0] + aside * [1.0, 0.0, 0.0], triangles)
    bodies = [body, other, press, Collider(*plane(20.0))]
    stats = [frame.stats for frame in simulate(bodies, Settings(threads=1), 16)]
    assert max(s.inverted for s in stats) > 0 and stats[-1].inverted == 0
    assert {name for s in stats for name in s.inverted_bodies} == {"Sponge"}
    assert_apart(bodies, 16)


SEEN = {
    "edges in a floor": lambda: [cube((0.0, 0.0, 0.1), [0.0, 0.0, -30.0]), Collider(*plane(4.0))],
    "one within another": lambda: [
        cube((0.0, 0.0, 0.1), [0.0, 0.0, -24.0], size=0.2),
        cube((-0.4, -0.4, -1.0)),
    ],
    "wholly through a floor": lambda: [
        cube((0.3, 0.1, 0.1), [0.0, 0.0, -30.0], size=0.05),
        Collider(*plane(4.0)),
    ],
    "wholly through a cloth": lambda: [
        cube((2.3, 1.8, 0.1), [0.0, 0.0, -30.0], size=0.05),
        Cloth(*grid(2, 4.0), pins=Pins(np.arange(9))),
    ],
}


@pytest.mark.parametrize("name", SEEN)
def test_the_judge_sees_what_passes_through_without_truncation(name):
    how = Settings(threads=1, truncation=False, iterations=1, collision_stiffness=0.0)
    assert run_scene(Scene("", SEEN[name](), how, 3)).findings


def test_the_judge_sees_what_is_behind_a_plane():
    # Positions are given, since nothing gets there by itself, even without truncation.
    scene = Scene("", [cube((0.0, 0.0, 0.1)), Plane((0.0, 0.0, 0.0))], Settings(threads=1), 1)
    model = Simulation(scene.bodies, scene.settings).model
    x = model.x.numpy()
    assert Judge(model, scene, x).look(x, 0.01) == []
    findings = Judge(model, scene, x).look(x - [0.0, 0.0, 0.2], 0.01)
    assert "behind an analytic collider by" in findings[0]


def test_the_judge_takes_moving_colliders_where_the_solver_has_them():
    rises = Plane((0.0, 0.0, 0.0), motion=lambda time: np.eye(4))
    scene = Scene("", [cube((0.0, 0.0, 0.1)), rises], Settings(threads=1), 1)
    model = Simulation(scene.bodies, scene.settings).model
    x, up = model.x.numpy(), np.array([[0.0, 0.0, 1.0]])
    for height, sees in ((0.05, False), (0.2, True)):
        center = height * up - model.assembly.origin
        findings = Judge(model, scene, x).look(x, 0.01, (center, up, np.zeros(1)))
        assert bool(findings) == sees
