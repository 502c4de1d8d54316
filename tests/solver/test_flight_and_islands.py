# SPDX-License-Identifier: GPL-3.0-or-later
"""Flight, islands and the clock: the host takes no part in them; kernels agree with NumPy."""

from dataclasses import replace as replaced
from functools import partial

import numpy as np
import pytest
from intersections import intersecting_pairs, joined, segment_hits
from shapes import box, chain, grid, plane, rotation

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.device import launches
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate
from vbd.solver.topology.graphs import connected_components
from vbd.solver.topology.meshes import boundary_triangles

SETTINGS = Settings(substeps=3, iterations=5)


def cube(corner, velocity=(0.0, 0.0, 0.0), **more):
    points, tets = box((3, 3, 3), (0.2, 0.2, 0.2))
    velocities = np.tile(velocity, (len(points), 1)).astype(float)
    return Solid(points + corner, tets, velocities=velocities, **more)


def rod(start, velocity):
    points, edges = chain(8, 0.05)
    velocities = np.tile(velocity, (8, 1)) + [[0.0, 0.3 * k, 0.0] for k in range(8)]
    return Rod(points + start, edges, Material(thickness=0.01), velocities=velocities)


def colliding():
    """Two that collide in the air, a straight rod that turns, and one that falls on a floor that
    rises.
    """
    mesh, triangles = plane(4.0, -0.25)
    return [
        cube([0.0, 0.0, 0.5], [1.0, 0.0, 0.0]),
        cube([0.25, 0.02, 0.53], [-1.0, 0.0, 0.5]),
        rod([-1.0, 0.0, 0.5], [0.0, 0.0, 1.0]),
        cube([1.0, 0.0, -0.2]),
        Collider(lambda time: mesh + [0.0, 0.0, 0.5 * time], triangles),
    ]


def hanging():
    """A sheet with pins that swing, and a cube that falls beside it."""
    points, triangles = grid(6, 0.5)
    pins = Pins([0, 6], lambda time: points[[0, 6]] + [0.0, 0.1 * np.sin(9.0 * time), 0.0])
    return [Cloth(points, triangles, pins=pins), cube([0.1, 0.1, 0.05])]


SCENES = {"colliding": colliding, "hanging": hanging}


def flips(time):
    return (0.0, 0.0, -10.0 if time < 0.06 else 10.0)


def start(bodies, settings=SETTINGS, **more):
    """The frames, and the stepper at the end of the first."""
    simulation = Simulation(bodies, settings, **more)
    frames = simulation.frames(8)
    first = next(frames)
    return first, frames, simulation.stepper


def replace(stepper, verb, name, call):
    """Replace the action of a stage, in substeps that are launched one by one."""
    stepper.is_captured = False
    stage = getattr(stepper.stages, name)
    setattr(stage, verb, call(getattr(stage, verb)))


def graphs_of(stepper):
    """Function that turns a call that does not read from the device into one that captures its
    graph and launches it.
    """

    def captured(call):
        return lambda *arguments: stepper.model.launches.graph(partial(call, *arguments)).replay()

    return captured


def positions(bodies, change=lambda _stepper: None, **more):
    """Positions [frame, vertex, 3] when something is changed after the first frame."""
    _first, frames, stepper = start(bodies, **more)
    change(stepper)
    return np.array([np.concatenate(frame.exact_positions) for frame in frames])


@pytest.mark.parametrize("scene", SCENES)
def test_a_graph_of_flight_gives_the_same_bits(scene):
    flew = []

    def change(stepper):
        stepper.is_captured = False
        flight = stepper.stages.contacts.flight
        launch = graphs_of(stepper)(flight.move)

        def move():
            launch()
            flew.append(int(flight.flies.numpy()[0]))

        flight.move = move

    np.testing.assert_array_equal(positions(SCENES[scene](), change), positions(SCENES[scene]()))
    assert any(flew)


@pytest.mark.parametrize("scene", SCENES)
def test_a_graph_of_islands_gives_the_same_bits(scene):
    def change(stepper):
        replace(stepper, "end_step", "momentum", graphs_of(stepper))

    np.testing.assert_array_equal(positions(SCENES[scene](), change), positions(SCENES[scene]()))


@pytest.mark.parametrize("scene", SCENES)
def test_a_graph_of_all_that_goes_evenly_through_a_frame_gives_the_same_bits(scene):
    def change(stepper):
        for name in ("frame_progress", "prediction", "kinematics"):
            replace(stepper, "begin_step", name, graphs_of(stepper))

    how = {"gravity": flips}
    np.testing.assert_array_equal(
        positions(SCENES[scene](), change, **how), positions(SCENES[scene](), **how)
    )


