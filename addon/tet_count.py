# SPDX-License-Identifier: GPL-3.0-or-later
"""How many tetrahedra an object gets as a soft body, shown beside its resolution."""

from ..solver.scene.lattice import cage
from .read_mesh import matrix, positions, transformed, triangles
from .tetmesh import stored_tets

# A finer lattice takes longer than a user who drags the resolution wants to wait.
FINEST_AT_ONCE = 32
NOT_COUNTED = -1


def tet_count(ob):
    """Tetrahedra of a mesh object as a soft body: its own, else those of its lattice cage."""
    mesh = ob.data
    try:
        own = stored_tets(ob.name, mesh)
        if own is not None:
            return len(own)
        points = transformed(matrix(ob), positions(mesh))
        return len(cage(points, triangles(mesh), ob.vbd.resolution, ob.name).tets)
    except ValueError:  # no tets can be made of this mesh; the bake says why
        return 0


def can_count(ob):
    """In Edit Mode the mesh is elsewhere, and nothing can be read from it."""
    return ob.type == "MESH" and ob.vbd.role == "SOFT" and ob.mode != "EDIT"


def count_tets(ob):
    """Store the number of tets with the object, and the mesh size that it belongs to."""
    ob.vbd.tet_count = tet_count(ob)
    ob.vbd.tet_vertices = len(ob.data.vertices)


def update_tet_count(group, _context):
    """Count again after a change of `object.vbd`, unless that takes long."""
    ob = group.id_data
    if can_count(ob) and group.resolution <= FINEST_AT_ONCE:
        count_tets(ob)
    else:
        group.tet_vertices = NOT_COUNTED


def known_tet_count(ob):
    """The last count, or None when it is not that of this mesh."""
    group = ob.vbd
    return group.tet_count if group.tet_vertices == len(ob.data.vertices) else None
