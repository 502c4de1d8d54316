# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins in contact with animated surfaces: both are where animation puts them."""

import numpy as np
import pytest
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Collider, Pins, Rod
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation
from vbd.solver.topology.graphs import unique_edges
from vbd.solver.topology.meshes import boundary_triangles

FRAMES, RATE = 16, 24.0
COTTON = Material(density=0.2, self_contact=True)
WALK = np.array([1.0, 0.2, 0.5])


def block(size, low):
    """A block of these edges as a collider's surface."""
    points, tets = box((1, 1, 1))
    return points * size + low, boundary_triangles(tets)


def led(points, way):
    """Function of time that moves points by a displacement within a second."""
    return lambda time: points + np.multiply(time, way)


def sheet(gap, way, name="Sheet"):
    """A sheet over a wider block; its front edge is pinned and moves."""
    points, triangles = grid(10, 0.8)
    points = points + [-0.4, -0.4, gap]
    pins = np.flatnonzero(points[:, 0] > 0.399)
    return Cloth(points, triangles, COTTON, Pins(pins, led(points[pins], way)), name=name)


def rope(gap, way):
    points, edges = chain(11, 0.08)
    points = points + [-0.4, 0.05, gap]
    return Rod(
        points,
        edges,
        Material(thickness=0.004, youngs_modulus=1e9),
        Pins([9, 10], led(points[9:], way)),
    )


def frames_of(bodies, frames=FRAMES):
    simulation = Simulation(bodies, Settings(frame_time=1.0 / RATE))
    for frame in simulation.frames(frames):
        yield frame, simulation.model


def off(frame, body, number=0):
    """Distance of the pins of a body from their targets [m]."""
    targets = body.pins.targets(frame.index / RATE)
    return np.abs(frame.positions[number][body.pins.indices] - targets).max()


def stretch(frame, body, number=0):
    """The longest of all edges, in their lengths at rest."""
    edges = unique_edges(body.elements)
    now, rest = (p[edges[:, 1]] - p[edges[:, 0]] for p in (frame.positions[number], body.points))
    return (np.linalg.norm(now, axis=1) / np.linalg.norm(rest, axis=1)).max()


