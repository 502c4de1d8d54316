# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of all bodies and colliders that can touch, as one set of NumPy arrays."""

from dataclasses import dataclass

import numpy as np

from ..bodies import Cells, RigidBody, Solid, Volume
from ..elements.tets import tet_gradients
from ..lattice.embedding import EmbeddedPoints, embedded_points
from ..messages import message
from ..scene.analytic_colliders import friction_at
from ..topology.blocks import blocks
from ..topology.graphs import connected_components, unique_edges
from ..topology.inertia import is_closed
from ..topology.meshes import are_flat, first_edges
from .initial.edge_crossings import unit

# A contact is at most this many times as stiff as the vertices that it acts on.
STIFFEST = 30.0
# So many points of a rigid body share a load.
SHARED = 4.0
# Trust radii of rigid bodies, whose edges are long, are shorter by this factor: lists of pairs too.
RIGID_SPACING = 0.3
# Push-out is this many times as stiff as a contact: it must win against the elements.
PUSH_OUT_FACTOR = 30.0


@dataclass
class ContactSurface:
    """Vertices, edges and triangles that can touch, in solver order: of bodies, then of colliders.

    Behind them come the points of embedded surfaces, from `point_start` on. Edges of bodies are
    those of triangles, then those of rods, from `rod_start` on. `body` [vertex] numbers bodies and
    colliders, the first `body_count` of which are bodies; attached vertices share a `joint`
    [vertex]. `may_touch` [body, body] is true where two bodies may meet, and `closed` [body] where
    one has an inside: solids and closed meshes. Of two bodies that begin in each other's surface
    the one with the larger `support_rank` [body] lies below. `spacing` [vertex, m] is the mean
    length of the edges at a vertex, or the least among its embedded points; `stiffness` [vertex,
    N/m] the largest of its contacts, `push_out_stiffness` that of its push-out from an analytic
    collider, stiffer but for held bodies. Embedded points replace `hidden` vertices [vertex].
    """

    body_count: int
    points: EmbeddedPoints
    hidden: np.ndarray
    vertices: np.ndarray
    edges: np.ndarray
    triangles: np.ndarray
    body_edges: int
    body_triangles: int
    rod_start: int
    collider_start: int
    joint: np.ndarray
    point_start: int
    body: np.ndarray
    may_touch: np.ndarray
    closed: np.ndarray
    support_rank: np.ndarray
    radius: np.ndarray
    friction: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    push_out_stiffness: np.ndarray
    spacing: np.ndarray
    rigid: tuple
    """The first vertex of rigid bodies and the end of these."""

    def normals(self, x, triangle):
        """Return unit normals [triangle, 3] of some triangles at x [vertex, 3]."""
        a, b, c = (x[self.triangles[triangle, j]] for j in range(3))
        return unit(np.cross(b - a, c - a))

    @property
    def can_touch(self):
        """True where any two surfaces may meet; and for rigid bodies, which move along arcs only by
        truncation.
        """
        return bool(self.may_touch.any()) or self.rigid[0] < self.rigid[1]


def stiffness_bound(assembly, settings):
    """Return the largest stiffness [N/m] that contacts of each vertex may have.

    A contact that is much stiffer than the bodies that it holds apart makes descent slow along the
    common motion of both, and float32 cannot resolve its depth. The bound is STIFFEST times inertia
    m/h² and, of solids, the elastic stiffness Σ (λ + 2μ) V |∇N|²; of a cell with side s that is
    3/(16 s²) at its center, and the modes of bending and twist add as much again.
    """
    tets, cells = assembly.solids
    elastic = np.empty(tets.corners.shape)
    for block in blocks(len(tets)):
        some = tets[block]
        volumes, gradients = tet_gradients(assembly.rest_points, some.corners)
        modulus = (some.lame_lam + 2.0 * some.lame_mu) * volumes
        elastic[block] = modulus[:, None] * (gradients**2).sum(axis=2)
    count = len(assembly.points)
    # `bincount` returns integers where there are no tets or cells.
    bound = np.zeros(count) + np.bincount(tets.corners.ravel(), elastic.ravel(), minlength=count)
    modulus = (cells.lame_lam + 2.0 * cells.lame_mu) * cells.part
    elastic = 0.375 * modulus * first_edges(assembly.rest_points, cells.corners)
    bound += np.bincount(cells.corners.ravel(), np.repeat(elastic, 8), minlength=count)
    if settings.quasistatic:
        bound[bound == 0.0] = np.inf
    else:
        bound += assembly.mass / settings.step_time**2
    # Kinematic vertices do not yield: only the other side bounds the stiffness.
    bound[assembly.free_count :] = np.inf
    return STIFFEST * bound


