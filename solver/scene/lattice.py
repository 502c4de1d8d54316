# SPDX-License-Identifier: GPL-3.0-or-later
"""Lattices under the name that scripts know: `from vbd.solver.scene.lattice import lattice`."""

from ..lattice.lattice import embed, lattice

__all__ = ["embed", "lattice"]
