# SPDX-License-Identifier: GPL-3.0-or-later
"""How many tetrahedra an object gets as a soft body, shown beside its resolution."""

import numpy as np

from ..solver.lattice import cage_tet_count


def world_surface(ob):
    """Points [m] in world space, shape [vertex, 3], and triangles [triangle, 3] of a mesh object."""
    mesh = ob.data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points.ravel())
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    matrix = np.array(ob.matrix_world)
    return points @ matrix[:3, :3].T + matrix[:3, 3], triangles


def tet_count(ob):
    """Tetrahedra of a mesh object as a soft body: its own, else those of its lattice cage."""
    own = ob.data.get("tets")
    if own is not None:
        return len(own) // (4 * np.dtype(np.int32).itemsize)
    points, triangles = world_surface(ob)
    if not len(triangles) or not np.isfinite(points).all():
        return 0
    return cage_tet_count(points, triangles, ob.vbd.resolution)


def can_count(ob):
    """In Edit Mode the mesh is elsewhere, and nothing can be read from it."""
    return ob.type == "MESH" and ob.vbd.role == "SOFT" and ob.mode != "EDIT"


def update_tet_count(group, _context):
    """Count again after a change of `object.vbd`."""
    ob = group.id_data
    if can_count(ob):
        group.tet_count = tet_count(ob)
        group.tet_vertices = len(ob.data.vertices)


def known_tet_count(ob):
    """The last count, or None when the mesh has changed since."""
    group = ob.vbd
    return group.tet_count if group.tet_vertices == len(ob.data.vertices) else None
