# SPDX-License-Identifier: GPL-3.0-or-later
"""Heavy chain and its soft twin (VBD 2024, Fig. 21): writes docs/gallery/chains_heavy.png.

Left: both chains at h = 1/60 s and 100 iterations. Right: the largest strain against h.
"""

from pathlib import Path

import matplotlib
import numpy as np

from vbd.benchmarks.experiments import chains_scenes as scenes

matplotlib.use("Agg")
from matplotlib import pyplot

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "chains_heavy.png"
RATES = (60, 120, 240, 480, 960, 1920)
SHOWN = (0, 6, 12, 18, 24, 30)


def largest(path):
    """Largest strain of all links and times, in percent."""
    return 100.0 * max(scenes.strains(x).max() for x in path)


def draw_swing(shown, stiffness, title):
    body, _ = scenes.swinging_chain(stiffness)
    path = scenes.by_vbd(body, 1.0 / 60.0, 60, iterations=100)
    path = np.concatenate([body.points[None], path])
    for n, shade in zip(SHOWN, np.linspace(0.2, 0.9, len(SHOWN)), strict=True):
        x, color = path[n], pyplot.cm.viridis(shade)
        shown.plot(x[:, 0], x[:, 2], ".-", color=color, markersize=3, linewidth=0.8)
        shown.plot(x[-1, 0], x[-1, 2], "o", color=color, markersize=11)
    shown.set(xlim=(-1.5, 1.5), ylim=(-2.0, 0.2), aspect="equal")
    shown.set_title(f"{title}: at most {largest(path):.2f} %")
    shown.set_xlabel("m")


def draw_strains(shown):
    taut, taut_limit = scenes.swinging_chain()
    level, level_limit = scenes.swinging_chain(share=0.0)
    for body, seconds, limit, color, name in (
        (scenes.released_chain(30.0), 0.6, scenes.snap_strain(), "C3", "30° above, at rest"),
        (taut, 0.6, taut_limit, "C0", "level, taut, v² = gL"),
        (level, 0.85, level_limit, "C2", "level, at rest"),
    ):
        steps = [round(seconds * rate) for rate in RATES]
        newton = [
            largest(scenes.by_newton(body, 1.0 / rate, count))
            for rate, count in zip(RATES, steps, strict=True)
        ]
        vbd = [
            largest(scenes.by_vbd(body, 1.0 / rate, count, iterations=100))
            for rate, count in zip(RATES, steps, strict=True)
        ]
        plain = largest(scenes.by_vbd(body, 1 / 60, steps[0], iterations=100, relaxation=1.0))
        shown.loglog(RATES, newton, "o-", color=color, label=f"Newton, {name}")
        shown.loglog(RATES, vbd, "x--", color=color, label="VBD, 100 iterations")
        shown.loglog(RATES[0], plain, "+", color=color, markersize=10)
        shown.axhline(100.0 * limit, color=color, linewidth=0.6, linestyle=":")
        print(f"{name}: closed form {100 * limit:.4f} %, ω = 1 at 60: {plain:.4f} %")
        for row in zip(RATES, newton, vbd, strict=True):
            print("  1/h = {:4d}: Newton {:.4f} %, VBD {:.4f} %".format(*row))
    shown.set(xlabel="1/h [1/s]", ylabel="largest strain [%]", ylim=(0.3, 150.0))
    shown.set_title("k = 10⁸ N/m (dotted: closed forms, +: VBD, ω = 1)")
    shown.legend(fontsize=7)


def main():
    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4.2), width_ratios=(1, 1, 1.3))
    draw_swing(axes[0], 1e8, "k = 10⁸ N/m")
    draw_swing(axes[1], 1e6, "k = 10⁶ N/m")
    draw_strains(axes[2])
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=100)


if __name__ == "__main__":
    main()
