# SPDX-License-Identifier: GPL-3.0-or-later
"""Size of a bake on disk and in memory, estimated in advance, and that of its scene."""

import bpy

from ...solver.messages import message
from ..objects.cell_count import known_cell_count
from ..objects.modifiers import is_reshaped
from ..objects.participants import BODIES, participants

# A frame, on disk and as a shape key [B per vertex].
POINT = 12
# Of a checkpoint [B per vertex of the solver]; up to twice as much where many are in contact.
STATE = 300
# Corners of a lattice per cell, about.
CORNERS = 1.5
# Vertices of the solver that a rigid body has.
POINTS_OF_RIGID = 4
UNITS = ("kB", "MB", "GB", "TB")


def bake_sizes(scene):
    """Bytes of the cache on disk, and of the shape keys in memory and in the file."""
    frames = max(scene.vbd.frame_end - scene.vbd.frame_start, 0) + 1
    shown = solved = 0
    for ob in participants(scene):
        if ob.type == "MESH" and ob.vbd.role in BODIES:
            vertices = len(_simulated(ob).vertices)
            cells = ob.vbd.role == "SOFT" and known_cell_count(ob)
            shown += vertices
            solved += max(vertices, int(CORNERS * cells)) if cells else vertices
    every = scene.vbd.restart_every
    points = min(frames, 2 + (frames // every if every else 0))
    return frames * POINT * shown + points * STATE * solved, frames * POINT * shown


def _simulated(ob):
    """The mesh that is simulated, approximately: that of the object, or its modifiers' result."""
    depsgraph = bpy.context.view_layer.depsgraph
    return ob.evaluated_get(depsgraph).data if is_reshaped(ob) else ob.data


def in_words(size):
    """A number of bytes in a readable unit."""
    size /= 1000.0
    for unit in UNITS:
        if size < 1000.0 or unit == UNITS[-1]:
            return f"{size:.2g} {unit}" if size < 10.0 else f"{size:.0f} {unit}"
        size /= 1000.0
    return ""


def draw_sizes(layout, scene):
    """The estimate of the next bake."""
    disk, memory = (in_words(size) for size in bake_sizes(scene))
    column = layout.column(align=True)
    column.label(text=message("bake.disk", size=disk))
    column.label(text=message("bake.memory", size=memory))
    if not bpy.data.is_saved:
        column.label(text=message("bake.unsaved"), icon="INFO")


def size_line(size):
    """A `ModelSize` in words, without kinds of elements that do not occur."""
    counts = {name: getattr(size, name) for name in ("tets", "cells", "triangles", "springs")}
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    first = f"{size.vertices} vertices"
    if is_rigid(size):
        first = f"{size.vertices // POINTS_OF_RIGID} rigid bodies"
    parts = [first, *parts, f"{size.colors} colors"]
    return message("progress.device", device=size.device, parts=", ".join(parts))


def is_rigid(size):
    """Return whether nothing deforms in a scene of a `ModelSize`."""
    return not (size.tets or size.cells or size.triangles or size.springs)
