# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets of all solid materials (kernels/elements/tets.py, continua.py)."""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import warp as wp

from ..bodies import Solid
from ..kernels.elements import continua
from ..kernels.elements import tets as kernels
from ..kernels.elements.crushed import ONSET
from ..topology.blocks import blocks
from ..topology.meshes import cross, tet_edges
from .body_constants import NEO_HOOKEAN, damping_time, yields
from .element_kind import Columns, ElementKind
from .materials import CONTINUA
from .solid_moduli import moduli_of
from .vertex_records import fill_rows, records_of, rows_in_vertex_order

CORNERS = np.arange(4)
# The face opposite to each corner of a tet, wound such that the rest volume is positive.
OPPOSITE_FACE = np.array([[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]])
OTHER_CORNERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


@dataclass
class Tets(Columns):
    """All moduli [Pa], damping times [s]; `mu` and `lam` are those of the energy."""

    mu: np.ndarray
    lam: np.ndarray
    lame_mu: np.ndarray
    lame_lam: np.ndarray
    damping_time: np.ndarray


def tet_gradients(points, tets):
    """Rest volumes V₀ [tet] and shape-function gradients g [tet, 4, 3] of positively wound tets, a
    view of [4, 3, tet]: NumPy is fast along components.
    """
    a, b, c = tet_edges(points, tets)
    gradients = np.empty((4, 3, len(tets)))
    for k, edges in enumerate(((b, c), (c, a), (a, b)), start=1):
        gradients[k] = cross(*edges)
    six_volumes = sum(a * gradients[1])
    gradients[1:] /= six_volumes
    np.negative(gradients[1] + gradients[2] + gradients[3], out=gradients[0])
    return six_volumes / 6.0, gradients.transpose(2, 0, 1)


def tets_of(body, settings):
    """The `Tets` of a solid."""
    return Tets(body.tets, *moduli_of(body), damping_time(body, settings))


def tets_of_material(name):
    """Return the function that gives the `Tets` of a solid of one material, or None."""

    def of_body(body, settings):
        is_mine = isinstance(body, Solid) and body.material.solid_model == name
        return tets_of(body, settings) if is_mine and not yields(body) else None

    return of_body


def reduced_records(points, tets, _h):
    """Records in reduced form."""
    rows = np.zeros(tets.corners.shape, dtype=kernels.TetRecord.numpy_dtype())
    own, weights = np.empty(tets.corners.shape), np.empty((*tets.corners.shape, 4), np.float32)
    for block in blocks(len(tets)):
        columns, own[block], weights[block] = _reduced(points, tets[block])
        fill_rows(rows[block], columns)
    records = rows_in_vertex_order(len(points), tets.corners, rows)
    records.rest = weights.reshape(-1, 4)[records.by_vertex]
    records.diagonal = np.bincount(tets.corners.ravel(), own.ravel(), minlength=len(points))
    return records


def _reduced(points, tets):
    """Columns of `TetRecord`s, the constant term of the block of each corner [tet, 4], and the
    weights of a crushed corner [tet, 4, 4].
    """
    volumes, gradients = tet_gradients(points, tets.corners)
    columns = {
        "rest": 6.0 * volumes * (1.0 + tets.mu / tets.lam),
        "volume_stiffness": tets.lam / (36.0 * volumes),
    }
    g, laplacian = gradients.transpose(1, 2, 0), np.empty((4, 4, len(tets)))
    for i, j in combinations_with_replacement(range(4), 2):
        laplacian[i, j] = laplacian[j, i] = tets.mu * volumes * sum(g[i] * g[j])
    for letter, seen in zip("abc", OPPOSITE_FACE.T, strict=True):
        columns[letter] = tets.corners[:, seen]
        columns[f"weight_{letter}"] = laplacian[CORNERS, seen].T
    a, b, c = OPPOSITE_FACE.T
    onset = np.minimum((ONSET * tets.mu / (tets.lam + tets.mu)) ** 2, 1.0)
    shear = onset * tets.mu * volumes
    inverse = np.divide(1.0, shear, out=np.zeros(len(tets)), where=shear > 0.0)
    weights = laplacian[a, b], laplacian[b, c], laplacian[c, a], np.tile(inverse, (4, 1))
    return columns, laplacian[CORNERS, CORNERS].T, np.stack(weights, axis=2).transpose(1, 0, 2)


