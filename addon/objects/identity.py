# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects during a bake: a reference does not survive an undo, nor a name a change by the user."""

import bpy

from ...solver.messages import message


def identity(ob):
    """The key of an object for `present` and `found`: its name now, and its number in this session,
    which renaming and undo leave as it is.
    """
    return ob.name, ob.session_uid


def present(key):
    """The object of an identity, whatever its name is now; None if it was deleted."""
    name, number = key
    ob = bpy.data.objects.get(name)
    if ob is not None and ob.session_uid == number:
        return ob
    return next((ob for ob in bpy.data.objects if ob.session_uid == number), None)


def found(key):
    """`present`; ValueError if the object was deleted."""
    ob = present(key)
    if ob is None:
        raise ValueError(message("animation.deleted", name=key[0]))
    return ob
