# SPDX-License-Identifier: GPL-3.0-or-later
"""The painted property that is chosen in the panel as colors on the active object in the viewport,
dark where it is low and bright where it is high.
"""

import bpy
import gpu
import numpy as np
from bpy.app.handlers import persistent
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

from . import read_mesh
from .painting import ROLES_OF, painted_values

# From low to high; told apart also without seeing red or green.
COLORS = np.array(
    [
        [0.27, 0.01, 0.33],
        [0.23, 0.32, 0.55],
        [0.13, 0.57, 0.55],
        [0.37, 0.79, 0.38],
        [0.99, 0.91, 0.14],
    ]
)
OPACITY = 0.8
# How much nearer to the eye than the mesh it is drawn, as a part of the distance.
NEARER = 0.002


def painted_mesh(ob, item, depsgraph, scene_friction):
    """World points [vertex, 3], triangles [triangle, 3] and colors [vertex, 4] of an object with a
    painted property, float32 and int32; None if it cannot be shown.
    """
    group = ob.vertex_groups.get(item.vertex_group)
    if group is None or ob.vbd.role not in ROLES_OF[item.what]:
        return None
    evaluated = ob.evaluated_get(depsgraph)
    mesh = evaluated.data
    try:
        values = painted_values(ob, mesh, item, scene_friction)
    except ValueError:
        return None
    points = read_mesh.transformed(read_mesh.matrix(evaluated), read_mesh.positions(mesh))
    triangles = read_mesh.triangles(mesh)
    return points.astype(np.float32), triangles.astype(np.int32), colors(values)


def colors(values):
    """Colors [vertex, 4] of values between the least and the most of them, float32."""
    span = np.ptp(values)
    part = (values - values.min()) / span if span else np.full(len(values), 0.5)
    stops = np.linspace(0.0, 1.0, len(COLORS))
    channels = [np.interp(part, stops, channel) for channel in COLORS.T]
    return np.stack([*channels, np.full(len(values), OPACITY)], axis=1).astype(np.float32)


class _Cache:
    """What is drawn, until anything changes."""

    def __init__(self):
        self.key, self.batch = None, None

    def of(self, context, shader):
        """The batch of triangles for the active object, or None."""
        ob, vbd = context.object, context.object.vbd
        key = ob.name, context.scene.name, context.scene.frame_current
        if key != self.key:
            item, depsgraph = vbd.painted[vbd.painted_row], context.evaluated_depsgraph_get()
            made = painted_mesh(ob, item, depsgraph, context.scene.vbd.friction)
            self.key, self.batch = key, None
            if made is not None and len(made[1]):
                points, triangles, color = made
                attributes = {"pos": points, "color": color}
                self.batch = batch_for_shader(shader, "TRIS", attributes, indices=triangles)
        return self.batch


cache = _Cache()
handle = None


@persistent
def forget(*_):
    cache.key = None


def is_shown(context):
    """Whether there is something to draw."""
    ob = context.object
    if not context.scene.vbd.show_painted or ob is None or ob.mode != "OBJECT":
        return False
    return ob.type == "MESH" and 0 <= ob.vbd.painted_row < len(ob.vbd.painted)


def _draw():
    context = bpy.context
    if not is_shown(context) or not context.space_data.overlay.show_overlays:
        return
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch = cache.of(context, shader)
    if batch is None:
        return
    view = context.region_data
    if view.is_perspective:
        nearer = Matrix.Diagonal((1.0 - NEARER,) * 3).to_4x4()
    else:
        nearer = Matrix.Translation((0.0, 0.0, NEARER * view.view_distance))
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    with gpu.matrix.push_pop():
        gpu.matrix.load_matrix(nearer @ gpu.matrix.get_model_view_matrix())
        batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def register():
    global handle
    bpy.app.handlers.depsgraph_update_post.append(forget)
    if not bpy.app.background:
        handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister():
    global handle
    bpy.app.handlers.depsgraph_update_post.remove(forget)
    if handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
        handle = None
