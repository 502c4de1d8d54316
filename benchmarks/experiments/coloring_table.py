# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors of vertices against those of elements (VBD 2024, Fig. 8): writes docs/gallery/colors.png.

Prints a table of colors, imbalance (largest color over the mean) and time for every tet mesh. Give
the folder of the meshes (*.t, lines "Vertex i x y z" and "Tet i a b c d"); without one, lattices.
"""

import sys
import time
from pathlib import Path

import matplotlib
import numpy as np

from vbd.benchmarks.experiments import coloring_methods as methods
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference.coloring import element_colors
from vbd.solver.topology.coloring import color_vertices
from vbd.solver.topology.graphs import unique_edges

matplotlib.use("Agg")
from matplotlib import pyplot

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "colors.png"
WAYS = {
    "greedy": lambda edges, count: methods.by_warp(edges, count, "GREEDY"),
    "MCS": lambda edges, count: methods.by_warp(edges, count, "MCS"),
    "solver": color_vertices,
    "Vivace": methods.randomized,
}


def read_tets(path):
    """Vertex count and tets [tet, 4] of a mesh."""
    rows = [line.split() for line in path.read_text().splitlines()]
    count = sum(row[:1] == ["Vertex"] for row in rows)
    return count, np.array([row[2:6] for row in rows if row[:1] == ["Tet"]], dtype=np.int64)


def compare(name, count, tets):
    """Colors by every method; prints a row of the table."""
    edges = unique_edges(tets)
    found, cells = {}, []
    for way, color in WAYS.items():
        started = time.perf_counter()
        colors = color(edges, count)
        seconds = time.perf_counter() - started
        assert not methods.clashes(colors, edges)
        found[way] = int(colors.max()) + 1
        cells.append(f"{found[way]} / {methods.imbalance(colors):.2f} / {1e3 * seconds:.0f}")
    colors = element_colors(count, tets)
    found["tets"] = int(colors.max()) + 1
    cells.append(f"{found['tets']} / {methods.imbalance(colors):.2f}")
    print(f"| {name} | {count:,} | {len(tets):,} | {' | '.join(cells)} |", flush=True)
    return found


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    points, tets = block((16, 16, 16))
    meshes = {"lattice": (len(points), tets)}
    if folder:
        meshes |= {path.stem: read_tets(path) for path in sorted(folder.glob("*.t"))}
    print("colors / imbalance / ms")
    print(f"| mesh | vertices | tets | {' | '.join(WAYS)} | tets, greedy |")
    print(f"|{' --- |' * (len(WAYS) + 4)}")
    found = {name: compare(name, *mesh) for name, mesh in meshes.items()}

    figure, shown = pyplot.subplots(figsize=(10, 4))
    place = np.arange(len(found))
    for k, way in enumerate([*WAYS, "tets"]):
        label = "elements, as PBD needs them" if way == "tets" else f"vertices, {way}"
        shown.bar(place + 0.16 * (k - 2), [own[way] for own in found.values()], 0.15, label=label)
    shown.set_yscale("log")
    shown.set_xticks(place, found, rotation=25, ha="right")
    shown.set_ylabel("colors")
    shown.legend(fontsize=8)
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=100)


if __name__ == "__main__":
    main()
