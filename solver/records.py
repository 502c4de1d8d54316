# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements in NumPy, and their records in vertex order (layout: kernels/records.py).

All arithmetic is float64; the records are rounded once, at the end.
"""

from dataclasses import dataclass

import numpy as np

from .kernels import records as layout

# The face opposite to each corner of a tet, wound so that the rest volume comes out positive.
OPPOSITE_FACE = np.array([[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]])
# Edge dashpots whose viscosity on an isotropic mesh is μ k_d: w = 2.5 μ V₀ / l₀² per tet and edge.
DASHPOT = 2.5


@dataclass
class Records:
    """The records of one kind: `start` [vertex + 1], `data` structured [record], `rest` [record].

    `share` [record] is β of kernels/damping.py.
    """

    start: np.ndarray
    data: np.ndarray
    rest: np.ndarray
    share: np.ndarray


def damped(stiffness, ratio):
    """Stiffness raised by damping and the share β, for ratio κ = k_d/h (kernels/damping.py)."""
    return stiffness * (1.0 + ratio), ratio / (1.0 + ratio)


def in_vertex_order(vertex_count, struct, corners, columns, rest, share):
    """Sort records by their vertex.

    `corners` [element, n]: the vertices of each record of an element. `columns`: field name to
    values, [element], [element, n] or [element, n, k]. `rest` and `share`: one per element.
    """
    vertices = corners.ravel()
    by_vertex = np.argsort(vertices, kind="stable")
    start = np.zeros(vertex_count + 1, dtype=np.int32)
    np.cumsum(np.bincount(vertices, minlength=vertex_count), out=start[1:])
    data = np.zeros(len(vertices), dtype=struct.numpy_dtype())
    for name, values in columns.items():
        values = np.asarray(values)
        if values.ndim == 1:
            values = np.repeat(values, corners.shape[1])
        elif values.ndim == 2:
            values = values.ravel()
        else:
            values = values.reshape(-1, values.shape[-1])
        data[name] = values[by_vertex]
    of_record = np.repeat(np.arange(len(corners)), corners.shape[1])[by_vertex]
    return Records(start, data, rest[of_record], share[of_record])


def tet_gradients(points, tets):
    """Rest volumes V₀ [tet] and shape-function gradients g [tet, 4, 3] of positively wound tets."""
    edges = points[tets[:, 1:]] - points[tets[:, :1]]
    volumes = np.linalg.det(edges) / 6.0
    inner = np.linalg.inv(edges).transpose(0, 2, 1)
    return volumes, np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)


def tet_records(points, elements, h):
    """Records of stable neo-Hookean tets and the diagonal Σ μ V₀ |g_i|² [vertex].

    points: rest positions [vertex, 3]; elements: `assembly.Continuum`; h: step length [s].
    """
    tets, vertex_count = elements.corners, len(points)
    volumes, gradients = tet_gradients(points, tets)
    faces = tets[:, OPPOSITE_FACE]
    laplacian = (elements.mu * volumes)[:, None, None] * np.einsum(
        "tia,tja->tij", gradients, gradients
    )
    weights = np.take_along_axis(laplacian, np.broadcast_to(OPPOSITE_FACE, (len(tets), 4, 3)), 2)
    stiffness, share = damped(elements.lam / (36.0 * volumes), elements.damping_time / h)
    records = in_vertex_order(
        vertex_count,
        layout.TetRecord,
        tets,
        {
            "a": faces[:, :, 0],
            "b": faces[:, :, 1],
            "c": faces[:, :, 2],
            "volume_stiffness": stiffness,
            "weight_a": weights[:, :, 0],
            "weight_b": weights[:, :, 1],
            "weight_c": weights[:, :, 2],
        },
        6.0 * (1.0 + elements.mu / elements.lam) * volumes,
        share,
    )
    diagonal = np.bincount(
        tets.ravel(), np.einsum("tii->ti", laplacian).ravel(), minlength=vertex_count
    )
    return records, diagonal


def tet_dashpots(points, elements, h):
    """Edges [edge, 2] of damped tets and the stiffness (k_d/h) w [N/m] of their dashpots."""
    on = elements.damping_time > 0.0
    tets = elements.corners[on]
    volumes, _ = tet_gradients(points, tets)
    corners = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    edges = np.sort(tets[:, corners].reshape(-1, 2), axis=1)
    length_sq = ((points[edges[:, 1]] - points[edges[:, 0]]) ** 2).sum(axis=1)
    strength = elements.damping_time[on] / h * elements.mu[on] * volumes
    weight = DASHPOT * np.repeat(strength, 6) / length_sq
    edges, group = np.unique(edges, axis=0, return_inverse=True)
    return edges, np.bincount(group.ravel(), weight)


def triangle_frames(points, triangles):
    """Rest triangles in their own plane: inverse of (e₁, e₂) [triangle, 2, 2] and areas [m²]."""
    e_1 = points[triangles[:, 1]] - points[triangles[:, 0]]
    e_2 = points[triangles[:, 2]] - points[triangles[:, 0]]
    length = np.linalg.norm(e_1, axis=1)
    along = np.einsum("ti,ti->t", e_1, e_2) / length
    height = np.linalg.norm(np.cross(e_1, e_2), axis=1) / length
    zero = np.zeros_like(length)
    rest = np.stack([np.stack([length, along], 1), np.stack([zero, height], 1)], 1)
    return np.linalg.inv(rest), 0.5 * length * height


def triangle_records(points, elements, h):
    """Records of StVK membrane triangles (`assembly.Continuum`) for steps of length h [s]."""
    triangles, ratio = elements.corners, elements.damping_time / h
    inverse, areas = triangle_frames(points, triangles)
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    following = np.array([[1, 2], [2, 0], [0, 1]])
    neighbors = triangles[:, following]
    raised_mu, share = damped(elements.mu * areas, ratio)
    raised_lam, _ = damped(elements.lam * areas, ratio)
    return in_vertex_order(
        len(points),
        layout.TriangleRecord,
        triangles,
        {
            "a": neighbors[:, :, 0],
            "b": neighbors[:, :, 1],
            "gradient_a": gradients[:, following[:, 0]],
            "gradient_b": gradients[:, following[:, 1]],
            "mu": raised_mu,
            "lam": raised_lam,
        },
        np.zeros((len(triangles), 3)),
        share,
    )


def cloth_hinges(triangles):
    """Interior edges as hinges (p, q, r, s) [hinge, 4] and their triangles [hinge, 2].

    An edge with more than two triangles bends between the first and each of the others.
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
    return hinges.astype(np.int32), np.stack([owner[one], owner[two]], axis=1)


