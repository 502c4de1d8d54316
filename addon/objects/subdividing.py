# SPDX-License-Identifier: GPL-3.0-or-later
"""Subdivides meshes until no edge is longer than the cells of the soft body allow."""

import bmesh

from ...solver.scene.contact_mesh import LONGEST_EDGE
from ...solver.scene.grid import grid_around
from .modifiers import is_reshaped, reshaping
from .own_mesh import missing
from .read_mesh import matrix, positions, transformed, triangles
from .tetmesh import TETS

# Subdividing the mesh below them changes the shape that they make of it.
SUBDIVIDING = {"MULTIRES", "SUBSURF"}


def cannot_subdivide(ob):
    """Why the mesh of a soft body cannot be subdivided by `subdivide`, or None."""
    reason = missing(ob)
    if reason:
        return reason
    if TETS in ob.data:
        return f"{ob.name}: its faces are those of its own tets and show how these bend"
    blamed = [modifier for modifier in ob.modifiers if modifier.type in SUBDIVIDING]
    for modifier in blamed or (reshaping(ob) if is_reshaped(ob) else []):
        return (
            f"{ob.name}: {modifier.name} would make another shape of it; simulate after a "
            "modifier that subdivides it (Modifier Stack)"
        )
    try:
        longest_edge(ob)
    except ValueError as error:
        return str(error)
    return None


def longest_edge(ob):
    """The longest edge [m] that shows how the cells of a soft body bend; ValueError without."""
    points = transformed(matrix(ob), positions(ob.data))
    cell_size = grid_around(points, triangles(ob.data), ob.vbd.resolution, ob.name)[3]
    return LONGEST_EDGE * cell_size


def subdivide(ob):
    """Halve the long edges of an object's mesh, again and again; the shape stays the same.

    Large faces of more than four corners are divided into triangles, as their inside has no edges
    to halve. Nothing that `cannot_subdivide`.
    """
    longest, to_world = longest_edge(ob), ob.matrix_world.to_3x3()
    divided = bmesh.new()
    try:
        divided.from_mesh(ob.data)

        def is_long(a, b):
            return (to_world @ (a.co - b.co)).length > longest

        while True:
            many = [face for face in divided.faces if len(face.verts) > 4]
            large = [f for f in many if any(is_long(f.verts[0], other) for other in f.verts)]
            bmesh.ops.triangulate(divided, faces=large)
            long = [e for e in divided.edges if e.link_faces and is_long(*e.verts)]
            if not long:
                break
            bmesh.ops.subdivide_edges(divided, edges=long, cuts=1, use_grid_fill=True)
        divided.to_mesh(ob.data)
    finally:
        divided.free()
    ob.data.update()
