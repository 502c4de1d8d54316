# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of characters in 32 cells along them, in a file: these take minutes to simulate.

    PYTHONPATH=FOLDER:CHECKOUT/tests python tests/fine_cells.py

writes it. FOLDER has a link `vbd` to the checkout.
"""

from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments.cells_resolution import CHARACTERS, FINEST, motion, of_cells

FILE = Path(__file__).with_suffix(".npz")
NAMES = "Suzanne", "stout"
# Number of stored points.
POINTS = 120


def some(points):
    """Indices of at most `POINTS` of the points, at equal distances."""
    return np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int))


def read(name):
    """`some` points [m] of a character in every frame, [frame, point, 3]."""
    with np.load(FILE) as stored:
        return stored[name]


def main():
    values = {}
    for name in NAMES:
        surface = CHARACTERS[name]()
        found, _ = motion(surface, FINEST, of_cells)
        values[name] = found[:, some(surface[0])].astype(np.float32)
    np.savez_compressed(FILE, **values)


if __name__ == "__main__":
    main()
