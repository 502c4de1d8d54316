# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of cloth (kernels/elements/triangles.py, stable_triangles.py)."""

from dataclasses import dataclass, replace

import numpy as np
import warp as wp

from ..bodies import Cloth
from ..kernels.elements import stable_triangles
from ..kernels.elements import triangle_corners as corners
from ..kernels.elements import triangles as kernels
from ..kernels.elements.buckling import Limits
from ..kernels.elements.buckling_energy import ExactLimits
from ..kernels.elements.dents import triangle_flowed
from ..kernels.elements.triangle_slopes import triangle_slope
from ..messages import message
from .body_constants import damping_time, elastic_per_element, is_damped, limit_of, per_element
from .element_kind import ElementKind, Plastic
from .materials import membrane_constants, membrane_lame, orthotropic_stiffness, stvk_stiffness
from .membrane_limits import NEVER, limits_data, limits_of
from .triangle_frames import triangle_frames, warp_directions
from .vertex_records import damped, in_vertex_order

# The two corners that follow each corner of a triangle.
FOLLOWING = np.array([[1, 2], [2, 0], [0, 1]])
STABLE = "neo_hookean"
# Over-relaxation of cloth that hardens.
STEADY = 1.2


@dataclass
class Triangles(Plastic):
    """μ, λ [N/m] of neo-Hookean triangles, `stiffness` [triangle, 4] (K₁, K₂, K₁₂, G_s) [N/m] of
    StVK ones and of all viscosity. `number` is the index of each triangle in its body,
    `inverse` [triangle, 2, 2] is the inverse of the rest edges in the plane [1/m]; areas [m²],
    rest strains (Ḡ₁₁, Ḡ₂₂, Ḡ₁₂) [triangle, 3], damping times [s]; `limit` is a principal strain.
    `limits` [triangle, 4] are (N_c [N/m], e_max, K_L [N/m], isotropy) of buckling.py.
    """

    number: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    stiffness: np.ndarray
    limits: np.ndarray
    inverse: np.ndarray
    area: np.ndarray
    rest: np.ndarray
    damping_time: np.ndarray


def membrane_stiffness(material):
    """(K₁, K₂, K₁₂, G_s) [N/m] of every triangle of a cloth; other materials take that of StVK with
    the same Lamé constants.
    """
    if material.membrane == "orthotropic":
        return orthotropic_stiffness(material)
    return stvk_stiffness(*membrane_lame(material))


def shear_stiffness(body):
    """G_s [N/m] of every triangle of a cloth."""
    return membrane_stiffness(elastic_per_element(body))[:, 3]


def triangles_of(body, settings):
    """The `Triangles` of a cloth."""
    m, warp = elastic_per_element(body), None
    if m.membrane == "orthotropic":
        warp = warp_directions(body)
    constants = membrane_constants(m)
    if m.membrane == STABLE and (constants[1] <= 0.0).any():
        raise ValueError(message("material.lam_membrane", name=body.name))
    inverse, areas = triangle_frames(body.rest_points, body.triangles, warp)
    stiffness = membrane_stiffness(m)
    limits = limits_of(body, settings, areas, stiffness)
    size = 1.0 - per_element(body, "shrink factor", m.shrink)
    inverse, areas = inverse / size[:, None, None], areas * size**2
    number, time = np.arange(len(areas)), damping_time(body, settings)
    limit = limit_of(per_element(body, "yield strain", m.yield_strain))
    plastic = limit, np.full(len(areas), m.flow_time), number
    rest = np.zeros((len(areas), 3))
    shape = inverse, areas, rest
    return Triangles(body.triangles, *plastic, number, *constants, stiffness, limits, *shape, time)


def plain_triangles(body, settings):
    """Triangles of StVK material, woven or not."""
    if isinstance(body, Cloth) and body.material.membrane != STABLE:
        return triangles_of(body, settings)
    return None


def neo_hookean_triangles(body, settings):
    """Triangles of neo-Hookean material."""
    if isinstance(body, Cloth) and body.material.membrane == STABLE:
        return triangles_of(body, settings)
    return None


def damped_triangles(body, settings):
    """Damped triangles of neo-Hookean material, for their viscosity."""
    triangles = neo_hookean_triangles(body, settings)
    return None if triangles is None else triangles[is_damped(body, triangles)]


def record_columns(triangles, inverse):
    """Columns of a record: the other corners of every triangle with their gradients, and its
    height.
    """
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    columns = {"height": 1.0 / np.linalg.norm(gradients, axis=2)}
    for k, letter in enumerate("ab"):
        columns[letter] = triangles[:, FOLLOWING[:, k]]
        columns[f"gradient_{letter}"] = gradients[:, FOLLOWING[:, k]]
    return columns


def in_all_records(values):
    """Repeat vectors [triangle, k] for the three records of every triangle."""
    return np.repeat(values[:, None], 3, axis=1)


def elastic(triangles, h):
    """(K₁, K₂, K₁₂, G_s) [N/m], `Limits` of damped triangles, and the blend of damping."""
    rate, blend = damped(np.ones(len(triangles)), triangles.damping_time / h)
    limits = limits_data(triangles.limits, triangles.stiffness, triangles.area, rate)
    return triangles.stiffness, limits, blend


