# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender entry point. Imports wait for register(), so tests can load this without bpy."""


def register():
    from . import addon

    addon.register()


def unregister():
    from . import addon

    addon.unregister()
