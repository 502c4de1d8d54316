# SPDX-License-Identifier: GPL-3.0-or-later
"""A modifier that replaces the keys of a bake: Blender's Mesh Cache, or `follower`. Its record has
"mesh_cache", the name of the modifier, and "modifiers", those that are disabled, as that of a bake
with keys.
"""

NAME = "VBD Cache"
# Beginning of records in JSON, so that a redraw can tell them from others without parsing.
RECORD_BEGINS = '{"mesh_cache"'


def plays(ob):
    """Return whether an object plays its bake from a file."""
    return ob.vbd.bake_record.startswith(RECORD_BEGINS)


def show(ob, record, shown):
    """Enable or disable the modifier of a bake; returns whether the bake has one."""
    if "mesh_cache" not in record:
        return False
    for name, (viewport, render) in record["modifiers"].items():
        modifier = ob.modifiers.get(name)
        if modifier:
            modifier.show_viewport, modifier.show_render = (
                (False, False) if shown else (viewport, render)
            )
    modifier = ob.modifiers.get(record["mesh_cache"])
    if modifier:
        modifier.show_viewport = modifier.show_render = shown
    return True


def remove(ob, record):
    """Remove the modifier of a bake; returns whether the bake had one."""
    modifier = ob.modifiers.get(record.get("mesh_cache", ""))
    if modifier:
        ob.modifiers.remove(modifier)
    return "mesh_cache" in record


def add(ob, path, first, pace):
    """Add a modifier on top of the others that plays a file from scene frame `first` on; its name.

    `pace`: time of Blender per scene frame, which time remapping changes.
    """
    modifier = ob.modifiers.new(NAME, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", path
    modifier.time_mode, modifier.play_mode = "FRAME", "SCENE"
    modifier.frame_start, modifier.frame_scale = first, 1.0 / pace  # the scale comes first
    ob.modifiers.move(len(ob.modifiers) - 1, 0)
    return modifier.name