def dihedral_angles(points, hinges):
    """θ [rad] of hinges (p, q, r, s), zero when flat."""
    p = points[hinges[:, 0]]
    e, r, s = (points[hinges[:, k]] - p for k in (1, 2, 3))
    n_1, n_2 = np.cross(e, r), np.cross(s, e)
    along = np.einsum("hi,hi->h", np.cross(n_1, n_2), e) / np.linalg.norm(e, axis=1)
    return np.arctan2(along, np.einsum("hi,hi->h", n_1, n_2))


def hinge_stiffness(points, hinges, areas, rigidity):
    """(D/3) 3|e|²/(A₁ + A₂) [N m]; areas [hinge, 2], rigidity D [hinge]."""
    edge = points[hinges[:, 1]] - points[hinges[:, 0]]
    return rigidity * (edge**2).sum(axis=1) / areas.sum(axis=1)


def hinge_records(elements, h, vertex_count):
    """Records of hinges (p, q, r, s) (`assembly.Links`) for steps of length h [s]."""
    hinges = elements.corners
    p, q, r, s = hinges.T
    raised, share = damped(elements.stiffness, elements.damping_time / h)
    wing = np.broadcast_to(np.array([0, 0, 1, 1]), hinges.shape)
    return in_vertex_order(
        vertex_count,
        layout.HingeRecord,
        hinges,
        {
            "a": np.stack([q, p, p, q], axis=1),
            "b": np.stack([r, s, q, p], axis=1),
            "c": np.stack([s, r, s, r], axis=1),
            "wing": wing,
            "stiffness": raised,
        },
        elements.rest,
        share,
    )


def spring_records(springs, dashpots, h, vertex_count):
    """Records of springs (`assembly.Links`) and of dashpots (edges, stiffness) in one list."""
    dashpot_edges, dashpot_stiffness = dashpots
    none = np.zeros(len(dashpot_edges))
    edges = np.concatenate([springs.corners, dashpot_edges])
    elastic = np.concatenate([springs.stiffness, none])
    rest = np.concatenate([springs.rest, none])
    viscous = np.concatenate([springs.stiffness * springs.damping_time / h, dashpot_stiffness])
    raised = elastic + viscous
    share = np.divide(viscous, raised, out=np.zeros_like(raised), where=raised > 0.0)
    return in_vertex_order(
        vertex_count,
        layout.SpringRecord,
        edges,
        {"a": edges[:, ::-1], "stiffness": raised},
        rest,
        share,
    )
