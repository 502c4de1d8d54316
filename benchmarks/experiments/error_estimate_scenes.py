# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in which the error of the positions is estimated.

The laws of the estimates are fitted to FIRST and ADDED, but not to VARIED.
"""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments import contact_scenes, convergence_scenes, convergence_small
from vbd.solver.bodies import Cells, Pins, Rod, Solid
from vbd.solver.settings import Material

sys.path += [
    str(Path(__file__).parents[2] / "tests" / part) for part in ("recorded", ".", "physics")
]

import coarse_scenes
import scenes
import shapes
import test_sticking

RECORDED = (
    "hanging sheet",
    "bent sheets",
    "neo-Hookean beam",
    "neo-Hookean beam, damped",
    "logarithm beam",
    "corotated beam",
    "neo-Hookean membrane",
    "woven membrane",
    "rope",
    "rope, damped",
    "wire",
    "thrown",
    "moved pins",
    "varying gravity",
    "ball on plane",
    "ball on sphere",
    "ball on ground",
    "cube on mesh",
    "visible surface on mesh",
    "visible surface on plane",
    "cloth on ball",
    "two balls",
    "stack",
    "in a box",
    "lifted",
)


def one_step(body, frames=8):
    return scenes.scene(body, frames=frames, frame_time=convergence_scenes.H, substeps=1)


FIRST = {name: {**scenes.FREE, **scenes.CONTACT}[name] for name in RECORDED} | {
    "bar 4": lambda: one_step(convergence_scenes.bar(4)),
    "bar 4, 30 MPa": lambda: one_step(convergence_scenes.bar(4, 3e7)),
    "bar 8": lambda: one_step(convergence_scenes.bar(8), frames=4),
    "contrast bar": lambda: one_step(convergence_scenes.contrast_bar(2)),
    "small beam": lambda: one_step(convergence_small.beam((8, 2, 2), 1e7)),
    "small sheet": lambda: one_step(convergence_small.hung(8, 1e6)),
    "sheet 24": lambda: scenes.scene(convergence_scenes.hanging_sheet(24)),
    "sheet 48": lambda: scenes.scene(convergence_scenes.hanging_sheet(48), frames=4),
}


def beside(scene, frames):
    """A scene of the experiments on contact."""
    return scenes.Scene(scene.bodies, scene.settings, frames, None)


def of(bodies, frames=8, **settings):
    return scenes.scene(*bodies, frames=frames, **settings)


def cell_cubes():
    """Three cubes with the stiffness of a new soft body, above each other."""
    points, hexahedra = shapes.cell_box((4, 4, 4), (0.5,) * 3)
    material = Material(youngs_modulus=1e5, density=1000.0)
    return [Cells(points + [0.0, 0.0, 0.03 + 0.55 * k], hexahedra, material) for k in range(3)]


def pendulum():
    """A weight on a string of a hundredth of its mass."""
    points, edges = shapes.chain(20, 0.05)
    mass = np.full(20, 0.01)
    mass[-1] = 1.0
    return [Rod(points, edges, Material(spring_stiffness=2e4, vertex_mass=mass), Pins([0]))]


def heavy_on_soft():
    points, tets = shapes.box((2, 2, 2), (0.2,) * 3)
    heavy = Material(youngs_modulus=1e7, density=5000.0, collision_thickness=0.005)
    upper = Solid(points + [0.02, 0.01, 0.222], tets, heavy)
    return [scenes.cube([0.0, 0.0, 0.005], cells=3), upper]


def far_away(body):
    body.points = body.points + [100.0, 50.0, 0.0]
    return body


def tiny_bar():
    points, tets = shapes.box((10, 2, 2), (0.01, 0.002, 0.002))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return Solid(points, tets, Material(youngs_modulus=6e6), held)


ADDED = {
    "cells": lambda: of(coarse_scenes.SCENES["cells"](), 6),
    "damped cells": lambda: of(coarse_scenes.SCENES["damped cells"](), 6),
    "pressed bodies": lambda: of(coarse_scenes.SCENES["two bodies"](), use_ground=True),
    "cage on the ground": lambda: of(coarse_scenes.SCENES["cage"](), use_ground=True),
    "incline": lambda: beside(contact_scenes.incline(), 8),
    "stack, 2000 times the mass": lambda: beside(contact_scenes.stack(), 8),
    "heavy on soft": lambda: of(heavy_on_soft(), 12, use_ground=True),
    "cloth on sphere": lambda: beside(contact_scenes.cloth_on_sphere(), 16),
    "layers of cloth": lambda: beside(contact_scenes.layers(3, 12), 16),
    "card house": lambda: of(test_sticking.card_house(), use_ground=True, friction=0.5),
    "arch": lambda: of(test_sticking.arch(), use_ground=True, friction=0.5),
    "cubes of cells": lambda: of(cell_cubes(), 12, use_ground=True),
    "pendulum": lambda: of(pendulum()),
    "balls": lambda: beside(contact_scenes.colliding_balls(), 12),
    "bar of a centimeter": lambda: of([tiny_bar()], 6),
    "sheet, 100 m away": lambda: of([far_away(scenes.sheet())]),
    "sheet 32": lambda: of([convergence_scenes.hanging_sheet(32)], 12),
    "sheet 64": lambda: of([convergence_scenes.hanging_sheet(64)], 4),
    "rope of 20": lambda: of([convergence_small.rope(20, 1e7)]),
    "stiff beam": lambda: of([scenes.beam(youngs_modulus=1e8)]),
    "soft sheet 30": lambda: of([scenes.sheet(30)], 10),
}


def with_iterations(name, count):
    """A scene of these with another number of iterations."""
    scene = (FIRST | ADDED)[name]()
    return replace(scene, settings=replace(scene.settings, iterations=count))


# If surfaces may touch, an accuracy ends substeps of 24 iterations or more.
COUNTS = {
    8: ("bar 4", "sheet 24", "rope", "stack"),
    40: (
        "stack",
        "in a box",
        "cloth on ball",
        "visible surface on mesh",
        "pressed bodies",
        "heavy on soft",
        "cloth on sphere",
        "layers of cloth",
        "cubes of cells",
        "balls",
    ),
    60: ("card house", "arch"),
    100: ("bar 8", "wire"),
}
VARIED = {
    f"{name}, {count} iterations": partial(with_iterations, name, count)
    for count, names in COUNTS.items()
    for name in names
} | {
    name: {**scenes.FREE, **scenes.CONTACT}[name]
    for name in ("attachments", "seams", "one iteration", "two balls, one iteration")
}
SCENES = FIRST | ADDED | VARIED
