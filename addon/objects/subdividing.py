# SPDX-License-Identifier: GPL-3.0-or-later
"""Subdivision of meshes: of soft bodies until their triangles have no longer side than the cells
allow, of cloth by halving every edge.
"""

from itertools import combinations

import bmesh

from ...solver.lattice.contact_mesh import LONGEST_EDGE
from ...solver.lattice.grid import grid_around
from ...solver.messages import message
from .modifiers import divider_of, is_reshaped, levels_of, reshaping
from .own_mesh import missing
from .read_mesh import matrix, positions, transformed, triangles
from .tetmesh import TETS

# Rounding of lengths.
EXACT = 1.001
# Of a quad with a long diagonal those edges are halved that are longer than this fraction of the
# longest one, √¾: if the others are shorter, the diagonals of the halves are not long.
ALSO = 0.866
# Modifiers whose result changes when the mesh below them is subdivided.
SUBDIVIDING = {"MULTIRES", "SUBSURF"}


def subdivider_of(ob):
    """The last active modifier of an object that subdivides its surface, apart from that of the
    bake, if the object is not simulated after it yet; or None.
    """
    active = [m for m in ob.modifiers if m.show_viewport and any(levels_of(m))]
    found = [m for m in active if m.type in SUBDIVIDING and m.name != divider_of(ob)]
    simulated = reshaping(ob) if is_reshaped(ob) else []
    return found[-1] if found and found[-1] not in simulated else None


def cannot_subdivide(ob):
    """The reason why the mesh of a soft body or a cloth cannot be subdivided, or None."""
    reason = missing(ob)
    if reason:
        return reason
    if ob.vbd.role == "CLOTH":
        return _cannot_halve(ob)
    if TETS in ob.data:
        return message("mesh.own_tets", name=ob.name)
    blamed = [modifier for modifier in ob.modifiers if modifier.type in SUBDIVIDING]
    for modifier in blamed or (reshaping(ob) if is_reshaped(ob) else []):
        return message("mesh.other_shape", name=ob.name, modifier=modifier.name)
    try:
        _longest_side(ob)
    except ValueError as error:
        return str(error)
    return None


def _cannot_halve(ob):
    """The reason for a cloth. A modifier that subdivides the baked result may stay."""
    for modifier in reshaping(ob) if is_reshaped(ob) else []:
        return message("mesh.made_by_modifier", name=ob.name, modifier=modifier.name)
    for modifier in ob.modifiers:
        if modifier.type == "MULTIRES":
            return message("mesh.multires", name=ob.name, modifier=modifier.name)
    return None if len(ob.data.polygons) else message("mesh.nothing_to_subdivide", name=ob.name)


def longest_side(ob, points, faces):
    """The longest side [m] of a triangle that shows how the cells of a soft body bend, for its
    surface, points [vertex, 3] in m and triangles [triangle, 3]; ValueError without cells.
    """
    return LONGEST_EDGE * EXACT * grid_around(points, faces, ob.vbd.resolution, ob.name)[3]


def _longest_side(ob):
    """`longest_side` for the mesh of an object."""
    return longest_side(ob, transformed(matrix(ob), positions(ob.data)), triangles(ob.data))


def subdivide(ob):
    """Make the faces of a soft body as small as its cells, and those of a cloth half as long. The
    shape does not change. The object must pass `cannot_subdivide`.
    """
    change = _halve_all if ob.vbd.role == "CLOTH" else _halve_long
    divided = bmesh.new()
    try:
        divided.from_mesh(ob.data)
        change(ob, divided)
        divided.to_mesh(ob.data)
    finally:
        divided.free()
    ob.data.update()


def _halve_long(ob, divided):
    """Halve the long edges of a soft body repeatedly, then those of faces with a long diagonal.

    Large faces of more than four corners are divided into triangles first (refining.py counts the
    same).
    """
    longest, to_world = _longest_side(ob), ob.matrix_world.to_3x3()

    def size(a, b):
        return (to_world @ (a.co - b.co)).length

    while True:
        many = [face for face in divided.faces if len(face.verts) > 4]
        large = [face for face in many if _diameter(face, to_world) > longest]
        bmesh.ops.triangulate(divided, faces=large)
        long = {e for e in divided.edges if e.link_faces and size(*e.verts) > longest}
        for a, b, c in divided.calc_loop_triangles() if not long else ():
            if max(size(*ends) for ends in combinations((a.vert, b.vert, c.vert), 2)) > longest:
                most = max(size(*edge.verts) for edge in a.face.edges)
                long |= {edge for edge in a.face.edges if size(*edge.verts) >= ALSO * most}
        if not long:
            break
        bmesh.ops.subdivide_edges(divided, edges=list(long), cuts=1, use_grid_fill=True)


def _diameter(face, to_world):
    """The diameter [m] of a face around the middle of its corners."""
    middle = face.calc_center_median()
    return 2.0 * max((to_world @ (corner.co - middle)).length for corner in face.verts)


def _halve_all(_ob, divided):
    """Halve every edge that has a face; between halves that seams join there are new seams."""
    many = [face for face in divided.faces if len(face.verts) > 4]
    bmesh.ops.triangulate(divided, faces=many)
    # Existing vertices keep their numbers, though not their references.
    divided.verts.index_update()
    count, joined = len(divided.verts), list(_sewn_edges(divided))
    with_face = [edge for edge in divided.edges if edge.link_faces]
    bmesh.ops.subdivide_edges(divided, edges=with_face, cuts=1, use_grid_fill=True)
    divided.verts.ensure_lookup_table()
    divided.verts.index_update()
    for sides in joined:
        divided.edges.new([_middle(divided, ends, count) for ends in sides])


def _sewn_edges(divided):
    """Pairs of edges whose ends are joined by seams, which are edges without a face: the numbers of
    the ends of both. For an edge sewn to a single vertex that vertex occurs twice.
    """
    sewn = {}
    for edge in divided.edges:
        if not edge.link_faces:
            a, b = edge.verts
            sewn.setdefault(a, []).append(b)
            sewn.setdefault(b, []).append(a)
    found = set()
    for edge in divided.edges:
        a, b = edge.verts
        if edge.link_faces:
            for c in sewn.get(a, ()):
                for d in sewn.get(b, ()):
                    beside = c == d or _has_face(divided.edges.get((c, d)))
                    key = frozenset([edge, divided.edges.get((c, d)) if c != d else c])
                    if beside and len(key) == 2 and key not in found:
                        found.add(key)
                        yield (a.index, b.index), (c.index, d.index)


def _has_face(edge):
    return edge is not None and bool(edge.link_faces)


def _middle(divided, ends, count):
    """The new vertex between two of the first `count`; for one that occurs twice it is itself."""
    a, b = (divided.verts[end] for end in ends)
    if a == b:
        return a
    near = ({edge.other_vert(end) for edge in end.link_edges} for end in (a, b))
    (middle,) = (vertex for vertex in set.intersection(*near) if vertex.index >= count)
    return middle
