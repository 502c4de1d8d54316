# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of tets for the quasistatic experiments and their tests."""

from dataclasses import replace

import numpy as np

from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material

# Six tets round the main diagonal of a cell; corners are numbered x + 2 y + 4 z.
KUHN = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]


def block(cells, size=(1.0, 1.0, 1.0)):
    """Points [vertex, 3] and tets of a block of `cells` (x, y, z), six tets each."""
    n = np.array(cells) + 1
    index = np.arange(n.prod()).reshape(n[::-1])
    z, y, x = np.meshgrid(*(np.arange(k) for k in n[::-1]), indexing="ij")
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3) / np.array(cells) * np.array(size)
    corner = [
        index[
            c >> 2 : n[2] - 1 + (c >> 2),
            c >> 1 & 1 : n[1] - 1 + (c >> 1 & 1),
            c & 1 : n[0] - 1 + (c & 1),
        ]
        for c in range(8)
    ]
    corner = np.stack([part.ravel() for part in corner], axis=1)
    return points, corner[:, KUHN].reshape(-1, 4)


def twisted_block(model, cells=(24, 6, 6), stretch=1.5, turn=np.pi, stiffness=1e5, nu=0.4):
    """A block of 4 × 1 × 1 m whose ends are moved apart and turned within a second.

    stretch: end-to-end length at the end over that at rest. turn [rad]: of the far end.
    """
    points, tets = block(cells, (4.0, 1.0, 1.0))
    points = points - [2.0, 0.5, 0.5]
    held = np.flatnonzero(np.abs(points[:, 0]) > 2.0 - 1e-9)
    side = np.sign(points[held, 0])

    def led(time):
        share = min(time, 1.0)
        angle = 0.5 * share * turn * side
        y, z = points[held, 1], points[held, 2]
        return np.stack(
            [
                points[held, 0] * (1.0 + share * (stretch - 1.0)),
                y * np.cos(angle) - z * np.sin(angle),
                y * np.sin(angle) + z * np.cos(angle),
            ],
            axis=1,
        )

    material = Material(youngs_modulus=stiffness, poisson_ratio=nu, solid_model=model)
    return Solid(points, tets, material, pins=Pins(held, led), name=f"Block, {model}")


def newton_path(body, count):
    """Equilibria [frame + 1, vertex, 3] of a pinned solid without gravity, from rest on."""
    one = scene.scene_of(body, body.material.solid_model, acceleration=(0.0, 0.0, 0.0))
    path = [one.points]
    for n in range(1, count + 1):
        guess = path[-1].copy()
        guess[body.pins.indices] = body.pins.targets(n / count)
        path.append(newton.solve(replace(scene.equilibrium_problem(one), guess=guess)))
    return np.array(path)


def last_step(body, path):
    """The solid one frame before the end, whose pins reach the end within one frame."""
    held = body.pins.indices
    ends = path[-2][held], path[-1][held]
    pins = Pins(held, lambda time: ends[time > 0.0])
    return Solid(path[-2], body.elements, body.material, pins=pins, rest_points=body.rest_points)
