# SPDX-License-Identifier: GPL-3.0-or-later
"""How coarse a lattice may be: a character of capsules that is held by its torso and sways.

Prints how far the visible surface moves from where a lattice of 32 cells along it takes it, over
how far that moves, and the time per frame, of cells and of six tets a cell.
"""

import time

import numpy as np

from vbd.benchmarks.experiments.cells_shapes import KUHN, joined
from vbd.solver.bodies import Cells, Pins, Solid
from vbd.solver.scene.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# Ends and radius [m]: torso, head, arms, legs, ears.
CAPSULES = (
    ((0.0, 0.0, -0.5), (0.0, 0.0, 0.3), 0.35),
    ((0.0, 0.0, 0.75), (0.0, 0.0, 0.95), 0.33),
    ((0.3, 0.0, 0.3), (1.1, 0.0, 0.1), 0.13),
    ((-0.3, 0.0, 0.3), (-1.1, 0.0, 0.1), 0.13),
    ((0.18, 0.0, -0.6), (0.2, 0.0, -1.4), 0.16),
    ((-0.18, 0.0, -0.6), (-0.2, 0.0, -1.4), 0.16),
    ((0.2, 0.0, 1.1), (0.3, 0.0, 1.7), 0.1),
    ((-0.2, 0.0, 1.1), (-0.3, 0.0, 1.7), 0.1),
)
MATERIAL = {"youngs_modulus": 2e6, "poisson_ratio": 0.4, "damping": 0.02}
RESOLUTIONS, FINEST = (6, 8, 10, 12, 16, 24, 32), 32


def capsule(start, end, radius, around=28, rows=10, spacing=0.05):
    """A closed surface round a line: points [vertex, 3] and triangles."""
    start, end = np.array(start), np.array(end)
    length = np.linalg.norm(end - start)
    z = (end - start) / length
    x = np.cross(z, [1.0, 0.0, 0.0] if abs(z[2]) > 0.9 else [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    bend = np.linspace(0.0, np.pi / 2, rows, endpoint=False)
    between = np.linspace(0.0, length, max(2, int(length / spacing)))[1:-1]
    height = np.concatenate([-radius * np.sin(bend)[::-1], between, length + radius * np.sin(bend)])
    width = np.concatenate(
        [radius * np.cos(bend)[::-1], np.full(len(between), radius), radius * np.cos(bend)]
    )
    turn = 2.0 * np.pi * np.arange(around) / around
    circle = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    rings = start + height[:, None, None] * z + width[:, None, None] * circle
    points = np.concatenate([[start - radius * z], rings.reshape(-1, 3), [end + radius * z]])
    k = np.arange(around)
    m = (k + 1) % around
    triangles = [np.stack([0 * k, 1 + m, 1 + k], axis=1)]
    for ring in range(len(height) - 1):
        a = 1 + ring * around
        triangles.append(np.stack([a + k, a + m, a + around + m], axis=1))
        triangles.append(np.stack([a + k, a + around + m, a + around + k], axis=1))
    last = 1 + (len(height) - 1) * around
    triangles.append(np.stack([last + k, last + m, 0 * k + len(points) - 1], axis=1))
    return points, np.concatenate(triangles)


def character():
    """All capsules in one mesh, and whether a point is held: the middle of the torso."""
    points, triangles = joined(*(capsule(*shape) for shape in CAPSULES))
    held = (np.abs(points[:, 2] + 0.1) < 0.35) & (np.hypot(*points[:, :2].T) < 0.36)
    return points, triangles, held


def motion(surface, resolution, make, frames=48):
    """Surface points of every frame [frame, point, 3], and the seconds per frame."""
    points, triangles, held = surface
    cells = lattice(points, triangles, resolution)
    corners, weights = embed(points, cells)
    pinned = np.unique(corners[held][np.abs(weights[held]) > 1e-6])

    def targets(now):
        sway = 0.25 * np.sin(2.0 * np.pi * now / 0.8) * min(now / 0.4, 1.0)
        return cells.points[pinned] + [sway, 0.3 * sway, 0.0]

    body = make(cells, Pins(pinned, targets))
    found, ticks = [], []
    for frame in simulate([body], Settings(), frames):
        positions = frame.exact_positions[0][corners]
        found.append(np.einsum("pk,pki->pi", weights, positions))
        ticks.append(time.perf_counter())
    return np.array(found), (ticks[-1] - ticks[0]) / (frames - 1)


def of_cells(cells, pins):
    return Cells(cells.points, cells.cells, Material(**MATERIAL), pins, filling=cells.filling)


def of_tets(cells, pins):
    """As lattices were before: every cell split into six tets, weaker where it is partly filled."""
    tets, part = cells.cells[:, KUHN].reshape(-1, 4), np.repeat(cells.filling.part, len(KUHN))
    values = {**MATERIAL, "youngs_modulus": MATERIAL["youngs_modulus"] * part}
    return Solid(cells.points, tets, Material(**values, density=1000.0 * part), pins)


def main():
    surface = character()
    wanted, _ = motion(surface, FINEST, of_cells)
    size = np.sqrt(((wanted - surface[0]) ** 2).sum(axis=2).mean())
    print(f"the surface moves by {size:.3f} m")
    for what, make in (("cells", of_cells), ("tets", of_tets)):
        for resolution in RESOLUTIONS:
            found, seconds = motion(surface, resolution, make)
            error = np.sqrt(((found - wanted) ** 2).sum(axis=2).mean()) / size
            print(f"{what:5} {resolution:3}: {100 * error:6.1f} %, {1e3 * seconds:6.1f} ms a frame")


if __name__ == "__main__":
    main()
