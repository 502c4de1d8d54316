# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscosity of damped cells (kernels/elements/cell_viscosity.py)."""

import numpy as np

from ..bodies import CELL_CORNERS, Cells
from ..kernels.elements import cell_viscosity as kernels
from ..kernels.elements import viscous_corners as corners
from .cells import bending, cells_of
from .kind import ElementKind
from .records import in_vertex_order, structured


def damped_cells(body, settings):
    """Cells that are damped, whatever their material."""
    if not isinstance(body, Cells):
        return None
    cells = cells_of(body, settings)
    return cells[cells.damping_time > 0.0]


def constants(_points, cells, h):
    """What records and elements both have."""
    ratio = cells.damping_time / h
    return {
        "gradient": 0.25 / cells.side,
        "middle": cells.middle,
        "shear": ratio * cells.volume * cells.lame_mu,
        "bulk": ratio * cells.volume * cells.lame_lam,
        "bending": structured(kernels.Bending, len(cells), bending(cells, ratio)),
    }


def records(points, cells, h):
    """Records of the viscosity; `rest` is that of no strain until the first step."""
    columns = constants(points, cells, h)
    columns["middle"] = np.repeat(cells.middle[:, None], 8, axis=1)
    columns["corners"] = np.repeat(cells.corners[:, None], 8, axis=1)
    columns["signs"] = np.broadcast_to(2.0 * CELL_CORNERS - 1.0, (len(cells), 8, 3))
    rest = structured(corners.Strain, len(cells), {"c": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], "j": 1.0})
    return in_vertex_order(
        len(points), corners.ViscousCellRecord, cells.corners, columns, rest, np.ones(len(cells))
    )


CELL_VISCOSITY = ElementKind(
    name="cell_viscosity",
    corners=8,
    columns=7,
    cost=20.0,
    of_body=damped_cells,
    records=records,
    element_columns=constants,
    record=corners.ViscousCellRecord,
    rest=corners.Strain,
    force_hessian=corners.viscous_cell_force_hessian,
    in_lanes=corners.viscous_cells,
    moved_rest=corners.viscous_cell_moved_rest,
    element=kernels.ViscousCell,
    gradient=kernels.viscous_cell_gradient,
    weight=kernels.viscous_cell_weight,
    affine=True,
    stress=kernels.viscous_cell_stress,
    squares=7,
    square=kernels.viscous_cell_square,
    spread=kernels.viscous_cell_spread,
    slope=kernels.viscous_cell_slope,
)
