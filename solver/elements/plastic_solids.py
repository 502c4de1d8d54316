# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells and tets that keep a change of shape (kernels/elements/plastic_solids.py)."""

from dataclasses import dataclass, fields

import numpy as np

from ..bodies import Cells as CellBody
from ..bodies import Solid
from ..kernels.elements import cells as cell_kernels
from ..kernels.elements import continua
from ..kernels.elements import plastic_cells as of_cells
from ..kernels.elements import plastic_tets as of_tets
from ..kernels.elements.linear_algebra import vec6, vec18
from .cells import (
    CORNER,
    Cells,
    cells_of,
    element_columns,
    exact_columns,
    record_columns,
    steady_relaxation,
)
from .kind import ElementKind, Plastic
from .of_bodies import limit_of, per_element, yields
from .records import in_vertex_order
from .tets import Tets, continuum_columns, gradient_columns, tets_of
from .tets import exact_columns as exact_tets

# A is the identity; and cells are not bent.
AS_MADE = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
STRAIGHT = (0.0,) * 12


@dataclass
class PlasticCells(Cells, Plastic):
    """Cells with what they are at rest: A and the b [cell, 18]; `limit` is a strain."""

    rest: np.ndarray


@dataclass
class PlasticTets(Tets, Plastic):
    """Tets with A [tet, 6]."""

    rest: np.ndarray


def plastic(columns, kind, body, rest):
    """`columns` of a body as those of a plastic `kind`, each with the same `rest` value."""
    count = len(columns)
    limit = limit_of(per_element(body, "yield strain", body.material.yield_strain))
    made = {f.name: getattr(columns, f.name) for f in fields(columns)}
    return kind(
        **made,
        limit=limit,
        flow_time=np.full(count, body.material.flow_time),
        state=np.arange(count),
        rest=np.tile(rest, (count, 1)),
    )


def plastic_cells_of(body, settings):
    """The cells of a body that yields."""
    if not isinstance(body, CellBody) or not yields(body):
        return None
    return plastic(cells_of(body, settings), PlasticCells, body, AS_MADE + STRAIGHT)


def plastic_tets_of(body, settings):
    """The tets of a body that yields."""
    if not isinstance(body, Solid) or not yields(body):
        return None
    return plastic(tets_of(body, settings), PlasticTets, body, AS_MADE)


def cell_records(points, cells, _h):
    """Records of cells, with the numbers of their corners."""
    columns = record_columns(cells) | {"corner": np.tile(CORNER, (len(cells), 1))}
    return in_vertex_order(
        len(points), of_cells.PlasticCellRecord, cells.corners, columns, cells.rest
    )


def tet_records(points, tets, _h):
    """Records of tets."""
    volumes, columns = gradient_columns(points, tets.corners)
    columns["mu"], columns["lam"] = tets.mu * volumes, tets.lam * volumes
    return in_vertex_order(len(points), continua.ContinuumRecord, tets.corners, columns, tets.rest)


PLASTIC_CELLS = ElementKind(
    name="plastic_cells",
    corners=8,
    columns=7,
    cost=80.0,
    of_body=plastic_cells_of,
    records=cell_records,
    element_columns=element_columns,
    exact_columns=lambda points, cells: exact_columns(points, cells) | {"rest": cells.rest},
    relaxation=steady_relaxation,
    record=of_cells.PlasticCellRecord,
    rest=vec18,
    force_hessian=of_cells.plastic_cell_force_hessian,
    flowed=of_cells.cell_flowed,
    element=cell_kernels.Cell,
    gradient=cell_kernels.cell_gradient,
    weight=cell_kernels.cell_weight,
    affine=True,
    stress=of_cells.plastic_cell_stress,
    squares=1,
    square=of_cells.plastic_cell_square,
    spread=of_cells.plastic_cell_spread,
    shear=cell_kernels.cell_shear,
    turning=of_cells.plastic_cell_turning,
    slope=of_cells.plastic_cell_slope,
    volume=cell_kernels.cell_volume,
    exact=of_cells.ExactPlasticCell,
    energy=of_cells.plastic_cell_energy,
)
PLASTIC_TETS = ElementKind(
    name="plastic_tets",
    corners=4,
    columns=3,
    cost=40.0,
    of_body=plastic_tets_of,
    records=tet_records,
    element_columns=continuum_columns,
    exact_columns=lambda points, tets: exact_tets(points, tets) | {"rest": tets.rest},
    record=continua.ContinuumRecord,
    rest=vec6,
    force_hessian=of_tets.plastic_tet_force_hessian,
    flowed=of_tets.tet_flowed,
    element=continua.Continuum,
    gradient=continua.continuum_gradient,
    weight=continua.continuum_weight,
    affine=True,
    stress=of_tets.plastic_tet_stress,
    squares=1,
    square=of_tets.plastic_tet_square,
    spread=of_tets.plastic_tet_spread,
    shear=continua.continuum_shear,
    turning=of_tets.plastic_tet_turning,
    slope=of_tets.plastic_tet_slope,
    volume=continua.continuum_volume,
    exact=of_tets.ExactPlasticTet,
    energy=of_tets.plastic_tet_energy,
)
