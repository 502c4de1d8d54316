# SPDX-License-Identifier: GPL-3.0-or-later
"""Ordinary bakes to an accuracy, compared at every frame with converged ones.

    python -m vbd.benchmarks.experiments.whole_bakes [scene …]

Printed for each scene: the largest distance from the converged bake, as a root mean square over the
vertices of a body, in the worst frame and of the worst body; as a fraction of the farthest that
this body gets from its start, measured alike. With the mean of the iterations per substep.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from vbd.solver.bodies import Cells, Cloth, Deformable, Pins, Rod, Solid
from vbd.solver.scene.analytic_colliders import Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from shapes import COTTON, box, cell_box, chain, grid

DEFAULTS = Settings(threads=1)
CONVERGED = {"accuracy": 1e-6, "iterations": 300}
SETTINGS = {
    "defaults": {},
    "60 iterations": {"iterations": 60},
    "0.005, 60 iterations": {"accuracy": 0.005, "iterations": 60},
    "all of 20 iterations": {"accuracy": 0.0},
}
SOFT = Material(youngs_modulus=1e5, collision_thickness=0.005)
LINEN = Material(youngs_modulus=2e5, density=0.3, bending_stiffness=1e-5)


@dataclass(frozen=True)
class Bake:
    """Bodies and colliders, frames, and settings."""

    bodies: list
    frames: int = 48
    settings: Settings = DEFAULTS


GROUND = replace(DEFAULTS, use_ground=True)


def cube(kind, cells, size, low, material=SOFT):
    make = cell_box if kind is Cells else box
    points, elements = make((cells,) * 3, (size,) * 3)
    return kind(points + low, elements, material)


def beam(kind):
    make = cell_box if kind is Cells else box
    points, elements = make((20, 4, 4), (1.0, 0.2, 0.2))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return Bake([kind(points, elements, Material(youngs_modulus=1e6), held)], 96)


def linen(held):
    """A square of 30², held level by its `held` vertices."""
    points, triangles = grid(30)
    return Bake([Cloth(points, triangles, LINEN, Pins(held))])


def rope():
    """A ball of 1 kg on a rope of 0.3 kg that starts level."""
    points, edges = chain(30, 1.0 / 29.0)
    mass = np.full(30, 0.01)
    mass[-1] = 1.0
    material = Material(spring_stiffness=2e4, vertex_mass=mass)
    return Bake([Rod(points, edges, material, Pins([0]))], 96)


def on_a_ball():
    """A square of 30² that falls on a ball of 0.6 m from 5 cm above it."""
    points, triangles = grid(30)
    cloth = Cloth(points - [0.5, 0.5, -0.35], triangles, COTTON)
    return Bake([cloth, Sphere((0.0, 0.0, 0.0), 0.3)], 16)


SCENES = {
    "cube of cells, dropped": lambda: Bake([cube(Cells, 6, 0.5, [0.0, 0.0, 0.5])], settings=GROUND),
    "cube of tets, dropped": lambda: Bake([cube(Solid, 5, 0.5, [0.0, 0.0, 0.5])], settings=GROUND),
    "two cubes of cells that touch": lambda: Bake(
        [cube(Cells, 5, 0.4, [0.0, 0.0, 0.005]), cube(Cells, 5, 0.4, [0.1, 0.05, 0.6])],
        settings=GROUND,
    ),
    "beam of cells": lambda: beam(Cells),
    "beam of tets": lambda: beam(Solid),
    "rope with a ball": rope,
    "cloth held by an edge": lambda: linen(np.arange(31)),
    "cloth held by two corners": lambda: linen([0, 30]),
    "cloth that falls on a ball": on_a_ball,
}


def bake(scene, **settings):
    """Positions of all bodies [frame][body], and the mean of the iterations per substep."""
    frames = list(simulate(scene.bodies, replace(scene.settings, **settings), scene.frames))
    done = np.mean([frame.stats.iterations for frame in frames])
    return [frame.exact_positions for frame in frames], done


def rms(difference):
    return float(np.sqrt((difference**2).sum(axis=1).mean()))


def deviation(found, wanted, scene):
    """Return the printed fraction, of the worst body in the worst frame."""
    bodies = [body for body in scene.bodies if isinstance(body, Deformable)]
    worst = 0.0
    for k, body in enumerate(bodies):
        away = max(rms(a[k] - b[k]) for a, b in zip(found, wanted, strict=True))
        worst = max(worst, away / max(rms(frame[k] - body.points) for frame in wanted))
    return worst


def main(names):
    for name in names:
        wanted, _ = bake(SCENES[name](), **CONVERGED)
        cells = []
        for settings in SETTINGS.values():
            found, done = bake(SCENES[name](), **settings)
            cells.append(f"{deviation(found, wanted, SCENES[name]()):.2%}, {done:.0f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or SCENES)
