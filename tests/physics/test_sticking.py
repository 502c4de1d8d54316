# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction holds bodies in place: on slopes, in stacks, card houses, arches and folds."""

import numpy as np
import pytest
from shapes import box, grid, rotation

from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

SIZE = np.array([0.2, 0.2, 0.06])
ANGLE = np.arctan(0.5)


def slope(floor, tilt):
    """A plane, or a mesh of two, two huge or many triangles."""
    if floor == "plane":
        return Plane([0.0, 0.0, 0.0], tilt @ [0.0, 0.0, 1.0])
    meshes = {"two triangles": (1, 20.0), "huge triangles": (1, 100.0), "many triangles": (40, 3.0)}
    corners, triangles = grid(*meshes[floor])
    return Collider((corners - corners.mean(axis=0)) @ tilt.T, triangles)


@pytest.mark.parametrize(
    ("modulus", "cells", "floor", "turn"),
    [
        (1e4, (2, 2, 1), "plane", 0.3),
        (1e7, (2, 2, 1), "plane", 0.0),
        (1e10, (1, 1, 1), "plane", 0.3),
        (1e10, (4, 4, 2), "plane", 0.7),
        (1e4, (2, 2, 1), "two triangles", 0.0),
        (1e7, (1, 1, 1), "two triangles", 0.0),
        # Gaps to corners 70 m away are known to 4 µm in float32, which must not let it creep.
        (1e6, (4, 4, 2), "huge triangles", 0.0),
        (1e4, (1, 1, 1), "many triangles", 0.3),
        (1e6, (4, 4, 2), "many triangles", 0.3),
        (1e10, (2, 2, 1), "many triangles", 0.3),
    ],
)
def test_a_block_at_99_percent_of_what_friction_holds_stays(modulus, cells, floor, turn):
    tilt = rotation([0.0, 1.0, 0.0], ANGLE)
    points, tets = box(cells, SIZE)
    points -= [*SIZE[:2] / 2.0, 0.0]
    placed = points @ rotation([0.0, 0.0, 1.0], turn).T + [0.0, 0.0, 0.0021]
    material = Material(youngs_modulus=modulus)
    block = Solid(placed @ tilt.T, tets, material, rest_points=points)
    settings = Settings(friction=np.tan(ANGLE) / 0.99, sleep=False)
    # A soft block bounces as it lands and slides meanwhile: one percent brakes it slowly.
    frames = simulate([block, slope(floor, tilt)], settings, 24 * 6)
    x = np.array([frame.exact_positions[0].mean(axis=0) for frame in frames])
    # A hundredth of a millimeter in four seconds is less than a tenth in ten.
    assert np.linalg.norm(x[48:] - x[48], axis=1).max() < 1e-5


THICKNESS = 0.001
WOOD = Material(youngs_modulus=1e7, density=500.0, collision_thickness=THICKNESS)


def card(lean, left):
    """A card that leans, its upper edge at x = `left` on the right, or on the left of -left."""
    points, tets = box((1, 2, 4), (0.006, 0.06, 0.1))
    placed = points @ rotation([0.0, 1.0, 0.0], lean).T
    edge = placed[:, 0].max() + left if lean > 0.0 else placed[:, 0].min() - left
    placed -= [edge, 0.03, placed[:, 2].min() - 2.1 * THICKNESS]
    return Solid(placed, tets, WOOD, rest_points=points)


def card_house():
    """Two cards that lean on each other, and one that lies on both."""
    walls = [card(lean, 1.05 * THICKNESS) for lean in (0.3, -0.3)]
    points, tets = box((4, 2, 1), (0.1, 0.06, 0.006))
    top = max(wall.points[:, 2].max() for wall in walls)
    roof = Solid(points + [-0.05, -0.03, top + 2.1 * THICKNESS], tets, WOOD)
    return [*walls, roof]


def arch(count=5):
    """Half of a ring of blocks."""
    points, tets = box((2, 1, 2))
    radius = 0.1 + 0.05 * points[:, 2]
    joint = np.arcsin(1.025 * THICKNESS / radius)  # half of a block, as wide above as below
    blocks = []
    for k in range(count):
        at = np.pi * (k + points[:, 0]) / count + joint * (1.0 - 2.0 * points[:, 0])
        x, z = -radius * np.cos(at), radius * np.sin(at)
        placed = np.stack([x, 0.06 * points[:, 1], z + 1.05 * THICKNESS], axis=1)
        blocks.append(Solid(placed, tets, WOOD))
    return blocks


def pyramid():
    """Three blocks, one on two."""
    points, tets = box((2, 2, 2), (0.1, 0.1, 0.1))
    corners = [[-0.12, 0.0, 0.0021], [0.02, 0.0, 0.0021], [-0.05, 0.0, 0.1042]]
    return [Solid(points + corner, tets, WOOD) for corner in corners]


def sheet():
    points, triangles = grid(8, 0.4)
    cotton = Material(youngs_modulus=2e5, density=0.2, bending_stiffness=1e-5, damping=2e-3)
    return [Cloth(points - [0.2, 0.2, -0.01], triangles, cotton)]


@pytest.mark.parametrize(
    ("build", "tilt", "frames"),
    # With 20 iterations the cards slip by a centimeter as they land, and settle for four seconds;
    # with 60 they slip by a millimeter and are at rest after one.
    [(card_house, 0.0, 132), (arch, 0.0, 60), (pyramid, 0.4, 60), (sheet, 0.4, 60)],
)
def test_what_friction_holds_together_comes_to_rest_and_stays(build, tilt, frames):
    turn = rotation([0.0, 1.0, 0.0], tilt)
    bodies = build()
    for body in bodies:
        if body.rest_points is None:
            body.rest_points = body.points
        body.points = body.points @ turn.T
    corners, triangles = grid(8, 1.0)
    ground = Collider((corners - [0.5, 0.5, 0.0]) @ turn.T, triangles)
    x = [
        np.concatenate(frame.exact_positions[: len(bodies)])
        for frame in simulate([*bodies, ground], Settings(friction=0.6, sleep=False), frames)
    ]
    # A hundredth of a millimeter in the last half second.
    assert np.linalg.norm(x[-1] - x[-13], axis=1).max() < 1e-5
    assert np.linalg.norm(x[-1] - x[0], axis=1).max() < 0.02
