# SPDX-License-Identifier: GPL-3.0-or-later
"""A block twisted and stretched quasistatically (PBNG 2023, Fig. 3, 5, 9).

Writes docs/gallery/quasistatic_twist.png: three solid models after ten frames, with many and with
few iterations per frame, and the residual of the last frame with SOR and Chebyshev.
"""

import numpy as np
from matplotlib import pyplot

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import quasistatic_scenes as scenes
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate

FRAMES, ENOUGH, FEW = 10, 300, 5
MODELS = {
    "neo_hookean": "neo-Hookean",
    "neo_hookean_log": "neo-Hookean, log",
    "corotated": "corotated",
}
ITERATIONS = (1, 3, 10, 30, 100, 200, 400, 800)
WAYS = {
    "plain": {"relaxation": 1.0},
    "SOR 1.5 (default)": {"relaxation": 1.5},
    "SOR 1.8": {"relaxation": 1.8},
    "Chebyshev 0.95": {"acceleration": 0.95},
    "Chebyshev 0.99": {"acceleration": 0.99},
}


def settings(frame_time, iterations, **others):
    return Settings(
        quasistatic=True,
        frame_time=frame_time,
        substeps=1,
        iterations=iterations,
        gravity=(0.0, 0.0, 0.0),
        **others,
    )


def main():
    figure, axes = pyplot.subplots(3, 3, figsize=(13, 7.5), height_ratios=(1, 1, 2))
    rows = figures.view(-20.0, 20.0)
    for column, (model, name) in enumerate(MODELS.items()):
        body = scenes.twisted_block(model, cells=(20, 5, 5), turn=2.0 * np.pi)
        path = scenes.newton_path(body, FRAMES)
        faces = figures.surface(body.elements)
        for row, count in enumerate((ENOUGH, FEW)):
            *_, frame = simulate([body], settings(1.0 / FRAMES, count), FRAMES)
            away = np.abs(frame.exact_positions[0] - path[-1]).max()
            print(f"{name}, {count}: {away:.2e} m from Newton, {frame.stats.verdict}")
            title = f"{name}, {count} iterations: {away:.1e} m off"
            shown = axes[row, column]
            figures.frame_view(shown, (-3.0, -1.2), (3.0, 1.2))
            shown.set_title(title, fontsize=9)
            figures.draw_surface(shown, frame.exact_positions[0], faces, rows, "#d87c3c", edges=0.1)
        shown = axes[2, column]
        last = scenes.last_step(body, path)
        for way, how in WAYS.items():
            residual = []
            for count in ITERATIONS:
                *_, frame = simulate([last], settings(1.0, count, **how), 1)
                residual.append(frame.stats.residual)
            shown.loglog(ITERATIONS, residual, ".-", label=way)
            print(f"  {way}: " + ", ".join(f"{r:.1e}" for r in residual), flush=True)
        shown.set(xlabel="iterations", ylabel="residual" if column == 0 else "")
    shown.legend(fontsize=7)
    figure.tight_layout()
    figures.save(figure, "quasistatic_twist")


if __name__ == "__main__":
    main()
