# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarsest useful lattice: characters that are held by their torsos and sway.

Prints the distance of the visible surface from that in a lattice of 32 cells, over the motion of
the latter, and over its motion relative to the pins; and the CPU time a frame. Lattices are of
cells and of six tets a cell, both pinned where the surface is (lattice/pinned_corners.py); and of
cells with all corners pinned around a pinned point.

At 8 cells along them the limbs of one character are half to two thirds of a cell thick, those of
the other, a teddy bear, and its neck one to two cells.
"""

import sys
import time
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments.cells_shapes import KUHN, joined
from vbd.solver.bodies import Cells, Pins, Solid
from vbd.solver.elements.cells import LEAST_FREE
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.lattice.pinned_corners import pinned_corners_of
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# Ends and radius [m]: torso, head, arms, legs, ears.
THIN = (
    ((0.0, 0.0, -0.5), (0.0, 0.0, 0.3), 0.35),
    ((0.0, 0.0, 0.75), (0.0, 0.0, 0.95), 0.33),
    ((0.3, 0.0, 0.3), (1.1, 0.0, 0.1), 0.13),
    ((-0.3, 0.0, 0.3), (-1.1, 0.0, 0.1), 0.13),
    ((0.18, 0.0, -0.6), (0.2, 0.0, -1.4), 0.16),
    ((-0.18, 0.0, -0.6), (-0.2, 0.0, -1.4), 0.16),
    ((0.2, 0.0, 1.1), (0.3, 0.0, 1.7), 0.1),
    ((-0.2, 0.0, 1.1), (-0.3, 0.0, 1.7), 0.1),
)
# Middles and radii [m] of torso and head; arms, legs, ears.
STOUT_BODY = (((0.0, 0.0, 0.0), (0.6, 0.5, 0.75)), ((0.0, -0.05, 0.95), (0.55, 0.5, 0.5)))
STOUT_LIMBS = (
    ((0.4, 0.0, 0.35), (1.1, 0.0, 0.0), 0.24),
    ((-0.4, 0.0, 0.35), (-1.1, 0.0, 0.0), 0.24),
    ((0.3, 0.0, -0.5), (0.45, -0.1, -1.1), 0.27),
    ((-0.3, 0.0, -0.5), (-0.45, -0.1, -1.1), 0.27),
    ((0.3, 0.0, 1.25), (0.5, 0.0, 1.6), 0.2),
    ((-0.3, 0.0, 1.25), (-0.5, 0.0, 1.6), 0.2),
)
MATERIAL = {"youngs_modulus": 2e6, "poisson_ratio": 0.4, "damping": 0.02}
RESOLUTIONS, FINEST = (6, 8, 12, 16, 20), 32


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


def ellipsoid(middle, radii):
    """A closed surface: points [vertex, 3] and triangles."""
    points, triangles = capsule((0.0, 0.0, -0.01), (0.0, 0.0, 0.01), 0.99, around=48, rows=16)
    return middle + radii * points, triangles


def thin_character():
    """All capsules in one mesh, and a mask of the pinned points: the middle of the torso."""
    points, triangles = joined(*(capsule(*shape) for shape in THIN))
    held = (np.abs(points[:, 2] + 0.1) < 0.35) & (np.hypot(*points[:, :2].T) < 0.36)
    return points, triangles, held


def stout_character():
    """Mesh of a teddy bear, and a mask of the pinned points."""
    parts = [ellipsoid(*(np.array(values) for values in shape)) for shape in STOUT_BODY]
    points, triangles = joined(*parts, *(capsule(*shape) for shape in STOUT_LIMBS))
    inside = np.hypot(points[:, 0] / 0.62, points[:, 1] / 0.52) < 1.0
    return points, triangles, (np.abs(points[:, 2]) < 0.3) & inside


def suzanne():
    """Blender's monkey (Add > Mesh > Monkey), 2.7 m wide, held at the back of her head."""
    with np.load(Path(__file__).with_name("suzanne.npz")) as mesh:
        points, triangles = mesh["points"].astype(float), mesh["triangles"].astype(int)
    return points, triangles, points[:, 1] > 0.5


CHARACTERS = {"thin": thin_character, "stout": stout_character, "Suzanne": suzanne}


def sway(now):
    """Displacement of the torso at a time [s], [3] in m."""
    return 0.25 * np.sin(2.0 * np.pi * now / 0.8) * min(now / 0.4, 1.0) * np.array([1.0, 0.3, 0.0])


def motion(surface, resolution, make, whole=False, frames=32):
    """Surface points of every frame [frame, point, 3], and the seconds of CPU time per frame.

    `whole`: pin all corners of cells that hold a pinned point.
    """
    points, triangles, held = surface
    cells = lattice(points, triangles, resolution)
    corners, weights = embed(points, cells)
    if whole:
        pinned = np.unique(corners[held][np.abs(weights[held]) > 1e-6])
    else:
        clamp = pinned_corners_of(points, triangles, np.flatnonzero(held), cells)
        pinned, cells.filling.held = clamp.indices, clamp.held
    body = make(cells, Pins(pinned, lambda now: cells.points[pinned] + sway(now)))
    settings, found, ticks = Settings(), [], []
    for frame in simulate([body], settings, frames):
        visible = np.einsum("pk,pki->pi", weights, frame.exact_positions[0][corners])
        visible[held] = points[held] + sway(frame.index * settings.frame_time)
        found.append(visible)
        ticks.append(time.process_time())
    return np.array(found), (ticks[-1] - ticks[0]) / (frames - 1)


def of_cells(cells, pins):
    return Cells(cells.points, cells.cells, Material(**MATERIAL), pins, filling=cells.filling)


def of_tets(cells, pins):
    """Every cell split into six tets, with less stiffness where it is partly filled."""
    tets, part = cells.cells[:, KUHN].reshape(-1, 4), np.repeat(cells.filling.part, len(KUHN))
    free = np.repeat(np.maximum(1.0 - cells.filling.held, LEAST_FREE), len(KUHN))
    values = {**MATERIAL, "youngs_modulus": MATERIAL["youngs_modulus"] * part / free}
    return Solid(cells.points, tets, Material(**values, density=1000.0 * part), pins)


def mean_distance(gap):
    """Root of the mean square length of vectors [..., 3]."""
    return np.sqrt((gap**2).sum(axis=-1).mean())


def carried(points, count):
    """Positions of `points` if all of them moved with the pins, [frame, point, 3]."""
    times = Settings().frame_time * np.arange(1, count + 1)
    return points + np.array([sway(now) for now in times])[:, None]


def main():
    ways = ("cells", of_cells, False), ("tets", of_tets, False), ("whole cells", of_cells, True)
    for name in sys.argv[1:] or CHARACTERS:
        surface = CHARACTERS[name]()
        wanted, _ = motion(surface, FINEST, of_cells)
        size = mean_distance(wanted - surface[0])
        own = mean_distance(wanted - carried(surface[0], len(wanted)))
        print(f"{name}: the surface moves by {size:.3f} m, beside what is held by {own:.3f} m")
        for what, make, whole in ways:
            for resolution in RESOLUTIONS:
                found, seconds = motion(surface, resolution, make, whole)
                error = 100.0 * mean_distance(found - wanted)
                result = f"{error / size:6.1f} %, {error / own:6.1f} % beside what is held"
                print(f"{what:11} {resolution:3}: {result}, {1e3 * seconds:6.1f} ms", flush=True)


if __name__ == "__main__":
    main()
