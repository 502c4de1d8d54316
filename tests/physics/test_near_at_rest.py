# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of one body that are nearer at rest than twice its thickness still have contact."""

import numpy as np
import pytest
from shapes import grid, rotation

from vbd.solver.bodies import Cloth, Pins, Rod
from vbd.solver.scene.directors import beside, untwisted
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

THICKNESS = 0.01
EDGE = 0.05


@pytest.mark.parametrize("part", [0.2, 0.6, 0.9, 0.99])
def test_layers_of_one_sheet_lie_on_each_other_with_a_gap(part):
    """The lower is pinned, the upper falls on it from a fraction of the contact distance."""
    points, triangles = grid(6)
    gap = part * 2.0 * THICKNESS
    points = np.concatenate([points, points + [0.0, 0.0, gap]])
    triangles = np.concatenate([triangles, triangles + len(points) // 2])
    cotton = Material(
        youngs_modulus=1e6, density=0.2, collision_thickness=THICKNESS, self_contact=True
    )
    body = Cloth(points, triangles, cotton, Pins(np.arange(len(points) // 2)))
    *_, last = simulate([body], Settings(), 48)
    height = last.positions[0][len(points) // 2 :, 2] - points[: len(points) // 2, 2]
    # So light a sheet closes no contact by half, and nothing has lifted it.
    reach = max(0.5 * gap, 2.0 * (gap - THICKNESS))
    assert height.min() > 0.5 * reach
    assert height.max() < gap * (1.0 + 1e-3)


@pytest.mark.parametrize("ring", [0.03, 0.0305, 0.032])
def test_a_bundle_of_ropes_is_not_drawn_out(ring):
    """Twelve ropes in a ring around a head that turns; neighbors begin 15.5, 15.8 and 16.6 mm
    apart, and their contact distance is 16. If nearer ones had no contact distance at all, one
    could be squeezed in between others and caught, its edges 2.3 times their length.
    """
    rows, angle = 16, 2.0 * np.pi * np.arange(12) / 12
    root = np.stack([np.zeros(12), np.cos(angle), np.sin(angle)], axis=1) * [0.0, ring, ring]
    along = np.arange(rows)[:, None] * [EDGE, 0.0, 0.0] + [0.15, 0.0, 0.0]
    points = (root[:, None] + along).reshape(-1, 3)
    vertex = np.arange(len(points)).reshape(12, rows)
    edges = np.stack([vertex[:, :-1], vertex[:, 1:]], axis=2).reshape(-1, 2)
    directors = len(points) + np.arange(len(edges))
    held = vertex[:, :2].ravel()
    held = np.append(held, directors[np.isin(edges, held).all(axis=1)])
    count = len(points)
    points = np.concatenate([points, beside(points, edges, untwisted(points, edges))])

    def led(time):
        """To 1.5 rad within half a second, and to −1.5 rad in another."""
        first, second = np.clip([2.0 * time, 2.0 * time - 1.0], 0.0, 1.0)
        turn = 1.5 * eased(first) - 3.0 * eased(second)
        return points[held] @ rotation((0.0, 0.0, 1.0), turn).T

    rope = Material(
        **{"youngs_modulus": 4e8, "thickness": 0.008, "density": 0.04, "damping": 0.0032},
        **{"bending_factor": 0.01, "collision_thickness": 0.008, "self_contact": True},
    )
    body = Rod(points, edges, rope, Pins(held, led), directors=directors)
    for frame in simulate([body], Settings(), 40):
        ends = frame.positions[0][:count][edges]
        length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        assert length.max() < 1.02 * EDGE, frame.index


def eased(part):
    """0 to 1 without a jerk."""
    return part * part * (3.0 - 2.0 * part)
