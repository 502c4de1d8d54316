# SPDX-License-Identifier: GPL-3.0-or-later
"""One iteration per frame while the nose is pulled about (VBD 2024, Fig. 16).

An armadillo held at hands and feet; for 1,000 frames its nose moves round, 0.5 m to every side in
front of it. Writes docs/gallery/solids_one_iteration.png.
"""

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments import solids_scenes as scenes
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material

FRAMES, PERIOD, SHOWN = 1000, 0.5, (15, 250, 1000)
MATERIAL = {"mu": 2e6, "lam": 1e7}
# The first method is the one that is drawn. One iteration is never over-relaxed.
WAYS = {
    "adaptive (default)": {},
    "previous": {"initial_guess": "previous"},
    "inertia": {"initial_guess": "inertia"},
}
# Beyond this energy [J] the shape is lost.
LOST = 1e15


def pulled(points, tets, held, nose):
    """A body with some pins; one goes round every PERIOD [s]; 0.5 m, up to 6 m/s."""
    indices = np.append(held, nose)
    rest = points[indices]

    def targets(time):
        moved, phase = rest.copy(), 2.0 * np.pi * time / PERIOD
        moved[-1] += 0.5 * np.array([np.sin(phase), np.cos(phase) - 1.0, 0.5 * np.sin(2 * phase)])
        return moved

    return Solid(
        points, tets, Material.from_energy(**MATERIAL), Pins(indices, targets), name="Pulled"
    )


def play(body, count=FRAMES, **settings):
    """Frames with one iteration and one step of 1/60 s each."""
    return scenes.run(body, count, **{"iterations": 1, **settings})


def hands_feet_nose(points):
    """Vertices of the armadillo's ends, and the one at the tip of its nose."""
    low, high = points.min(axis=0), points.max(axis=0)
    feet = points[:, 2] < low[2] + 0.05
    hands = (points[:, 0] < low[0] + 0.06) | (points[:, 0] > high[0] - 0.06)
    head = np.flatnonzero((points[:, 2] > high[2] - 0.25) & (np.abs(points[:, 0]) < 0.1))
    return np.flatnonzero(feet | hands), head[np.argmin(points[head, 1])]


def main():
    points, tets = scenes.read_mesh("armadillo_15k")
    held, nose = hands_feet_nose(points)
    surface, side = figures.surface(tets), figures.view(30.0, 5.0)
    figure, axes = figures.pyplot.subplots(1, 4, figsize=(14, 4.6), width_ratios=(1, 1, 1, 1.3))
    for number, (name, settings) in enumerate(WAYS.items()):
        kept = []
        for frame in play(pulled(points, tets, held, nose), **settings):
            kept.append(frame.stats.elastic_energy + frame.stats.kinetic_energy)
            if not kept[-1] < LOST:
                break
            if frame.index in SHOWN and number == 0:
                shown = axes[SHOWN.index(frame.index)]
                x = frame.exact_positions[0]
                figures.draw_surface(shown, x, surface, side, "#7f9f5f")
                title = f"frame {frame.index}: {frame.stats.inverted} inverted"
                figures.frame_view(shown, (-0.8, -0.65), (0.8, 0.65), title)
        kept = np.array(kept)
        print(f"{name}: {len(kept)} frames, energy [J] largest {kept.max():.4g}", end=", ")
        print(f"{kept[:100].max():.4g} in the first and {kept[-100:].max():.4g} in the last 100")
        axes[-1].semilogy(np.arange(1, len(kept) + 1), kept, linewidth=0.8, label=name)
    axes[-1].set(xlabel="frame", ylabel="elastic and kinetic energy [J]")
    axes[-1].legend(fontsize=7)
    figure.tight_layout()
    figures.save(figure, "solids_one_iteration")


if __name__ == "__main__":
    main()
