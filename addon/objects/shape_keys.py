# SPDX-License-Identifier: GPL-3.0-or-later
"""Removal of all shape keys from an object."""

import bpy


def clear_keys(ob):
    """Remove the Key of an object's mesh or curve, with all of its shape keys.

    Blender counts one user too many for the Key of a copy, which would stay in the file for good.
    """
    ob.shape_key_clear()
    bpy.data.batch_remove([key for key in bpy.data.shape_keys if key.user == ob.data])
