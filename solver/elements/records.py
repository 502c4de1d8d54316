# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements in NumPy, and their records in vertex order (layout: kernels/records.py).

All arithmetic is float64; the records are rounded once, at the end.
"""

from dataclasses import dataclass

import numpy as np

from ..kernels.elements import records as layout
from ..model.augmentation import split

# The face opposite to each corner of a tet, wound so that the rest volume comes out positive.
OPPOSITE_FACE = np.array([[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]])
# Numbers of the solid models in `assembly.Tets.model`.
SOLID_MODELS = {
    "neo_hookean": layout.NEO_HOOKEAN,
    "neo_hookean_log": layout.NEO_HOOKEAN_LOG,
    "corotated": layout.COROTATED,
}
# The one with the reduced form of tets.py.
REDUCED = layout.NEO_HOOKEAN


@dataclass
class Records:
    """The records of one kind: `start` [vertex + 1], `data` structured [record], `rest` [record].

    `share` [record] is β of kernels/damping.py.
    """

    start: np.ndarray
    data: np.ndarray
    rest: np.ndarray
    share: np.ndarray
    place: np.ndarray
    """Where the records of every element are, [element, n]."""


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
    place = np.argsort(by_vertex).reshape(corners.shape)
    return Records(start, data, rest[of_record], share[of_record], place)


def undamped(points, struct, corners, columns):
    """Records of a kind that has neither rest values nor damping of its own."""
    none = np.zeros(len(corners))
    return in_vertex_order(len(points), struct, corners, columns, none, none)


def tet_gradients(points, tets):
    """Rest volumes V₀ [tet] and shape-function gradients g [tet, 4, 3] of positively wound tets."""
    edges = points[tets[:, 1:]] - points[tets[:, :1]]
    volumes = np.linalg.det(edges) / 6.0
    inner = np.linalg.inv(edges).transpose(0, 2, 1)
    return volumes, np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)


def tet_records(points, tets, h):
    """Records of stable neo-Hookean tets, and the diagonal Σ μ V₀ |g_i|² [vertex].

    points: rest positions [vertex, 3]; tets: `assembly.Tets`; h: step length [s]. The viscosity of
    volume, k_d λ_L, is folded into them; a damped tet of another model gets a record for it alone.
    """
    viscous = tets.damping_time / h * tets.lame_lam
    reduced = tets.model == REDUCED
    tets, viscous = tets[reduced | (viscous > 0.0)], viscous[reduced | (viscous > 0.0)]
    mu, lam = (np.where(tets.model == REDUCED, c, 0.0) for c in (tets.mu, tets.lam))
    volumes, gradients = tet_gradients(points, tets.corners)
    faces = tets.corners[:, OPPOSITE_FACE]
    products = np.einsum("tia,tja->tij", gradients, gradients)
    laplacian = (mu * volumes)[:, None, None] * products
    weights = np.take_along_axis(laplacian, np.broadcast_to(OPPOSITE_FACE, (len(faces), 4, 3)), 2)
    total = lam + viscous
    records = in_vertex_order(
        len(points),
        layout.TetRecord,
        tets.corners,
        {
            "a": faces[:, :, 0],
            "b": faces[:, :, 1],
            "c": faces[:, :, 2],
            "volume_stiffness": total / (36.0 * volumes),
            "weight_a": weights[:, :, 0],
            "weight_b": weights[:, :, 1],
            "weight_c": weights[:, :, 2],
        },
        6.0 * volumes * (1.0 + np.divide(mu, lam, out=np.zeros_like(mu), where=lam > 0.0)),
        viscous / total,
    )
    diagonal = np.bincount(
        tets.corners.ravel(), np.einsum("tii->ti", laplacian).ravel(), minlength=len(points)
    )
    return records, diagonal


def gradient_columns(points, corners):
    """Rest volumes [tet], and the other corners with their gradients as columns of a record."""
    volumes, gradients = tet_gradients(points, corners)
    others = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    columns = {}
    for k, letter in enumerate("abc"):
        columns[letter] = corners[:, others[:, k]]
        columns[f"gradient_{letter}"] = gradients[:, others[:, k]]
    return volumes, columns


def continuum_records(points, tets, _h):
    """Records of tets whose material needs F (`assembly.Tets` of the other models)."""
    tets = tets[tets.model != REDUCED]
    volumes, columns = gradient_columns(points, tets.corners)
    columns["model"] = tets.model
    columns["mu"], columns["lam"] = tets.mu * volumes, tets.lam * volumes
    return undamped(points, layout.ContinuumRecord, tets.corners, columns)


def viscous_records(points, tets, h):
    """Records of the shear viscosity of damped tets; `rest` is C = I until the first step."""
    tets = tets[tets.damping_time > 0.0]
    volumes, columns = gradient_columns(points, tets.corners)
    columns["viscosity"] = tets.damping_time / h * tets.lame_mu * volumes
    identity = np.tile([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], (len(volumes), 1))
    return in_vertex_order(
        len(points),
        layout.ViscousRecord,
        tets.corners,
        columns,
        identity,
        np.ones(len(volumes)),
    )


def triangle_frames(points, triangles, warp=None):
    """Rest triangles in their own plane: inverse of (e₁, e₂) [triangle, 2, 2] and areas [m²].

    Axis 1 lies along `warp` [triangle, 3], or along the first edge.
    """
    e_1 = points[triangles[:, 1]] - points[triangles[:, 0]]
    e_2 = points[triangles[:, 2]] - points[triangles[:, 0]]
    normal = np.cross(e_1, e_2)
    double = np.linalg.norm(normal, axis=1)
    normal = normal / double[:, None]
    along = e_1 if warp is None else warp
    along = along - np.einsum("ti,ti->t", along, normal)[:, None] * normal
    along = along / np.linalg.norm(along, axis=1)[:, None]
    across = np.cross(normal, along)
    rest = np.stack(
        [
            np.stack([np.einsum("ti,ti->t", axis, e) for e in (e_1, e_2)], axis=1)
            for axis in (along, across)
        ],
        axis=1,
    )
    return np.linalg.inv(rest), 0.5 * double


def triangle_columns(triangles, inverse):
    """The other corners of every triangle with their gradients as columns of a record."""
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    following = np.array([[1, 2], [2, 0], [0, 1]])
    columns = {}
    for k, letter in enumerate("ab"):
        columns[letter] = triangles[:, following[:, k]]
        columns[f"gradient_{letter}"] = gradients[:, following[:, k]]
    return columns


def triangle_records(points, triangles, h):
    """Records of StVK triangles (`assembly.Triangles`), viscosity k_d K folded in.

    A damped triangle of another model gets a record for its viscosity alone.
    """
    ratio = triangles.damping_time / h
    kept = ~triangles.stable | (ratio > 0.0)
    triangles, ratio = triangles[kept], ratio[kept]
    stiffness, share = damped(triangles.stiffness, ratio[:, None])
    stiffness = np.where(triangles.stable[:, None], ratio[:, None] * triangles.stiffness, stiffness)
    columns = triangle_columns(triangles.corners, triangles.inverse)
    # All three records of a triangle have the same stiffness.
    columns["stiffness"] = np.repeat((stiffness * triangles.area[:, None])[:, None], 3, axis=1)
    return in_vertex_order(
        len(points),
        layout.TriangleRecord,
        triangles.corners,
        columns,
        np.zeros((len(ratio), 3)),
        np.where(triangles.stable, 1.0, share[:, 0]),
    )


def stable_triangle_records(points, triangles, _h):
    """Records of neo-Hookean triangles (`assembly.Triangles`)."""
    triangles = triangles[triangles.stable]
    columns = triangle_columns(triangles.corners, triangles.inverse)
    columns["mu"] = triangles.mu * triangles.area
    columns["lam"] = triangles.lam * triangles.area
    return undamped(points, layout.StableTriangleRecord, triangles.corners, columns)


def cloth_hinges(triangles):
    """Interior edges as hinges (p, q, r, s) [hinge, 4] and their triangles [hinge, 2].

    An edge with more than two triangles bends between the first and each of the others; a triangle
    that is there twice does not bend against itself.
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
    apart = hinges[:, 2] != hinges[:, 3]
    owners = np.stack([owner[one], owner[two]], axis=1)
    return hinges[apart].astype(np.int32), owners[apart]


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

    That is right for equilateral triangles, in every direction. The diagonal of a square bends with
    half of it: together with the edges the sheet is then as stiff across as along (with the full
    weight 1.5 times). Between the two the weight follows the cotangents of the opposite angles,
    0 for the square and 1/√3 for the equilateral triangle.
    """
    edge = points[hinges[:, 1]] - points[hinges[:, 0]]
    spread = 0.5 + 0.5 * np.sqrt(3.0) * opposite_cotangents(points, hinges)
    return np.clip(spread, 0.5, 1.0) * rigidity * (edge**2).sum(axis=1) / areas.sum(axis=1)


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


def spring_records(springs, penalty, h, vertex_count):
    """Records of springs (`assembly.Links`) for steps of length h [s].

    `penalty` [spring] is ρ [N/m] of those that get a multiplier, 0 for the others.
    """
    stiffness, share = damped(springs.stiffness, springs.damping_time / h)
    stiffness, _ = split(stiffness, penalty)
    return in_vertex_order(
        vertex_count,
        layout.SpringRecord,
        springs.corners,
        {"a": springs.corners[:, ::-1], "stiffness": stiffness},
        springs.rest,
        share,
    )
