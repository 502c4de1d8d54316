# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays of the viewport: pins, stretch and what is inside out, each with a switch.

What is drawn is made once and kept until the frame or the scene changes; what is off costs nothing.
"""

import bpy
import gpu
import numpy as np
from bpy.props import BoolProperty, FloatProperty
from gpu_extras.batch import batch_for_shader

from ..baking.frame_numbers import points_inside_out
from ..files.saving_statistics import played_cache
from ..objects.measures import per_vertex
from ..objects.participants import BODIES
from ..objects.units import unit_scale
from ..values.declared import OVERRIDABLE
from .colored_surface import in_front, ramp
from .curves_overlay import draw_curves
from .keeping import Kept, drawing
from .overlay_shapes import drawn_elements, measured_elements, pin_weights, shown_points, stretched

BLUE_TO_RED = ((0.1, 0.25, 0.9), (0.95, 0.95, 0.95), (0.9, 0.1, 0.05))
# From pins that hardly hold to those that do not give.
WEAK_TO_HARD = ((1.0, 0.95, 0.5), (1.0, 0.6, 0.0), (0.85, 0.0, 0.1))
INSIDE_OUT = 1.0, 0.0, 1.0, 1.0
OPACITY = 0.85
POINT_SIZE, ROD_WIDTH = 7.0, 3.0
SWITCHES = (
    "show_pins",
    "show_attachments",
    "show_painted",
    "show_stretch",
    "show_inside_out",
    "show_curves",
)


def _switch(name, description, default=False):
    return BoolProperty(
        name=name, description=description, default=default, options=set(), override=OVERRIDABLE
    )


def overlay_properties():
    """The switches of the scene, by name."""
    return {
        "show_pins": _switch(
            "Pins", description="Show pinned vertices: yellow by little weight, red for hard"
        ),
        "show_attachments": _switch(
            "Attachments",
            description="Draw a line from each attached vertex of the active object to its place, "
            "until it is baked",
            default=True,
        ),
        "show_stretch": _switch(
            "Stretch",
            description="Color surfaces and rods by how much they are stretched (red) or pressed "
            "together (blue) against the start",
        ),
        "stretch_range": FloatProperty(
            name="Range",
            description="Stretch at which the color is full: 0.1 is 10 %",
            default=0.1,
            min=1e-4,
            soft_min=0.01,
            soft_max=1.0,
            options=set(),
            override=OVERRIDABLE,
        ),
        "show_inside_out": _switch(
            "Inside Out", description="Mark cells and tets of the bake that are turned inside out"
        ),
        "show_curves": _switch(
            "Curves", description="Draw the error, energies and time of every frame of the bake"
        ),
    }


def draw_switches(layout, context):
    """The switches in the panel."""
    group = context.scene.vbd
    column = layout.column(align=True)
    for name in SWITCHES:
        column.prop(group, name)
        if name == "show_stretch":
            row = column.row()
            row.active = group.show_stretch
            row.prop(group, "stretch_range")


def stretch_colors(stretch, spread):
    """Colors [vertex, 4] of stretches, full at 1 ± `spread`."""
    return ramp(0.5 + 0.5 * (stretch - 1.0) / spread, BLUE_TO_RED, OPACITY)


def pin_colors(weights, are_soft):
    """Colors [pin, 4] by weight; without soft pins all hold alike."""
    hard = weights >= 1.0 if are_soft else weights > 0.0
    return ramp(np.where(hard, 1.0, 0.8 * weights), WEAK_TO_HARD)


kept = Kept()


def _bodies(context):
    for ob in context.visible_objects:
        if ob.vbd.role in BODIES and ob.mode != "EDIT":
            yield ob


def _pins(context, shader):
    depsgraph = context.evaluated_depsgraph_get()
    for ob in _bodies(context):
        weights = kept.reading(ob, pin_weights)
        if weights is not None:
            pins = weights > 0.0
            colors = pin_colors(weights[pins], ob.vbd.soft_pins)
            yield "POINTS", _batch(shader, "POINTS", shown_points(ob, depsgraph)[pins], colors)


def _stretch(context, shader):
    depsgraph, spread = context.evaluated_depsgraph_get(), context.scene.vbd.stretch_range
    for ob in _bodies(context):
        elements = kept.reading(ob, measured_elements)
        found = None
        if elements is not None and len(elements):
            found = stretched(ob, elements, depsgraph)
        if found is not None:
            points, stretch = found
            colors = stretch_colors(per_vertex(stretch, elements, len(points)), spread)
            kind = "TRIS" if elements.shape[1] == 3 else "LINES"
            yield kind, _batch(shader, kind, points, colors, drawn_elements(ob, depsgraph))


def _inside_out(context, shader):
    scene = context.scene
    try:
        cache = played_cache(scene)
    except (ValueError, OSError):
        return
    points = points_inside_out(cache, scene.frame_current - cache.header.frame_start)
    if len(points):
        colors = np.tile(np.float32(INSIDE_OUT), (len(points), 1))
        yield "POINTS", _batch(shader, "POINTS", points / unit_scale(scene), colors)


def _batch(shader, kind, points, colors, indices=None):
    attributes = {"pos": points.astype(np.float32), "color": colors}
    return batch_for_shader(shader, kind, attributes, indices=indices)


MAKERS = {"show_stretch": _stretch, "show_pins": _pins, "show_inside_out": _inside_out}


def _draw():
    context = bpy.context
    group = context.scene.vbd
    wanted = [name for name in MAKERS if getattr(group, name)]
    if not wanted or not context.space_data.overlay.show_overlays:
        return
    flat, smooth = (gpu.shader.from_builtin(name) for name in ("FLAT_COLOR", "SMOOTH_COLOR"))
    key = context.scene.name, context.scene.frame_current_final, group.stretch_range
    gpu.state.point_size_set(POINT_SIZE)
    gpu.state.line_width_set(ROD_WIDTH)
    with in_front(context.region_data):
        for name in wanted:
            shader = flat if name != "show_stretch" else smooth
            for kind, batch in kept.of(name, key, lambda n=name, s=shader: MAKERS[n](context, s)):
                if kind == "POINTS":  # also those inside of a body
                    gpu.state.depth_test_set("NONE")
                batch.draw(shader)
    gpu.state.line_width_set(1.0)
    gpu.state.point_size_set(1.0)


def _draw_flat():
    context = bpy.context
    if context.scene.vbd.show_curves and context.space_data.overlay.show_overlays:
        draw_curves(context)


register, unregister = drawing(kept, POST_VIEW=_draw, POST_PIXEL=_draw_flat)