def reduced_columns(points, tets, _h):
    """Fields of `Tet`."""
    volumes, gradients = tet_gradients(points, tets.corners)
    # Rounded as in the records, for the same stiffness and rest volume.
    stiffness = np.float32(tets.lam / (36.0 * volumes))
    rest = np.float32(6.0 * volumes * (1.0 + tets.mu / tets.lam))
    return {
        "gradients": gradients[:, 1:],
        "shear": tets.mu * volumes,
        "bulk": 36.0 * volumes**2 * stiffness,
        "rest": rest / (6.0 * volumes),
    }


def exact_columns(points, tets):
    """Fields of `ExactTet` and `ExactContinuum`."""
    volumes, gradients = tet_gradients(points, tets.corners)
    return {"gradients": gradients[:, 1:], "mu": tets.mu * volumes, "lam": tets.lam * volumes}


def gradient_columns(points, corners):
    """Rest volumes [tet], and columns of a record: the other corners and their gradients."""
    volumes, gradients = tet_gradients(points, corners)
    columns = {}
    for k, letter in enumerate("abc"):
        columns[letter] = corners[:, OTHER_CORNERS[:, k]]
        columns[f"gradient_{letter}"] = gradients[:, OTHER_CORNERS[:, k]]
    return volumes, columns


def continuum_records(points, tets, _h):
    """Records of tets whose material needs F."""

    def columns_of(tets):
        volumes, columns = gradient_columns(points, tets.corners)
        return columns | {"mu": tets.mu * volumes, "lam": tets.lam * volumes}

    return records_of(len(points), continua.ContinuumRecord, tets, columns_of)


def continuum_columns(points, tets, _h):
    """Fields of `Continuum`; near rest it is neo-Hookean with the same Lamé constants."""
    volumes, gradients = tet_gradients(points, tets.corners)
    lam = tets.lame_lam + tets.lame_mu
    alpha = 1.0 + tets.lame_mu / lam
    return {
        "gradients": gradients[:, 1:],
        "mu": tets.mu * volumes,
        "lam": tets.lam * volumes,
        "near_rest": np.stack([tets.lame_mu * volumes, lam * volumes, alpha], axis=1),
    }


def continuum_kind(material):
    """The kind of tets of a `SolidMaterial` that needs F."""
    return ElementKind(
        name=f"{material.name}_tets",
        corners=4,
        columns=3,
        cost=60.0,
        of_body=tets_of_material(material.name),
        records=continuum_records,
        element_columns=continuum_columns,
        exact_columns=exact_columns,
        record=continua.ContinuumRecord,
        element=continua.Continuum,
        gradient=continua.continuum_gradient,
        weight=continua.continuum_weight,
        affine=True,
        squares=1,
        square=continua.continuum_square,
        shear=continua.continuum_shear,
        turning=continua.continuum_turning,
        volume=continua.continuum_volume,
        exact=continua.ExactContinuum,
        **continua.continuum_functions(material),
    )


NEO_HOOKEAN_TETS = ElementKind(
    name="tets",
    corners=4,
    columns=3,
    cost=12.0,
    of_body=tets_of_material(NEO_HOOKEAN),
    records=reduced_records,
    element_columns=reduced_columns,
    exact_columns=exact_columns,
    record=kernels.TetRecord,
    rest=wp.vec4,
    diagonal=True,
    force_hessian=kernels.tet_force_hessian,
    element=kernels.Tet,
    gradient=kernels.tet_gradient,
    weight=kernels.tet_weight,
    affine=True,
    stress=kernels.tet_stress,
    squares=1,
    square=kernels.tet_square,
    shear=kernels.tet_shear,
    turning=kernels.tet_turning,
    slope=kernels.tet_slope,
    sampled_stress=kernels.tet_sampled_stress,
    sampled=kernels.tet_sampled,
    volume=kernels.tet_volume,
    exact=kernels.ExactTet,
    energy=kernels.tet_energy,
)
CONTINUUM_TETS = tuple(continuum_kind(material) for material in CONTINUA)
