# SPDX-License-Identifier: GPL-3.0-or-later
"""Program of a process of its own: tets of a closed surface by fTetWild.

`python run_ftetwild.py FOLDER EDGE TOLERANCE` reads vertices.npy and triangles.npy of a folder, and
writes points.npy and tets.npy there. Both lengths are fractions of the surface's diagonal.
"""

import sys
import types
from pathlib import Path

import numpy as np


def main(folder, edge_length, tolerance):
    # The package imports PyVista for functions that are not used here.
    sys.modules.setdefault("pyvista", types.ModuleType("pyvista"))
    from pytetwild import tetrahedralize

    folder = Path(folder)
    vertices, triangles = (
        np.load(folder / f"{name}.npy", allow_pickle=False) for name in ("vertices", "triangles")
    )
    points, tets = tetrahedralize(
        vertices, triangles, edge_length_fac=float(edge_length), epsilon=float(tolerance)
    )
    for name, values in (("points", points), ("tets", tets)):
        np.save(folder / f"{name}.npy", values, allow_pickle=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
