# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of elements, each in a file of its own here and one in kernels/elements."""

from .cell_viscosity import CELL_VISCOSITY
from .cells import CONTINUUM_CELLS, NEO_HOOKEAN_CELLS
from .hinges import HINGES
from .plastic_solids import PLASTIC_CELLS, PLASTIC_TETS
from .pressure import PRESSURE
from .rods import BENDS, DIRECTORS
from .springs import SPRINGS
from .tets import CONTINUUM_TETS, NEO_HOOKEAN_TETS, VOLUME_VISCOSITY
from .triangles import MEMBRANE_VISCOSITY, STABLE_TRIANGLES, STVK_TRIANGLES
from .viscosity import SHEAR_VISCOSITY

KINDS = (
    NEO_HOOKEAN_CELLS,
    *CONTINUUM_CELLS,
    PLASTIC_CELLS,
    CELL_VISCOSITY,
    NEO_HOOKEAN_TETS,
    VOLUME_VISCOSITY,
    *CONTINUUM_TETS,
    PLASTIC_TETS,
    SHEAR_VISCOSITY,
    HINGES,
    PRESSURE,
    BENDS,
    DIRECTORS,
    SPRINGS,
    STVK_TRIANGLES,
    MEMBRANE_VISCOSITY,
    STABLE_TRIANGLES,
)
