# SPDX-License-Identifier: GPL-3.0-or-later
"""Which colliders a vertex may touch in this step, by closest-point queries against `wp.Mesh`.

A closed collider pushes out of its inside, through the face by which a vertex came in. An open one
pushes to the side on which the vertex came near it, and remembers that side for as long as the
vertex stays near.
"""

import warp as wp

from .contact import Contacts

wp.set_module_options({"enable_backward": False})

# Barycentric weight below which a closest point counts as lying on the opposite edge.
ON_EDGE = wp.constant(1.0e-4)


@wp.struct
class Colliders:
    """All collider meshes at the end of the step; their `velocities` are motions in it [m]."""

    mesh: wp.array[wp.uint64]
    closed: wp.array[int]
    thickness: wp.array[float]
    friction: wp.array[float]
    travel: wp.array[float]  # the largest motion of a point in this step [m]
    face_start: wp.array[int]
    border: wp.array[int]  # per face: bit k is set when the edge opposite to corner k is a border
    use_ground: int
    ground_height: float
    ground_friction: float


@wp.func
def on_border(border: int, u: float, v: float):
    """Whether barycentric (u, v) lies on a border edge of its face."""
    return (
        (u < ON_EDGE and (border & 1) != 0)
        or (v < ON_EDGE and (border & 2) != 0)
        or (1.0 - u - v < ON_EDGE and (border & 4) != 0)
    )


@wp.func
def add_contact(
    i: int,
    contacts: Contacts,
    normal: wp.vec3,
    offset: float,
    motion: wp.vec3,
    friction: float,
):
    k = i * contacts.slots + contacts.count[i]
    contacts.normal[k] = normal
    contacts.offset[k] = offset
    contacts.motion[k] = motion
    contacts.friction[k] = friction
    contacts.count[i] = contacts.count[i] + 1


@wp.kernel
def find_contacts(
    first: int,
    # vertices
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
    thickness: wp.array[float],
    friction: wp.array[float],
    colliders: Colliders,
    # out
    depth: wp.array[float],
    contacts: Contacts,
):
    """Renew the contact list of a vertex. One thread per vertex.

    `depth` [vertex * collider, m] is the memory of the last detection: its sign is the side of an
    open collider on which the vertex belongs, its size how deep the vertex was; 0 is "not near".
    """
    i = first + wp.tid()
    contacts.count[i] = 0
    x_i = x[i]
    start = x_start[i]
    travel = wp.max(wp.length(inertial[i] - start), wp.length(x_i - start))
    if colliders.use_ground != 0:
        offset = colliders.ground_height + thickness[i]
        if x_i[2] < offset + travel:
            mu = wp.sqrt(friction[i] * colliders.ground_friction)
            add_contact(i, contacts, wp.vec3(0.0, 0.0, 1.0), offset, wp.vec3(0.0), mu)

    count = colliders.mesh.shape[0]
    for c in range(count):
        memory = depth[i * count + c]
        radius = thickness[i] + colliders.thickness[c]
        reach = radius + 2.0 * (travel + colliders.travel[c]) + wp.abs(memory)
        near = wp.mesh_query_point_sign_normal(colliders.mesh[c], x_i, reach)
        if near.result:
            mesh = colliders.mesh[c]
            point = wp.mesh_eval_position(mesh, near.face, near.u, near.v)
            motion = wp.mesh_eval_velocity(mesh, near.face, near.u, near.v)
            outwards = wp.mesh_eval_face_normal(mesh, near.face)
            away = x_i - point
            distance = wp.length(away)

            # Which side of the surface the vertex is on now, and which one it belongs to.
            now = wp.sign(near.sign)
            side = float(1.0)
            if colliders.closed[c] == 0:
                side = wp.sign(memory)
                if memory == 0.0:
                    side = wp.sign(wp.dot(start - (point - motion), outwards))
                if on_border(colliders.border[colliders.face_start[c] + near.face], near.u, near.v):
                    side = now
            if now != side:
                distance = -distance
            # Right on the surface the direction is lost; the face still knows it.
            normal = side * outwards
            if wp.abs(distance) > 1.0e-3 * radius + 1.0e-9:
                normal = away / distance
            if colliders.closed[c] != 0:
                # What came in through a face goes back through it, however thin the collider is.
                way = x_i - start - motion
                entry = wp.mesh_query_ray(mesh, start + motion, way, 1.0)
                if entry.result and entry.sign > 0.0:
                    normal = entry.normal
                    point = start + motion + entry.t * way
                    distance = wp.dot(normal, x_i - point)
            if distance < reach:
                mu = wp.sqrt(friction[i] * colliders.friction[c])
                add_contact(i, contacts, normal, wp.dot(normal, point) + radius, motion, mu)
            # A bit above zero, so that the side is remembered by a vertex right on the surface.
            depth[i * count + c] = side * wp.max(-distance, 1.0e-9)
        else:
            depth[i * count + c] = 0.0
