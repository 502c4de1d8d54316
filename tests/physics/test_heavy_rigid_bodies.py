# SPDX-License-Identifier: GPL-3.0-or-later
"""Heavy rigid bodies at the default collision stiffness, which is far below their inertia m/h²."""

import numpy as np
import pytest
from rigid_shapes import centers, cuboid, settings_of, tower

from vbd.solver.bodies import Collider
from vbd.solver.bounds import Plane
from vbd.solver.scene.thickness import collision_thickness
from vbd.solver.settings import Material
from vbd.solver.simulate import simulate

SPEED = 4.8


def floor(kind):
    if kind == "plane":
        return Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), friction=0.0)
    corners = np.array([(-20, -20, 0), (20, -20, 0), (20, 20, 0), (-20, 20, 0)], float)
    return Collider(corners, np.array([(0, 1, 2), (0, 2, 3)]), friction=0.0, name="Floor")


@pytest.mark.parametrize("kind", ["plane", "mesh"])
def test_a_heavy_body_that_lands_slides_on_without_friction(kind):
    """A block of 2650 kg, m/h² = 2.4e7 N/m: a contact of 1e5 N/m would not stop its fall."""
    material = Material(density=2650.0, friction=0.0)
    block = cuboid(0.5, (0.0, 0.0, 1.2), velocity=(SPEED, 0.0, 0.0), material=material)
    simulation = simulate([block, floor(kind)], settings_of(friction=0.0), 40)
    heights = []
    for frame in simulation:
        x, _, z = centers(frame)[0]
        assert x == pytest.approx(SPEED * frame.index / 24.0, abs=1e-3)
        heights.append(z)
    assert heights[-1] == pytest.approx(0.5, abs=0.02) and min(heights) > 0.5


def test_heavy_boxes_rest_near_the_contact_distance():
    """Five boxes of 1000 kg each: every contact is pressed in by less than half of its distance."""
    boxes = tower(5, half=0.5, gap=0.02)
    (*_, last) = simulate(boxes, settings_of(use_ground=True), 60)
    reach = 2.0 * float(np.max(collision_thickness(boxes[0])))
    gaps = np.diff(centers(last)[:, 2]) - 1.0
    assert (gaps > 0.5 * reach).all() and (gaps <= reach).all()


def test_equal_boxes_that_begin_exactly_on_each_other_fall_and_rest():
    """As users stack them by snapping: a gap of zero between equal faces, edges and corners."""
    boxes = [cuboid(0.5, (0.0, 0.0, 0.52 + k), name=f"Box {k}") for k in range(3)]
    frames = list(simulate([*boxes, floor("mesh")], settings_of(), 30))
    assert not any(frame.stats.tangles for frame in frames)
    heights = centers(frames[-1])[:, 2]
    gaps = np.diff([-0.5, *heights]) - 1.0
    assert (gaps > 0.0).all() and (gaps < 0.01).all()
    assert np.abs(centers(frames[-1])[:, :2]).max() < 2e-3
