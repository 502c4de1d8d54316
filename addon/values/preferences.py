# SPDX-License-Identifier: GPL-3.0-or-later
"""The preferences of the add-on."""

import bpy
from bpy.props import BoolProperty
from bpy.types import AddonPreferences

from . import preparing

PACKAGE = __package__.rsplit(".", 2)[0]


def wants_preparing():
    """Return whether kernels are compiled in the background: the preference, or its default."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return addon is None or addon.preferences is None or addon.preferences.prepare_kernels


class VBD_Preferences(AddonPreferences):
    bl_idname = PACKAGE

    prepare_kernels: BoolProperty(
        name="Prepare Kernels in the Background",
        description=(
            "Compile the solver for common scenes once, with low priority, so that the first bake "
            "starts at once"
        ),
        default=True,
        update=lambda self, _context: preparing.follow(self.prepare_kernels),
    )

    def draw(self, _context):
        self.layout.prop(self, "prepare_kernels")


classes = (VBD_Preferences,)
