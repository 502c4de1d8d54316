# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffness of round bars in cells as large as their diameter, along and oblique to them.

Prints energies over the exact ones, in linear statics without Poisson's effect, of a bar whose ends
are bent uniformly, stretched or twisted and whose rest is in equilibrium; the mean, least and most
over places of the bar within its cells.

The stiffness matrix comes from the solver's cells, and independently of its kernels.
"""

from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

from vbd.benchmarks.experiments.cells_resolution import capsule
from vbd.solver.bodies import CELL_CORNERS, Cells
from vbd.solver.elements.cells import bending, cells_of
from vbd.solver.lattice import lattice as lattices
from vbd.solver.settings import Material, Settings

RADII, PLACES, LENGTH, MIDDLE = (0.6, 1.0, 1.7), 8, 10.0, 5.0
TURN = np.radians(20.0)
AXES = {
    "along": (1.0, 0.0, 0.0),
    "20 degrees": (np.cos(TURN), np.sin(TURN), 0.0),
    "45 degrees": (1.0, 1.0, 0.0),
    "diagonal": (1.0, 1.0, 1.0),
    "(1, 2, 3)": (1.0, 2.0, 3.0),
}
# The modes q_xy, q_yz, q_xz among the columns of G, and the axis that each lacks.
MODES = ((3, 2), (4, 0), (5, 1))


def frame_along(axis):
    """The unit vectors along a bar and across it, the second of them in the xy plane."""
    along = np.array(axis) / np.linalg.norm(axis)
    flat = np.cross([0.0, 0.0, 1.0], along)
    flat /= np.linalg.norm(flat)
    return along, flat, np.cross(along, flat)


def lattice_of_bar(along, radius, place):
    """The lattice of cells of 1 m around a bar, whose middle is at `place` in a cell."""

    def grid(points, triangles, _resolution, _name):
        low = np.floor(points.min(axis=0)) - 1.0
        counts = np.ceil(points.max(axis=0) - low).astype(int) + 1
        return points, triangles, low, 1.0, counts

    half = 0.5 * LENGTH * along
    points, triangles = capsule(place - half, place + half, radius, around=40, rows=14)
    with patch.object(lattices, "grid_around", grid):
        return lattices.lattice(points, triangles, 1)


def stiffness(cells):
    """Stiffness matrices of `elements.cells.Cells` near rest [N/m], [cell, 24, 24]."""
    signs = 2.0 * CELL_CORNERS - 1.0
    x, y, z = signs.T
    p, q, r = np.moveaxis(1.0 + signs * cells.middle[:, None], 2, 0)
    k = 1.0 / np.sqrt(3.0)
    rows = x * q * r, y * p * r, z * p * q, k * x * y * r, k * y * z * p, k * x * z * q
    weights = np.stack([*rows, np.broadcast_to(k * x * y * z, p.shape)], axis=1)
    weights *= 0.25 / cells.side[:, None, None]
    matrix = np.zeros((len(weights), 7, 3, 7, 3))
    shear, given = cells.lame_mu * cells.volume, bending(cells)
    for i in range(3):
        for j in range(3):
            matrix[:, j, i, j, i] += shear
            matrix[:, j, i, i, j] += shear
            matrix[:, i, i, j, j] += cells.lame_lam * cells.volume
        for mode in range(3, 7):
            matrix[:, mode, i, mode, i] += given["floor"]
    for mode, axis in MODES:
        for i in {0, 1, 2} - {axis}:
            matrix[:, mode, i, mode, i] += given["cross"][:, axis]
    rates = [(3, 2), (4, 0), (5, 1)], [(3, 1), (5, 2)], [(3, 0), (4, 2)], [(5, 0), (4, 1)]
    for number, places in enumerate(rates):
        row = np.zeros((7, 3))
        row[tuple(np.transpose(places))] = 1.0
        matrix += np.multiply.outer(given["rates"][:, number], np.multiply.outer(row, row))
    wide = np.einsum("cma,ij->cmiaj", weights, np.eye(3)).reshape(-1, 21, 24)
    return wide.transpose(0, 2, 1) @ matrix.reshape(-1, 21, 21) @ wide


def energies(axis, radius, place):
    """Energies of the middle of a bar over the exact ones: bent along two axes, stretched,
    twisted.
    """
    along, flat, up = frame_along(axis)
    cells = lattice_of_bar(along, radius, place)
    material = Material(youngs_modulus=1.0, poisson_ratio=0.0)
    body = Cells(cells.points, cells.cells, material, filling=cells.filling)
    matrices = stiffness(cells_of(body, Settings()))
    dof = (3 * cells.cells[:, :, None] + np.arange(3)).reshape(-1, 24)
    at = np.repeat(dof, 24, axis=1).ravel(), np.tile(dof, (1, 24)).ravel()
    whole = csr_matrix((matrices.ravel(), at))

    place_of_cell = cells.points[cells.cells].mean(axis=1) + 0.5 * cells.filling.middle
    depth = np.abs((place_of_cell - place) @ along)
    free = np.ones(len(cells.points), bool)
    free[cells.cells[depth > 0.5 * LENGTH - 1.2]] = False
    free = np.repeat(free, 3)
    solve = splu(whole[free][:, free].tocsc()).solve
    part = np.clip(0.5 * (MIDDLE + 1.0) - depth, 0.0, 1.0)

    s, u, v = ((cells.points - place) @ np.stack([along, flat, up], axis=1)).T
    inertia, area = np.pi / 4.0 * radius**4, np.pi * radius**2
    ways = (
        (np.outer(-s * u, along) + np.outer(0.5 * s**2, flat), inertia),
        (np.outer(-s * v, along) + np.outer(0.5 * s**2, up), inertia),
        (np.outer(s, along), area),
        (np.outer(s * u, up) - np.outer(s * v, flat), inertia),
    )
    found = []
    for moved, exact in ways:
        x = moved.ravel()
        x[free] = -solve(whole[free][:, ~free] @ x[~free])
        energy = np.einsum("ci,cij,cj,c->", x[dof], matrices, x[dof], part)
        found.append(energy / (exact * MIDDLE))
    return found


def main():
    random = np.random.default_rng(1)
    for radius in RADII:
        for name, axis in AXES.items():
            places = random.random((PLACES, 3))
            found = np.array([energies(axis, radius, place) for place in places])
            columns = zip(("bent", "bent up", "stretched", "twisted"), found.T, strict=True)
            texts = (f"{way} {e.mean():.2f} ({e.min():.2f}-{e.max():.2f})" for way, e in columns)
            print(f"radius {radius} cells, {name:10}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
