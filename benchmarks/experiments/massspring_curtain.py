# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass-spring curtain: VBD, local/global and Newton's method (Liu et al. 2013, Fig. 2-4).

Writes docs/gallery/massspring_curtain.png. Above: the curtain after 0.5 s with few and many
iterations. Below: (G − G*)/(G₀ − G*) of its next step, and for stiffer springs and finer grids.
"""

from functools import partial

import numpy as np
from matplotlib import pyplot

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.reference import newton, problem, scene
from vbd.benchmarks.reference.local_global import local_global
from vbd.benchmarks.reference.vbd import vertex_block_descent
from vbd.solver.bodies import Pins, Rod
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

H, STEPS = 1.0 / 30.0, 15
ITERATIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def curtain(cells=20, stiffness=1000.0):
    """1 m², 1 kg, held at two corners and pushed; edges, diagonals and every second vertex.

    `stiffness` [N/m] is that of 20 cells; finer springs are stiffer, as they are shorter.
    """
    n = cells + 1
    y, x = np.meshgrid(np.linspace(0.0, 1.0, n), np.linspace(0.0, 1.0, n), indexing="ij")
    points = np.stack([x, np.zeros_like(x), -y], axis=-1).reshape(-1, 3)
    at = np.arange(n * n).reshape(n, n)
    ends = (
        (at[:, :-1], at[:, 1:]),
        (at[:-1], at[1:]),
        (at[:-1, :-1], at[1:, 1:]),
        (at[:-1, 1:], at[1:, :-1]),
        (at[:, :-2], at[:, 2:]),
        (at[:-2], at[2:]),
    )
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in ends])
    return Rod(
        points,
        edges,
        Material(spring_stiffness=stiffness * cells / 20.0, vertex_mass=1.0 / n**2),
        pins=Pins(at[0, [0, -1]]),
        velocities=np.sin(4.0 * points[:, :1]) * [0.0, 2.0, 0.0],
        name="Curtain",
    )


def next_step(body, steps=STEPS):
    """The step after `steps` of Newton's: its problem, x and v at its start."""
    one = scene.scene_of(body, "spring")
    before, x = one.points, one.points
    for moved in scene.trajectory(one, H, steps):
        before, x = x, moved
    v = (x - before) / H
    return scene.step_problem(one, x, v, H), x, v


def of_solver(body, step, x, v, best, **settings):
    """Relative errors and seconds of the solver's own kernels, on one thread, at ITERATIONS."""
    start = Rod(
        x, body.elements, body.material, pins=body.pins, velocities=v, rest_points=body.points
    )
    first = step.loss(step.guess)
    errors, seconds = [], []
    for count in ITERATIONS:
        how = Settings(
            frame_time=H,
            substeps=1,
            iterations=count,
            accuracy=0.0,
            initial_guess="inertia",
            threads=1,
            **settings,
        )
        frame, *others = (next(simulate([start], how, 1)) for _ in range(3))
        errors.append((step.loss(frame.exact_positions[0]) - best) / (first - best))
        seconds.append(min(one.stats.seconds for one in (frame, *others)))
    return np.array(errors), np.array(seconds)


def draw_curtain(shown, body, x, title):
    flat = x @ figures.view(-35.0, 15.0).T
    cells = round(len(x) ** 0.5) - 1
    lines = flat[body.elements[: 2 * cells * (cells + 1)]]
    shown.plot(*lines[:, :, :2].transpose(2, 1, 0), color="#7a1f2b", linewidth=0.5)
    figures.frame_view(shown, (-0.3, -1.9), (1.2, 0.2))
    shown.set_title(title, fontsize=9)


def draw_shapes(axes, body, exact):
    for shown, count in zip(axes, (1, 10, 100), strict=False):
        how = Settings(frame_time=H, substeps=1, iterations=count, accuracy=0.0)
        *_, frame = simulate([body], how, STEPS)
        away = np.abs(frame.exact_positions[0] - exact).max()
        draw_curtain(shown, body, frame.exact_positions[0], f"VBD, {count}: {away:.1e} m off")
        print(f"{count} iterations per step: {away:.2e} m from Newton")
    draw_curtain(axes[3], body, exact, "Newton")


def draw_errors(by_count, by_time, body):
    step, x, v = next_step(body)
    best = step.loss(newton.solve(step))
    methods = {
        "Newton": (newton.newton, 9, "k"),
        "local/global": (local_global, 500, "C2"),
        "VBD (NumPy)": (vertex_block_descent, 100, "C0"),
        "VBD (NumPy), ω = 1.5": (partial(vertex_block_descent, relaxation=1.5), 100, "C1"),
    }
    for name, (method, count, color) in methods.items():
        reached = problem.iterate(step, method, count)
        errors = problem.relative_losses(reached, best)[1:]
        by_count.loglog(np.arange(1, len(errors) + 1), errors, color=color, label=name)
        if "NumPy" not in name:
            seconds = [one.seconds for one in reached[1:]]
            by_time.loglog(seconds, errors, color=color, label=name)
        print(f"{name}: " + ", ".join(f"{errors[n - 1]:.1e}" for n in (1, 5, 9)))
    errors, seconds = of_solver(body, step, x, v, best)
    by_count.loglog(ITERATIONS, errors, "C3.--", label="the solver, float32")
    by_time.loglog(seconds, errors, "C3.--", label="the solver, one thread")
    print(
        "solver: "
        + ", ".join(f"{e:.1e} ({1e3 * s:.1f} ms)" for e, s in zip(errors, seconds, strict=True))
    )
    by_count.set(xlabel="iterations", ylabel="relative error", ylim=(1e-9, 2.0))
    by_time.set(xlabel="s", ylim=(1e-9, 2.0))
    by_count.legend(fontsize=7)
    by_time.legend(fontsize=7)


def draw_scaling(stiffer, finer):
    for shown, cases in (
        (stiffer, [(f"k = {k:g} N/m", curtain(20, k)) for k in (100.0, 1e3, 1e4)]),
        (finer, [(f"{n} × {n} cells", curtain(n)) for n in (10, 20, 40)]),
    ):
        for k, (name, body) in enumerate(cases):
            step, x, v = next_step(body, 6)
            best = step.loss(newton.solve(step))
            errors, _ = of_solver(body, step, x, v, best)
            other = problem.relative_losses(problem.iterate(step, local_global, 500), best)
            shown.loglog(ITERATIONS, errors, f"C{k}.-", label=f"solver, {name}")
            shown.loglog(ITERATIONS, other[list(ITERATIONS)], f"C{k}:", label="local/global")
            print(f"{name}: solver {errors[3]:.1e}, {errors[6]:.1e} after 10, 100", flush=True)
            print(f"  local/global {other[10]:.1e}, {other[100]:.1e}", flush=True)
        shown.set(xlabel="iterations", ylim=(1e-7, 2.0))
        shown.legend(fontsize=7)


def main():
    figure, axes = pyplot.subplots(2, 4, figsize=(14, 7))
    body = curtain()
    *_, exact = scene.trajectory(scene.scene_of(body, "spring"), H, STEPS)
    draw_shapes(axes[0], body, exact)
    draw_errors(axes[1, 0], axes[1, 1], body)
    draw_scaling(axes[1, 2], axes[1, 3])
    figure.tight_layout()
    figures.save(figure, "massspring_curtain")


if __name__ == "__main__":
    main()
