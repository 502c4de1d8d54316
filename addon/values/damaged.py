# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of our properties that a file has, but the properties cannot: choices that do not exist
and text that is none. They get their defaults when the file is loaded, as no code expects them.
"""

from functools import cache

import bpy

from ...solver.messages import message


def reset_damaged(group):
    """Reset the damaged values of a property group, and of those in it; return their names."""
    found = []
    for name, kind in properties_of(type(group)):
        if kind == "COLLECTION":
            for item in getattr(group, name):
                found += reset_damaged(item)
        elif group.is_property_set(name) and not _is_sound(group, name, kind):
            group.property_unset(name)
            found.append(name)
    return found


@cache
def properties_of(cls):
    """Name and type of the properties of a group that may be damaged, or have such items."""
    chosen = []
    for each in cls.bl_rna.properties:
        ours = each.type == "COLLECTION" and each.fixed_type.identifier.startswith("VBD_")
        is_choice = each.type == "ENUM" and not each.is_enum_flag and len(each.enum_items)
        if ours or is_choice or each.type == "STRING":
            chosen.append((each.identifier, each.type))
    return tuple(chosen)


def _is_sound(group, name, kind):
    try:
        return getattr(group, name) != "" or kind == "STRING"
    except UnicodeDecodeError:
        return False


@bpy.app.handlers.persistent
def _after_loading(*_):
    for owner in (*bpy.data.scenes, *bpy.data.objects):
        for name in reset_damaged(owner.vbd):
            print(message("role.value_damaged", name=owner.name, what=name))


def register():
    bpy.app.handlers.load_post.append(_after_loading)


def unregister():
    bpy.app.handlers.load_post.remove(_after_loading)
