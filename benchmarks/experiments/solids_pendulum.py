# SPDX-License-Identifier: GPL-3.0-or-later
"""A pendulum with the four initial guesses against Newton's method (VBD 2024, Fig. 5 and 6).

20 iterations for every step of 1/300 s. Writes docs/gallery/solids_pendulum.png.
"""

from functools import partial

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import solids_scenes as scenes
from vbd.benchmarks.reference import newton
from vbd.benchmarks.reference.scene import scene_of, trajectory
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material

H, STEPS, SHOWN = 1.0 / 300.0, 450, 300
MATERIAL = {"mu": 1e7, "lam": 1e8}
GUESSES = ("previous", "inertia", "inertia_acceleration", "adaptive")


def pendulum(points, tets):
    """The mesh level, along x, held at its thin end."""
    level = points @ np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    level -= level.min(axis=0)
    held = np.flatnonzero(level[:, 0] < 0.1)
    return Solid(level, tets, Material.from_energy(**MATERIAL), Pins(held), name="Pendulum")


def by_newton(body, count=STEPS):
    """Positions [step, vertex, 3] of converged implicit Euler."""
    solve = partial(newton.solve, tolerance=1e-7)
    return np.array(list(trajectory(scene_of(body, "neo_hookean"), H, count, step=solve)))


def by_vbd(body, count=STEPS, **settings):
    """Positions [step, vertex, 3] of 20 sweeps without coarse steps by default."""
    settings = {"iterations": 20, "coarse_correction": False, **settings}
    frames = scenes.run(body, count, H, **settings)
    return np.array([frame.exact_positions[0] for frame in frames])


def error(path, exact, start):
    """Largest distance to the exact path as a fraction of the largest motion."""
    apart = np.linalg.norm(path - exact, axis=2).max()
    return apart / np.linalg.norm(exact - start, axis=2).max()


def main():
    body = pendulum(*scenes.read_mesh("pendulum"))
    exact = by_newton(body)
    surface, side = figures.surface(body.tets), figures.view(0.0, 0.0)
    tip = int(np.argmax(body.points[:, 0]))
    figure, axes = figures.pyplot.subplots(1, 6, figsize=(15, 3.6), width_ratios=(1,) * 5 + (1.8,))
    times = H * np.arange(1, STEPS + 1)
    for number, guess in enumerate((*GUESSES, "Newton")):
        for relaxation, line in ((1.0, "-"), (1.5, ":")):
            if guess == "Newton":
                path = exact
            else:
                path = by_vbd(body, initial_guess=guess, relaxation=relaxation)
                print(f"{guess}, ω = {relaxation:g}: {error(path, exact, body.points):.3f}")
            if relaxation == 1.0:
                shown = axes[number]
                figures.draw_surface(shown, path[SHOWN - 1], surface, side, f"C{number}")
                figures.frame_view(shown, (-2.5, -7.0), (6.5, 2.5), guess.replace("_", "\n"))
            if guess != "Newton" or relaxation == 1.0:
                label = f"{guess}, ω = {relaxation:g}" if guess != "Newton" else guess
                color = f"C{number}" if guess != "Newton" else "k"
                axes[-1].plot(times, path[:, tip, 2], line, color=color, linewidth=1, label=label)
    axes[-1].set(xlabel="s", title="height of the free end [m]")
    axes[-1].legend(fontsize=6, loc="lower left")
    figure.tight_layout()
    figures.save(figure, "solids_pendulum")


if __name__ == "__main__":
    main()
