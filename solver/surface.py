# SPDX-License-Identifier: GPL-3.0-or-later
"""What can touch: the surfaces of all bodies and colliders as one set of NumPy arrays."""

from dataclasses import dataclass

import numpy as np

from .order import connected, unique_edges
from .records import tet_gradients

# A contact is at most this many times as stiff as what it acts on.
STIFFEST = 30.0
# The faces of a tet of positive volume, seen from outside.
TET_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])


def boundary_triangles(tets):
    """Faces that belong to one tet only, facing outwards, int64 [triangle, 3]."""
    faces = tets[:, TET_FACES].reshape(-1, 3).astype(np.int64)
    if not len(faces):
        return faces
    ordered = np.sort(faces, axis=1)
    span = int(faces.max()) + 1
    key = (ordered[:, 0] * span + ordered[:, 1]) * span + ordered[:, 2]
    _, index, count = np.unique(key, return_index=True, return_counts=True)
    return faces[np.sort(index[count == 1])]


@dataclass
class Surface:
    """Vertices, edges and triangles that can touch, in solver order: of bodies, then of colliders.

    Edges of bodies are those of triangles, then those of rods, from `rod_start` on. `body` [vertex]
    numbers bodies and colliders, `joint` [vertex] what is attached to each other. Of bodies,
    `may_touch` [body, body] tells who meets whom, and `closed` [body] who has an inside: solids and
    closed colliders. `spacing` [vertex, m] is the mean length of the edges at a vertex, `stiffness`
    [vertex, N/m] the most that its contacts may have.
    """

    vertices: np.ndarray
    edges: np.ndarray
    triangles: np.ndarray
    body_edges: int
    body_triangles: int
    rod_start: int
    collider_start: int
    joint: np.ndarray
    body: np.ndarray
    may_touch: np.ndarray
    closed: np.ndarray
    radius: np.ndarray
    friction: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    spacing: np.ndarray

    @property
    def can_touch(self):
        """Whether any two surfaces may meet."""
        return bool(self.may_touch.any())


def contact_stiffness(assembly, settings):
    """The stiffness [N/m] that contacts of each vertex may have: that of the settings, bounded.

    A contact that is much stiffer than what it holds apart makes descent slow along the common
    motion of both sides, and float32 cannot resolve how deep it is. The bound is STIFFEST times
    inertia m/h² and, of solids, the elastic stiffness Σ (λ + 2μ) V |∇N|².
    """
    tets = assembly.tets
    volumes, gradients = tet_gradients(assembly.rest_points, tets.corners)
    modulus = (tets.lame_lam + 2.0 * tets.lame_mu) * volumes
    elastic = modulus[:, None] * (gradients**2).sum(axis=2)
    bound = np.zeros(len(assembly.points))
    np.add.at(bound, tets.corners, elastic)
    if settings.quasistatic:
        bound[bound == 0.0] = np.inf
    else:
        bound += assembly.mass / settings.step_time**2
    return np.minimum(settings.collision_stiffness, STIFFEST * bound)


def contact_surface(assembly, bodies, colliders, settings):
    """The `Surface` of a scene; vertices of `colliders` follow behind those of the assembly.

    Colliders without a friction of their own have that of the settings.
    """
    count = len(assembly.points)
    solids = boundary_triangles(assembly.tets.corners)
    cloth = np.asarray(assembly.triangles.corners, dtype=np.int64)
    triangles = np.concatenate([solids, cloth])
    triangle_edges = unique_edges(triangles)
    rods = np.asarray(assembly.springs.corners, dtype=np.int64)
    starts = count + np.cumsum([0, *(c.vertex_count for c in colliders)])
    shells = [c.triangles + start for c, start in zip(colliders, starts, strict=False)]
    collider_edges = [unique_edges(shell) for shell in shells]
    edges = np.concatenate([triangle_edges, rods, *collider_edges])
    all_triangles = np.concatenate([triangles, *shells])

    body = np.zeros(starts[-1], dtype=np.int32)
    for number, place in enumerate(assembly.place):
        body[place] = number
    for number, first in enumerate(starts[:-1]):
        body[first:] = len(bodies) + number
    rest = np.concatenate([assembly.rest_points, *(c.start - assembly.origin for c in colliders)])
    length = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    ends = edges.ravel()
    total = np.bincount(ends, np.repeat(length, 2), minlength=starts[-1])
    number_of = np.bincount(ends, minlength=starts[-1])

    stiffness = contact_stiffness(assembly, settings)
    # What is led does not yield: only the other side bounds the stiffness.
    stiffness[assembly.free_count :] = settings.collision_stiffness

    def spread(mine, of_collider):
        return np.concatenate([mine, *(np.full(c.vertex_count, of_collider(c)) for c in colliders)])

    return Surface(
        vertices=np.unique(ends).astype(np.int32),
        edges=edges.astype(np.int32),
        triangles=all_triangles.astype(np.int32),
        body_edges=len(triangle_edges) + len(rods),
        body_triangles=len(triangles),
        rod_start=len(triangle_edges),
        collider_start=count,
        joint=connected(assembly.attachments.edges(), starts[-1]),
        body=body,
        may_touch=touch_table(bodies, colliders),
        closed=np.array(
            [b.element_name == "tet" for b in bodies] + [is_closed(c.triangles) for c in colliders]
        ),
        radius=spread(assembly.thickness, lambda c: c.thickness),
        friction=spread(
            assembly.friction, lambda c: settings.friction if c.friction is None else c.friction
        ),
        rest=rest,
        stiffness=spread(stiffness, lambda c: settings.collision_stiffness),
        spacing=total / np.maximum(number_of, 1),
    )


def is_closed(triangles):
    """Whether every edge of a mesh belongs to two triangles that run through it both ways."""
    directed = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)
    span = int(triangles.max()) + 1
    there, back = directed @ [span, 1], directed @ [1, span]
    return len(np.unique(there)) == len(there) and bool(np.isin(there, back).all())


def touch_table(bodies, colliders):
    """Who may touch whom, bool [body, body], bodies before colliders.

    A name that nobody has is refused.
    """
    all_of_them = [*bodies, *colliders]
    names = [one.name for one in all_of_them]
    table = np.ones((len(names), len(names)), dtype=bool)
    for number, one in enumerate(all_of_them):
        if one.collides_with is None:
            continue
        unknown = [name for name in one.collides_with if name not in names]
        if unknown:
            raise ValueError(
                f'{one.name}: it collides with "{unknown[0]}", but no body or collider has that '
                f"name; there are {', '.join(names)}"
            )
        table[number] = [name in one.collides_with for name in names]
    table = table & table.T
    table[len(bodies) :, len(bodies) :] = False
    for number, body in enumerate(bodies):
        table[number, number] = body.material.self_contact
    return table
