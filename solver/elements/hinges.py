# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending of cloth over its edges (kernels/elements/hinges.py)."""

from dataclasses import dataclass

import numpy as np

from ..bodies import Cloth
from ..kernels.elements import hinges as kernels
from ..kernels.elements.creases import hinge_flowed
from ..topology.meshes import triangle_areas, unit
from .body_constants import crease_curvature, damping_time, per_element
from .element_kind import ElementKind, Plastic
from .membrane_limits import rigidity_of
from .triangle_frames import warp_directions
from .vertex_records import damped, in_vertex_order


@dataclass
class Hinges(Plastic):
    """Stiffness [N m], rest angle [rad], damping time [s] of hinges (p, q, r, s); `limit` is an
    angle [rad].
    """

    stiffness: np.ndarray
    rest: np.ndarray
    damping_time: np.ndarray


def cloth_hinges(triangles):
    """Interior edges as hinges (p, q, r, s) [hinge, 4] and their triangles [hinge, 2].

    An edge with more than two triangles bends between the first and each of the others; a duplicate
    triangle does not bend against the original.
    """
    count = len(triangles)
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    wings = triangles[:, [2, 0, 1]].ravel()
    owner = np.repeat(np.arange(count), 3)
    ordered = np.sort(edges, axis=1)
    by_edge = np.lexsort((owner, ordered[:, 1], ordered[:, 0]))
    ordered = ordered[by_edge]
    new_edge = np.ones(len(ordered), dtype=bool)
    new_edge[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.flatnonzero(new_edge)[np.cumsum(new_edge) - 1]
    later = np.flatnonzero(~new_edge)
    one, two = by_edge[first[later]], by_edge[later]
    hinges = np.stack([edges[one, 0], edges[one, 1], wings[one], wings[two]], axis=1)
    is_proper = hinges[:, 2] != hinges[:, 3]
    owners = np.stack([owner[one], owner[two]], axis=1)
    return hinges[is_proper].astype(np.int32), owners[is_proper]


def dihedral_angles(points, hinges):
    """θ [rad] of hinges (p, q, r, s), zero when flat."""
    p = points[hinges[:, 0]]
    e, r, s = (points[hinges[:, k]] - p for k in (1, 2, 3))
    n_1, n_2 = np.cross(e, r), np.cross(s, e)
    along = np.einsum("hi,hi->h", np.cross(n_1, n_2), e) / np.linalg.norm(e, axis=1)
    return np.arctan2(along, np.einsum("hi,hi->h", n_1, n_2))


def opposite_cotangents(points, hinges):
    """Mean of the cotangents of the two angles that face the edge of every hinge, [hinge]."""
    p, q = points[hinges[:, 0]], points[hinges[:, 1]]
    total = np.zeros(len(hinges))
    for wing in (points[hinges[:, 2]], points[hinges[:, 3]]):
        a, b = p - wing, q - wing
        total += np.einsum("hi,hi->h", a, b) / np.linalg.norm(np.cross(a, b), axis=1)
    return 0.5 * total


def hinge_stiffness(points, hinges, areas, rigidity):
    """(D/3) 3|e|²/(A₁ + A₂) [N m]; areas [hinge, 2], rigidity D [hinge].

    This is exact for equilateral triangles, in every direction. The diagonal of a square takes half
    of it: together with the edges, the sheet is then equally stiff across and along (with the full
    weight 1.5 times). In between, the weight follows the cotangents of the opposite angles, 0 for
    the square and 1/√3 for the equilateral triangle.
    """
    edge = points[hinges[:, 1]] - points[hinges[:, 0]]
    spread = 0.5 + 0.5 * np.sqrt(3.0) * opposite_cotangents(points, hinges)
    return np.clip(spread, 0.5, 1.0) * rigidity * (edge**2).sum(axis=1) / areas.sum(axis=1)


def woven_rigidity(body, rigidity, hinges, owners):
    """Flexural rigidity of woven cloth across every hinge [N m]; rigidity D of the warp [triangle].

    D(φ) = D₁ cos⁴φ + 2 H cos²φ sin²φ + D₂ sin⁴φ at the angle φ between the warp and the direction
    of curvature, which is normal to the edge; H = √(D₁D₂) (Timoshenko and Woinowsky-Krieger 1959,
    §85, after Huber; for cloth Cooper 1960). With r = D₂/D₁ this is D₁ (cos²φ + √r sin²φ)².
    """
    weft = np.sqrt(per_element(body, "weft bending", body.material.weft_bending))[owners]
    warp = unit(warp_directions(body))[owners]
    edge = unit(body.rest_points[hinges[:, 1]] - body.rest_points[hinges[:, 0]])
    sine_sq = np.einsum("hki,hi->hk", warp, edge) ** 2
    return (rigidity[owners] * (1.0 + (weft - 1.0) * sine_sq) ** 2).mean(axis=1)


def hinges_of(body, settings):
    """The hinges of a cloth that has bending stiffness."""
    if not isinstance(body, Cloth):
        return None
    m, time = body.material, damping_time(body, settings)
    time = time + per_element(body, "bending damping", m.bending_damping)
    hinges, owners = cloth_hinges(body.triangles)
    areas = triangle_areas(body.rest_points, body.triangles)
    rigidity = rigidity_of(body, settings, areas)
    if m.membrane == "orthotropic" and np.any(m.weft_bending != 1.0):
        rigidity = woven_rigidity(body, rigidity, hinges, owners)
    else:
        rigidity = rigidity[owners].mean(axis=1)
    bending = hinge_stiffness(body.rest_points, hinges, areas[owners], rigidity)
    rest = dihedral_angles(body.rest_points, hinges)
    rest = np.zeros_like(rest) if m.rest_flat else rest
    # A curvature κ gives an angle of κ (A₁ + A₂)/|e| at an edge: κ times the mean of both heights.
    edge = np.linalg.norm(np.diff(body.rest_points[hinges[:, :2]], axis=1)[:, 0], axis=1)
    limit = crease_curvature(body)[owners].mean(axis=1) * areas[owners].sum(axis=1) / edge
    plastic = limit, np.full(len(hinges), m.flow_time), np.arange(len(hinges))
    kept = (bending > 0.0) | body.changes("bending_stiffness")
    return Hinges(hinges, *plastic, bending, rest, time[owners].mean(axis=1))[kept]


def hinge_records(points, elements, h):
    """Records for steps of length h [s]."""
    hinges = elements.corners
    p, q, r, s = hinges.T
    raised, blend = damped(elements.stiffness, elements.damping_time / h)
    wing = np.broadcast_to(np.array([0, 0, 1, 1]), hinges.shape)
    return in_vertex_order(
        len(points),
        kernels.HingeRecord,
        hinges,
        {
            "a": np.stack([q, p, p, q], axis=1),
            "b": np.stack([r, s, q, p], axis=1),
            "c": np.stack([s, r, s, r], axis=1),
            "wing": wing,
            "stiffness": raised,
        },
        elements.rest,
        blend,
    )


def hinge_columns(_points, hinges, h):
    """Fields of `Hinge`."""
    return {"stiffness": damped(hinges.stiffness, hinges.damping_time / h)[0]}


def torn(hinges, tear):
    """Hinges whose two triangles still share an edge, with their current vertices."""
    own = np.full(tear.vertices.max() + 1, -1)
    own[tear.vertices] = tear.index
    # A hinge is identified in the current triangles by its initial vertices.
    initial = own[hinges.corners]
    current, _ = cloth_hinges(tear.triangles)
    current_names = tear.index[current]
    # Both orders are possible: (p, q, r, s) is (q, p, s, r).
    swapped = [1, 0, 3, 2]
    known = np.concatenate([current_names, current_names[:, swapped]])
    now = np.concatenate([current, current[:, swapped]])
    # Each set of vertices gets one number; of equal names the last is taken.
    _, number = np.unique(np.concatenate([initial, known]), axis=0, return_inverse=True)
    number = number.ravel()
    index_of = np.full(number.max(initial=-1) + 1, -1)
    index_of[number[len(initial) :]] = np.arange(len(known))
    at = index_of[number[: len(initial)]]
    left = hinges[at >= 0]
    left.corners = tear.vertices[now[at[at >= 0]]]
    return left


HINGES = ElementKind(
    name="hinges",
    corners=4,
    columns=3,
    cost=12.0,
    of_body=hinges_of,
    records=hinge_records,
    element_columns=hinge_columns,
    exact_columns=lambda _points, hinges: {"rest": hinges.rest, "stiffness": hinges.stiffness},
    torn=torn,
    record=kernels.HingeRecord,
    force_hessian=kernels.hinge_force_hessian,
    in_lanes=kernels.hinges_force_hessian,
    moved_rest=kernels.hinge_moved_rest,
    rest_in_lanes=kernels.hinge_moved_rest,
    flowed=hinge_flowed,
    element=kernels.Hinge,
    gradient=kernels.hinge_gradient,
    weight=kernels.hinge_weight,
    stress=kernels.hinge_stress,
    squares=1,
    square=kernels.hinge_square,
    slope=kernels.hinge_slope,
    slope_in_lanes=kernels.hinges_slope,
    forces_in_lanes=kernels.hinges_forces,
    exact=kernels.ExactHinge,
    energy=kernels.hinge_energy,
)
