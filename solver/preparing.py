# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the kernels of most scenes in advance, in a process of its own.

It ends after the module in flight when its standard input is closed, so also when its parent
process is gone.
"""

import os
import sys
from threading import Event, Thread

import numpy as np
import warp as wp

from .attachments import Attachment
from .bodies import Cells, Cloth, Collider, EmbeddedSurface, Grains, RigidBody, Rod
from .lattice.lattice import embed, lattice
from .scene.directors import with_directors
from .scene.joints import Joint
from .settings import Material, Settings
from .simulate import simulate

# Squares along a side of the sheet, links of the rod: enough for a coarse correction.
SQUARES, LINKS = 10, 20
# All ready-made materials are damped, and many of soft bodies are so stiff that their steps take a
# uniform fraction; both take kernels of their own.
UNDAMPED = Material()
READY_MADE = Material(youngs_modulus=1e7, poisson_ratio=0.49, damping=0.001)
# Air acts on cloth as well.
IN_AIR = Material(damping=0.001, drag=1.0)
# Rods start as Rope, which resists bending.
BENDING = Material(damping=0.001, bending_factor=0.01)


def _sheet(squares, size, height):
    side = np.linspace(-0.5, 0.5, squares + 1) * size
    x, y = (values.ravel() for values in np.meshgrid(side, side))
    a = (np.arange(squares)[:, None] * (squares + 1) + np.arange(squares)).ravel()
    b, c, d = a + 1, a + squares + 2, a + squares + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return np.stack([x, y, np.full(len(x), height)], axis=1), triangles


def _octahedron(x):
    # It has more edges than a node of a tree.
    points = np.concatenate([np.eye(3), -np.eye(3)]) * 0.5 + [x, 0.5, 0.5]
    triangles = np.array(
        [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    )
    return points, triangles


def _soft_body(material):
    points, triangles = _octahedron(2.5)
    cells = lattice(points, triangles, 3)
    surface = EmbeddedSurface(*embed(points, cells), triangles, smooth=True)
    return Cells(cells.points, cells.cells, material, surface=surface, name="Soft Body")


def _rod():
    x = np.linspace(-3.0, -2.0, LINKS + 1)
    points = np.stack([x, *np.zeros((2, LINKS + 1))], axis=1)
    first = np.arange(LINKS)
    edges = np.stack([first, first + 1], axis=1)
    points, directors = with_directors(points, edges)
    return Rod(points, edges, BENDING, name="Rod", directors=directors)


def _grains(material):
    # They touch at the start, as bonded ones do.
    x = np.linspace(7.0, 8.0, LINKS)
    points = np.stack([x, *np.zeros((2, LINKS))], axis=1)
    return Grains(points, 0.5 * (x[1] - x[0]), material, name="Grains")


def common_mixes():
    """Yield small scenes (bodies, settings) with the kernels of most: one kind of body, then two,
    then one with an attachment, a joint, bonds or the ground.

    The first soft body is not damped; cloth and rods have a ready-made material. Ready-made soft
    bodies may be nearly incompressible.
    """
    floor = Collider(*_sheet(1, 10.0, -0.001), name="Floor")
    cloth, rod = Cloth(*_sheet(SQUARES, 1.0, 0.0), IN_AIR, name="Cloth"), _rod()
    soft, damped = _soft_body(UNDAMPED), _soft_body(READY_MADE)
    rigid, grains = RigidBody(*_octahedron(4.0), UNDAMPED, name="Rigid"), _grains(UNDAMPED)
    deformable = [(soft,), (cloth,), (rod,), (damped,)]
    pairs = [(soft, cloth), (soft, rod), (cloth, rod), (damped, cloth), (damped, rod)]
    pairs += [(rigid, cloth), (rigid, rod), (rigid, grains)]
    for bodies in [*deformable, (rigid,), (grains,), *pairs]:
        yield [*bodies, floor], Settings(threads=1)
    for body in deformable:  # pins with weights, attachments and pulls
        tie = Attachment(body[0], [0], 1.0, points=body[0].points[:1])
        yield [*body, floor, tie], Settings(threads=1)
    other = RigidBody(*_octahedron(5.5), UNDAMPED, name="Other")
    yield [rigid, other, Joint("hinge", rigid, other, (4.75, 0.5, 0.5)), floor], Settings(threads=1)
    yield [_grains(Material(cohesion=1e3)), floor], Settings(threads=1)
    yield [rigid], Settings(threads=1, use_ground=True)


def main():
    """Compile all common mixes."""
    if hasattr(os, "nice"):  # on Windows the process starts with a low priority
        os.nice(19)
    stopping = Event()

    def wait_for_the_end():
        sys.stdin.read()
        stopping.set()

    Thread(target=wait_for_the_end, daemon=True).start()
    device = "cuda" if wp.is_cuda_available() else "cpu"
    for bodies, settings in common_mixes():
        for _ in simulate(bodies, settings, 1, device, cancelled=stopping.is_set):
            pass
        if stopping.is_set():
            return
