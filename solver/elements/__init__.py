# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of elements, each in one file here and one in kernels/elements."""

from .cells import CONTINUUM_CELLS, NEO_HOOKEAN_CELLS
from .fibers import CELL_FIBERS, TET_FIBERS
from .hinges import HINGES
from .plastic_solids import CELL_VISCOSITY, PLASTIC_CELLS, PLASTIC_TETS, TET_VISCOSITY
from .pressure import PRESSURE
from .rods import BENDS, DIRECTORS
from .springs import SPRINGS
from .tets import CONTINUUM_TETS, NEO_HOOKEAN_TETS
from .triangles import MEMBRANE_VISCOSITY, STABLE_TRIANGLES, STVK_TRIANGLES

KINDS = (
    NEO_HOOKEAN_CELLS,
    *CONTINUUM_CELLS,
    PLASTIC_CELLS,
    CELL_VISCOSITY,
    NEO_HOOKEAN_TETS,
    *CONTINUUM_TETS,
    PLASTIC_TETS,
    TET_VISCOSITY,
    CELL_FIBERS,
    TET_FIBERS,
    HINGES,
    PRESSURE,
    BENDS,
    DIRECTORS,
    SPRINGS,
    STVK_TRIANGLES,
    MEMBRANE_VISCOSITY,
    STABLE_TRIANGLES,
)
