# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that pass through each other: vertices inside closed ones, edges through triangles."""

import warp as wp

from ...device.options import OPTIONS
from ..detection.broad_phase import BODIES, COLLIDERS, near_bodies
from ..detection.bvh import COLLIDER_TRIANGLES, TRIANGLES, WHOLE_BODIES, first_in, next_in
from ..detection.exclusions import belongs, lay_in_triangle
from ..pairs import SurfaceArrays, bodies_may_touch
from .initial_orientation import couple_of

wp.set_module_options(OPTIONS)


@wp.func
def may_be_inside(body: int, other: int, surface: SurfaceArrays):
    """Return whether a body may be on the wrong side of another one; enclosed bodies may not."""
    if body == other or not bodies_may_touch(body, other, surface):
        return False
    return surface.side[couple_of(body, other, surface)] > 0


@wp.kernel
def find_inside(
    first: int,
    surface: SurfaceArrays,
    x: wp.array[wp.vec3],
    mesh: wp.array[wp.uint64],
    # out
    inside: wp.array[int],
    face: wp.array[int],
    uv: wp.array[wp.vec2],
):
    """Find for each surface vertex the first closed body around it, and its closest face there.

    `mesh` [body] is 0 for open bodies. `inside` [vertex of the scene] is the number of the body
    plus one, or 0; `face` and the barycentric `uv` of the closest point belong to the surface
    vertices. The tree of bodies holds their boxes.
    """
    k = first + wp.tid()
    v = surface.vertices[k]
    p = x[v]
    found = int(0)
    walk = first_in(surface.trees, WHOLE_BODIES, p, p)
    while walk.entry >= 0:
        number = walk.entry
        if mesh[number] != wp.uint64(0) and (found == 0 or number + 1 < found):
            if may_be_inside(surface.body[v], number, surface):
                reach = wp.length(surface.body_high[number] - surface.body_low[number])
                near = wp.mesh_query_point_sign_winding_number(mesh[number], p, reach)
                if near.result and near.sign < 0.0:
                    found = number + 1
                    face[k] = near.face
                    uv[k] = wp.vec2(near.u, near.v)
        walk = next_in(surface.trees, walk)
    inside[v] = found


@wp.kernel
def find_closest_points(
    mesh: wp.uint64,
    points: wp.array[wp.vec3],
    # out
    inside: wp.array[int],
    offset: wp.array[wp.vec3],
):
    """Find which points are inside a closed mesh, and their shortest displacement to it [m]."""
    k = wp.tid()
    near = wp.mesh_query_point_sign_winding_number(mesh, points[k], 1.0e6)
    inside[k] = int(near.result and near.sign < 0.0)
    offset[k] = wp.mesh_eval_position(mesh, near.face, near.u, near.v) - points[k]


@wp.kernel
def find_exit(
    x: wp.array[wp.vec3],
    vertices: wp.array[int],
    meshes: wp.array[wp.uint64],
    directions: wp.array[wp.vec3],
    # out
    face: wp.array[int],
    uv: wp.array[wp.vec2],
):
    """Find where a ray from each vertex leaves the mesh that it is inside of, unless its direction
    is 0.
    """
    k = wp.tid()
    if wp.length_sq(directions[k]) > 0.0:
        out = wp.mesh_query_ray(meshes[k], x[vertices[k]], directions[k], 1.0e6)
        if out.result:
            face[k] = out.face
            uv[k] = wp.vec2(out.u, out.v)


@wp.func
def crosses(p: wp.vec3, q: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3):
    """Return whether segment pq crosses triangle abc, or touches it.

    Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
    """
    along = q - p
    b_a = b - a
    c_a = c - a
    n = wp.cross(along, c_a)
    determinant = wp.dot(b_a, n)
    to_p = p - a
    m = wp.cross(to_p, b_a)
    u = wp.dot(to_p, n) / determinant
    w = wp.dot(along, m) / determinant
    s = wp.dot(c_a, m) / determinant
    # Where the triangle lies along the segment these are infinite or no numbers.
    return u >= 0.0 and w >= 0.0 and u + w <= 1.0 and s >= 0.0 and s <= 1.0


@wp.func
def any_in(marks: wp.array[int], e: wp.vec2i, t: wp.vec3i):
    """Return whether a vertex of an edge or of a triangle is marked."""
    return marks[e[0]] + marks[e[1]] + marks[t[0]] + marks[t[1]] + marks[t[2]] > 0


@wp.func
def crossed_triangles(
    k: int,
    tree: int,
    surface: SurfaceArrays,
    flattened: wp.array[int],
    x: wp.array[wp.vec3],
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the triangles of a tree that edge k crosses to found[k · slots...]."""
    e = surface.edges[k]
    p = x[e[0]]
    q = x[e[1]]
    n = count
    walk = first_in(surface.trees, tree, wp.min(p, q), wp.max(p, q))
    while walk.entry >= 0:
        t = surface.triangles[walk.entry]
        if bodies_may_touch(surface.body[e[0]], surface.body[t[0]], surface):
            own = belongs(e[0], t, surface) or belongs(e[1], t, surface)
            if surface.body[e[0]] == surface.body[t[0]]:
                own = own or any_in(flattened, e, t)
            if not own and crosses(p, q, x[t[0]], x[t[1]], x[t[2]]):
                if not lay_in_triangle(e, t, surface):
                    if n < slots:
                        found[k * slots + n] = walk.entry
                    n += 1
        walk = next_in(surface.trees, walk)
    return n


@wp.kernel
def find_crossings(
    first: int,
    surface: SurfaceArrays,
    flattened: wp.array[int],
    x: wp.array[wp.vec3],
    slots: int,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Find triangles that each edge crosses, up to `slots`; edges of colliders meet bodies only.

    Crossings of `flattened` [vertex] with their own body are left out.
    """
    k = first + wp.tid()
    n = int(0)
    e = surface.edges[k]
    low = wp.min(x[e[0]], x[e[1]])
    near = near_bodies(surface.body[e[0]], low, wp.max(x[e[0]], x[e[1]]), surface)
    if near & BODIES != 0:
        n = crossed_triangles(k, TRIANGLES, surface, flattened, x, slots, n, found)
    if near & COLLIDERS != 0:
        n = crossed_triangles(k, COLLIDER_TRIANGLES, surface, flattened, x, slots, n, found)
    count[k] = n
