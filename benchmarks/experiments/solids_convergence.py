# SPDX-License-Identifier: GPL-3.0-or-later
"""Relative loss against iterations for a released body (VBD 2024, Fig. 17 and 18).

One step of 33 ms from an armadillo stretched 1.6 times, by the solver and by the reference methods,
soft and ten times stiffer. Writes docs/gallery/solids_convergence.png.
"""

from functools import partial
from itertools import islice

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import solids_scenes as scenes
from vbd.benchmarks.reference import descent, newton

H, SOFT = 1.0 / 30.0, 1e5
COUNTS = 2 ** np.arange(9)  # iterations 1 … 256
# Solver: settings and line styles. Sweeps without coarse steps, as in the paper.
PLAIN = {"coarse_correction": False}
VBD = {
    "VBD, ω = 1": ({**PLAIN, "relaxation": 1.0}, "C0-"),
    "VBD, ω = 1.5 (default)": ({**PLAIN, "relaxation": 1.5}, "C1-"),
    "VBD, ω = 1.8": ({**PLAIN, "relaxation": 1.8}, "C3-"),
    "VBD, Chebyshev ρ = 0.95": ({"acceleration": 0.95}, "C2-"),
}
# Reference methods, whose block preconditioners are evaluated every 8 iterations.
OTHERS = {
    "block Jacobi": (partial(descent.block_jacobi, refresh=8), "C4--"),
    "block Jacobi, ρ = 0.95": (partial(descent.block_jacobi, refresh=8, rho=0.95), "C4:"),
    "gradient descent": (descent.gradient_descent, "k--"),
    "gradient descent, ρ = 0.95": (partial(descent.gradient_descent, rho=0.95), "k:"),
}


def losses_of(problem, method, counts):
    """G [J] of a reference method after each of `counts` iterations; NaN when it has ended."""
    found = np.full(len(counts), np.nan)
    for done, x in enumerate(islice(method(problem), int(max(counts))), start=1):
        if done in counts:
            found[list(counts).index(done)] = problem.loss(x)
    return found


def newton_losses(problem, close=1e-9):
    """G [J] after every iteration of Newton's method, until it falls by no more than `close` G."""
    found = [problem.loss(problem.guess)]
    for x in newton.newton(problem, exact=False):
        found.append(problem.loss(x))
        if found[-2] - found[-1] <= close * abs(found[-1]):
            return np.array(found)
    return np.array(found)


def curves(body, counts=COUNTS, h=H):
    """Relative loss (G − G*)/(G₀ − G*) per method: {name: (iterations, losses)}."""
    problem = scenes.first_step(body, h)
    by_newton = newton_losses(problem)
    first, best = by_newton[0], by_newton.min()
    found = {name: scenes.losses_of_vbd(body, problem, counts, **s) for name, (s, _) in VBD.items()}
    found |= {name: losses_of(problem, method, counts) for name, (method, _) in OTHERS.items()}
    found = {name: (counts, (losses - best) / (first - best)) for name, losses in found.items()}
    steps = np.arange(1, len(by_newton))
    return found | {"Newton": (steps, (by_newton[1:] - best) / (first - best))}


def main():
    points, tets = scenes.read_mesh("armadillo_15k")
    figure, axes = figures.pyplot.subplots(1, 3, figsize=(14, 5.2), width_ratios=(0.7, 1.5, 1.5))
    body = scenes.released(points, tets, SOFT)
    surface, side = figures.surface(tets), figures.view(180.0, 0.0)
    figures.draw_surface(axes[0], points, surface, side, "0.75", (-1.0, 0.0))
    figures.draw_surface(axes[0], body.points, surface, side, "#d07040")
    figures.frame_view(axes[0], (-1.5, -1.2), (0.5, 0.6), "at rest, and stretched 1.6×")
    styles = {name: style for name, (_, style) in {**VBD, **OTHERS}.items()}
    for shown, stiffness in zip(axes[1:], (SOFT, 10.0 * SOFT), strict=True):
        print(f"E = {stiffness:g} Pa")
        for name, (counts, losses) in curves(scenes.released(points, tets, stiffness)).items():
            shown.loglog(counts, np.maximum(losses, 1e-7), styles.get(name, "C5o-"), label=name)
            print(f"  {name:28s}", " ".join(f"{loss:.1e}" for loss in losses))
        shown.set(title=f"E = {stiffness:g} Pa, h = 1/30 s", xlabel="iterations", ylim=(1e-5, 1.2))
    axes[1].set_ylabel("relative loss")
    axes[2].legend(fontsize=8, loc="lower left")
    figure.tight_layout()
    figures.save(figure, "solids_convergence")


if __name__ == "__main__":
    main()
