# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of rods (kernels/elements/springs.py)."""

from dataclasses import dataclass

import numpy as np

from ..bodies import Rod
from ..kernels.elements import springs as kernels
from .body_constants import damping_time, per_element
from .element_kind import Columns, ElementKind
from .vertex_records import damped, in_vertex_order


@dataclass
class Springs(Columns):
    """Stiffness [N/m], rest length [m], damping time [s]; `penalty` is ρ [N/m] of springs with a
    multiplier (model/penalties.py), 0 for others.
    """

    stiffness: np.ndarray
    rest: np.ndarray
    damping_time: np.ndarray
    penalty: np.ndarray


def rest_lengths(rod):
    """Length of every edge at rest [m]."""
    ends = rod.rest_points[rod.edges]
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def springs_of(body, settings):
    """The springs of a rod; stiffness E A / L₀ of a round section."""
    if not isinstance(body, Rod):
        return None
    m, length = body.material, rest_lengths(body)
    if m.spring_stiffness is None:
        modulus = per_element(body, "Young's modulus", m.youngs_modulus)
        radius = 0.5 * per_element(body, "thickness", m.thickness)
        stiffness = modulus * np.pi * radius**2 / length
    else:
        stiffness = per_element(body, "spring stiffness", m.spring_stiffness)
    none = np.zeros(len(length))
    return Springs(body.edges, stiffness, length, damping_time(body, settings), none)


def split(stiffness, penalty):
    """(k_eff, s) of stiffness k with penalty ρ; ρ = 0 stands for no multiplier."""
    on = penalty > 0.0
    total = np.where(on, stiffness + penalty, 1.0)
    return (
        np.where(on, stiffness * penalty / total, stiffness),
        np.where(on, stiffness / total, 0.0),
    )


def stiffness_left(springs, h):
    """Stiffness [N/m] of springs in the sweeps, besides multipliers, and the blend of damping."""
    stiffness, blend = damped(springs.stiffness, springs.damping_time / h)
    return split(stiffness, springs.penalty)[0], blend


def spring_records(points, springs, h):
    """Records for steps of length h [s]."""
    stiffness, blend = stiffness_left(springs, h)
    columns = {"a": springs.corners[:, ::-1], "stiffness": stiffness}
    return in_vertex_order(
        len(points), kernels.SpringRecord, springs.corners, columns, springs.rest, blend
    )


SPRINGS = ElementKind(
    name="springs",
    corners=2,
    columns=1,
    cost=10.0,
    of_body=springs_of,
    records=spring_records,
    element_columns=lambda _points, springs, h: {"stiffness": stiffness_left(springs, h)[0]},
    exact_columns=lambda _points, springs: {"rest": springs.rest, "stiffness": springs.stiffness},
    record=kernels.SpringRecord,
    force_hessian=kernels.spring_force_hessian,
    moved_rest=kernels.spring_moved_rest,
    element=kernels.Spring,
    gradient=kernels.spring_gradient,
    weight=kernels.spring_weight,
    stress=kernels.spring_stress,
    squares=1,
    square=kernels.spring_square,
    spread=kernels.spring_spread,
    sampled_stress=kernels.spring_stress,
    exact=kernels.ExactSpring,
    energy=kernels.spring_energy,
)
