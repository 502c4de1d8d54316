# SPDX-License-Identifier: GPL-3.0-or-later
"""The attachments of the active object as lines in the viewport, in the state at the start."""

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..objects import read_mesh
from ..objects.curves import control_points, is_curve, strands_of, unusable_spline
from ..objects.nearest import nearest
from ..objects.participants import SIMULATED
from .keeping import DrawCache, drawing

# Lines drawn per attachment at most: enough to see its target.
MOST_LINES = 300
COLOR = 0.1, 0.7, 1.0, 1.0
WIDTH = 2.0


def attachment_lines(ob, item, depsgraph):
    """Ends [line, 2, 3] of the lines of an attachment in the world, as objects are now."""
    none = np.zeros((0, 2, 3))
    if ob.vbd.role == "RIGID" and item.kind != "ATTACHMENT":
        return joint_lines(ob, item) if item.enabled and item.axis_object else none
    if item.target is None or not item.enabled or item.target == ob:
        return none
    evaluated = ob.evaluated_get(depsgraph)
    points = _points(ob, depsgraph)
    chosen = np.arange(len(points))
    if item.vertex_group and not is_curve(ob):
        if item.vertex_group not in ob.vertex_groups:
            return none
        chosen = np.flatnonzero(read_mesh.members(ob, evaluated.data, item.vertex_group))
    if not len(chosen):
        return none
    points = points[chosen]
    places = _nearest(item.target, points, depsgraph)
    gap = np.linalg.norm(places - points, axis=1)
    if item.distance or not item.vertex_group:
        near = gap <= (item.distance or gap.min())
        points, places = points[near], places[near]
    lines = np.stack([points, places], axis=1)
    return lines[:: 1 + len(lines) // MOST_LINES]


def joint_lines(ob, item):
    """The axis of a joint, through the place of its empty, [1, 2, 3]."""
    matrix = np.array(item.axis_object.matrix_world)
    axis = matrix[:3, "XYZ".index(item.axis)]
    along = 0.5 * max(ob.dimensions) * axis / np.linalg.norm(axis)
    return np.array([[matrix[:3, 3] - along, matrix[:3, 3] + along]])


def _points(ob, depsgraph):
    """Points that can be attached, in the world [point, 3]: vertices, or points along a curve."""
    evaluated = ob.evaluated_get(depsgraph)
    if not is_curve(ob):
        points = read_mesh.positions(evaluated.data)
    elif unusable_spline(ob):
        return np.zeros((0, 3))
    else:
        points = strands_of(ob, ob.data).sampled(control_points(ob, depsgraph)[0])
    return read_mesh.transformed(read_mesh.matrix(evaluated), points)


def _nearest(ob, points, depsgraph):
    """The places of an object that are nearest to `points` [point, 3], all in the world."""
    target = ob.evaluated_get(depsgraph)
    matrix = read_mesh.matrix(target)
    if is_curve(ob) and ob.vbd.role == "ROD" and not unusable_spline(ob):
        return nearest(points, _points(ob, depsgraph), strands_of(ob, ob.data).edges)[1]
    if target.type != "MESH" or not len(target.data.vertices):
        return np.broadcast_to(matrix[:3, 3], points.shape)
    if not len(target.data.polygons):
        vertices = read_mesh.transformed(matrix, read_mesh.positions(target.data))
        return np.array([vertices[((vertices - p) ** 2).sum(axis=1).argmin()] for p in points])
    inside = read_mesh.transformed(np.linalg.inv(matrix), points)
    places = [target.closest_point_on_mesh(point)[1] for point in inside]
    return read_mesh.transformed(matrix, np.array(places))


kept = DrawCache()


def _lines_of(context):
    """Ends [line, 2, 3] of all lines of the active object."""
    depsgraph = context.evaluated_depsgraph_get()
    for item in context.object.vbd.attachments:
        yield from attachment_lines(context.object, item, depsgraph)


def _draw():
    context = bpy.context
    ob = context.object
    if ob is None or ob.mode == "EDIT" or ob.vbd.role not in SIMULATED or ob.vbd.baked:
        return
    if context.window_manager.vbd.baking:  # the view no longer shows the start
        return
    if not context.space_data.overlay.show_overlays or not context.scene.vbd.show_attachments:
        return
    key = ob.name, context.scene.name, context.scene.frame_current
    lines = kept.of("lines", key, lambda: _lines_of(context))
    if not lines:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": np.reshape(lines, (-1, 3)).tolist()})
    shader.uniform_float("color", COLOR)
    gpu.state.line_width_set(WIDTH)
    batch.draw(shader)
    gpu.state.line_width_set(1.0)


register, unregister = drawing(kept, POST_VIEW=_draw)
