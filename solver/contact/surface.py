# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of all bodies and colliders that can touch, as one set of NumPy arrays."""

from dataclasses import dataclass

import numpy as np

from ..bodies import Cells, RigidBody, Solid, Volume
from ..bodies.touching import weights_in_touch
from ..lattice.embedding import EmbeddedPoints, embedded_points
from ..messages import message
from ..scene.analytic_colliders import friction_at
from ..topology.graphs import unique_edges
from ..topology.inertia import is_closed
from ..topology.meshes import are_flat
from .attached_points import joined_for_contact
from .initial.edge_crossings import unit
from .stiffness import bound_at_points, bound_of_rigid_points, carried_mass, stiffness_bound

# The stiffness [N/m] of colliders beside rigid bodies: above that of any body.
RIGID = 1e30
# Trust radii of rigid bodies, whose edges are long, are shorter by this factor: lists of pairs too.
RIGID_SPACING = 0.3
# Push-out is this many times as stiff as a contact: it must win against the elements.
PUSH_OUT_FACTOR = 30.0


@dataclass
class ContactSurface:
    """Vertices, edges and triangles that can touch, in solver order: of bodies, then of colliders.

    Behind them come the points of embedded surfaces, from `point_start` on. Edges of bodies are
    those of triangles, then those of rods, from `rod_start` on, then grains, from `grain_start` on,
    as edges of length zero. `body` [vertex] numbers bodies and
    colliders, the first `body_count` of which are bodies; attached vertices share a `joint`
    [vertex]. `may_touch` [body, body] is true where two bodies may meet, and `closed` [body] where
    one has an inside: solids and closed meshes. Of two bodies that begin in each other's surface
    the one with the larger `support_rank` [body] lies below. `spacing` [vertex, m] is the mean
    length of the edges at a vertex, the diameter of a grain, or the least among its embedded
    points; `stiffness` [vertex, N/m] the largest of its contacts, `push_out_stiffness` that of its
    push-out from an analytic collider, stiffer but for held bodies. Embedded points replace
    `hidden` vertices [vertex].
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
    grain_start: int
    collider_start: int
    joint: np.ndarray
    point_start: int
    body: np.ndarray
    may_touch: np.ndarray
    closed: np.ndarray
    support_rank: np.ndarray
    radius: np.ndarray
    friction: np.ndarray
    static_friction: np.ndarray
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
        """True where any two surfaces may meet, of which there may be none; and for rigid bodies,
        which move along arcs only by truncation.
        """
        meet = bool(self.may_touch.any()) and len(self.edges) > 0
        return meet or self.rigid[0] < self.rigid[1]


def contact_surface(assembly, bodies, colliders, settings):
    """Return the `ContactSurface` of a scene. Vertices of `colliders` follow those of the assembly;
    behind them come the points of embedded surfaces.

    Colliders without a friction of their own have that of the settings.
    """
    count = len(assembly.points)
    starts = count + np.cumsum([0, *(c.vertex_count for c in colliders)])
    rigid, in_touch = assembly.rigid.numbers, weights_in_touch(bodies, colliders)
    points, point_triangles = embedded_points(bodies, assembly.vertices, rigid, in_touch)
    as_held, _ = embedded_points(bodies, assembly.vertices, rigid)
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
    grains = np.repeat(np.asarray(assembly.grains.corners, dtype=np.int64), 2, axis=1)
    edges = np.concatenate([triangle_edges, rods, grains, *collider_edges])
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
    spacing[grains[:, 0]] = 2.0 * assembly.thickness[grains[:, 0]]
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
    carried = carried_mass(assembly)
    at[is_rigid] = bound_of_rigid_points(points, carried, settings)[is_rigid]
    bound = spread(bound, lambda c: np.inf, at)
    stiffness = np.minimum(settings.collision_stiffness, bound)
    if is_rigid.any():
        # Softer contacts could not stop a heavy body, and truncation would stop all of its motion.
        rigid = starts[-1] + np.flatnonzero(is_rigid)
        stiffness[rigid] = bound[rigid]
        stiffness[count : starts[-1]] = RIGID  # a pair has the lower one of both sides
    push_out = PUSH_OUT_FACTOR * np.where(np.isfinite(bound), bound, settings.collision_stiffness)
    held = held_bodies(assembly, body)
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
        body_edges=len(triangle_edges) + len(rods) + len(grains),
        body_triangles=len(triangles),
        rod_start=len(triangle_edges),
        grain_start=len(triangle_edges) + len(rods),
        collider_start=count,
        joint=joined_for_contact(assembly, as_held, body, hidden),
        point_start=int(starts[-1]),
        body=body,
        may_touch=touch_table(bodies, colliders),
        closed=closed,
        support_rank=2 * closed + is_kinematic,
        radius=spread_from_bodies(assembly.thickness, lambda c: c.thickness),
        friction=spread_from_bodies(
            assembly.friction, lambda collider: friction_at(collider, settings, 0.0)
        ),
        static_friction=spread_from_bodies(
            assembly.static_friction, lambda collider: collider.static_friction
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


def held_bodies(assembly, body):
    """Return the numbers of the bodies that are pinned or attached to something."""
    pinned = body[assembly.free_count : len(assembly.points)]
    return set(pinned.tolist()) | set(body[assembly.attachments.joints()].ravel().tolist())


def has_inside(body):
    """Return whether the surface of a body that can touch is closed."""
    if not isinstance(body, Volume | RigidBody):
        return False
    if body.surface is None:  # tets that are all there twice have no boundary
        return len(body.boundary) > 0
    return is_closed(body.surface.triangles)


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
        table[number, number] = body.touches_itself
    return table
