# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet that is torn apart (VBD 2024, Fig. 10): writes docs/gallery/torn_cloth.png.

A cloth with two cuts in its borders is pulled to both sides; it tears between the cuts.
"""

from pathlib import Path

import matplotlib
import numpy as np

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

matplotlib.use("Agg")
from matplotlib import pyplot

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "torn_cloth.png"
SHOWN = (1, 9, 14, 24)


def sheet(cells=32):
    """A square of 1 m with random diagonals and a cut in the middle of two borders."""
    n = cells + 1
    y, x = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    points = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    inner = ((points[:, :2] > 1e-6) & (points[:, :2] < 1.0 - 1e-6)).all(axis=1)
    rng = np.random.default_rng(2)
    points[inner, :2] += 0.2 / cells * rng.uniform(-1.0, 1.0, (inner.sum(), 2))
    triangles = []
    for j in range(cells):
        for i in range(cells):
            if abs(i - cells / 2 + 0.5) < 1 and (j < 3 or j >= cells - 3):
                continue
            a, b, c, d = j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i
            triangles += [[a, b, c], [a, c, d]] if rng.random() < 0.5 else [[a, b, d], [b, c, d]]
    used, triangles = np.unique(np.array(triangles), return_inverse=True)
    return points[used], triangles.reshape(-1, 3)


def torn_frames(count=24):
    """The frames of the pulled sheet."""
    points, triangles = sheet()
    held = np.flatnonzero((points[:, 0] < 1e-6) | (points[:, 0] > 1.0 - 1e-6))
    away = np.where(points[held, :1] > 0.5, 1.0, -1.0) * [0.35, 0.0, 0.0]
    # A ripple out of the plane, so that the pieces may curl.
    start = points + [0.0, 0.0, 0.004] * np.sin(17.0 * points[:, :1] + 9.0 * points[:, 1:2])
    pins = Pins(held, lambda time: start[held] + time * away)
    material = Material(youngs_modulus=1e6, density=0.2, bending_stiffness=1e-4, damping=0.003)
    body = Cloth(start, triangles, material, pins=pins, tear_strain=0.12)
    yield from simulate([body], Settings(substeps=8, iterations=30, gravity=(0, 0, 0)), count)


def main():
    figure, axes = pyplot.subplots(1, len(SHOWN), figsize=(12, 3.4))
    axes = dict(zip(SHOWN, axes, strict=True))
    for frame in torn_frames(max(SHOWN)):
        if frame.index in axes:
            x, shown = frame.positions[0], axes[frame.index]
            shown.triplot(x[:, 0], x[:, 1], frame.elements[0], linewidth=0.5, color="#7a1f2b")
            shown.set(xlim=(-0.4, 1.4), ylim=(-0.05, 1.05), aspect="equal")
            shown.set_title(f"{frame.index / 24:.2f} s")
            shown.axis("off")
        print(f"frame {frame.index}: {frame.stats.seconds:.2f} s")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
