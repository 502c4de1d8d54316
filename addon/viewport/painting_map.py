# SPDX-License-Identifier: GPL-3.0-or-later
"""The painted property that is chosen in the panel as colors on the active object in the viewport,
dark where it is low and bright where it is high.
"""

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..objects import read_mesh
from ..values.painting import ROLES_OF, painted_values
from .colored_surface import in_front, ramp
from .keeping import DrawCache, drawing

# From low to high; distinct also without seeing red or green.
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
    """Colors [vertex, 4] of values between their minimum and maximum, float32."""
    span = np.ptp(values)
    fraction = (values - values.min()) / span if span else np.full(len(values), 0.5)
    return ramp(fraction, COLORS, OPACITY)


kept = DrawCache()


def _batches(context, shader):
    """The triangles of the active object, if it can be shown."""
    ob, vbd = context.object, context.object.vbd
    item, depsgraph = vbd.painted[vbd.painted_row], context.evaluated_depsgraph_get()
    made = painted_mesh(ob, item, depsgraph, context.scene.vbd.friction)
    if made is not None and len(made[1]):
        points, triangles, color = made
        yield batch_for_shader(shader, "TRIS", {"pos": points, "color": color}, indices=triangles)


def is_shown(context):
    """Return whether there is something to draw."""
    ob = context.object
    if not context.scene.vbd.show_painted or ob is None or ob.mode != "OBJECT":
        return False
    return ob.type == "MESH" and 0 <= ob.vbd.painted_row < len(ob.vbd.painted)


def _draw():
    context = bpy.context
    if not is_shown(context) or not context.space_data.overlay.show_overlays:
        return
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    key = context.object.name, context.scene.name, context.scene.frame_current
    batches = kept.of("map", key, lambda: _batches(context, shader))
    with in_front(context.region_data):
        for batch in batches:
            batch.draw(shader)


register, unregister = drawing(kept, POST_VIEW=_draw)
