# SPDX-License-Identifier: GPL-3.0-or-later
"""Two blocks hanging from each other on weak constraints (PBNG 2023, Fig. 4), quasistatically.

Writes docs/gallery/quasistatic_blocks.png: the blocks after more and more iterations, and their
distance from one block in their place, for constraints of 10⁵ and 10⁸ N/m.
"""

from functools import partial

import numpy as np
from matplotlib import pyplot

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import Pins, Solid
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

MATERIAL = Material(youngs_modulus=1e5, poisson_ratio=0.4)
ITERATIONS = (10, 30, 100, 300, 1000, 3000)
SHOWN = (10, 100, 1000)


def hung(points, tets, **others):
    """A solid that hangs from its vertices at z = 0."""
    return Solid(points, tets, MATERIAL, pins=Pins(np.flatnonzero(points[:, 2] > -1e-9)), **others)


def two_blocks(stiffness):
    """The upper and the lower block, and the springs between them [N/m]."""
    points, tets = block((4, 4, 6), (1.0, 1.0, 1.5))
    upper = hung(points - [0.0, 0.0, 1.5], tets, name="Upper")
    lower = Solid(points - [0.0, 0.0, 3.0], tets, MATERIAL, name="Lower")
    rows = np.flatnonzero(points[:, 2] < 1e-9)
    there = np.flatnonzero(points[:, 2] > 1.5 - 1e-9)
    return upper, lower, Attachment(upper, rows, stiffness, other=lower, corners=there[:, None])


def one_block():
    """Equilibrium [vertex, 3] of both as one block: that of rigid constraints."""
    points, tets = block((4, 4, 12), (1.0, 1.0, 3.0))
    body = hung(points - [0.0, 0.0, 3.0], tets)
    return newton.solve(scene.equilibrium_problem(scene.scene_of(body, "neo_hookean")))


def solved(stiffness, iterations, **others):
    """The frame of the two blocks after `iterations`."""
    how = partial(Settings, quasistatic=True, substeps=1)(iterations=iterations, **others)
    *_, frame = simulate(two_blocks(stiffness), how, 1)
    return frame


def main():
    figure, axes = pyplot.subplots(1, 5, figsize=(13, 4.6), width_ratios=(1, 1, 1, 1.8, 1.8))
    exact = one_block()
    bottom = exact[:, 2].min()
    tets, rows = two_blocks(1.0)[0].elements, figures.view(-30.0, 15.0)
    faces = figures.surface(tets)
    for shown, count in zip(axes, SHOWN, strict=False):
        frame = solved(1e8, count)
        # The lower one first: its top is behind the upper one.
        for x, color in zip(frame.exact_positions[::-1], ("#d87c3c", "#4a7fb5"), strict=True):
            figures.draw_surface(shown, x, faces, rows, color, edges=0.1)
        figures.frame_view(shown, (-0.7, -4.2), (1.6, 0.8), f"{count} iterations")
    for stiffness, color in ((1e5, "C0"), (1e8, "C3")):
        for augmented, style in ((True, ".-"), (False, ".:")):
            frames = [solved(stiffness, n, augmented=augmented) for n in ITERATIONS]
            away = [abs(one.exact_positions[1][:, 2].min() - bottom) for one in frames]
            name = f"{stiffness:.0e} N/m" + (", augmented" if augmented else "")
            residual = [one.stats.residual for one in frames]
            axes[3].loglog(ITERATIONS, residual, style, color=color, label=name)
            axes[4].loglog(ITERATIONS, away, style, color=color, label=name)
            print(f"{name}: " + ", ".join(f"{r:.1e}" for r in residual))
            print("  bottom off by " + ", ".join(f"{a:.1e}" for a in away), "m", flush=True)
    axes[3].set(xlabel="iterations", title="residual")
    axes[4].set(xlabel="iterations", title="bottom against one block [m]")
    axes[4].legend(fontsize=7)
    figure.tight_layout()
    figures.save(figure, "quasistatic_blocks")


if __name__ == "__main__":
    main()
