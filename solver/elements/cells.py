# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of all solid materials (kernels/elements/cells.py)."""

from dataclasses import dataclass

import numpy as np

from ..bodies import Cells as CellBody
from ..kernels.elements import cells as kernels
from .kind import Columns, ElementKind
from .materials import CONTINUA, NEO_HOOKEAN, divides_by_lam, solid_constants, solid_lame
from .of_bodies import damping_time, elastic_per_element
from .records import in_vertex_order


@dataclass
class Cells(Columns):
    """All moduli [Pa], damping times [s]; `mu` and `lam` are those of the energy of F."""

    side: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    lame_mu: np.ndarray
    lame_lam: np.ndarray
    damping_time: np.ndarray

    @property
    def volume(self):
        return self.side**3

    @property
    def plane(self):
        """Lamé's second constant in plane stress [Pa]."""
        return 2.0 * self.lame_lam * self.lame_mu / (self.lame_lam + 2.0 * self.lame_mu)


def cells_of(body, settings):
    """The `Cells` of a body of cells."""
    m = elastic_per_element(body)
    mu, lam = solid_constants(m)
    if divides_by_lam(m.solid_model) and (lam <= 0.0).any():
        raise ValueError(f"{body.name}: λ must be above zero for a neo-Hookean solid; raise ν or λ")
    return Cells(body.cells, body.sides(), mu, lam, *solid_lame(m), damping_time(body, settings))


def cells_of_material(name):
    """The function that takes the `Cells` of bodies of one material."""

    def of_body(body, settings):
        if isinstance(body, CellBody) and body.material.solid_model == name:
            return cells_of(body, settings)
        return None

    return of_body


def others_of(corners):
    """The other corners, [cell, corner, 7], by the bits of their offsets along the axes of each.

    At every second corner these are a left-handed system; there y and z change places.
    """
    number = np.arange(8)
    swapped = number & 1 | (number & 2) << 1 | (number & 4) >> 1
    odd = [bin(corner).count("1") % 2 == 1 for corner in number]
    offset = np.where(np.array(odd)[:, None], swapped, number)[:, 1:]
    return corners[:, number[:, None] ^ offset]


def constants(cells):
    """What records and elements both have."""
    return {
        "gradient": 0.25 / cells.side,
        "mu": cells.mu * cells.volume,
        "lam": cells.lam * cells.volume,
        "shear": cells.lame_mu * cells.volume,
        "plane": cells.plane * cells.volume,
    }


def records(points, cells, _h):
    """Records of cells, alike for all of their corners."""
    columns = {"others": others_of(cells.corners)} | constants(cells)
    return in_vertex_order(len(points), kernels.CellRecord, cells.corners, columns)


def element_columns(_points, cells, _h):
    """Fields of `Cell`; near rest it is neo-Hookean with the same Lamé constants."""
    lam = cells.lame_lam + cells.lame_mu
    alpha = 1.0 + cells.lame_mu / lam
    return constants(cells) | {"near_rest": np.stack([lam * cells.volume, alpha], axis=1)}


def exact_columns(_points, cells):
    """Fields of `ExactCell`."""
    return constants(cells)


def vertex_mass(cells, mass):
    """Mass of every vertex [kg] from that of the vertices when each cell leaves an eighth at each
    of its corners.

    That makes the moment of inertia of a cell three times too large. Half of the excess goes by
    moving mass along the edges of cells, a sixth of the difference, from light vertices to heavy
    ones, as waves are fastest right with the mean of lumped and consistent mass (Goudreau and
    Taylor 1973). No vertex gives away more than half.
    """
    along = np.concatenate(
        [cells[:, [k, k | bit]] for bit in (1, 2, 4) for k in range(8) if not k & bit]
    )
    light, heavy = np.unique(np.sort(along, axis=1), axis=0).T
    swap = mass[light] > mass[heavy]
    light, heavy = np.where(swap, heavy, light), np.where(swap, light, heavy)
    given = (mass[heavy] - mass[light]) / 6.0
    total = np.bincount(light, given, minlength=len(mass))
    part = np.minimum(1.0, 0.5 * mass / np.maximum(total, 1e-300))
    given = given * part[light]
    gained = np.bincount(heavy, given, minlength=len(mass))
    return mass + gained - np.bincount(light, given, minlength=len(mass))


def cell_kind(material, name):
    """The kind of cells of a `SolidMaterial`."""
    return ElementKind(
        name=name,
        corners=8,
        columns=7,
        cost=70.0,
        of_body=cells_of_material(material.name),
        records=records,
        element_columns=element_columns,
        exact_columns=exact_columns,
        record=kernels.CellRecord,
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


NEO_HOOKEAN_CELLS = cell_kind(NEO_HOOKEAN, "cells")
CONTINUUM_CELLS = tuple(cell_kind(material, f"{material.name}_cells") for material in CONTINUA)
