# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds of cloth under its weight: lengths for the fabric, and for its mesh.

A sheet of flexural rigidity D [N m] and density ρ [kg/m²] folds under its weight at the length
(D/(ρ g))^⅓ [m] (Bickley 1934). Faces cannot fold within themselves, so a mesh whose triangles are
as long as L = √(2A) has no folds below `SHORTEST` L, and carries these as if its rigidity were

    D_mesh = max(D, ρ g (SHORTEST L)³).

Folds within a compressed face are shorter than folds over several faces, by `WITHIN`.
"""

import numpy as np

SHORTEST = 0.5
"""Fold length of a mesh as a fraction of the length of its triangles."""
WITHIN = 0.4
"""Length of folds within a face as a fraction of that."""


def fold_length(rigidity, density, gravity):
    """Length [m] at which a sheet of flexural rigidity D [N m] folds under its weight; infinite
    without weight. Density [kg/m²], gravity [m/s²]; numbers or arrays.
    """
    weight = np.asarray(density, dtype=float) * gravity
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(weight > 0.0, np.cbrt(np.asarray(rigidity) / weight), np.inf)


def mesh_fold_length(areas):
    """Length [m] of the shortest fold that triangles with these areas [m²] can carry."""
    return SHORTEST * np.sqrt(2.0 * np.asarray(areas, dtype=float))


def mesh_rigidity(rigidity, density, gravity, areas):
    """D_mesh [N m] of every triangle from D [N m], density [kg/m²], gravity [m/s²] and area [m²];
    D itself where there is no gravity.
    """
    return np.maximum(rigidity, density * gravity * mesh_fold_length(areas) ** 3)


def buckling_load(rigidity, density, gravity, areas):
    """N_c = π² D/L² [N/m] of every triangle: Euler buckling of a strip of its length L = √(2A),
    with the rigidity D of folds within a face; arguments as for `mesh_rigidity`.
    """
    folds = np.maximum(rigidity, density * gravity * (WITHIN * mesh_fold_length(areas)) ** 3)
    return np.pi**2 * folds / (2.0 * np.asarray(areas))
