# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs 10,000 times stiffer than their neighbors (VBD 2024, Fig. 24).

Writes docs/gallery/chains_stiffness.png: two chains after 0.5 s with and without multipliers
against Newton's method, and the error of each over the number of iterations.
"""

from pathlib import Path

import matplotlib
import numpy as np

from vbd.benchmarks.experiments import chains_scenes as scenes

matplotlib.use("Agg")
from matplotlib import pyplot

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "chains_stiffness.png"
H, STEPS, SHOWN = 1.0 / 60.0, 30, 100
ITERATIONS = (10, 20, 50, 100, 200, 500, 1000)
WAYS = {
    "no multipliers": ({"augmented": False, "relaxation": 1.0}, "C3"),
    "augmented Lagrangian": ({"augmented": True}, "C0"),
}


def draw_chain(shown, x, stiff, shift, color, name):
    for k in range(len(stiff)):
        ends = x[k : k + 2]
        shown.plot(
            ends[:, 0] + shift, ends[:, 2], color="#1f4e9c" if stiff[k] else "#f08c1a", linewidth=2
        )
    shown.plot(x[:, 0] + shift, x[:, 2], ".", color="k", markersize=3)
    shown.text(x[:, 0].mean() + shift, 0.08, name, ha="center", fontsize=8, color=color)


def main():
    figure, axes = pyplot.subplots(2, 2, figsize=(12, 7.5), width_ratios=(1.5, 1))
    for (left, right), (order, both) in zip(
        axes, (("alternate", True), ("halves", False)), strict=True
    ):
        body, stiff = scenes.mixed_chain(order, both)
        exact = scenes.by_newton(body, H, STEPS)
        draw_chain(left, exact[-1], stiff, 0.0, "k", "Newton")
        largest = scenes.strains(exact[-1], scenes.SHORT)
        print(f"{order}: soft {largest[~stiff].max():.3f}, stiff {largest[stiff].max():.2e}")
        for column, (name, (settings, color)) in enumerate(WAYS.items(), start=1):
            distance = []
            for count in ITERATIONS:
                path = scenes.by_vbd(body, H, STEPS, iterations=count, **settings)
                distance.append(np.abs(path - exact).max())
                if count == SHOWN:
                    draw_chain(left, path[-1], stiff, 1.4 * column, color, f"{name}, {count}")
                    own = scenes.strains(path[-1], scenes.SHORT)
                    print(f"  {name}, {count}: soft {own[~stiff].max():.3f}")
            print(f"  {name}: " + ", ".join(f"{d:.2e}" for d in distance))
            right.loglog(ITERATIONS, distance, "o-", color=color, label=name)
        left.set(aspect="equal", xlabel="m")
        right.set(xlabel="iterations per step", ylabel="largest distance to Newton [m]")
        right.legend()
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=90)


if __name__ == "__main__":
    main()
