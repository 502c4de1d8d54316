# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of all solid materials (kernels/elements/cells.py)."""

from dataclasses import dataclass

import numpy as np

from ..bodies import CELL_CORNERS, Cells
from ..kernels.elements import cells as kernels
from ..kernels.elements.cells_in_lanes import neo_hookean_cells
from .body_constants import damping_time, has_rest_values
from .element_kind import Columns, ElementKind
from .materials import CONTINUA, NEO_HOOKEAN
from .solid_moduli import moduli_of
from .vertex_records import records_of, structured

# Lower bound of the spread of material, and upper bound of the offset of its middle from that of
# the cell: corners with hardly any material are light, but keep some stiffness.
LEAST_SPREAD, FARTHEST = 0.02, 0.8
# Lower bounds of the fraction of the material in a cell that can deform, and of the evenness.
LEAST_FREE = LEAST_EVENNESS = 0.1


@dataclass
class CellElements(Columns):
    """All moduli [Pa], damping times [s]; `mu` and `lam` are those of the energy of F.

    `volume` [m³] of the material, times its evenness, over the fraction of it that can deform: the
    strain of that fraction is 1/fraction times that of the cell. `middle`, `spread` [cell, 3] and
    evenness as in `bodies.Filling`.
    """

    side: np.ndarray
    volume: np.ndarray
    middle: np.ndarray
    spread: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    lame_mu: np.ndarray
    lame_lam: np.ndarray
    damping_time: np.ndarray


def cells_of(body, settings):
    """The `CellElements` of a body of cells."""
    filling, side = body.filling, body.sides()
    stiff = np.maximum(filling.evenness, LEAST_EVENNESS)
    stiff /= np.maximum(1.0 - filling.held, LEAST_FREE)
    return CellElements(
        body.cells,
        side,
        side**3 * filling.part * stiff,
        np.clip(filling.middle, -FARTHEST, FARTHEST),
        np.maximum(filling.spread, LEAST_SPREAD),
        *moduli_of(body),
        damping_time(body, settings),
    )


def cells_of_material(name):
    """Return the function that gives the `CellElements` of a body of one material, or None."""

    def of_body(body, settings):
        is_mine = isinstance(body, Cells) and body.material.solid_model == name
        return cells_of(body, settings) if is_mine and not has_rest_values(body) else None

    return of_body


def steady_relaxation(cells):
    """The largest ω [cell] that converges: 1 + 2 μ/λ (docs/method.md, "Sweeps by color").

    In nearly incompressible cells the residual of sweeps rotates, faster with larger ω, and an
    initial guess that extrapolates such a motion amplifies it from step to step.
    """
    with np.errstate(divide="ignore"):
        return 1.0 + 2.0 * cells.lame_mu / cells.lame_lam


# At every second corner the axes towards the others form a left-handed system; there y and z are
# swapped.
CORNER = np.arange(8)
AXES = np.array([[0, 2, 1] if bin(k).count("1") % 2 else [0, 1, 2] for k in CORNER])


def others_of(corners):
    """The other corners, [cell, corner, 7], ordered by the bits of their offsets in each frame."""
    swapped = CORNER & 1 | (CORNER & 2) << 1 | (CORNER & 4) >> 1
    offset = np.where(AXES[:, 1:2] == 2, swapped, CORNER)[:, 1:]
    return corners[:, CORNER[:, None] ^ offset]


def seen_from_corners(values):
    """Values along the axes of cells [cell, 3] in the frame of each corner, [cell, corner, 3]."""
    return values[:, AXES]


def bending(cells, factor=1.0):
    """Fields of `Bending`, times a factor [cell]."""
    shear = factor * cells.volume * cells.lame_mu
    plane = 2.0 * cells.lame_lam * shear / (cells.lame_lam + 2.0 * cells.lame_mu)
    r, least = cells.spread, cells.spread.min(axis=1)
    # Factors of f_x × q_yz, f_y × q_xz and f_z × q_xy.
    cross = 2.0 * np.minimum(r[:, [1, 0, 0]], r[:, [2, 2, 1]]) - least[:, None]
    return {
        "floor": shear * least,
        "cross": shear[:, None] * cross,
        "rates": np.column_stack([shear * least, plane[:, None] * r]),
    }


def records(points, cells, _h):
    """Records of cells."""
    return records_of(len(points), kernels.CellRecord, cells, record_columns)


def record_columns(cells):
    """Fields of the `CellRecord` of every corner."""
    toward = np.where(CELL_CORNERS == 1, -1.0, 1.0)
    given = bending(cells)
    rates = given["rates"]
    fields = {
        "floor": given["floor"][:, None],
        "cross": seen_from_corners(given["cross"]),
        "rates": np.concatenate(
            [np.repeat(rates[:, None, :1], 8, axis=1), seen_from_corners(rates[:, 1:])], axis=2
        ),
    }
    return {
        "others": others_of(cells.corners),
        "gradient": 0.25 / cells.side,
        "middle": np.take_along_axis(cells.middle[:, None] * toward, AXES[None], axis=2),
        "mu": cells.mu * cells.volume,
        "lam": cells.lam * cells.volume,
        "bending": structured(kernels.Bending, (len(cells), 8), fields),
    }


def element_columns(_points, cells, _h):
    """Fields of `Cell`; near rest it is neo-Hookean with the same Lamé constants."""
    lam = cells.lame_lam + cells.lame_mu
    constants = cells.lame_mu * cells.volume, lam * cells.volume, 1.0 + cells.lame_mu / lam
    return exact_columns(_points, cells) | {
        "bending": structured(kernels.Bending, len(cells), bending(cells)),
        "near_rest": np.stack(constants, axis=1),
    }


def exact_columns(_points, cells):
    """Fields of `ExactCell`."""
    return {
        "gradient": 0.25 / cells.side,
        "middle": cells.middle,
        "mu": cells.mu * cells.volume,
        "lam": cells.lam * cells.volume,
        "bending": structured(kernels.ExactBending, len(cells), bending(cells)),
    }


def cell_kind(material, name, in_lanes=None):
    """The kind of cells of a `SolidMaterial`."""
    return ElementKind(
        name=name,
        corners=8,
        columns=7,
        cost=70.0 if in_lanes is None else 20.0,
        of_body=cells_of_material(material.name),
        records=records,
        element_columns=element_columns,
        exact_columns=exact_columns,
        relaxation=steady_relaxation,
        record=kernels.CellRecord,
        in_lanes=in_lanes,
        element=kernels.Cell,
        gradient=kernels.cell_gradient,
        weight=kernels.cell_weight,
        affine=True,
        squares=1,
        square=kernels.cell_square,
        spread=kernels.cell_spread,
        shear=kernels.cell_shear,
        turning=kernels.cell_turning,
        volume=kernels.cell_volume,
        exact=kernels.ExactCell,
        **kernels.cell_functions(material),
    )


NEO_HOOKEAN_CELLS = cell_kind(NEO_HOOKEAN, "cells", neo_hookean_cells)
CONTINUUM_CELLS = tuple(cell_kind(material, f"{material.name}_cells") for material in CONTINUA)
