# SPDX-License-Identifier: GPL-3.0-or-later
"""Muscle fibers in tets and cells (kernels/elements/fibers.py)."""

from dataclasses import dataclass

import numpy as np

from ..bodies import Cells, Solid
from ..kernels.elements.fibers import FiberLaw, fibers_in
from .body_constants import damping_time, per_element
from .cells import cells_of
from .element_kind import Columns, ElementKind
from .tets import OTHER_CORNERS, tet_gradients
from .unstressed_cells import state_weights
from .vertex_records import damped, in_vertex_order, structured

# The other corners of every corner of a cell.
OTHERS = {4: OTHER_CORNERS, 8: np.array([[k for k in range(8) if k != i] for i in range(8)])}


@dataclass
class Fibers(Columns):
    """Elements with fibers: `weights` [element, corner] of the corners in F a [1/m], volume [m³],
    stiffness, and active stress times activation [Pa], damping time [s].
    """

    weights: np.ndarray
    volume: np.ndarray
    stiffness: np.ndarray
    active: np.ndarray
    damping_time: np.ndarray


def fibers_of(body, gradients, volume, settings):
    """The `Fibers` of a body along its directions, with gradients [element, corner, 3] of shape
    functions [1/m], and volumes.
    """
    m, a = body.material, body.fibers
    active = per_element(body, "active stress", m.active_stress)
    active = active * per_element(body, "activation", m.activation)
    stiffness = per_element(body, "fiber stiffness", m.fiber_stiffness)
    weights = np.einsum("eki,ei->ek", gradients, a)
    made = Fibers(body.elements, weights, volume, stiffness, active, damping_time(body, settings))
    return made[a.any(axis=1)]


def fibers_of_tets(body, settings):
    """The `Fibers` of a solid, or None."""
    if not isinstance(body, Solid) or body.fibers is None:
        return None
    volume, gradients = tet_gradients(body.rest_points, body.tets)
    return fibers_of(body, gradients, volume, settings)


def fibers_of_cells(body, settings):
    """The `Fibers` of a body of cells, in the middle of their material, or None. Those of an
    unstressed shape are as long as they are in it.
    """
    if not isinstance(body, Cells) or body.fibers is None:
        return None
    cells = cells_of(body, settings)
    gradients, volume = state_weights(cells)[..., :3], cells.side**3 * body.filling.part
    if body.unstressed_points is not None:
        f = np.einsum("cki,ckj->cij", body.unstressed_points[cells.corners], gradients)
        length = np.linalg.norm(np.einsum("cij,cj->ci", f, body.fibers), axis=1)
        gradients = gradients / np.where(length > 0.0, length, 1.0)[:, None, None]
        volume = volume * np.linalg.det(f)
    return fibers_of(body, gradients, volume, settings)


def law_and_blend(fibers, h):
    """`FiberLaw`s of steps of length h [s], and the blend of damping."""
    stiffness, blend = damped(fibers.stiffness * fibers.volume, fibers.damping_time / h)
    constants = {"stiffness": stiffness, "active": fibers.active * fibers.volume}
    return structured(FiberLaw, len(fibers), constants), blend


def records(points, fibers, h):
    """Records of fibers."""
    count, n = fibers.corners.shape
    law, blend = law_and_blend(fibers, h)
    columns = {
        "others": fibers.corners[:, OTHERS[n]],
        "weights": fibers.weights[:, OTHERS[n]],
        "own": fibers.weights,
        "law": np.repeat(law[:, None], n, axis=1),
    }
    record = fibers_in(n)["record"]
    return in_vertex_order(len(points), record, fibers.corners, columns, np.ones(count), blend)


def element_columns(_points, fibers, h):
    """Fields of the struct of an element."""
    return {"weights": fibers.weights, "law": law_and_blend(fibers, h)[0]}


def exact_columns(_points, fibers):
    """Fields of the struct of an element in float64."""
    return {
        "weights": fibers.weights,
        "stiffness": fibers.stiffness * fibers.volume,
        "active": fibers.active * fibers.volume,
    }


def fiber_kind(name, corners, of_body, cost):
    """The kind of fibers in elements with some number of corners."""
    return ElementKind(
        name=name,
        corners=corners,
        columns=1,
        cost=cost,
        of_body=of_body,
        records=records,
        element_columns=element_columns,
        exact_columns=exact_columns,
        **fibers_in(corners),
    )


TET_FIBERS = fiber_kind("tet_fibers", 4, fibers_of_tets, 8.0)
CELL_FIBERS = fiber_kind("cell_fibers", 8, fibers_of_cells, 12.0)
