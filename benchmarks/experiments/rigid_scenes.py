# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that hold or fill each other by contact alone; SI units.

`links` is the chain of VBD 2024, Fig. 22, `teapot` the pile of Fig. 23.
"""

import numpy as np

from vbd.benchmarks.experiments import contact_shapes as shapes
from vbd.benchmarks.experiments.contact_scenes import Scene
from vbd.benchmarks.experiments.figures import surface
from vbd.solver.bodies import Collider, RigidBody
from vbd.solver.settings import Material, Settings

STEEL = Material(density=7800.0, collision_thickness=0.0005, friction=0.3)
WOOD = Material(density=700.0, collision_thickness=0.002, friction=0.4)
# A link of the chain: half of its straight part, the radius of its ends and of its wire [m].
STRAIGHT, BEND, WIRE = 0.03, 0.025, 0.007


def link(count=20, sides=8):
    """A ring drawn out along x, as the links of a chain are: points, triangles."""
    points, triangles = shapes.torus(BEND, WIRE, count, sides)
    around = 2.0 * np.pi * (np.arange(count) + 0.5) / count
    c, s = np.cos(around[0]), np.sin(around[0])
    points = points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    shift = np.repeat(np.where(np.cos(around) > 0.0, STRAIGHT, -STRAIGHT), sides)
    return points + shift[:, None] * [1.0, 0.0, 0.0], triangles


def links(count=5, frames=72):
    """A chain of links, level at first, that swings down from the peg in its first link."""
    points, triangles = link()
    # Where two links pull at each other, their wires are this far from touching.
    spacing = 2.0 * (STRAIGHT + BEND - WIRE) - 0.004
    bodies = []
    for k in range(count):
        turned = points if k % 2 else points[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
        at = [k * spacing, 0.0, 0.0]
        bodies.append(RigidBody(turned + at, triangles, STEEL, name=f"Link {k + 1}"))
    across = np.linspace(-0.06, 0.06, 9)
    inside = -STRAIGHT - BEND + 2.0 * WIRE + 0.002
    line = np.stack([np.full(9, inside), across, np.zeros(9)], axis=1)
    bodies.append(Collider(*shapes.tube(line, WIRE, 12), name="Peg"))
    # At defaults, it falls as fast; but long steps have many pairs on their way.
    return Scene(bodies, Settings(substeps=16), frames, (35.0, 10.0))


def drum(radius, height, sides=20):
    """A cylinder round the z axis."""
    ends = np.array([[0.0, 0.0, -0.5 * height], [0.0, 0.0, 0.5 * height]])
    return shapes.tube(ends, radius, sides)


# Things of about 0.2 m that are thrown into the teapot, one after the other.
THINGS = (
    lambda: shapes.cuboid((0.15, 0.15, 0.15)),
    lambda: shapes.torus(0.08, 0.03, 20, 8),
    lambda: shapes.icosphere(2, 0.09),
    lambda: jack(0.22),
    lambda: drum(0.06, 0.2),
    lambda: shapes.cuboid((0.24, 0.12, 0.05)),
)


def jack(size):
    """The surface of a cube with six arms."""
    points, tets = shapes.jack(size, 1, 1)
    triangles = surface(tets)
    used, triangles = np.unique(triangles, return_inverse=True)
    return points[used], triangles.reshape(-1, 3)


def teapot(folder, count=60, frames=84):
    """Rigid bodies fall into a teapot of 2.4 m, from the tets in a folder of the paper's meshes."""
    points, tets = shapes.read_tets(folder, "teapot_container")
    points = 1.2 * points
    rng = np.random.default_rng(23)
    bodies = []
    for k in range(count):
        mesh, triangles = THINGS[k % len(THINGS)]()
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn[:, 0] *= np.linalg.det(turn)
        layer, place = divmod(k, 4)
        angle = 0.5 * np.pi * place + 0.8 * layer
        at = [0.26 * np.cos(angle), 0.26 * np.sin(angle), 0.6 + 0.3 * layer]
        bodies.append(RigidBody(mesh @ turn.T + at, triangles, WOOD, name=f"Body {k + 1}"))
    bodies.append(Collider(points, surface(tets), name="Teapot"))
    return Scene(bodies, Settings(use_ground=True, ground_height=-0.005), frames, (25.0, 55.0))
