# SPDX-License-Identifier: GPL-3.0-or-later
"""Rods of edges and of curves: the map between the points of an object and those of its body.

The points of the body are the vertices of a mesh, or points along the splines of a curve; behind
them are the directors of a rod that resists bending.
"""

from dataclasses import dataclass, replace

import numpy as np

from ...solver.bodies import Pins, Rod
from ...solver.messages import message
from ...solver.scene.directors import beside, followed, unit_tangents, untwisted
from ...solver.scene.thickness import FRACTION_OF_EDGE, SHORT
from ..objects import read_mesh
from ..objects.curves import Strands, is_curve, strands_of
from ..objects.hair import HairStrands, is_hair
from .material import material_of
from .reader import Pose


@dataclass
class RodShape:
    """The edges [edge, 2] of a rod, its `strands` if it is a curve, and the normals [edge, 3] of
    its directors in the pose `start`, None without.
    """

    start: Pose
    edges: np.ndarray
    strands: Strands | HairStrands | None = None
    normals: np.ndarray | None = None

    def along(self, pose):
        """Points on the edges [m], in a pose of the object."""
        points = pose.world_points()
        return points if self.strands is None else self.strands.sampled(points)

    def points(self, pose):
        """All points of the body [m]. Directors turn with the object and its edges."""
        points = self.along(pose)
        if self.normals is None:
            return points
        turn = pose.matrix[:3, :3] @ np.linalg.inv(self.start.matrix[:3, :3])
        u, _, vt = np.linalg.svd(turn)
        before = unit_tangents(self.along(self.start), self.edges)
        normals = followed(points, self.edges, self.normals @ (u @ vt).T, before @ (u @ vt).T)
        return np.concatenate([points, beside(points, self.edges, normals)])

    def visible(self, positions):
        """Points of the object for points of the body [m]."""
        if self.normals is not None:
            positions = positions[: len(positions) - len(self.edges)]
        return positions if self.strands is None else self.strands.controls(positions)


def with_radius(material, ob, shape, points):
    """The material of a curve whose samples are at `points` [m]: the radius of its control points
    scales its diameter, and so its mass. Without a collision thickness of its own it touches others
    at its bevel, limited by the length of its edges.
    """
    radius = shape.strands.radius[shape.edges].mean(axis=1)
    if (radius <= 0.0).any():
        raise ValueError(message("mesh.radius", name=ob.name))
    if not np.allclose(radius, 1.0):
        thickness, density = material.thickness * radius, material.density * radius**2
        material = replace(material, thickness=thickness, density=density)
    if is_hair(ob):
        own = shape.strands.own_radius
        bevel = 0.0 if own is None else float(own.mean())
    else:
        bevel = float(radius.mean()) * ob.data.bevel_depth
    bevel *= _scale(shape.start.matrix)
    if bevel > 0.0 and material.collision_thickness == 0.0:
        lengths = np.linalg.norm(np.diff(points[shape.edges], axis=1)[:, 0], axis=1)
        limit = FRACTION_OF_EDGE * float(np.quantile(lengths, SHORT))
        material = replace(material, collision_thickness=min(bevel, limit))
    return material


def _scale(matrix):
    """Largest stretch of a transform [4, 4] over all directions."""
    return float(abs(np.linalg.det(matrix[:3, :3])) ** (1.0 / 3.0))


def rod_of(gathered, ob, mesh, target, pinned):
    """The `Rod` of an object; stores its shape in `target`. `pinned` are vertices of a mesh."""
    curve, material = is_curve(ob), material_of(ob)
    strands = strands_of(ob, mesh) if curve else None
    edges = strands.edges if curve else read_mesh.edges(mesh)
    shape = RodShape(target.start, edges, strands)
    points, directors = shape.along(target.start), None
    if curve:
        material = with_radius(material, ob, shape, points)
    held = strands.ends(ob.vbd.pin_start, ob.vbd.pin_end) if curve else pinned
    if material.bending_factor > 0.0:
        shape.normals = untwisted(points, edges)
        directors = len(points) + np.arange(len(edges))
        held = np.append(held, directors[np.isin(edges, held).all(axis=1)])
        points = shape.points(target.start)
    target.shape = shape
    pins = Pins(held) if len(held) else None
    if pins is not None and target.moving:
        reader, key = gathered.reader, target.key
        pins = Pins(held, lambda time: shape.points(reader.at(key, time))[held])
    return Rod(points, edges, material, pins, name=ob.name, directors=directors)
