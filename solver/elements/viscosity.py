# SPDX-License-Identifier: GPL-3.0-or-later
"""Shear viscosity of damped tets (kernels/elements/viscosity.py)."""

import numpy as np

from ..kernels.elements import viscosity as kernels
from ..kernels.elements.linear_algebra import vec6
from .kind import ElementKind
from .records import in_vertex_order
from .tets import damped_tets, gradient_columns, tet_gradients


def viscous_records(points, tets, h):
    """Records of the viscosity; `rest` is C = I until the first step."""
    volumes, columns = gradient_columns(points, tets.corners)
    columns["viscosity"] = tets.damping_time / h * tets.lame_mu * volumes
    identity = np.tile([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], (len(volumes), 1))
    blend = np.ones(len(volumes))
    return in_vertex_order(
        len(points), kernels.ViscousRecord, tets.corners, columns, identity, blend
    )


def viscous_columns(points, tets, h):
    """Fields of `ViscousTet`."""
    volumes, gradients = tet_gradients(points, tets.corners)
    viscosity = tets.damping_time / h * tets.lame_mu * volumes
    return {"gradients": gradients[:, 1:], "viscosity": viscosity}


SHEAR_VISCOSITY = ElementKind(
    name="shear_viscosity",
    corners=4,
    columns=3,
    cost=40.0,
    of_body=damped_tets,
    records=viscous_records,
    element_columns=viscous_columns,
    record=kernels.ViscousRecord,
    rest=vec6,
    force_hessian=kernels.viscous_force_hessian,
    moved_rest=kernels.viscous_moved_rest,
    element=kernels.ViscousTet,
    gradient=kernels.viscous_gradient,
    weight=kernels.viscous_weight,
    affine=True,
    stress=kernels.viscous_stress,
    squares=6,
    square=kernels.viscous_square,
    slope=kernels.viscous_slope,
)
