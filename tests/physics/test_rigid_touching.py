# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that are built to touch, as users snap them: they move, stand and can be pushed."""

import numpy as np
import pytest
from rigid_shapes import centers, cuboid, settings_of, tilted

from vbd.solver.bodies import Cloth, Collider
from vbd.solver.bodies.touching import drawn_in, weights_in_touch
from vbd.solver.simulate import simulate

CORNERS = np.array([[-6.0, -6, 0], [6, -6, 0], [6, 6, 0], [-6, 6, 0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]])


def ground():
    return Collider(CORNERS, HALVES, name="Ground")


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.3, 0.3), (3.0, -2.0)])
def test_a_cube_that_stands_exactly_on_a_plane_slides(at):
    """Its bottom edges and their diagonal lie along those of the plane, or above them."""
    boxes = [cuboid(1.0, (*at, height)) for height in (1.0, 1.0001)]
    lasts = []
    for box in boxes:
        (*_, last) = simulate([box, ground()], settings_of(gravity=(6.0, 0.0, -9.81)), 24)
        lasts.append(centers(last)[0] - box.properties.center)
        assert last.stats.residual < 0.01
    assert lasts[0][0] > 0.5
    assert np.abs(lasts[0] - lasts[1]).max() < 1e-3  # one of them begins 0.1 mm higher


@pytest.mark.parametrize("aside", [0.0, 4.0])
def test_cubes_exactly_on_each_other_stand(aside):
    boxes = [cuboid(1.0, (aside, 0.0, 1.0 + 2.0 * k), name=f"Box {k}") for k in range(5)]
    frames = list(simulate([*boxes, ground()], settings_of(), 48))
    heights = centers(frames[-1])[:, 2]
    gaps = np.diff([-1.0, *heights]) - 2.0
    assert (gaps > 0.0).all() and (gaps < 0.02).all()
    assert np.abs(centers(frames[-1])[:, :2] - [aside, 0.0]).max() < 1e-3
    assert all(frame.stats.residual < 0.1 for frame in frames[1:])


def test_a_ball_pushes_a_cube_that_stands_exactly_on_a_plane():
    box = cuboid(1.0, (0.0, 0.0, 1.0), name="Box")
    thrown = cuboid(0.3, (-2.0, 0.0, 1.0), velocity=(6.0, 0.0, 2.0), name="Thrown", mass=8e3)
    (*_, last) = simulate([box, thrown, ground()], settings_of(), 24)
    assert centers(last)[0, 0] > 0.3


def test_only_what_touches_is_drawn_in():
    """A box beside others, above them, in them, or tilted on them is as its mesh."""
    low = cuboid(1.0, (0.0, 0.0, 1.0), name="Low")
    for other, is_drawn in (
        (cuboid(0.5, (0.2, 0.1, 2.5)), True),
        (cuboid(0.5, (1.5, 0.0, 0.9)), True),
        (cuboid(0.5, (0.2, 0.1, 2.501)), False),
        (cuboid(0.5, (0.2, 0.1, 2.49)), False),
        (cuboid(0.5, (3.0, 0.0, 2.5)), False),
        (cuboid(0.5, (0.0, 0.0, 2.8), tilted(45.0)), False),
        (Cloth(CORNERS + [0.0, 0.0, 2.0], HALVES, name="Sheet"), True),
    ):
        found = weights_in_touch([low, other], [])
        assert (0 in found) == is_drawn
    assert 0 in weights_in_touch([low], [ground()])
    apart = np.abs(drawn_in(low) - low.mesh_points)
    assert 0.0 < apart.min() and apart.max() < 1e-4
