# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair curves: their strands, and their motion by a surface.

Their points are simulated directly, one rod per curve. A modifier that deforms them with their
surface moves every strand rigidly: p = R q + t, with q as Blender stores it. A bake keeps q, so
modifiers before that one, such as interpolated hair between the strands, still fit.
"""

from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.messages import message
from . import read_mesh

ON_SURFACE = "GeometryNodeDeformCurvesOnSurface"
PROBE = "VBD Probe"
# Lower bound of the radius, as a fraction of the thickest one.
THINNEST = 0.1


def is_hair(ob):
    """Return whether an object is made of hair curves."""
    return ob.type == "CURVES"


def deforms_on_surface(modifier):
    """Return whether a modifier of hair only moves it along with its surface."""
    group = modifier.node_group if modifier.type == "NODES" else None
    kinds = {node.bl_idname for node in group.nodes} if group else set()
    return ON_SURFACE in kinds and kinds <= {ON_SURFACE, "NodeGroupInput", "NodeGroupOutput"}


def simulates(modifier):
    """Return whether a modifier has a simulation of its own, as Blender's Hair Dynamics does."""
    groups = [modifier.node_group] if modifier.type == "NODES" else []
    known = set()
    while groups:
        group = groups.pop()
        if group is None or group.name_full in known:
            continue
        known.add(group.name_full)
        if any(node.bl_idname == "GeometryNodeSimulationInput" for node in group.nodes):
            return True
        groups += [node.node_tree for node in group.nodes if node.type == "GROUP"]
    return False


def on_surface(ob):
    """Return whether hair follows its surface by an active modifier."""
    return is_hair(ob) and any(m.show_viewport and deforms_on_surface(m) for m in ob.modifiers)


def unusable_hair(ob):
    """The reason why hair cannot be simulated, or None."""
    offsets = first_points(ob.data)
    if len(offsets) < 2:
        return message("mesh.no_hair")
    single = np.flatnonzero(np.diff(offsets) < 2)
    if len(single):
        return message("mesh.strand_point", strand=single[0])
    return None


def first_points(hair):
    """The first point of every strand and, last, the number of points; int32 [strand + 1]."""
    offsets = np.zeros(len(hair.curves) + 1, np.int32)
    if len(hair.curves):
        hair.curve_offset_data.foreach_get("value", offsets)
    return offsets


class HairStrands:
    """The strands of hair: `edges` [edge, 2] between neighbors, and the `radius` [point] relative
    to the largest one. `own_radius` [point] is that in object space, None where hair has none.
    """

    def __init__(self, hair):
        self.start = first_points(hair)
        closed = read_mesh.attribute(hair, "cyclic", "value", bool, 1).ravel()
        self.closed = closed if len(closed) else np.zeros(len(self.start) - 1, bool)
        points = np.arange(self.start[-1])
        following = points + 1
        last = self.start[1:] - 1
        following[last] = np.where(self.closed, self.start[:-1], -1)
        inner = following >= 0
        self.edges = np.stack([points[inner], following[inner]], axis=1)
        radius = read_mesh.attribute(hair, "radius", "value", np.float32, 1).ravel()
        self.own_radius = radius.astype(float) if radius.any() else None
        self.radius = np.ones(len(points))
        if self.own_radius is not None:
            self.radius = np.maximum(self.own_radius / self.own_radius.max(), THINNEST)

    def sampled(self, points):
        return points

    def controls(self, samples):
        return samples

    def ends(self, start, end):
        """Held points: the first two of every strand, the last two of the open ones."""
        held = [self.start[:-1], self.start[:-1] + 1] if start else []
        last = self.start[1:][~self.closed]
        held += [last - 1, last - 2] if end else []
        return np.unique(np.concatenate(held)) if held else np.empty(0, int)


@dataclass
class StrandMotion:
    """Motion of strands by a surface: p = R q + t, with `turn` R [point, 3, 3] and `shift` t
    [point, 3] of the strand of each point.
    """

    turn: np.ndarray
    shift: np.ndarray

    def undone(self, points):
        """q for `points` p [point, 3]."""
        return np.einsum("pji,pj->pi", self.turn, points - self.shift)


def read_strands(ob, depsgraph):
    """Points of hair [point, 3] as evaluated, float32, and their `StrandMotion`; None without."""
    stored = read_mesh.positions(ob.data)
    if PROBE not in ob.modifiers:
        return read_mesh.positions(ob.evaluated_get(depsgraph).data), None
    probe = ob.modifiers[PROBE]
    probe.show_viewport = True
    depsgraph.update()
    try:
        seen = read_mesh.positions(ob.evaluated_get(depsgraph).data)
    finally:
        probe.show_viewport = False
        depsgraph.update()
    if len(seen) != 3 * len(stored):
        return seen, None  # callers report modifiers that change the number of points
    points, x, y = seen.reshape(3, -1, 3).astype(float)
    x, y = x - points, y - points
    turn = np.stack([x, y, np.cross(x, y)], axis=2)
    u, _, vt = np.linalg.svd(turn)  # the nearest rotation, since differences are rounded
    turn = u @ vt
    shift = points - np.einsum("pij,pj->pi", turn, stored.astype(float))
    return points.astype(np.float32), StrandMotion(turn, shift)


def add_probe(ob):
    """Add the modifier by which `read_strands` sees the motion of hair by its surface."""
    group = node_group(PROBE)
    new, link = group.nodes.new, group.links.new
    source, join, target = (
        new(kind) for kind in ("NodeGroupInput", "GeometryNodeJoinGeometry", "NodeGroupOutput")
    )
    for offset in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)):  # the last link comes first
        moved = new("GeometryNodeSetPosition")
        moved.inputs["Offset"].default_value = offset
        link(source.outputs[0], moved.inputs["Geometry"])
        link(moved.outputs[0], join.inputs[0])
    link(source.outputs[0], join.inputs[0])
    link(join.outputs[0], target.inputs[0])
    modifier = ob.modifiers.new(PROBE, "NODES")
    modifier.node_group, modifier.show_viewport = group, False
    ob.modifiers.move(len(ob.modifiers) - 1, 0)


def remove_probe(ob):
    """Undo `add_probe`."""
    probe = ob.modifiers.get(PROBE)
    if probe:
        group = probe.node_group
        ob.modifiers.remove(probe)
        bpy.data.node_groups.remove(group)


def node_group(name):
    """A new node group for a modifier, with a geometry as input and as output."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        group.interface.new_socket(name="Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    return group
