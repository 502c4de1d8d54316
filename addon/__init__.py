# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side: registers properties, operators, presets, panels and the command."""

import atexit

import bpy

from . import properties
from .baking import applying, bake, cache_place, command_line, relative, resume
from .files import export_tets, import_tets, make_tets, point_cache, saving_statistics
from .headless import command
from .live import keeping, pull_tool
from .live import operators as live
from .objects import blender_constraints, own_mesh, participants, pieces
from .panels import (
    advice,
    roles,
    selecting_faces,
    simulating_after,
    soft_flesh,
    softness,
    tear_lines,
)
from .panels import fibers as fiber_panels
from .panels import holding as holding_panels
from .panels import painting as painting_panels
from .panels import physics as physics_panels
from .panels import sidebar as panels
from .values import copying, damaged, holding, painting, preferences, preparing, presets
from .viewport import attachment_lines, overlays, painting_map

# Properties first, since all others read them; unregistered in the opposite order.
MODULES = (
    preferences,
    holding,
    painting,
    properties,
    damaged,
    presets,
    copying,
    roles,
    bake,
    resume,
    live,
    pull_tool,
    keeping,
    applying,
    relative,
    point_cache,
    cache_place,
    import_tets,
    export_tets,
    make_tets,
    own_mesh,
    blender_constraints,
    pieces,
    command_line,
    participants,
    advice,
    selecting_faces,
    simulating_after,
    saving_statistics,
    soft_flesh,
    softness,
    tear_lines,
    panels,
    physics_panels,
    painting_panels,
    fiber_panels,
    holding_panels,
    attachment_lines,
    painting_map,
    overlays,
    command,
    preparing,
)


def register():
    # Without its own program, bpy crashes as Python ends if classes or drawing functions are left.
    if not bpy.app.binary_path:
        atexit.register(unregister)
    for module in MODULES:
        for cls in getattr(module, "classes", ()):
            bpy.utils.register_class(cls)
        if hasattr(module, "register"):
            module.register()


def unregister():
    atexit.unregister(unregister)
    for module in reversed(MODULES):
        if hasattr(module, "unregister"):
            module.unregister()
        for cls in reversed(getattr(module, "classes", ())):
            bpy.utils.unregister_class(cls)
