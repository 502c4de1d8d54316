# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the faces of a mesh are. Panels ask at every redraw, so that the mesh is read only when
it has changed.
"""

import bpy
import numpy as np

from . import read_mesh
from .modifiers import is_reshaped
from .units import unit_scale

# The median of so many faces is near enough to that of all.
MOST_FACES = 4096
# Vertices whose places tell that a mesh has changed which has as many as before.
PROBES = 16
# What is known, by the object: what its mesh was then, and its `_areas`.
KNOWN = {}


def triangle_area(ob):
    """Median area in the world [m²] of the triangles of a mesh object, of faces with many corners
    on average; None where it is not known: without faces, in Edit Mode before it was measured, and
    where modifiers make the faces that are simulated.
    """
    if ob.type != "MESH" or is_reshaped(ob):
        return None
    areas = _known_areas(ob)
    if areas is None or not len(areas[0]):
        return None
    vectors, triangles = areas
    matrix = read_mesh.matrix(ob)[:3, :3] * unit_scale(bpy.context.scene)
    # Areas of a parallelogram and its normal go with the cofactors of a transform.
    a, b, c = matrix
    cofactors = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    area = np.linalg.norm(vectors @ cofactors.T, axis=1)
    order = np.argsort(area)
    middle = np.searchsorted(np.cumsum(triangles[order]), 0.5 * triangles.sum())
    return float(area[order[middle]])


def _known_areas(ob):
    """The `_areas` of the mesh of an object; in Edit Mode, where it cannot be read, as they were
    when it could.
    """
    name = ob.name_full
    if ob.mode == "EDIT":
        return KNOWN.get(name, (None, None))[1]
    mesh = ob.data
    now = len(mesh.vertices), len(mesh.polygons), *_probes(mesh)
    if name not in KNOWN or KNOWN[name][0] != now:
        KNOWN[name] = now, _areas(mesh)
    return KNOWN[name][1]


def _probes(mesh):
    count = len(mesh.vertices)
    for index in np.linspace(0, count - 1, min(PROBES, count)).astype(int):
        yield tuple(mesh.vertices[int(index)].co)


def _areas(mesh):
    """Of some faces the area of a triangle of it times its normal, [face, 3], and how many it has,
    [face]; in object space.
    """
    total = np.empty(len(mesh.polygons), np.int32)
    start = np.empty_like(total)
    mesh.polygons.foreach_get("loop_total", total)
    mesh.polygons.foreach_get("loop_start", start)
    chosen = np.unique(np.linspace(0, len(total) - 1, min(MOST_FACES, len(total))).astype(int))
    points, vertex = read_mesh.positions(mesh), read_mesh.corner_vertices(mesh)
    vectors = np.zeros((len(chosen), 3))
    for size in np.unique(total[chosen]):
        some = np.flatnonzero(total[chosen] == size)
        corners = points[vertex[start[chosen[some]][:, None] + np.arange(size)]].astype(float)
        arms = corners[:, 1:] - corners[:, :1]
        twice = np.cross(arms[:, :-1], arms[:, 1:]).sum(axis=1)
        vectors[some] = 0.5 * twice / (size - 2)
    return vectors, total[chosen] - 2
