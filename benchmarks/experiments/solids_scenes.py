# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of the experiments with solids, after the VBD paper (2024); lengths in m.

Functions take a mesh (points, tets), so that tests can run them on a small one.
"""

import sys
from pathlib import Path

import numpy as np

from vbd.benchmarks.reference.scene import scene_of, step_problem
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.meshes import tet_volumes


def read_mesh(name):
    """Points [m] and tets of `name`.t in the folder named on the command line, z up, centered.

    The meshes are those of the paper, as large as there; they are not part of the repository.
    """
    if len(sys.argv) != 2:
        raise SystemExit(f"name the folder of the meshes: python {Path(sys.argv[0]).name} FOLDER")
    points, tets = [], []
    for line in (Path(sys.argv[1]) / f"{name}.t").read_text().splitlines():
        kind, *values = line.split() or [""]
        if kind == "Vertex":
            points.append([float(v) for v in values[1:4]])
        elif kind == "Tet":
            tets.append([int(v) for v in values[1:5]])
    points = z_up(np.array(points))
    return points - points.mean(axis=0), np.array(tets)


def z_up(points):
    """Points with y up turned about x, such that z is up."""
    return points[:, [0, 2, 1]] * [1.0, -1.0, 1.0]


def inverted(points, tets):
    """Number of inverted tets."""
    return int((tet_volumes(points, tets) <= 0.0).sum())


def volume_ratio(points, rest, tets):
    """Volume over that at rest."""
    return float(tet_volumes(points, tets).sum() / tet_volumes(rest, tets).sum())


def run(body, count, frame_time=1.0 / 60.0, **settings):
    """Frames of one body, by default with one substep each and all iterations."""
    settings = {"substeps": 1, "accuracy": 0.0, **settings}
    return simulate([body], Settings(frame_time=frame_time, **settings), count)


def released(points, tets, youngs_modulus, stretch=1.6):
    """A body hanging from its top, stretched downwards and released (Fig. 17)."""
    height = np.ptp(points[:, 2])
    held = np.flatnonzero(points[:, 2] > points[:, 2].max() - 0.05 * height)
    start = points.copy()
    start[:, 2] = points[:, 2].max() + stretch * (points[:, 2] - points[:, 2].max())
    material = Material(youngs_modulus=youngs_modulus, poisson_ratio=0.4)
    return Solid(start, tets, material, Pins(held), rest_points=points, name="Released")


def first_step(body, h):
    """The reference's problem of the first step of length h [s]; the guess is that of `inertia`."""
    scene = scene_of(body, "neo_hookean")
    return step_problem(scene, scene.points, scene.velocities, h)


def losses_of_vbd(body, problem, counts, **settings):
    """G [J] of the solver's first step after each of `counts` iterations, in float64."""
    found = []
    for count in counts:
        (frame,) = run(
            body, 1, problem.h, iterations=int(count), initial_guess="inertia", **settings
        )
        found.append(problem.loss(frame.exact_positions[0].astype(float)))
    return np.array(found)
