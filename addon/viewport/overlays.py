# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays of the viewport: pins, stretch, contacts, and inverted or stuck elements, each with a
switch.

Drawings are made once and cached until the frame or the scene changes; disabled ones cost nothing.
"""

import bpy
import gpu
import numpy as np
from bpy.props import BoolProperty, FloatProperty
from gpu_extras.batch import batch_for_shader

from ..baking.frame_numbers import places_in
from ..files.saving_statistics import played_cache
from ..objects.measures import per_vertex
from ..objects.modifiers import is_place_chosen, is_reshaped, may_be_refined
from ..objects.participants import BODIES, SIMULATED
from ..objects.units import unit_scale
from ..playing.preview import shown_frame
from ..values.declared import OVERRIDABLE
from .colored_surface import in_front, ramp
from .curves_overlay import draw_curves
from .keeping import DrawCache, drawing
from .overlay_shapes import (
    drawn_elements,
    measured_elements,
    pin_weights,
    shown_points,
    stretch_of_bake,
    stretched,
)

BLUE_TO_RED = ((0.1, 0.25, 0.9), (0.95, 0.95, 0.95), (0.9, 0.1, 0.05))
# From weak pins to hard ones.
WEAK_TO_HARD = ((1.0, 0.95, 0.5), (1.0, 0.6, 0.0), (0.85, 0.0, 0.1))
INSIDE_OUT, STUCK, CONTACT = (1.0, 0.0, 1.0, 1.0), (1.0, 0.05, 0.0, 1.0), (0.1, 1.0, 0.85, 1.0)
OPACITY = 0.85
POINT_SIZE, ROD_WIDTH = 7.0, 3.0
# Small, since there are many contacts.
CONTACT_SIZE, CONTACT_WIDTH = 3.0, 1.0
# Length of contact normals as a fraction of the largest body's size.
NORMAL = 0.04
SWITCHES = (
    "show_pins",
    "show_attachments",
    "show_painted",
    "show_stretch",
    "show_contacts",
    "show_inside_out",
    "show_stuck",
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
        "show_contacts": _switch(
            "Contacts",
            description="Mark where surfaces touch in the frame of the bake that is shown, with a "
            "line to where they are pushed",
        ),
        "show_inside_out": _switch(
            "Inside Out", description="Mark cells and tets of the bake that are turned inside out"
        ),
        "show_stuck": _switch(
            "Stuck",
            description="Mark where surfaces pass through each other and are pushed apart, and "
            "vertices that could not be solved and kept their place",
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
    """Colors [pin, 4] by weight; without soft pins all are alike."""
    hard = weights >= 1.0 if are_soft else weights > 0.0
    return ramp(np.where(hard, 1.0, 0.8 * weights), WEAK_TO_HARD)


kept = DrawCache()


def _bodies(context, roles=BODIES):
    """Objects that deform; `_own` leaves out those that show other vertices than their mesh."""
    for ob in context.visible_objects:
        if ob.vbd.role in roles and ob.mode != "EDIT":
            yield ob


def _own(context):
    return (ob for ob in _bodies(context) if _shows_own(ob) or not is_reshaped(ob))


def _shows_own(ob):
    """Return whether modifiers only refine the surface of an object that is not baked."""
    return not ob.vbd.baked and may_be_refined(ob) and not is_place_chosen(ob)


def _pins(context, shader):
    depsgraph = context.evaluated_depsgraph_get()
    for ob in _own(context):
        weights = kept.reading(ob, pin_weights)
        if weights is not None:
            pins = weights > 0.0
            colors = pin_colors(weights[pins], ob.vbd.soft_pins)
            yield "POINTS", _batch(shader, "POINTS", shown_points(ob, depsgraph)[pins], colors)


def _stretch(context, shader):
    depsgraph, spread = context.evaluated_depsgraph_get(), context.scene.vbd.stretch_range
    for ob in _own(context):
        elements = kept.reading(ob, measured_elements)
        found = None
        if elements is not None and len(elements):
            found = stretched(ob, elements, depsgraph)
        if found is not None:
            points, stretch = found
            colors = stretch_colors(per_vertex(stretch, elements, len(points)), spread)
            kind = "TRIS" if elements.shape[1] == 3 else "LINES"
            yield kind, _batch(shader, kind, points, colors, drawn_elements(ob, depsgraph))
    for found in (stretch_of_bake(ob, depsgraph) for ob in _bodies(context)):
        if found is not None:
            points, triangles, stretch = found
            colors = stretch_colors(per_vertex(stretch, triangles, len(points)), spread)
            yield "TRIS", _batch(shader, "TRIS", points, colors, triangles)


def _saved_places(context, name):
    """Places of a kind in the shown frame of a bake, as `places_in`, points in units of length."""
    try:
        cache = played_cache(context.scene)
    except (ValueError, OSError):
        return places_in(None, name)
    rows = places_in(cache.read_stats(shown_frame(context) - cache.header.frame_start), name)
    rows[:, :3] /= unit_scale(context.scene)
    return rows


def contact_lines(rows, length):
    """Ends [line, 2, 3] of the normals of contacts [contact, 6], with this length."""
    return np.stack([rows[:, :3], rows[:, :3] + length * rows[:, 3:]], axis=1)


def _contacts(context, shader):
    rows = _saved_places(context, "contacts_at")
    if len(rows):
        length = NORMAL * max(
            (max(ob.dimensions) for ob in _bodies(context, SIMULATED)), default=1.0
        )
        ends = contact_lines(rows, length).reshape(-1, 3)
        yield "POINTS", _batch(shader, "POINTS", rows[:, :3], _alike(CONTACT, len(rows)))
        yield "LINES", _batch(shader, "LINES", ends, _alike(CONTACT, len(ends)))


def _inside_out(context, shader):
    yield from _marks(shader, _saved_places(context, "inside_out"), INSIDE_OUT)


def _stuck(context, shader):
    yield from _marks(shader, _saved_places(context, "stuck"), STUCK)


def _marks(shader, points, color):
    if len(points):
        yield "POINTS", _batch(shader, "POINTS", points, _alike(color, len(points)))


def _alike(color, count):
    return np.tile(np.float32(color), (count, 1))


def _batch(shader, kind, points, colors, indices=None):
    attributes = {"pos": points.astype(np.float32), "color": colors}
    return batch_for_shader(shader, kind, attributes, indices=indices)


# In drawing order: later ones lie on top.
MAKERS = {
    "show_stretch": _stretch,
    "show_pins": _pins,
    "show_contacts": _contacts,
    "show_inside_out": _inside_out,
    "show_stuck": _stuck,
}


def _draw():
    context = bpy.context
    group = context.scene.vbd
    wanted = [name for name in MAKERS if getattr(group, name)]
    if not wanted or not context.space_data.overlay.show_overlays:
        return
    flat, smooth = (gpu.shader.from_builtin(name) for name in ("FLAT_COLOR", "SMOOTH_COLOR"))
    times = context.scene.frame_current_final, shown_frame(context)
    key = context.scene.name, times, group.stretch_range
    with in_front(context.region_data):
        for name in wanted:
            is_small = name == "show_contacts"
            gpu.state.point_size_set(CONTACT_SIZE if is_small else POINT_SIZE)
            gpu.state.line_width_set(CONTACT_WIDTH if is_small else ROD_WIDTH)
            shader = flat if name != "show_stretch" else smooth
            for kind, batch in kept.of(name, key, lambda n=name, s=shader: MAKERS[n](context, s)):
                if kind == "POINTS":  # also points inside a body
                    gpu.state.depth_test_set("NONE")
                batch.draw(shader)
    gpu.state.line_width_set(1.0)
    gpu.state.point_size_set(1.0)


def _draw_flat():
    context = bpy.context
    if context.scene.vbd.show_curves and context.space_data.overlay.show_overlays:
        draw_curves(context)


register, unregister = drawing(kept, POST_VIEW=_draw, POST_PIXEL=_draw_flat)
