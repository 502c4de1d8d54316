# SPDX-License-Identifier: GPL-3.0-or-later
"""A bunny pulled apart at ten vertices and released (VBD 2024, Fig. 15), without self contact.

Five substeps of ten iterations, as in the paper. Writes docs/gallery/solids_stretch.png.
"""

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import solids_scenes as scenes
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material

MATERIAL = {"mu": 2e6, "lam": 1e7, "damping": 1e-6}
PULL, FREE, FRAME = 60, 120, 1.0 / 60.0
HOW = {"substeps": 5, "iterations": 10, "gravity": (0.0, 0.0, 0.0)}


def farthest(points, count=10):
    """Vertices far from each other: each the farthest from those before it."""
    chosen = [int(np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
    distance = np.full(len(points), np.inf)
    while len(chosen) < count:
        gap = np.linalg.norm(points - points[chosen[-1]], axis=1)
        distance = np.minimum(distance, gap)
        chosen.append(int(np.argmax(distance)))
    return np.array(chosen)


def pull_and_release(points, tets, times=3.0, pull=PULL, free=FREE, **settings):
    """Yields every frame: `pull` frames that bring ten vertices `times` as far out, then free."""
    grips = farthest(points)
    material, settings = Material.from_energy(**MATERIAL), {**HOW, **settings}

    def targets(time):
        return points[grips] * (1.0 + (times - 1.0) * min(time / (pull * FRAME), 1.0))

    body = Solid(points, tets, material, Pins(grips, targets))
    before = last = points
    for frame in scenes.run(body, pull, FRAME, **settings):
        before, last = last, frame.exact_positions[0]
        yield frame
    velocities = (last - before) / FRAME
    body = Solid(last, tets, material, velocities=velocities, rest_points=points)
    yield from scenes.run(body, free, FRAME, **settings)


def main():
    points, tets = scenes.read_mesh("bunny_small")
    surface, side = figures.surface(tets), figures.view(15.0, 15.0)
    frames = list(pull_and_release(points, tets))
    energy = np.array([f.stats.kinetic_energy + f.stats.elastic_energy for f in frames])
    figure, axes = figures.pyplot.subplots(1, 6, figsize=(15, 3.4))
    moments = (PULL // 2, PULL, PULL + 1, PULL + 2, PULL + 5, PULL + FREE)
    for shown, k in zip(axes, moments, strict=True):
        x = frames[k - 1].exact_positions[0]
        x = (x - x.mean(axis=0)) / np.ptp(points, axis=0).max()
        figures.draw_surface(shown, x, surface, side, "#9080b0")
        title = f"frame {k}: {frames[k - 1].stats.inverted} inverted"
        figures.frame_view(shown, (-1.2, -1.5), (1.5, 1.6), title)
    end = frames[-1].exact_positions[0]
    counts = [f.stats.inverted for f in frames]
    print("inverted from release on", counts[PULL - 1 : PULL + 20], "…", counts[-1])
    print(f"energy at release {energy[PULL - 1]:.4g} J, largest after {energy[PULL:].max():.4g} J,")
    print(f"  at the end {energy[-1]:.3g} J; volume {scenes.volume_ratio(end, points, tets):.4f}")
    figure.tight_layout()
    figures.save(figure, "solids_stretch")


if __name__ == "__main__":
    main()
