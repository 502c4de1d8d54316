# SPDX-License-Identifier: GPL-3.0-or-later
"""Twisted rings of a naturally straight rod (Michell 1889; Bergou et al. 2008, Fig. 8).

Writes docs/gallery/rods_michell.png: the amplitude of the mode cos 2φ out of the plane near the
critical twist 2π√3 B/C, and the shapes of a ring with 1.4 times that twist.
"""

import numpy as np
from matplotlib import pyplot

from vbd.benchmarks.experiments import figures
from vbd.solver.bodies import Rod
from vbd.solver.scene.directors import with_directors
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

COUNT, RADIUS, PUSH = 64, 0.2, 1e-3
SHARES = (0.97, 0.98, 0.99, 1.01, 1.02, 1.03)
SHOWN = (1, 2, 3, 4, 6, 40)


def ring(share, turns, push):
    """A ring with `share` of the critical twist, which Poisson's ratio brings to whole turns."""
    angle = 2.0 * np.pi * np.arange(COUNT) / COUNT
    points = RADIUS * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    edges = np.stack([np.arange(COUNT), (np.arange(COUNT) + 1) % COUNT], axis=1)
    points, directors = with_directors(points, edges, turns * angle)
    middle = angle + np.pi / COUNT
    points[:, 2] += push * np.concatenate([np.cos(2.0 * angle), np.cos(2.0 * middle)])
    material = Material(
        youngs_modulus=1e7,
        thickness=0.02,
        density=0.3,
        poisson_ratio=turns / (np.sqrt(3.0) * share) - 1.0,
        bending_factor=1.0,
        rest_flat=True,
        self_contact=True,
        collision_thickness=0.009,
        damping=0.002,
    )
    return Rod(points, edges, material, directors=directors)


def out_of_plane(points):
    """Amplitude of cos 2φ and sin 2φ in z over the first push."""
    angle = 4.0 * np.pi * np.arange(COUNT) / COUNT
    mode = np.stack([np.cos(angle), np.sin(angle)]) @ points[:COUNT, 2]
    return np.linalg.norm(mode) / (0.5 * COUNT * PUSH * RADIUS)


def draw_rod(axes, points, rows):
    """Draw the ring from back to front."""
    seen = np.concatenate([points[:COUNT], points[:2]]) @ rows.T
    for edge in np.argsort(seen[:-2, 2] + seen[2:, 2]):
        x, y = seen[edge : edge + 3, :2].T
        axes.plot(x, y, color="#5a2a10", linewidth=8, solid_capstyle="butt")
        axes.plot(x, y, color="#d87c3c", linewidth=6, solid_capstyle="butt")


def draw_growth(axes):
    """Plot the distance from the plane of rings near the critical twist."""
    for share in SHARES:
        body = ring(share, 2, PUSH * RADIUS)
        frames = simulate([body], Settings(gravity=(0.0, 0.0, 0.0)), 48)
        amplitude = [out_of_plane(frame.positions[0]) for frame in frames]
        time = np.arange(1, 49) / 24.0
        axes.semilogy(time, amplitude, label=f"{share:.2f} of the critical twist")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("out of the plane, over the first push")
    axes.legend(fontsize=8)


def main():
    figure = pyplot.figure(figsize=(12, 5), layout="constrained")
    grid = figure.add_gridspec(2, 5, width_ratios=(1, 1, 1, 1, 1))
    draw_growth(figure.add_subplot(grid[:, :2]))
    rows = figures.view(-20.0, 35.0)
    body = ring(1.4, 3, 0.05 * RADIUS)
    for frame in simulate([body], Settings(gravity=(0.0, 0.0, 0.0)), max(SHOWN)):
        if frame.index in SHOWN:
            row, column = divmod(SHOWN.index(frame.index), 3)
            axes = figure.add_subplot(grid[row, 2 + column])
            figures.frame_view(axes, (-0.2, -0.2), (0.2, 0.2), f"{frame.index / 24.0:.2f} s")
            draw_rod(axes, frame.positions[0], rows)
    figures.save(figure, "rods_michell")


if __name__ == "__main__":
    main()
