# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells and tets of stiff bodies (stiffness.py), which see displacements."""

from dataclasses import dataclass

import numpy as np

from ..bodies import CELL_CORNERS, Solid
from ..bodies import Cells as CellBody
from ..kernels.elements import stiff_cells, stiff_tets
from ..kernels.elements import tets as tet_kernels
from .cells import AXES, Cells, bending, cells_of, record_columns, steady_relaxation
from .kind import ElementKind
from .records import in_vertex_order, structured
from .stiffness import is_stiff, put_down
from .tets import (
    OPPOSITE_FACE,
    Tets,
    exact_columns,
    own_stiffness,
    shear_laplacian,
    tet_gradients,
    tets_of,
)


@dataclass
class StiffCells(Cells):
    """Those of a body that was put down with a rotation `turn` R, [cell, 3, 3]."""

    turn: np.ndarray


@dataclass
class StiffTets(Tets):
    """The same, [tet, 3, 3]."""

    turn: np.ndarray


def turned(columns, of, body):
    """Columns of a class `of`, with the rotation of their body."""
    turn = np.broadcast_to(put_down(body.rest_points, body.points)[0], (len(columns), 3, 3))
    return of(*vars(columns).values(), turn)


def stiff_cells_of(body, settings):
    """The `StiffCells` of a body."""
    if isinstance(body, CellBody) and is_stiff(body):
        return turned(cells_of(body, settings), StiffCells, body)
    return None


def stiff_tets_of(body, settings):
    """The `StiffTets` of a body."""
    if isinstance(body, Solid) and is_stiff(body):
        return turned(tets_of(body, settings), StiffTets, body)
    return None


def cell_records(points, cells, _h):
    """Records of cells; those of the axes R e of a corner point away from it."""
    columns = record_columns(cells)
    axes = corner_axes(cells.turn)
    for k, name in enumerate(("axis_x", "axis_y", "axis_z")):
        columns[name] = axes[..., k]
    return in_vertex_order(len(points), stiff_cells.StiffCellRecord, cells.corners, columns)


def corner_axes(turn):
    """R [cell, corner, 3, 3] in the axes of every corner, from that in the axes of the cell."""
    toward = np.where(CELL_CORNERS == 1, -1.0, 1.0)
    columns = turn.swapaxes(1, 2)[:, None] * toward[:, :, None]
    return np.take_along_axis(columns, AXES[None, :, :, None], axis=2).swapaxes(2, 3)


def cell_columns(_points, cells, h=None):
    """Fields of `StiffCell` and, with the kernel's own type of bending, of `ExactStiffCell`."""
    of_bending = stiff_cells.Bending if h is not None else stiff_cells.ExactBending
    return {
        "gradient": 0.25 / cells.side,
        "middle": cells.middle,
        "turn": cells.turn,
        "mu": cells.mu * cells.volume,
        "lam": cells.lam * cells.volume,
        "bending": structured(of_bending, len(cells), bending(cells)),
    }


def tet_records(points, tets, _h):
    """Records of tets."""
    volumes, _gradients = tet_gradients(points, tets.corners)
    own = np.arange(4)[:, None]
    faces = tets.corners[:, OPPOSITE_FACE]
    ways = points[faces] - points[tets.corners][:, :, None]
    ways = np.einsum("tij,tcfj->tcfi", tets.turn, ways)
    laplacian = shear_laplacian(points, tets)
    columns = {
        "volume_stiffness": tets.lam / (36.0 * volumes),
        "pressure": tets.mu / 6.0,
    }
    for k, letter in enumerate("abc"):
        columns[letter] = faces[:, :, k]
        columns[f"weight_{letter}"] = laplacian[:, own, OPPOSITE_FACE][:, :, k]
        columns[f"rest_{letter}"] = ways[:, :, k]
    records = in_vertex_order(len(points), stiff_tets.StiffTetRecord, tets.corners, columns)
    records.diagonal = own_stiffness(points, tets, laplacian)
    return records


def tet_columns(points, tets, _h):
    """Fields of `StiffTet`."""
    return exact_columns(points, tets) | {"turn": tets.turn}


def exact_tet_columns(points, tets):
    """Fields of `ExactTet`, turned like records."""
    columns = exact_columns(points, tets)
    turned_gradients = np.einsum("tij,tcj->tci", tets.turn, columns["gradients"])
    return columns | {"gradients": turned_gradients}


STIFF_CELLS = ElementKind(
    name="stiff_cells",
    corners=8,
    columns=7,
    cost=22.0,
    of_body=stiff_cells_of,
    records=cell_records,
    element_columns=cell_columns,
    exact_columns=cell_columns,
    relaxation=steady_relaxation,
    record=stiff_cells.StiffCellRecord,
    force_hessian=stiff_cells.force_hessian,
    in_lanes=stiff_cells.cells_in_lanes,
    element=stiff_cells.StiffCell,
    gradient=stiff_cells.cell_gradient,
    weight=stiff_cells.cell_weight,
    affine=True,
    from_rest=True,
    stress=stiff_cells.cell_stress,
    squares=1,
    square=stiff_cells.cell_square,
    spread=stiff_cells.cell_spread,
    shear=stiff_cells.cell_shear,
    turning=stiff_cells.cell_turning,
    slope=stiff_cells.cell_slope,
    volume=stiff_cells.cell_volume,
    exact=stiff_cells.ExactStiffCell,
    energy=stiff_cells.cell_energy,
)
STIFF_TETS = ElementKind(
    name="stiff_tets",
    corners=4,
    columns=3,
    cost=20.0,
    of_body=stiff_tets_of,
    records=tet_records,
    element_columns=tet_columns,
    exact_columns=exact_tet_columns,
    record=stiff_tets.StiffTetRecord,
    diagonal=True,
    force_hessian=stiff_tets.force_hessian,
    element=stiff_tets.StiffTet,
    gradient=stiff_tets.gradient,
    weight=stiff_tets.weight,
    affine=True,
    from_rest=True,
    stress=stiff_tets.stress,
    squares=1,
    square=stiff_tets.square,
    shear=stiff_tets.shear,
    turning=stiff_tets.turning,
    slope=stiff_tets.slope,
    volume=stiff_tets.volume,
    exact=tet_kernels.ExactTet,
    energy=stiff_tets.energy,
)
