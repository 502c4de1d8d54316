# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of the bake that an object plays, and later changes to it."""

from ...solver.messages import message
from ..objects.curves import point_count
from ..objects.modifiers import levels_of
from ..objects.stored_records import refined
from . import mesh_cache, object_keys
from .playback import is_baked

# Rates whose relative difference is below this are equal.
SAME_RATE = 1e-4


def owners(ob):
    """Scenes that the bake of an object belongs to, among those that contain the object.

    One scene, unless the scene of the bake was deleted, or the bake is by version 0.1.
    """
    held = ob.users_scene
    named = [scene for scene in held if scene.name == ob.vbd.bake_scene]
    renamed = [scene for scene in held if scene.vbd.baked_as == ob.vbd.bake_scene]
    return named or renamed or list(held)


def baked_here(scene):
    """Objects of a scene whose bake belongs to it and can be freed in this file."""
    return [ob for ob in scene.objects if is_baked(ob) and ob.is_editable and scene in owners(ob)]


def baked_elsewhere(scene):
    """Names of other scenes whose bake an object of this one plays."""
    baked = [ob for ob in scene.objects if is_baked(ob) and ob.is_editable]
    others = {owner.name for ob in baked if scene not in owners(ob) for owner in owners(ob)}
    return sorted(others)


def mark(ob, scene, bake):
    """Store the scene of an object's bake, the bake's id, and its vertex count."""
    ob.vbd.bake_scene, ob.vbd.bake_id = scene.name, bake
    ob.vbd.bake_vertices = point_count(ob)
    ob.vbd.bake_fps = rate(scene)


def rate(scene):
    """Frames per second."""
    return scene.render.fps / scene.render.fps_base


def other_rates(scene):
    """Short lines about bakes that a scene plays faster or slower than they were made."""
    now, played = rate(scene), {}
    for ob in scene.objects:
        then = ob.vbd.bake_fps
        if is_baked(ob) and then and abs(then / now - 1.0) > SAME_RATE:
            played.setdefault(then, ob.name)
    return [
        message("report.other_rate", name=name, then=then, now=now) for then, name in played.items()
    ]


def is_edited(ob):
    """Return whether a baked object has lost its keys or changed its vertices, or is being edited;
    those of a rigid body may change.
    """
    if not is_baked(ob):
        return False
    if object_keys.plays(ob):
        return object_keys.is_lost(ob)
    lost = not getattr(ob.data, "shape_keys", None) and not mesh_cache.plays(ob)
    return lost or ob.vbd.bake_vertices not in (0, point_count(ob)) or ob.mode == "EDIT"


def levels_line(ob):
    """A short line about the modifier that divides faces for a bake (refining.py), if it has other
    levels now, so that the bake no longer fits; else None. Blender's Ctrl 1 to Ctrl 5 set them.
    """
    if not (is_baked(ob) and ob.vbd.refined):
        return None
    name, levels = refined(ob).get("faces", ("", 0))
    if name not in ob.modifiers:
        return None
    if levels_of(ob.modifiers[name]) == (levels, levels):
        return None
    return message("report.levels", name=ob.name, modifier=name, levels=levels)


def edits(scene):
    """Short lines about bakes that have changed since."""
    lines = []
    for ob in scene.objects:
        if is_edited(ob):
            if ob.mode == "EDIT":
                lines += [message("report.in_edit_mode", name=ob.name)]
                lines += [message("report.leave_to_free")]
            else:
                lines += [message("report.edited", name=ob.name), message("report.free_to_edit")]
        elif line := levels_line(ob):
            lines.append(line)
    return lines


def warnings(scene):
    """Short lines about bakes that have changed since, or are incomplete."""
    lines = edits(scene) + other_rates(scene)
    missing = scene.vbd.frames_missing
    if missing and baked_here(scene):
        lines.append(message("report.partial", count=missing))
    return lines
