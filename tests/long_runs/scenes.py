# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes that may run for ever: a pile at rest, a flag in wind, and loops with edits."""

from dataclasses import dataclass, replace

import numpy as np
from rigid_shapes import cuboid
from shapes import box, chain, grid, plane

from vbd.solver.bodies import Cloth, Collider, Grains, Pins, Rod, Solid
from vbd.solver.editing import Edits
from vbd.solver.scene.force_fields import FieldNumbers, ForceField
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

RUBBER = Material(youngs_modulus=1e6, damping=0.01, friction=0.6)
COTTON = Material(youngs_modulus=1e6, density=0.2, thickness=5e-4, drag=1.2, self_contact=True)
SETTINGS = Settings(threads=1, friction=0.5, sleep=False)
# Frames in which all edits of the loop are made and taken back, and frames of one loop.
CYCLE, LOOP = 50, 250


@dataclass(frozen=True)
class Limits:
    """Largest changes after the window in which all has `settled` (watching.py)."""

    drift: float
    """Displacement of a vertex's mean position over a window, as a fraction of the scene's size."""
    motion: float
    """Factor of the mean kinetic energy; below `still` [J] it may be anything."""
    still: float
    energy: float
    """Growth of the mean energy of all kinds [J]."""


@dataclass(frozen=True)
class Scene:
    """`run(frames)` yields frames of a scene of a `size` [m]."""

    run: object
    size: float
    limits: Limits


def pile():
    """Every kind of body on the ground, on each other."""
    cube, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    rope, edges = chain(8, 0.05)
    cloth, triangles = grid(6, 0.3)
    x, y = np.meshgrid(np.arange(3), np.arange(3))
    grains = np.column_stack([0.5 + 0.041 * x.ravel(), 0.041 * y.ravel(), np.full(9, 0.021)])
    return [
        Solid(cube + [0.0, 0.0, 0.001], tets, RUBBER, rest_points=cube, name="Low"),
        Solid(cube + [0.02, 0.01, 0.203], tets, RUBBER, rest_points=cube, name="High"),
        cuboid(0.05, (0.11, 0.11, 0.456), name="Box"),
        Cloth(cloth + [-0.05, -0.05, 0.52], triangles, COTTON, name="Cloth"),
        Rod(rope + [-0.05, -0.2, 0.01], edges, Material(thickness=0.01, density=0.1), name="Rope"),
        Grains(grains, np.full(9, 0.02), Material(youngs_modulus=1e6), name="Grains"),
        Collider(*plane(4.0), name="Floor"),
    ]


def flag():
    """A flag on its pole, in wind with gusts."""
    points, triangles = grid(8, 0.6)
    points = np.column_stack([points[:, 0], 0.01 * np.sin(9.0 * points[:, 0]), points[:, 1]])
    held = np.flatnonzero(points[:, 0] == 0.0)
    wind = FieldNumbers(strength=6.0, noise=2.0, axis=(1.0, 0.2, 0.0))
    return [
        Cloth(points, triangles, COTTON, Pins(held), name="Flag"),
        ForceField("wind", wind, shape="plane", blows=True, name="Wind"),
    ]


def hanging():
    """A bar that is held at one end, and a box on the ground."""
    bar, tets = box((4, 1, 1), (0.4, 0.1, 0.1))
    held = np.flatnonzero(bar[:, 0] == 0.0)
    soft = replace(RUBBER, youngs_modulus=2e5, damping=0.05)
    return [
        Solid(bar + [0.0, 0.0, 0.5], tets, soft, Pins(held), name="Bar"),
        cuboid(0.05, (0.2, 0.6, 0.0501), name="Box"),
        Collider(*plane(4.0), name="Floor"),
    ]


def loops(frames):
    """Frames of `LOOP` after `LOOP`, each from the start, with edits as in a live simulation."""
    for _ in range(0, frames, LOOP):
        edits, pull = Edits(), None
        for frame in simulate(hanging(), SETTINGS, min(LOOP, frames), edits=edits):
            at = frame.index % CYCLE
            if at == 5:
                pull = edits.pull("Bar", 4, goal=[0.4, 0.1, 0.6], stiffness=200.0, damping=0.1)
            elif 5 < at < 12:
                pull.goal = pull.goal + [0.0, 0.01, 0.01]
            elif at == 12:
                pull.release()
            elif at in (20, 26):
                edits.change("Bar", youngs_modulus=2e5 if at == 26 else 1e5)
                edits.change(gravity=(0.0, 0.0, -9.81 if at == 26 else -4.0))
            yield frame


def of(bodies, settings):
    """A function of the frame count that simulates what `bodies` returns."""
    return lambda frames: simulate(bodies(), settings, frames)


# A millijoule is the weight of the pile (170 N) over 6 µm. The flag flutters in gusts that never
# repeat.
AT_REST = Limits(drift=2e-3, motion=2.0, still=1e-6, energy=1e-3)
ASLEEP = Limits(drift=0.0, motion=1.0, still=0.0, energy=0.0)
FLUTTERS = Limits(drift=0.1, motion=1.5, still=0.0, energy=0.02)
REPEATS = Limits(drift=1e-3, motion=1.01, still=0.0, energy=1e-4)
SCENES = {
    "pile": Scene(of(pile, SETTINGS), 0.6, AT_REST),
    "asleep": Scene(of(pile, replace(SETTINGS, sleep=True)), 0.6, ASLEEP),
    "flag": Scene(of(flag, SETTINGS), 0.6, FLUTTERS),
    "loop": Scene(loops, 0.6, REPEATS),
}
