# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start without any shape and recover theirs (VBD 2024, Fig. 3).

A perfectly flattened armadillo and a teapot whose vertices lie at random on a sphere, without
gravity. Writes docs/gallery/solids_recovery.png.
"""

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import solids_scenes as scenes
from vbd.solver.bodies import Solid
from vbd.solver.settings import Material

# The paper's constants without its damping of 1 µs; 100 iterations for every step of 1/60 s.
MATERIAL = {"mu": 2e6, "lam": 1e7}
SHOWN, FRAMES = (0, 1, 3, 10), 60


def flattened(points):
    """All points in the plane y = 0, seen from the front."""
    return points * [1.0, 0.0, 1.0]


def scattered(points, seed=2):
    """Every point anywhere on a sphere as wide as the mesh."""
    anywhere = np.random.default_rng(seed).standard_normal(points.shape)
    radius = 0.5 * np.ptp(points, axis=0).max()
    return radius * anywhere / np.linalg.norm(anywhere, axis=1)[:, None]


def recover(points, tets, start, count=FRAMES, iterations=100):
    """Yields (positions, inverted tets, elastic energy [J]) of every frame."""
    body = Solid(start, tets, Material.from_energy(**MATERIAL), rest_points=points)
    for frame in scenes.run(body, count, iterations=iterations, gravity=(0.0, 0.0, 0.0)):
        yield frame.exact_positions[0], frame.stats.inverted, frame.stats.elastic_energy


def aligned(x, points):
    """x turned and moved to the best fit on the points."""
    center, goal = x.mean(axis=0), points.mean(axis=0)
    u, _, vt = np.linalg.svd((x - center).T @ (points - goal))
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    return (x - center) @ turn + goal


def main():
    figure, axes = figures.pyplot.subplots(2, 5, figsize=(13, 5.6))
    meshes = (
        ("armadillo_15k", flattened, figures.view(25.0, 10.0), "#7f9f5f"),
        ("teapot", scattered, figures.view(-20.0, 20.0), "#c08040"),
    )
    for row, (name, destroy, side, color) in zip(axes, meshes, strict=True):
        points, tets = scenes.read_mesh(name)
        surface, start = figures.surface(tets), destroy(points)
        states = [(start, scenes.inverted(start, tets), np.nan), *recover(points, tets, start)]
        print(f"{name}: inverted", [s[1] for s in states[:12]], "…", states[-1][1])
        print("  elastic energy [J]", " ".join(f"{s[2]:.3g}" for s in states[1:FRAMES:10]))
        first = next(k for k in range(len(states)) if all(s[1] == 0 for s in states[k:]))
        end = states[-1][0]
        print(f"  none inverted from frame {first} on", end="; ")
        print(f"volume {scenes.volume_ratio(end, points, tets):.6f} of that at rest", end="; ")
        print(f"shape within {np.abs(aligned(end, points) - points).max():.1e} m")
        for shown, k in zip(row, (*SHOWN, FRAMES), strict=True):
            x = states[k][0] if k < FRAMES else aligned(end, points)
            x = (x - x.mean(axis=0)) / np.ptp(points, axis=0).max()
            figures.draw_surface(shown, x, surface, side, color)
            title = f"frame {k}: {states[k][1]} inverted"
            figures.frame_view(shown, (-0.62, -0.62), (0.62, 0.62), title)
    figure.tight_layout()
    figures.save(figure, "solids_recovery")


if __name__ == "__main__":
    main()