def bound_at_points(points, bound):
    """Return `stiffness_bound` of embedded points, whose corners share it with all near points."""
    point, corner, weight = points.parents()
    shared = np.bincount(corner, weight * weight, minlength=len(bound))
    yielding = np.abs(weight) * np.maximum(shared[corner], 1.0) / bound[corner]
    with np.errstate(divide="ignore"):
        return 1.0 / np.bincount(point, yielding, minlength=len(points))


def bound_of_rigid_points(points, mass, settings):
    """Return `stiffness_bound` of the points of rigid bodies: STIFFEST times their inertia, which
    SHARED of them share. At an arm r the inverse of that is h² (1 + |L⁻¹r|²)/m = 4 h² Σ β²/m.
    """
    yielding = 4.0 * (points.weights**2).sum(axis=1) / (4.0 * mass[points.corners[:, 0]])
    return STIFFEST / (SHARED * settings.step_time**2 * yielding)


def contact_surface(assembly, bodies, colliders, settings):
    """Return the `ContactSurface` of a scene. Vertices of `colliders` follow those of the assembly;
    behind them come the points of embedded surfaces.

    Colliders without a friction of their own have that of the settings.
    """
    count = len(assembly.points)
    starts = count + np.cumsum([0, *(c.vertex_count for c in colliders)])
    points, point_triangles = embedded_points(bodies, assembly.vertices, assembly.rigid.numbers)
    hidden = np.zeros(count, dtype=bool)
    for number in np.unique(points.body):
        hidden[assembly.vertices[number]] = True
    solids = [
        assembly.vertices[number][body.boundary]
        for kind in (Solid, Cells)
        for number, body in enumerate(bodies)
        if isinstance(body, kind) and body.surface is None
    ]
    cloth = np.asarray(assembly.triangles.corners, dtype=np.int64)
    triangles = np.concatenate([*solids, cloth, starts[-1] + point_triangles])
    triangle_edges = unique_edges(triangles)
    rods = np.asarray(assembly.edges.corners, dtype=np.int64)
    # Triangles without area have no normal, and their edges lie along those of others.
    shells = [
        c.triangles[~are_flat(c.start, c.triangles)] + start
        for c, start in zip(colliders, starts, strict=False)
    ]
    collider_edges = [unique_edges(shell) for shell in shells]
    edges = np.concatenate([triangle_edges, rods, *collider_edges])
    all_triangles = np.concatenate([triangles, *shells])

    body = np.zeros(starts[-1], dtype=np.int32)
    for number, vertices in enumerate(assembly.vertices):
        body[vertices] = number
    for number, first in enumerate(starts[:-1]):
        body[first:] = len(bodies) + number
    body = np.concatenate([body, points.body.astype(np.int32)])
    rest = np.concatenate(
        [
            assembly.rest_points,
            *(c.start - assembly.origin for c in colliders),
            points.of(assembly.rest_points),
        ]
    )
    length = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    ends = edges.ravel()
    total = np.bincount(ends, np.repeat(length, 2), minlength=len(body))
    edge_counts = np.bincount(ends, minlength=len(body))
    spacing = total / np.maximum(edge_counts, 1)
    if len(points):
        spacing[:count][hidden] = np.inf
        point, corner, _ = points.parents()
        in_use = edge_counts[starts[-1] + point] > 0
        np.minimum.at(spacing, corner[in_use], spacing[starts[-1] + point[in_use]])
        spacing[assembly.rigid.corners] *= RIGID_SPACING

    bound = stiffness_bound(assembly, settings)

    def spread(of_bodies, of_collider, of_points):
        shells = (np.full(c.vertex_count, of_collider(c)) for c in colliders)
        return np.concatenate([of_bodies, *shells, of_points])

    def spread_from_bodies(of_bodies, of_collider):
        return spread(of_bodies, of_collider, at_points(points, of_bodies))

    at = bound_at_points(points, bound)
    is_rigid = np.isin(points.body, assembly.rigid.numbers)
    at[is_rigid] = bound_of_rigid_points(points, assembly.mass, settings)[is_rigid]
    bound = spread(bound, lambda c: np.inf, at)
    stiffness = np.minimum(settings.collision_stiffness, bound)
    push_out = PUSH_OUT_FACTOR * np.where(np.isfinite(bound), bound, settings.collision_stiffness)
    joint = connected_components(assembly.attachments.joints(), len(body))
    held = held_bodies(assembly, body, joint)
    closed = np.array([has_inside(b) for b in bodies] + [is_closed(c.triangles) for c in colliders])
    is_kinematic = [(vertices >= assembly.free_count).all() for vertices in assembly.vertices]
    is_kinematic = np.array(is_kinematic + [True] * len(colliders))
    return ContactSurface(
        body_count=len(bodies),
        points=points,
        hidden=hidden,
        vertices=np.unique(ends).astype(np.int32),
        edges=edges.astype(np.int32),
        triangles=all_triangles.astype(np.int32),
        body_edges=len(triangle_edges) + len(rods),
        body_triangles=len(triangles),
        rod_start=len(triangle_edges),
        collider_start=count,
        joint=joint,
        point_start=int(starts[-1]),
        body=body,
        may_touch=touch_table(bodies, colliders),
        closed=closed,
        support_rank=2 * closed + is_kinematic,
        radius=spread_from_bodies(assembly.thickness, lambda c: c.thickness),
        friction=spread_from_bodies(
            assembly.friction, lambda collider: friction_at(collider, settings, 0.0)
        ),
        rest=rest,
        stiffness=stiffness,
        push_out_stiffness=np.where(np.isin(body, list(held)), stiffness, push_out),
        spacing=spacing,
        rigid=(assembly.rigid_start, assembly.free_count),
    )


