# SPDX-License-Identifier: GPL-3.0-or-later
"""Components that share the cells of a coarse lattice and move separately: fingers, rings."""

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments.cells_shapes import hand, linked_rings
from vbd.solver.bodies import Cells, Pins
from vbd.solver.lattice.contact_mesh import split
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# A third of a cell, with cells of 1 m.
GAP, WIDTH = 1.0 / 3.0, 0.8
# Ranges of the pictures that are shown, along their own axes.
SHOWN_HAND = (-5.0, -2.5), (5.5, 6.0)
MATERIAL = {"youngs_modulus": 1e5, "poisson_ratio": 0.4, "density": 100.0, "damping": 0.02}


def in_lattice(points, triangles, resolution, held):
    """A body of cells whose corners near the `held` points of a surface are pinned, and the corners
    and weights of the surface in it.
    """
    cells = lattice(points, triangles, resolution)
    corners, weights = embed(points, cells)
    pins = Pins(np.unique(corners[held][np.abs(weights[held]) > 1e-6]))
    body = Cells(
        cells.points, cells.cells, Material(**MATERIAL), pins, filling=cells.filling, name="Parts"
    )
    return body, corners, weights


def carried(corners, weights, frame):
    """Positions of the surface in a frame, [point, 3]."""
    return np.einsum("pk,pki->pi", weights, frame.exact_positions[0][corners])


def bent_hand(bent, count=60):
    """A hand whose palm is held while finger number `bent` is driven upwards for half a second.

    Returns its surface at rest and at the end, its triangles, and the finger [point] of each of its
    points, -1 for the palm.
    """
    points, triangles = split(*hand(GAP, WIDTH), 0.4)
    finger = np.where(points[:, 1] > 1e-6, (points[:, 0] + 1e-6) // (WIDTH + GAP), -1).astype(int)
    body, corners, weights = in_lattice(points, triangles, 8, points[:, 1] < -0.5)
    # Each corner goes with the finger that has most of its weight.
    own = np.zeros((len(body.points), 5))
    np.add.at(own, (corners, np.repeat(finger[:, None] + 1, 8, axis=1)), weights)
    mine = own.argmax(axis=1) == bent + 1
    along = np.clip(body.points[:, 1] / 6.0, 0.0, 1.0)
    body.velocities = np.zeros_like(body.points)
    body.velocities[mine, 2] = 6.0 * along[mine] ** 2
    settings = Settings(gravity=(0.0, 0.0, 0.0), frame_time=1 / 60)
    *_, last = simulate([body], settings, count)
    return points, carried(corners, weights, last), triangles, finger


def falling_rings(count=10):
    """Two linked rings in cells as large as a ring is thick; the first is held at its far side.

    Returns their surface at rest and at the end, and its triangles.
    """
    points, triangles = linked_rings()
    far = (np.arange(len(points)) < len(points) // 2) & (points[:, 0] < -1.5)
    body, corners, weights = in_lattice(points, triangles, 6, far)
    settings = Settings(frame_time=1 / 60)
    *_, last = simulate([body], settings, count)
    return points, carried(corners, weights, last), triangles


def main():
    figure, axes = figures.pyplot.subplots(1, 5, figsize=(13, 3.4))
    side = figures.view(-35.0, 35.0)
    for bent, axis in zip(range(4), axes, strict=False):
        points, x, triangles, finger = bent_hand(bent, count=12)
        figures.draw_surface(axis, x, triangles, side, "#c8a080")
        moved = np.linalg.norm(x - points, axis=1)
        others = moved[(finger >= 0) & (finger != bent)].max() / moved[finger == bent].max()
        print(f"finger {bent}: the others move at most {100 * others:.1f} % as far")
        figures.frame_view(axis, *SHOWN_HAND, f"finger {bent + 1}")
    points, x, triangles = falling_rings(20)
    figures.draw_surface(axes[-1], x, triangles, side, "#7f9f5f")
    figures.frame_view(axes[-1], (-4.0, -4.5), (6.0, 4.5), "linked rings")
    figure.tight_layout()
    figures.save(figure, "cells_parts")


if __name__ == "__main__":
    main()
