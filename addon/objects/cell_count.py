# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of cells, or tets of its own, of an object as a soft body."""

from ...solver.lattice.lattice import lattice
from .read_mesh import matrix, positions, transformed, triangles
from .tetmesh import stored_tets

# A finer lattice takes too long for a user who drags the resolution.
FINEST_AT_ONCE = 32
NOT_COUNTED = -1


def cell_count(ob):
    """Elements of a mesh object as a soft body: tets of its own, else cells."""
    mesh = ob.data
    try:
        own = stored_tets(ob.name, mesh)
        if own is not None:
            return len(own)
        points = transformed(matrix(ob), positions(mesh))
        return len(lattice(points, triangles(mesh), ob.vbd.resolution, ob.name).cells)
    except ValueError:  # no cells can be made of this mesh; the bake reports the reason
        return 0


def can_count(ob):
    """Return whether cells can be counted: in Edit Mode the mesh cannot be read."""
    return ob.type == "MESH" and ob.vbd.role == "SOFT" and ob.mode != "EDIT"


def count_cells(ob):
    """Store the number of cells with the object, and the mesh size that it belongs to."""
    ob.vbd.cell_count = cell_count(ob)
    ob.vbd.cell_vertices = len(ob.data.vertices)


def update_cell_count(group, _context):
    """Count again after a change of `object.vbd`, unless that takes long."""
    ob = group.id_data
    if can_count(ob) and group.resolution <= FINEST_AT_ONCE:
        count_cells(ob)
    else:
        group.cell_vertices = NOT_COUNTED


def known_cell_count(ob):
    """The last count, or None if the mesh has changed since."""
    group = ob.vbd
    return group.cell_count if group.cell_vertices == len(ob.data.vertices) else None
