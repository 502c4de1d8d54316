# SPDX-License-Identifier: GPL-3.0-or-later
"""Face size of a mesh, and contact thickness of its surface. Panels need both at every redraw, so
the mesh is read only after a change.
"""

import bpy
import numpy as np

from ...solver.scene.thickness import FRACTION_OF_EDGE, FRACTION_OF_SIZE, SHORT
from . import read_mesh
from .modifiers import is_reshaped
from .units import unit_scale

# The median of this many faces is close to that of all.
MOST_FACES = 4096
# Number of sampled vertices that reveal a change of a mesh with an unchanged vertex count.
PROBES = 16
# Cached values by object: samples of its mesh, its `_areas` and its `_edges`.
KNOWN = {}


def triangle_area(ob):
    """Median area in the world [m²] of the triangles of a mesh object, averaged in faces with many
    corners; None if unknown: without faces, in Edit Mode before the first measurement, and if
    modifiers make the simulated faces.
    """
    if ob.type != "MESH" or is_reshaped(ob):
        return None
    known = _known(ob)
    if known is None or not len(known[0][0]):
        return None
    vectors, triangles = known[0]
    # Areas times normals transform with the cofactors of the matrix.
    a, b, c = _metres(ob)
    cofactors = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    area = np.linalg.norm(vectors @ cofactors.T, axis=1)
    order = np.argsort(area)
    middle = np.searchsorted(np.cumsum(triangles[order]), 0.5 * triangles.sum())
    return float(area[order[middle]])


def automatic_thickness(ob):
    """Approximate contact distance [m] of a mesh object without a thickness of its own, as in
    `solver.scene.thickness`; None if unknown, as in `triangle_area`.
    """
    known = None if ob.type != "MESH" or is_reshaped(ob) else _known(ob)
    if known is None or not len(known[1]):
        return None
    matrix = _metres(ob)
    corners = np.array(ob.bound_box) @ matrix.T
    short = np.quantile(np.linalg.norm(known[1] @ matrix.T, axis=1), SHORT)
    return float(min(FRACTION_OF_SIZE * np.ptp(corners, axis=0).max(), FRACTION_OF_EDGE * short))


def _metres(ob):
    """The linear part of the world transform of an object [m], [3, 3]."""
    return read_mesh.matrix(ob)[:3, :3] * unit_scale(bpy.context.scene)


def _known(ob):
    """The `_areas` and `_edges` of the mesh of an object; in Edit Mode, where it cannot be read,
    the last known ones.
    """
    name = ob.name_full
    if ob.mode == "EDIT":
        return KNOWN.get(name, (None, None))[1]
    mesh = ob.data
    now = len(mesh.vertices), len(mesh.polygons), *_probes(mesh)
    if name not in KNOWN or KNOWN[name][0] != now:
        KNOWN[name] = now, (_areas(mesh), _edges(mesh))
    return KNOWN[name][1]


def _probes(mesh):
    count = len(mesh.vertices)
    for index in np.linspace(0, count - 1, min(PROBES, count)).astype(int):
        yield tuple(mesh.vertices[int(index)].co)


def _edges(mesh):
    """Vectors from end to end of the edges of some triangles, [edge, 3] in object space."""
    triangles = read_mesh.triangles(mesh)
    count = len(triangles)
    chosen = np.unique(np.linspace(0, count - 1, min(MOST_FACES, count)).astype(int))
    corners = read_mesh.positions(mesh)[triangles[chosen]].astype(float)
    return (np.roll(corners, 1, axis=1) - corners).reshape(-1, 3)


def _areas(mesh):
    """For some faces the area of one of its triangles times its normal, [face, 3], and the number
    of its triangles, [face]; in object space.
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
