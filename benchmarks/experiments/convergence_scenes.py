# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for the error of few iterations, and the converged motions to compare with.

One substep of 1/60 s per frame. Converged motions take minutes, and are kept in the folder for
temporary files.
"""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments.contact_shapes import sheet
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference import newton
from vbd.benchmarks.reference.scene import scene_of, trajectory
from vbd.solver.bodies import Cloth, Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

H, STEPS, CONTRAST_STEPS = 1.0 / 60.0, 40, 15
LENGTH, THICK = 2.0, 0.2
SOFT, STIFF, SEGMENTS = 1e5, 1e9, 10
# Settings without the coarse correction.
PLAIN = {"coarse_correction": False, "relaxation": 1.0}
FOLDER = Path(tempfile.gettempdir()) / "vbd_convergence"


def bar(cells, youngs_modulus=2e6, tip_speed=0.0):
    """A bar along x, clamped at x = 0: `cells` across, ten times as many along it.

    tip_speed [m/s]: of the free end, upwards; elsewhere as the square of x, as in bending.
    """
    points, tets = block((10 * cells, cells, cells), (LENGTH, THICK, THICK))
    material = Material(youngs_modulus=youngs_modulus, poisson_ratio=0.4, density=1000.0)
    velocities = (points[:, :1] / LENGTH) ** 2 * [0.0, 0.0, tip_speed]
    return Solid(points, tets, material, Pins(np.flatnonzero(points[:, 0] == 0.0)), velocities)


def contrast_bar(cells=4):
    """The bar in ten segments, soft and 10,000 times stiffer in turn, the first one soft."""
    body = bar(cells)
    middle = body.points[body.tets, 0].mean(axis=1)
    stiff = (middle * SEGMENTS / LENGTH).astype(int) % 2 == 1
    material = Material(
        youngs_modulus=np.where(stiff, STIFF, SOFT), poisson_ratio=0.4, density=1000.0
    )
    return Solid(body.points, body.tets, material, body.pins)


def hanging_sheet(cells):
    """1 m² of 0.6 kg, held level by two corners and released; E t = 10 kN/m, bending 10⁻⁵ N m."""
    points, triangles = sheet((cells, cells), (1.0, 1.0))
    material = Material(
        youngs_modulus=1e7,
        thickness=1e-3,
        poisson_ratio=0.3,
        density=0.6,
        bending_stiffness=1e-5,
    )
    return Cloth(points, triangles, material, Pins([0, cells]))


def by_solver(body, steps, iterations, **settings):
    """Positions [step, vertex, 3] of the solver, with all of its iterations."""
    settings = {"frame_time": H, "substeps": 1, "accuracy": 0.0, **settings}
    how = Settings(iterations=iterations, **settings)
    return np.array([frame.exact_positions[0] for frame in simulate([body], how, steps)])


def by_newton(body, steps, tolerance=1e-7):
    """Positions [step, vertex, 3] of converged implicit Euler."""
    model = {"tet": "neo_hookean", "triangle": "stvk"}.get(body.element_name, "spring")
    solve = partial(newton.solve, tolerance=tolerance)
    return np.array(list(trajectory(scene_of(body, model), H, steps, step=solve)))


def kept(name, make):
    """The array that `make()` returns, from FOLDER if an earlier run has stored it."""
    path = FOLDER / f"{name}.npy"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        np.save(path, make())
    return np.load(path)


def error(path, exact, start):
    """Largest distance to the exact path as a fraction of the largest motion."""
    apart = np.linalg.norm(path - exact, axis=2).max()
    return float(apart / np.linalg.norm(exact - start, axis=2).max())


def longest_edges(body, x, part=0.01):
    """Mean length of the worst `part` (a fraction) of a sheet's edges, over that at rest."""
    edges = np.sort(body.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    a, b = np.unique(edges, axis=0).T
    stretch = np.linalg.norm(x[b] - x[a], axis=1)
    stretch /= np.linalg.norm(body.rest_points[b] - body.rest_points[a], axis=1)
    return float(np.sort(stretch)[-max(1, int(part * len(a))) :].mean())