def viscosity(triangles, h):
    """(K₁, K₂, K₁₂, G_s) [N/m], `Limits` and blend of viscosity, which does not harden."""
    ratio = triangles.damping_time / h
    stiffness, limits = ratio[:, None] * triangles.stiffness, triangles.limits.copy()
    limits[:, 1:3] = NEVER, 0.0
    return stiffness, limits_data(limits, stiffness, triangles.area), np.ones(len(ratio))


def near_rest(triangles, struct=Limits):
    """`Limits` or `ExactLimits` of elastic triangles."""
    return limits_data(triangles.limits, triangles.stiffness, triangles.area, struct=struct)


def strain_records(stiffness_of):
    """Return the function that makes records of StVK triangles with the stiffness of
    `stiffness_of`.
    """

    def records(points, triangles, h):
        stiffness, limits, blend = stiffness_of(triangles, h)
        columns = record_columns(triangles.corners, triangles.inverse)
        columns["stiffness"] = in_all_records(stiffness * triangles.area[:, None])
        columns["limits"] = limits
        return in_vertex_order(
            len(points), corners.TriangleRecord, triangles.corners, columns, triangles.rest, blend
        )

    return records


def strain_columns(stiffness_of):
    """Return the function that makes fields of `Triangle` with the stiffness of `stiffness_of`."""

    def columns(_points, triangles, h):
        stiffness, limits, _blend = stiffness_of(triangles, h)
        return {
            "gradient_b": triangles.inverse[:, 0],
            "gradient_c": triangles.inverse[:, 1],
            "stiffness": stiffness * triangles.area[:, None],
            "limits": limits,
        }

    return columns


def stable_constants(triangles):
    """(μ, λ) times the rest area [N m]."""
    return np.stack([triangles.mu, triangles.lam], axis=1) * triangles.area[:, None]


def stable_records(points, triangles, _h):
    """Records of neo-Hookean triangles."""
    columns = record_columns(triangles.corners, triangles.inverse)
    columns["constants"] = in_all_records(stable_constants(triangles))
    columns["limits"] = near_rest(triangles)
    return in_vertex_order(
        len(points), stable_triangles.StableTriangleRecord, triangles.corners, columns
    )


def stable_columns(_points, triangles, _h):
    """Fields of `StableTriangle`."""
    return {
        "gradient_b": triangles.inverse[:, 0],
        "gradient_c": triangles.inverse[:, 1],
        "constants": stable_constants(triangles),
        "limits": near_rest(triangles),
    }


def torn(triangles, tear):
    """Return all triangles, with their current vertices."""
    return replace(triangles, corners=tear.vertices[tear.triangles[triangles.number]])


def steady_relaxation(triangles):
    """The largest ω [triangle] that converges, found by experiment: cloth that hardens is many
    times as stiff, and with larger ω some edges oscillate between both states for ever.
    """
    return np.where(triangles.limits[:, 2] > 0.0, STEADY, np.inf)


def strain_kind(name, of_body, stiffness_of, **energy):
    """The kind of triangles of StVK material."""
    return ElementKind(
        name=name,
        corners=3,
        columns=2,
        cost=10.0,
        of_body=of_body,
        records=strain_records(stiffness_of),
        element_columns=strain_columns(stiffness_of),
        relaxation=steady_relaxation,
        torn=torn,
        record=corners.TriangleRecord,
        rest=wp.vec3,
        force_hessian=corners.triangle_force_hessian,
        in_lanes=corners.triangles_force_hessian,
        moved_rest=corners.triangle_moved_rest,
        rest_in_lanes=corners.triangle_moved_rest,
        element=kernels.Triangle,
        gradient=kernels.triangle_gradient,
        weight=kernels.triangle_weight,
        stress=kernels.triangle_stress,
        squares=3,
        square=kernels.triangle_square,
        spread=kernels.triangle_spread,
        pulled=True,
        line=triangle_slope,
        line_in_lanes=triangle_slope,
        forces_in_lanes=kernels.triangles_forces,
        **energy,
    )


STVK_TRIANGLES = strain_kind(
    "triangles",
    plain_triangles,
    elastic,
    exact_columns=lambda _points, t: {
        "inverse": t.inverse,
        "stiffness": t.stiffness * t.area[:, None],
        "limits": near_rest(t, ExactLimits),
        "rest": t.rest,
    },
    flowed=triangle_flowed,
    exact=kernels.ExactTriangle,
    energy=kernels.triangle_energy,
)
MEMBRANE_VISCOSITY = strain_kind("membrane_viscosity", damped_triangles, viscosity)
STABLE_TRIANGLES = ElementKind(
    name="stable_triangles",
    corners=3,
    columns=2,
    cost=20.0,
    of_body=neo_hookean_triangles,
    records=stable_records,
    element_columns=stable_columns,
    relaxation=steady_relaxation,
    pulled=True,
    exact_columns=lambda _points, t: {
        "inverse": t.inverse,
        "constants": stable_constants(t),
        "limits": near_rest(t, ExactLimits),
    },
    torn=torn,
    record=stable_triangles.StableTriangleRecord,
    force_hessian=stable_triangles.stable_force_hessian,
    element=stable_triangles.StableTriangle,
    gradient=stable_triangles.stable_gradient,
    weight=stable_triangles.stable_weight,
    stress=stable_triangles.stable_stress,
    squares=3,
    square=stable_triangles.stable_square,
    spread=stable_triangles.stable_spread,
    sampled_stress=stable_triangles.stable_stress,
    exact=stable_triangles.ExactStableTriangle,
    energy=stable_triangles.stable_energy,
)
