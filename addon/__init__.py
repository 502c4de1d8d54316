# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side: registers properties, operators, presets, panels and the command."""

import bpy

from . import (
    advice,
    attachment_lines,
    bake,
    cache_place,
    command,
    command_line,
    copying,
    export_tets,
    holding,
    holding_panels,
    import_tets,
    overlays,
    own_mesh,
    painting,
    painting_map,
    painting_panels,
    panels,
    participants,
    physics_panels,
    point_cache,
    preferences,
    preparing,
    presets,
    properties,
    relative,
    resume,
    roles,
    saving_statistics,
    softness,
    tear_lines,
)

# Properties first, since all others read them; unregistered in the opposite order.
MODULES = (
    preferences,
    holding,
    painting,
    properties,
    presets,
    copying,
    roles,
    bake,
    resume,
    relative,
    point_cache,
    cache_place,
    import_tets,
    export_tets,
    own_mesh,
    command_line,
    participants,
    advice,
    saving_statistics,
    softness,
    tear_lines,
    panels,
    physics_panels,
    painting_panels,
    holding_panels,
    attachment_lines,
    painting_map,
    overlays,
    command,
    preparing,
)


def register():
    for module in MODULES:
        for cls in getattr(module, "classes", ()):
            bpy.utils.register_class(cls)
        if hasattr(module, "register"):
            module.register()


def unregister():
    for module in reversed(MODULES):
        if hasattr(module, "unregister"):
            module.unregister()
        for cls in reversed(getattr(module, "classes", ())):
            bpy.utils.unregister_class(cls)
