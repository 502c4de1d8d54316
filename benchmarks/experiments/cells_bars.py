# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars of cells and of tets against beams: their sag, and the energy of twisting them."""

import numpy as np

from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments.cells_shapes import KUHN
from vbd.benchmarks.reference import beams
from vbd.solver.bodies import Solid
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate

POISSON, GAMMAS, ACROSS = (0.0, 0.3, 0.45), (1.0, 5.0), (1, 2, 4)
ANGLE = 0.2


def tet_bar(across, material):
    """Bar of `cell_bar` with its cells split into tets."""
    points, cells = beams.lattice(across)
    return Solid(points, cells[:, KUHN].reshape(-1, 4), material)


def settled(bodies, gravity):
    """The last of some frames without inertia."""
    few = len(bodies[0].points) < 100
    settings = Settings(
        quasistatic=True, substeps=1, iterations=3000 if few else 200, gravity=(0.0, 0.0, -gravity)
    )
    *_, last = simulate(bodies, settings, 16)
    return last


def drop(make, across, poisson, gamma):
    """Drop of the tip over that of the beam."""
    body = make(across, beams.material(poisson, gamma))
    last = settled([body, beams.free_clamp(body)], 10.0)
    return beams.drop_of(body, last.exact_positions[0]) / beams.drop(gamma, poisson)


def torsion(make, across, poisson):
    """Energy of torsion over that of St. Venant."""
    body = make(across, beams.material(poisson))
    body.pins = beams.held(body, beams.twisted(body, ANGLE))
    last = settled([body], 0.0)
    return last.stats.elastic_energy / beams.torsion_energy(poisson, ANGLE)


def main():
    figure, axes = figures.pyplot.subplots(1, 3, figsize=(11, 3.4))
    for make, what, style in ((beams.bar, "cells", "-o"), (tet_bar, "tets", "--x")):
        for number, poisson in enumerate(POISSON):
            found = [[drop(make, n, poisson, gamma) for n in ACROSS] for gamma in GAMMAS]
            found.append([torsion(make, n, poisson) for n in ACROSS])
            print(what, "ν =", poisson, "drop at Γ = 1, 5, torsion:", np.round(found, 3).tolist())
            for axis, values in zip(axes, found, strict=True):
                axis.plot(ACROSS, values, style, color=f"C{number}", label=f"{what}, ν = {poisson}")
    titles = [f"Drop / beam, Γ = {gamma:g}" for gamma in GAMMAS] + ["Torsion / St. Venant"]
    for axis, title in zip(axes, titles, strict=True):
        axis.axhline(1.0, color="black", linewidth=0.5)
        axis.set(title=title, xlabel="cells across", xticks=ACROSS)
    axes[0].legend(fontsize=7)
    figure.tight_layout()
    figures.save(figure, "cells_bars")


if __name__ == "__main__":
    main()
