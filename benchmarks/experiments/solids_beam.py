# SPDX-License-Identifier: GPL-3.0-or-later
"""A clamped beam of three stiffnesses that sags, against Newton's method (VBD 2024, Fig. 13).

Steps of 1/300 s. Writes docs/gallery/solids_beam.png: the tip's height over time, and the error
after more and more iterations.
"""

from functools import partial

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import solids_scenes as scenes
from vbd.benchmarks.reference import newton
from vbd.benchmarks.reference.scene import scene_of, trajectory
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material

H, STEPS = 1.0 / 300.0, 300
STIFFNESS = (1e6, 3e6, 1e7)  # μ [Pa]; λ is ten times as much
ITERATIONS = (1, 3, 5, 10, 20, 50, 100)
# Chebyshev radii of the paper, one per stiffness.
PAPER_RHO = (0.75, 0.86, 0.93)


def beam(points, tets, mu):
    """The mesh level, along x, clamped at its left end."""
    axis = int(np.argmax(np.ptp(points, axis=0)))
    level = np.roll(points, -axis, axis=1)
    held = np.flatnonzero(level[:, 0] < level[:, 0].min() + 1e-3)
    return Solid(level, tets, Material.from_energy(mu=mu, lam=10.0 * mu), Pins(held), name="Beam")


def exact_path(body, count=STEPS):
    """Positions [step, vertex, 3] of converged implicit Euler."""
    solve = partial(newton.solve, tolerance=1e-7)
    return np.array(list(trajectory(scene_of(body, "neo_hookean"), H, count, step=solve)))


def path_of(body, iterations, count=STEPS, **settings):
    """Positions [step, vertex, 3] of sweeps without coarse steps, as in the paper."""
    settings = {"iterations": iterations, "coarse_correction": False, **settings}
    frames = scenes.run(body, count, H, **settings)
    return np.array([frame.exact_positions[0] for frame in frames])


def main():
    points, tets = scenes.read_mesh("beam_463")
    figure, axes = figures.pyplot.subplots(1, 4, figsize=(15, 3.8))
    times = H * np.arange(1, STEPS + 1)
    for number, (mu, rho) in enumerate(zip(STIFFNESS, PAPER_RHO, strict=True)):
        body = beam(points, tets, mu)
        end = body.points[:, 0] > body.points[:, 0].max() - 1e-3
        exact = exact_path(body)
        motion = np.linalg.norm(exact - body.points, axis=2).max()
        shown = axes[number]
        for name, settings, line in (
            ("ω = 1", {"relaxation": 1.0}, "o-"),
            ("ω = 1.5", {}, "o--"),
            (f"ρ = {rho}", {"acceleration": rho}, "o:"),
        ):
            apart = []
            for count in ITERATIONS:
                path = path_of(body, count, **settings)
                apart.append(np.linalg.norm(path - exact, axis=2).max() / motion)
                if name == "ω = 1.5" and count in (1, 5, 20, 100):
                    height = path[:, end, 2].mean(axis=1) - body.points[end, 2].mean()
                    shown.plot(times, height, linewidth=1, label=f"{count} iterations")
            print(f"μ = {mu:g}, {name}:", " ".join(f"{a:.1e}" for a in apart))
            axes[3].loglog(
                ITERATIONS, apart, line, color=f"C{number}", markersize=3, label=f"{mu:g}, {name}"
            )
        height = exact[:, end, 2].mean(axis=1) - body.points[end, 2].mean()
        print(f"  sag of the tip {-height.min():.4f} m")
        shown.plot(times, height, "k--", linewidth=1, label="Newton")
        shown.set(title=f"μ = {mu:g} Pa, tip [m], ω = 1.5", xlabel="s")
        shown.set_ylim(1.1 * height.min(), 0.1 * abs(height.min()))
        shown.legend(fontsize=7)
    axes[3].set(title="largest error / motion", xlabel="iterations per step", ylim=(1e-5, 1e2))
    axes[3].legend(fontsize=6)
    figure.tight_layout()
    figures.save(figure, "solids_beam")


if __name__ == "__main__":
    main()