@pytest.mark.parametrize("gap", [0.0, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("kind", [sheet, rope])
def test_pins_on_a_collider_that_moves_along_go_with_it(kind, gap):
    points, triangles = block([1.0, 1.0, 0.3], [-0.5, -0.5, -0.3])
    body, floor = kind(gap, WALK), Collider(led(points, WALK), triangles)
    for frame, model in frames_of([body, floor]):
        # Rounding of positions.
        assert off(frame, body) < 1e-6
        start = model.surface.collider_start
        collider = model.x.numpy()[start : start + len(points)] + model.assembly.origin
        np.testing.assert_allclose(collider, floor.points(frame.index / RATE), atol=1e-6)
        # The rest lags behind and drapes over the block: nothing is drawn out.
        assert stretch(frame, body) < 1.2


@pytest.mark.parametrize("kind", [sheet, rope])
@pytest.mark.parametrize("depth", [0.05, 0.5])
def test_pins_go_through_a_wall_where_animation_leads_them(kind, depth):
    body = kind(0.0, [2.0, 0.0, 0.0])
    wall = Collider(*block([depth, 4.0, 4.0], [0.9, -2.0, -2.0]))
    for frame, _model in frames_of([body, wall], 24):
        assert off(frame, body) < 1e-6
    assert np.isfinite(frame.positions[0]).all()


def pinned_rod(ends, way, name):
    """A straight rod of two edges, all of it pinned."""
    points, edges = chain(3, 0.5)
    points = ends[0] + points[:, :1] * np.subtract(*ends[::-1])
    return Rod(
        points, edges, Material(thickness=0.004), Pins([0, 1, 2], led(points, way)), name=name
    )


def pinned_square(size, center, way):
    points, triangles = grid(1, size)
    points = points + center - [0.55 * size, 0.45 * size, 0.0]
    return Cloth(points, triangles, COTTON, Pins(np.arange(4), led(points, way)))


def square(height):
    """One square of 1 m around the vertical axis at a height."""
    points, triangles = grid(1, 1.0)
    return points + [-0.5, -0.5, height], triangles


def wall_that_comes():
    """A block that passes through bodies with pins at x = 0.5 m."""
    points, triangles = block([0.2, 2.0, 2.0], [0.56, -1.0, -1.0])
    return Collider(led(points, [-0.5, 0.0, 0.0]), triangles, name="Wall")


DOWN, STAYS = np.array([0.0, 0.0, -0.5]), np.zeros(3)
BAR = pinned_rod(np.array([[-0.5, 0.05, 0.2], [0.4, 0.05, 0.2]]), DOWN, "Bar")
THROUGH_MIDDLES = {
    "edges over an edge": [BAR, Collider(*block([0.02, 1.0, 0.3], [0.1, -0.55, -0.3]))],
    "rods": [BAR, pinned_rod(np.array([[0.1, -0.5, 0.0], [0.1, 0.4, 0.0]]), STAYS, "Other")],
    "a face over a corner": [
        pinned_square(4.0, [0.0, 0.0, 0.2], DOWN),
        Collider(*block([0.1, 0.1, 0.3], [0.1, -0.05, -0.3])),
    ],
    "squares": [pinned_square(0.4, [0.0, 0.0, 0.2], DOWN), pinned_square(4.0, STAYS, STAYS)],
}


@pytest.mark.parametrize("name", THROUGH_MIDDLES)
def test_pins_go_on_whose_edges_and_faces_meet_what_is_led(name):
    """No pin comes near a face where they meet, or the face has no pins."""
    bodies = THROUGH_MIDDLES[name]
    for frame, _model in frames_of(bodies, 24):
        for number, body in enumerate(bodies):
            if not isinstance(body, Collider):
                assert off(frame, body, number) < 1e-6


def test_pins_of_layers_in_each_other_are_all_where_they_are_to_be():
    layers = [sheet(0.0, WALK, name) for name in ("Shirt", "Jacket")]
    for frame, _model in frames_of(layers):
        for number, layer in enumerate(layers):
            assert off(frame, layer, number) < 1e-6
            assert stretch(frame, layer, number) < 1.5


def test_what_is_not_pinned_still_meets_the_collider():
    body = sheet(0.1, [0.0, 0.0, 0.0])
    points, triangles = block([1.0, 1.0, 0.3], [-0.5, -0.5, -0.3])
    for frame, _model in frames_of([body, Collider(points, triangles)], 24):
        assert not frame.stats.tangles
    free = np.delete(frame.positions[0], body.pins.indices, axis=0)
    assert free[:, 2].min() > 0.0 and free[:, 2].max() < 0.1


def test_pins_in_one_collider_leave_the_others_in_the_way():
    points, triangles = square(0.3)
    body = Cloth(points, triangles, COTTON, Pins([1, 3]))
    tip = np.array([-0.2, 0.0, 0.25])
    spike = tip + [[0, 0, 0], [-0.1, -0.1, -1.2], [0.1, -0.1, -1.2], [0.0, 0.1, -1.2]]
    spike = Collider(spike, [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]], name="Spike")
    for frame, _model in frames_of([body, wall_that_comes(), spike], 12):
        assert all("Spike" not in tangle.bodies for tangle in frame.stats.tangles)
    # Its two triangles fold over the tip; without that they would be 0.6 m below their pins.
    assert 0.1 < frame.positions[0][[0, 2], 2].mean() < 0.25 and stretch(frame, body) < 1.1


def test_layers_that_are_pinned_in_a_collider_do_not_pass_each_other():
    (low, triangles), (high, _) = square(0.0), square(0.05)
    points, all_of_them = np.concatenate([low, high]), np.concatenate([triangles, triangles + 4])
    body = Cloth(points, all_of_them, COTTON, Pins([0, 1, 2, 3, 5, 7]))
    for frame, _model in frames_of([body, wall_that_comes()], 12):
        assert all(set(tangle.bodies) == {"Cloth", "Wall"} for tangle in frame.stats.tangles)
    # The upper one turns about its pins and comes to lie on the lower one.
    assert 0.0 < frame.positions[0][[4, 6], 2].min() < 0.01
