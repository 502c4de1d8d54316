# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells and tets with a rest shape of their own (kernels/elements/plastic_solids.py): plastic
solids, cells with an unstressed shape, and the viscosity of damped solids.
"""

from dataclasses import dataclass, fields

import numpy as np

from ..bodies import CELL_CORNERS, Cells, Solid
from ..kernels.elements import cells as cell_kernels
from ..kernels.elements import continua
from ..kernels.elements import plastic_cells as of_cells
from ..kernels.elements import plastic_corners as corners
from ..kernels.elements import plastic_tets as of_tets
from ..kernels.elements.hourglass import ExactBending
from ..kernels.elements.linear_algebra import vec6, vec7, vec18, vec20
from ..messages import message
from .body_constants import (
    NEO_HOOKEAN,
    has_rest_values,
    is_damped,
    limit_of,
    per_element,
    yields,
)
from .cells import (
    CellElements,
    bending,
    cells_of,
    exact_columns,
    steady_relaxation,
)
from .element_kind import ElementKind, Plastic
from .tets import Tets, gradient_columns, tet_gradients, tets_of
from .tets import exact_columns as exact_tets
from .unstressed_cells import scaled_bending, unstressed_state
from .vertex_records import in_vertex_order, structured

# Initial rest values: A is the identity, and cells are not bent.
AS_MADE = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
STRAIGHT = (0.0,) * 12
# Stands for no damping in a frame, below all rounding: kernels divide by λ.
UNDAMPED = 1e-20


@dataclass
class PlasticCells(CellElements, Plastic):
    """Cells with the rest values A and b [cell, 18]; `limit` is a strain. `swelling` [cell] is s of
    plastic_solids.py, and `mu` and `lam` contain it.
    """

    rest: np.ndarray
    swelling: np.ndarray


@dataclass
class PlasticTets(Tets, Plastic):
    """Tets with the rest values A [tet, 6]."""

    rest: np.ndarray


def plastic(columns, kind, body, **more):
    """Return `columns` of a body as columns of a plastic `kind`, with `more` of them."""
    limit = limit_of(per_element(body, "yield strain", body.material.yield_strain))
    flow_time = np.full(len(columns), body.material.flow_time)
    made = {f.name: getattr(columns, f.name) for f in fields(columns)}
    made |= {"limit": limit, "flow_time": flow_time, "state": np.arange(len(columns))}
    return kind(**(made | more))


def plastic_cells_of(body, settings):
    """The `PlasticCells` of a body that is plastic or has an unstressed shape, or None."""
    if not isinstance(body, Cells) or not has_rest_values(body):
        return None
    if body.material.solid_model != NEO_HOOKEAN:
        raise ValueError(message("material.keeps_shape_model", name=body.name))
    cells = cells_of(body, settings)
    if body.unstressed_points is None:
        rest, swelling = np.tile(AS_MADE + STRAIGHT, (len(cells), 1)), np.ones(len(cells))
    else:
        rest, swelling = unstressed_state(body, cells)
    mu, lam = cells.mu * swelling, cells.lam / swelling**3
    return plastic(cells, PlasticCells, body, rest=rest, swelling=swelling, mu=mu, lam=lam)


def plastic_tets_of(body, settings):
    """The `PlasticTets` of a plastic body, or None."""
    if not isinstance(body, Solid) or not yields(body):
        return None
    tets = tets_of(body, settings)
    return plastic(tets, PlasticTets, body, rest=np.tile(AS_MADE, (len(tets), 1)))


def viscous(body, columns):
    """Return the damped elements as neo-Hookean ones with the same Lamé constants."""
    columns = columns[is_damped(body, columns)]
    columns.mu, columns.lam = columns.lame_mu, columns.lame_lam + columns.lame_mu
    return columns


def viscous_cells_of(body, settings):
    """Damped cells of any material."""
    return viscous(body, cells_of(body, settings)) if isinstance(body, Cells) else None


def viscous_tets_of(body, settings):
    """Damped tets of any material."""
    return viscous(body, tets_of(body, settings)) if isinstance(body, Solid) else None


def elastic(solids, _h):
    """Stiffness factor, blend of damping, and rest values A and b of plastic solids."""
    return np.ones(len(solids)), np.zeros(len(solids)), solids.rest


def viscosity(solids, h):
    """Stiffness factor, blend and rest values of viscosity, undeformed until the first step."""
    count = len(solids)
    factor = np.maximum(solids.damping_time / h, UNDAMPED)
    return factor, np.ones(count), np.tile(AS_MADE + STRAIGHT, (count, 1))


def alpha_of(solids):
    """α of solids at rest."""
    if isinstance(solids, PlasticCells):
        s = solids.swelling
        return s**3 + solids.mu / (solids.lam * s)
    return 1.0 + solids.mu / solids.lam


def bending_of(cells, factor=1.0):
    """Fields of `Bending`."""
    given = bending(cells, factor)
    if isinstance(cells, PlasticCells):
        given = scaled_bending(given, cells.rest, cells.swelling)
    return given


def cell_columns(cells, factor):
    """Columns that records and elements of cells share."""
    return {
        "gradient": 0.25 / cells.side,
        "middle": cells.middle,
        "mu": factor * cells.mu * cells.volume,
        "lam": factor * cells.lam * cells.volume,
        "bending": structured(cell_kernels.Bending, len(cells), bending_of(cells, factor)),
    }


def exact_cells(points, cells):
    """Fields of `ExactPlasticCell`."""
    return exact_columns(points, cells) | {
        "bending": structured(ExactBending, len(cells), bending_of(cells)),
        "rest": cells.rest,
        "swelling": cells.swelling,
    }


def cell_kind(name, of_body, stiffness_of, **others):
    """Make a kind of cells that flow, plastic or viscous, with the stiffness of `stiffness_of`."""

    def records(points, cells, h):
        factor, blend, rest = stiffness_of(cells, h)
        columns = cell_columns(cells, factor)
        columns["middle"] = np.repeat(cells.middle[:, None], 8, axis=1)
        columns["corners"] = np.repeat(cells.corners[:, None], 8, axis=1)
        columns["signs"] = np.broadcast_to(2.0 * CELL_CORNERS - 1.0, (len(cells), 8, 3))
        columns["bending"] = np.repeat(columns["bending"], 8).reshape(-1, 8)
        rest = np.column_stack([rest, alpha_of(cells), np.ones(len(cells))])
        return in_vertex_order(
            len(points), corners.PlasticCellRecord, cells.corners, columns, rest, blend
        )

    def element_columns(_points, cells, h):
        columns = cell_columns(cells, stiffness_of(cells, h)[0])
        near_rest = columns["mu"], columns["lam"], alpha_of(cells)
        return columns | {"near_rest": np.stack(near_rest, axis=1)}

    return ElementKind(
        name=name,
        corners=8,
        columns=7,
        cost=30.0,
        of_body=of_body,
        records=records,
        element_columns=element_columns,
        record=corners.PlasticCellRecord,
        rest=vec20,
        force_hessian=corners.plastic_cell_force_hessian,
        in_lanes=corners.plastic_cells,
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
        **others,
    )


def tet_kind(name, of_body, stiffness_of, **others):
    """Make a kind of tets that flow, plastic or viscous, with the stiffness of `stiffness_of`."""

    def records(points, tets, h):
        factor, blend, rest = stiffness_of(tets, h)
        volumes, columns = gradient_columns(points, tets.corners)
        columns["mu"] = factor * tets.mu * volumes
        columns["lam"] = factor * tets.lam * volumes
        rest = np.column_stack([rest[:, :6], 1.0 + tets.mu / tets.lam])
        return in_vertex_order(
            len(points), continua.ContinuumRecord, tets.corners, columns, rest, blend
        )

    def element_columns(points, tets, h):
        volumes, gradients = tet_gradients(points, tets.corners)
        factor = stiffness_of(tets, h)[0] * volumes
        near_rest = factor * tets.mu, factor * tets.lam, 1.0 + tets.mu / tets.lam
        return {
            "gradients": gradients[:, 1:],
            "mu": near_rest[0],
            "lam": near_rest[1],
            "near_rest": np.stack(near_rest, axis=1),
        }

    return ElementKind(
        name=name,
        corners=4,
        columns=3,
        cost=40.0,
        of_body=of_body,
        records=records,
        element_columns=element_columns,
        record=continua.ContinuumRecord,
        rest=vec7,
        force_hessian=of_tets.plastic_tet_force_hessian,
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
        **others,
    )


PLASTIC_CELLS = cell_kind(
    "plastic_cells",
    plastic_cells_of,
    elastic,
    exact_columns=exact_cells,
    relaxation=steady_relaxation,
    flowing=vec18,
    flowed=of_cells.cell_flowed,
    volume=cell_kernels.cell_volume,
    exact=of_cells.ExactPlasticCell,
    energy=of_cells.plastic_cell_energy,
)
CELL_VISCOSITY = cell_kind(
    "cell_viscosity",
    viscous_cells_of,
    viscosity,
    moved_rest=corners.rest_of_cell,
    rest_in_lanes=corners.rest_of_cells,
)
PLASTIC_TETS = tet_kind(
    "plastic_tets",
    plastic_tets_of,
    elastic,
    exact_columns=lambda points, tets: exact_tets(points, tets) | {"rest": tets.rest},
    flowing=vec6,
    flowed=of_tets.tet_flowed,
    volume=continua.continuum_volume,
    exact=of_tets.ExactPlasticTet,
    energy=of_tets.plastic_tet_energy,
)
TET_VISCOSITY = tet_kind(
    "tet_viscosity", viscous_tets_of, viscosity, moved_rest=of_tets.rest_of_tet
)