def at_points(points, of_bodies):
    """Return values of embedded points [point] from those of bodies [vertex], within their range;
    weights are also beyond 0 and 1.
    """
    around = of_bodies[points.corners]
    return np.clip(points.of(of_bodies), around.min(axis=1), around.max(axis=1))


def held_bodies(assembly, body, joint):
    """Return the numbers of the bodies that are pinned or attached to something."""
    count = len(assembly.points)
    is_attached = np.bincount(joint)[joint[:count]] > 1
    return set(body[assembly.free_count : count].tolist()) | set(body[:count][is_attached].tolist())


def has_inside(body):
    """Return whether the surface of a body that can touch is closed."""
    if not isinstance(body, Volume):
        return False
    return body.surface is None or is_closed(body.surface.triangles)


def touch_table(bodies, colliders):
    """Return a table of the bodies that may touch, bool [body, body], bodies before colliders.

    Unknown names are refused.
    """
    owners = [*bodies, *colliders]
    names = [one.name for one in owners]
    table = np.ones((len(names), len(names)), dtype=bool)
    for number, one in enumerate(owners):
        if one.collides_with is None:
            continue
        unknown = [name for name in one.collides_with if name not in names]
        if unknown:
            raise ValueError(
                message(
                    "script.collides_with", name=one.name, other=unknown[0], names=", ".join(names)
                )
            )
        table[number] = [name in one.collides_with for name in names]
    table = table & table.T
    table[len(bodies) :, len(bodies) :] = False
    for number, body in enumerate(bodies):
        table[number, number] = body.material.self_contact and not isinstance(body, RigidBody)
    return table
