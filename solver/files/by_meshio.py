# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets of all other formats by the package meshio, if it is installed."""

import numpy as np

from ..messages import message

# Endings in the file dialog; others work as well.
ENDINGS = (".mesh", ".vtu", ".inp", ".bdf")


def read(path, install):
    """Points float64 [point, 3] and tets int64 [tet, 4]. `install`: the command in
    the message for a missing meshio.
    """
    try:
        import meshio
    except ImportError:
        raise ValueError(message("tets.no_meshio", path=path.name, command=install)) from None
    path.open("rb").close()  # the system has the best message if it cannot be read
    try:
        mesh = meshio.read(path)
        tets = [cells.data[:, :4] for cells in mesh.cells if cells.type in ("tetra", "tetra10")]
        return mesh.points, np.concatenate([np.empty((0, 4), np.int64), *tets])
    except (Exception, SystemExit) as error:  # meshio may exit, and its formats raise anything
        raise ValueError(message("tets.meshio_failed", path=path.name)) from error
