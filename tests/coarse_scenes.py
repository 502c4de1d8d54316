# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes with several patches for the tests of the coarse correction, and their steppers."""

from dataclasses import replace

import numpy as np
from shapes import box, bumpy_ball, caged, cell_box, grid

from vbd.solver.bodies import Cells, Cloth, Pins, Rod, Solid
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

CELLS = (12, 5, 5)
AXIS = (0.48, 0.6, 0.64)
SETTINGS = {"frame_time": 1 / 60, "substeps": 1, "iterations": 1}


def bar(**material):
    """A bar of 468 free vertices, held at one end."""
    points, tets = box(CELLS, (1.2, 0.5, 0.5))
    material = Material(youngs_modulus=1e5, **material)
    return Solid(points, tets, material, Pins(np.flatnonzero(points[:, 0] < 1e-9)))


def cells(**material):
    """A bar of 300 cells, held at one end."""
    points, hexahedra = cell_box(CELLS, (1.2, 0.5, 0.5))
    material = Material(youngs_modulus=1e5, **material)
    return Cells(points, hexahedra, material, Pins(np.flatnonzero(points[:, 0] < 1e-9)))


def muscle():
    """A bar of cells whose fibers are stretched and damped; as modeled by a tenth."""
    body = cells(fiber_stiffness=2e5, damping=0.01)
    return replace(body, fibers=[0.8, 0.6, 0.0], unstressed_points=0.9 * body.points)


def clay(make):
    """One of these bars, pulled, sheared and bent beyond its yield strain."""
    body = make(yield_strain=0.02)
    pulled = body.points @ np.array([[1.0, 0.1, 0.0], [0.0, 1.1, 0.0], [0.0, 0.1, 0.95]])
    pulled[:, 2] += 0.2 * body.points[:, 0] ** 2
    return replace(body, points=pulled, rest_points=body.points)


def sheet(**material):
    """Cloth that is pressed as far as it is stretched: its matrix is equal on both sides."""
    points, triangles = grid(20)
    material = {"adapt_folds": False, **material}
    return Cloth(
        points,
        triangles,
        Material(youngs_modulus=1e6, density=0.3, bending_stiffness=1e-3, **material),
        Pins([0, 20]),
    )


def stepper_of(bodies, **settings):
    """The stepper of a scene after one frame, and the frames, which keep it alive."""
    simulation = Simulation(bodies, Settings(**{**SETTINGS, **settings}))
    frames = simulation.frames(1000)
    next(frames)
    return simulation.stepper, frames


def put(stepper, points):
    """Set the positions of all vertices, given in solver order."""
    model = stepper.model
    model.x.assign(np.concatenate([points, model.x.numpy()[len(points) :]]).astype(np.float32))


def shaken(stepper, size, seed=1):
    rest = stepper.model.assembly.rest_points
    wobble = size * np.random.default_rng(seed).standard_normal(rest.shape)
    wobble[stepper.model.free_count :] = 0.0
    return rest + wobble


def prolongation(coarse):
    """P [3 vertex, unknown], unknowns in the order of the aggregates."""
    part, blocks = coarse.aggregates, []
    count = len(part.of)
    for k in range(len(part)):
        for m in range(part.mode_count[k]):
            mode = np.where(part.of == k, part.modes[:, m], 0.0)
            blocks.append(np.kron(mode[:, None], np.eye(3)))
    return np.concatenate(blocks, axis=1).reshape(3 * count, -1)


def rope(**material):
    """Hung up slack at both ends, so that some of its springs pull and some press."""
    along = np.linspace(0.0, 1.0, 60)
    points = np.stack([along, 0.1 * np.sin(3.0 * along), 0.1 * along**2], axis=1)
    edges = np.stack([np.arange(59), np.arange(1, 60)], axis=1)
    material = Material(youngs_modulus=1e6, thickness=0.01, density=0.1, **material)
    return Rod(points, edges, material, Pins([0, 59]))


def pressed(two):
    """A body lying on the ground, and perhaps a second one on it, a tenth of the thickness deep."""
    points, tets = box((6, 6, 6), (0.3, 0.3, 0.3))
    material = Material(youngs_modulus=1e5, collision_thickness=0.02)
    lower = Solid(points + [0, 0, 0.018], tets, material)
    upper = Solid(points + [0.003, 0.001, 0.018 + 0.3 + 0.036], tets, material)
    return [lower, upper] if two else [lower]


def tied():
    """Two bars end to end, tied together where they meet."""
    points, tets = box(CELLS, (1.2, 0.5, 0.5))
    material = Material(youngs_modulus=1e5)
    one, other = Solid(points, tets, material), Solid(points + [1.2, 0, 0], tets, material)
    end = np.flatnonzero(points[:, 0] > 1.2 - 1e-9)
    start = np.flatnonzero(points[:, 0] < 1e-9)
    seam = Attachment(
        one, end, 1e4, other=other, corners=start[:, None], weights=np.ones((len(start), 1))
    )
    return [one, other, seam]


def caged_ball():
    """A visible surface in a lattice of some hundred vertices, its lowest points on the ground."""
    points, triangles = bumpy_ball(0.3)
    return caged(points + [0.0, 0.0, 0.153], triangles, resolution=10)


SCENES = {
    "solid": lambda: [bar()],
    "damped solid": lambda: [bar(damping=0.01)],
    "corotated": lambda: [bar(solid_model="corotated")],
    "logarithm": lambda: [bar(solid_model="neo_hookean_log", damping=0.01)],
    "cells": lambda: [cells()],
    "damped cells": lambda: [cells(damping=0.01)],
    "corotated cells": lambda: [cells(solid_model="corotated", damping=0.01)],
    "cells with logarithm": lambda: [cells(solid_model="neo_hookean_log")],
    "clay": lambda: [clay(bar)],
    "clay of cells": lambda: [clay(cells)],
    "muscle": lambda: [muscle()],
    "cloth": lambda: [sheet()],
    "damped cloth": lambda: [sheet(damping=0.01)],
    "neo-Hookean cloth": lambda: [sheet(membrane="neo_hookean")],
    "damped corotated": lambda: [bar(solid_model="corotated", damping=0.01)],
    "damped neo-Hookean cloth": lambda: [sheet(membrane="neo_hookean", damping=0.01)],
    "rod": lambda: [rope()],
    "damped rod": lambda: [rope(damping=0.01)],
    "attached": tied,
    "ground": lambda: pressed(two=False),
    "two bodies": lambda: pressed(two=True),
    "cage": lambda: [caged_ball()],
}
ON_GROUND = ("ground", "two bodies", "cage")