@pytest.mark.parametrize("scene", SCENES)
def test_threads_change_no_bit(scene, monkeypatch):
    monkeypatch.setattr(launches, "WORTH_SPLITTING", 10.0)
    one, two = (
        positions(SCENES[scene](), settings=Settings(substeps=3, iterations=5, threads=threads))
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def rigid_motion(mass, x, displacement):
    """The rigid motion [vertex, 3] that takes up the momentum of displacements [m] of masses: the
    closest to them in the sense of these masses (Kabsch 1976).
    """
    arm = x - mass @ x / mass.sum()
    goal = x + displacement
    center = mass @ goal / mass.sum()
    u, _, v = np.linalg.svd((mass[:, None] * arm).T @ (goal - center))
    u[:, -1] *= np.sign(np.linalg.det(u @ v))
    return center + arm @ (u @ v) - x


@pytest.mark.parametrize("touching", [[], [(0, 2)], [(3, 1), (2, 0)], [(0, 1), (1, 4)]])
def test_islands_move_as_their_momentum_asks_for(touching):
    """Against least squares in NumPy, by pairs of bodies that touch; number 4 is the floor."""
    _first, _frames, stepper = start([*colliding()])
    model, momentum = stepper.model, stepper.stages.momentum
    free, body = model.free_count, model.surface.body
    random = np.random.default_rng(3)
    apart = random.normal(size=(free, 3)) * 1e-3
    target = model.inertial.numpy()
    target[:free] = model.x.numpy()[:free] + apart
    model.inertial.assign(target)
    momentum.record()
    x = model.x.numpy()[:free].astype(float)
    displacement = model.inertial.numpy()[:free] - x

    # Join the given pairs instead of those that touch.
    separate, _join, name, *rest = momentum.launches
    separate()
    parent = np.arange(5)
    island = connected_components(np.array(touching).reshape(-1, 2), 5)
    for b in range(5):
        parent[b] = np.flatnonzero(island == island[b])[0]
    momentum.islands.parent.assign(parent.astype(np.int32))
    for launch in (name, *rest):
        launch()
    # No external forces.
    model.lists.all.start.zero_()
    momentum.restoring()
    # Bodies that would meet have been joined, too.
    island = momentum.islands.island.numpy()
    for one, other in touching:
        assert island[one] == island[other]

    expected = x.copy()
    for number in set(island) - {island[4]}:
        mine = island[body[:free]] == number
        mass = model.assembly.mass[:free][mine]
        expected[mine] += rigid_motion(mass, x[mine], displacement[mine])
    found = model.candidate.numpy()[:free]
    assert np.abs(expected - x).max() > 1e-5
    # Rounding; a straight rod, which hardly resists a turn about itself, takes it in small steps.
    np.testing.assert_allclose(found, expected, atol=5e-7)


def test_what_meets_nothing_flies_and_what_is_near_a_collider_stays():
    """Bodies that may meet fly together with the mean of their paths."""
    bodies = colliding()
    _first, _frames, stepper = start(bodies)
    model, flight = stepper.model, stepper.stages.contacts.flight
    body, count = model.surface.body[: model.free_count], len(bodies) - 1
    paths = np.array([[0.3, 0.0, 0.0], [-0.1, 0.0, 0.0], [0.0, 0.0, 0.4], [0.0, 0.0, 0.1]])
    before = model.x.numpy()[: model.free_count].copy()
    goal = model.candidate.numpy()
    goal[: model.free_count] = before + paths[body]
    model.candidate.assign(goal)
    flight.move()
    moved = model.x.numpy()[: model.free_count] - before
    both = paths[:2].mean(axis=0)
    expected = np.array([both, both, paths[2], np.zeros(3)])
    for number in range(count):
        mine = moved[body == number]
        np.testing.assert_allclose(mine, np.tile(expected[number], (len(mine), 1)), atol=1e-6)


@pytest.mark.parametrize("on_mesh", [False, True])
def test_what_falls_on_a_collider_together_flies_up_to_it_together(on_mesh):
    """Each by itself would go no farther than to the body below it, and tilt there."""
    bodies = [cube([0.0, 0.0, 0.2]), cube([0.0, 0.0, 0.402])]
    floor = [Collider(*plane(4.0))] if on_mesh else []
    still = replaced(SETTINGS, gravity=(0.0, 0.0, 0.0), use_ground=not on_mesh)
    _first, _frames, stepper = start([*bodies, *floor], still)
    model, flight = stepper.model, stepper.stages.contacts.flight
    before, goal = model.x.numpy().copy(), model.candidate.numpy()
    goal[: model.free_count] = before[: model.free_count] + [0.3, 0.0, -0.6]
    model.candidate.assign(goal)
    flight.move()
    moved = (model.x.numpy() - before)[: model.free_count]
    np.testing.assert_allclose(moved, np.tile(moved[0], (len(moved), 1)), atol=2e-7)
    # A third of the displacement ends at the floor but for the contact distance, half a millimeter,
    # or those of both sides.
    np.testing.assert_allclose(moved[0, 0], -0.5 * moved[0, 2], rtol=1e-5)
    assert 0.1985 < -moved[0, 2] < 0.2


def two_that_nearly_touch(apart=1e-5):
    """Two cubes of 20 cm, a turned one beside the other, after a frame without gravity."""
    turn = rotation((0.6, 0.8, 0.0), 0.7)
    bodies = [cube([(0.2 + apart) * k, 0.0, 0.0]) for k in range(2)]
    for body in bodies:
        body.points = body.points @ turn.T
    still = replaced(SETTINGS, gravity=(0.0, 0.0, 0.0), collision_stiffness=0.0)
    _first, frames, stepper = start(bodies, still)
    return stepper, frames


def crossings(model, x):
    return segment_hits(x.astype(float), model.surface.edges, model.surface.triangles)


@pytest.mark.parametrize("way", [-0.013, -3.7])
def test_what_flies_moves_by_the_same_to_the_last_digit(way):
    """On both sides of a power of two, in the direction in which no digits get lost."""
    stepper, _frames = two_that_nearly_touch()
    model, flight = stepper.model, stepper.stages.contacts.flight
    model.x.assign(model.x.numpy() + np.float32(16.0))
    before = model.x.numpy().copy()
    model.candidate.assign(before + [way, 0.7 * way, 0.4 * way])
    flight.move()
    moved = model.x.numpy().astype(float) - before
    assert (moved == moved[0]).all()
    np.testing.assert_allclose(moved[0], [way, 0.7 * way, 0.4 * way], atol=2e-6)


@pytest.mark.parametrize("way", [1e4, 1e6])
def test_what_would_pass_each_other_by_rounding_does_not_fly(way):
    stepper, _frames = two_that_nearly_touch()
    model, contacts = stepper.model, stepper.stages.contacts
    before = model.x.numpy().copy()
    there = before + np.array([1.0, 0.7, 0.4], dtype=np.float32) * np.float32(way)
    assert len(crossings(model, there)) > len(crossings(model, before)) == 0
    model.candidate.assign(there)
    contacts.flight.move()
    assert (model.x.numpy() != before).any()
    contacts.contact.begin_approach()
    contacts.flight.verify(contacts.contact.begin_approach)
    np.testing.assert_array_equal(model.x.numpy(), before)


@pytest.mark.parametrize("way", [1e4, 1e6])
def test_no_island_moves_as_a_whole_to_where_rounding_would_let_it_pass_itself(way):
    stepper, _frames = two_that_nearly_touch()
    model, momentum = stepper.model, stepper.stages.momentum
    goal = model.inertial.numpy()
    goal[: model.free_count] = model.x.numpy() + np.array([1.0, 0.7, 0.4]) * way
    model.inertial.assign(goal)
    momentum.end_step()
    assert len(crossings(model, model.x.numpy())) == 0


def test_a_path_to_nowhere_keeps_all_that_it_may_meet():
    bodies = [cube([2.0 * k, 0.0, 0.0]) for k in range(3)]
    _first, _frames, stepper = start(bodies)
    model, flight = stepper.model, stepper.stages.contacts.flight
    before, goal = model.x.numpy().copy(), model.candidate.numpy()
    goal[:] = before + [0.0, 0.0, 0.1]
    goal[np.flatnonzero(model.surface.body == 1)[0]] = np.nan
    model.candidate.assign(goal)
    flight.move()
    np.testing.assert_array_equal(model.x.numpy(), before)


def test_the_fraction_of_the_frame_is_that_of_the_host():
    _first, frames, stepper = start([cube([0.0, 0.0, 0.0])], Settings(substeps=7))
    stepper.is_captured = False  # in a graph nothing of Python is called
    model, found = stepper.model, []
    replace(
        stepper,
        "end_step",
        "momentum",
        lambda call: lambda: (found.append(model.fraction.numpy()[0]), call()),
    )
    next(frames)
    next(frames)
    assert found == [k / 7 for k in range(1, 8)] * 2


def test_a_group_does_not_fly_into_another():
    # The first comes as far as the second in a substep, and their common motion would carry them
    # through the third, which neither reaches by itself.
    speed = 1.02 / SETTINGS.step_time
    cubes = [cube([-1.2, 0.0, 0.0], [speed, 0.0, 0.0]), cube([0.0] * 3), cube([0.25, 0.0, 0.0])]
    surfaces = [boundary_triangles(one.tets) for one in cubes]
    for frame in simulate(cubes, replaced(SETTINGS, gravity=(0.0, 0.0, 0.0)), 2):
        meshes = list(zip(frame.positions, surfaces, strict=True))
        points, triangles = joined(meshes)[:2]
        number = np.repeat(np.arange(3), [len(one) for one in surfaces])
        pairs = intersecting_pairs(points, triangles)
        # So crushed, bodies may fold into themselves.
        assert not (number[pairs[:, 0]] != number[pairs[:, 1]]).any()
