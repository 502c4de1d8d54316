# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass of a rigid body as its panel shows it; the mesh is read only after a change."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.topology.inertia import is_closed
from . import read_mesh
from .units import unit_scale
from .welding import closing

# Number of sampled vertices that reveal a change of a mesh with an unchanged vertex count.
PROBES = 16
# Cached `_Surface`s by object, with samples of its mesh.
KNOWN = {}


@dataclass
class _Surface:
    """A surface in object space: whether it `is_closed`, its `volume`, and twice the areas of its
    triangles times their normals, `areas` [triangle, 3].
    """

    is_closed: bool
    volume: float
    areas: np.ndarray


def is_filled(ob):
    """Return whether the mass of a rigid object lies in its volume; None if unknown."""
    surface = _known(ob)
    return None if surface is None else surface.is_closed and not ob.vbd.is_hollow


def shown_mass(ob):
    """Mass of a rigid object [kg] by its density; None if unknown: in Edit Mode before the first
    measurement, and without faces.
    """
    surface = _known(ob)
    if surface is None or not len(surface.areas):
        return None
    axes = read_mesh.matrix(ob)[:3, :3] * unit_scale(bpy.context.scene)
    if is_filled(ob):
        return ob.vbd.density * surface.volume * abs(float(np.linalg.det(axes)))
    # Areas times normals transform with the cofactors of the matrix.
    a, b, c = axes.T
    cofactors = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    area = 0.5 * float(np.linalg.norm(surface.areas @ cofactors, axis=1).sum())
    return ob.vbd.density * walls(ob) * area


def walls(ob):
    """Thickness of the walls of a rigid object [m]."""
    return 1e-3 * ob.vbd.walls_mm


def in_words(mass):
    """A mass [kg] with about three digits, in grams or kilograms."""
    value, unit = (1e3 * mass, "g") if mass < 1.0 else (mass, "kg")
    return f"{value:,.0f} {unit}" if value >= 100.0 else f"{value:.3g} {unit}"


def _known(ob):
    """The `_Surface` of an object with its modifiers; in Edit Mode the last known one."""
    name = ob.name_full
    if ob.mode == "EDIT":
        return KNOWN.get(name, (None, None))[1]
    mesh = ob.evaluated_get(bpy.context.view_layer.depsgraph).data
    now = len(mesh.vertices), len(mesh.polygons), *_probes(mesh)
    if name not in KNOWN or KNOWN[name][0] != now:
        KNOWN[name] = now, _surface(mesh)
    return KNOWN[name][1]


def _probes(mesh):
    count = len(mesh.vertices)
    for index in np.linspace(0, count - 1, min(PROBES, count)).astype(int):
        yield tuple(mesh.vertices[int(index)].co)


def _surface(mesh):
    triangles = read_mesh.triangles(mesh)
    points = read_mesh.positions(mesh).astype(float)
    if not len(triangles):
        return _Surface(False, 0.0, np.empty((0, 3)))
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    areas = np.cross(b - a, c - a)
    volume = abs(float(np.einsum("ti,ti->t", a, np.cross(b, c)).sum())) / 6.0
    return _Surface(is_closed(closing(points, triangles)[triangles]), volume, areas)
