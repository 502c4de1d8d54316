# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of all bodies of a scene, one struct of each kind."""

from dataclasses import dataclass

import numpy as np

from .. import elements
from ..bodies import Cells, Cloth, Grains, Rod, Solid
from ..elements.element_kind import Columns
from ..elements.solid_moduli import lame_of


@dataclass
class JoinedTets(Columns):
    """All tets of a scene with Lamé's constants [Pa]."""

    lame_mu: np.ndarray
    lame_lam: np.ndarray


@dataclass
class CellMesh(Columns):
    """All cells of a scene with Lamé's constants [Pa]; `part` is the filled fraction of each."""

    lame_mu: np.ndarray
    lame_lam: np.ndarray
    part: np.ndarray


@dataclass
class JoinedTriangles(Columns):
    """All triangles of cloth with their shear stiffness [N/m]."""

    shear: np.ndarray


@dataclass
class Edges(Columns):
    """All edges of rods."""


@dataclass
class LoneVertices(Columns):
    """All grains, [grain, 1]."""


def mesh_of(body):
    """Return the mesh of a body, one of the structs of `NO_MESH`; None of a rigid one."""
    if isinstance(body, Solid):
        return JoinedTets(body.tets, *lame_of(body))
    if isinstance(body, Cells):
        return CellMesh(body.cells, *lame_of(body), body.filling.part)
    if isinstance(body, Cloth):
        return JoinedTriangles(body.triangles, elements.triangles.shear_stiffness(body))
    if isinstance(body, Grains):
        return LoneVertices(body.elements)
    return Edges(body.edges) if isinstance(body, Rod) else None


NO_MESH = {
    JoinedTets: JoinedTets(np.zeros((0, 4), np.int32), np.zeros(0), np.zeros(0)),
    CellMesh: CellMesh(np.zeros((0, 8), np.int32), np.zeros(0), np.zeros(0), np.zeros(0)),
    JoinedTriangles: JoinedTriangles(np.zeros((0, 3), np.int32), np.zeros(0)),
    Edges: Edges(np.zeros((0, 2), np.int32)),
    LoneVertices: LoneVertices(np.zeros((0, 1), np.int32)),
}
MESHES = "tets", "cells", "triangles", "edges", "grains"
