# SPDX-License-Identifier: GPL-3.0-or-later
"""Public name of lattices for scripts: `from vbd.solver.scene.lattice import lattice`."""

from ..lattice.lattice import embed, lattice

__all__ = ["embed", "lattice"]
