# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the modifier stack of a soft body for its bake, so that the drawn surface is the one
that collides: equal levels in the viewport and in renders, and a modifier that divides faces which
are larger than the cells. `object.vbd.refined` stores what `restore` takes back.
"""

import json
from contextlib import contextmanager

import bpy
import numpy as np

from ...solver.topology.graphs import edges_of
from . import read_mesh
from .identity import identity, present
from .modifiers import (
    DEFORMING,
    LEVELS,
    NEUTRAL,
    REFINING,
    is_place_chosen,
    levels_of,
    may_be_refined,
    refinable_end,
    reshaping,
)
from .stored_records import bake_record, refined
from .subdividing import longest_side

NAME = "VBD Faces"
# Modifiers whose result keeps its shape when flat faces above them are divided.
INDIFFERENT = {"ARRAY", "BOOLEAN", "MIRROR", "REMESH", "SOLIDIFY", "TRIANGULATE", "WELD"}


def state_of(ob):
    """The changes that an object has: the `levels` that modifiers had, by name, and the name of the
    modifier that divides `faces` with its levels; to pass to `change`.
    """
    return refined(ob)


def change(ob, state):
    """Give an object exactly the changes of a state."""
    now, levels, faces = state_of(ob), state.get("levels", {}), state.get("faces")
    if now == state and (not faces or faces[0] in ob.modifiers):
        return
    for name, before in now.get("levels", {}).items():
        if name not in levels and name in ob.modifiers:
            ob.modifiers[name].levels, ob.modifiers[name].render_levels = before
    for name, before in levels.items():
        if name in ob.modifiers:
            ob.modifiers[name].levels = ob.modifiers[name].render_levels = max(before)
    present = ob.modifiers.get(now["faces"][0]) if "faces" in now else None
    if faces and not present:
        playing = bake_record(ob).get("mesh_cache", "")
        places = [refinable_end(ob), ob.modifiers.find(playing)]
        place = min(place for place in places if place >= 0)
        active = ob.modifiers.active
        present = ob.modifiers.new(NAME, "SUBSURF")
        present.subdivision_type, present.show_expanded = "SIMPLE", False
        ob.modifiers.move(len(ob.modifiers) - 1, place)
        if active:
            ob.modifiers.active = ob.modifiers[active.name]
    elif present and not faces:
        ob.modifiers.remove(present)
    if faces:
        present.levels = present.render_levels = faces[1]
        state = state | {"faces": [present.name, faces[1]]}
    ob.vbd.refined = json.dumps(state) if state else ""


def restore(ob):
    """Take all changes back."""
    change(ob, {})


@contextmanager
def taken_back_unless_baked(objects):
    """Context after which objects without a new bake have the changes that they had before it."""
    before = [(identity(ob), ob.vbd.bake_id, state_of(ob)) for ob in objects]
    try:
        yield
    finally:
        for key, bake, state in before:
            ob = present(key)
            if ob is not None and ob.vbd.bake_id == bake and state_of(ob) != state:
                change(ob, state)


def even_levels(ob):
    """Give the modifiers that refine an object as many levels in the viewport as in renders."""
    state = state_of(ob)
    known = dict(state.pop("levels", {}))
    for modifier in reshaping(ob) if _is_automatic(ob) else ():
        viewport, renders = levels_of(modifier)
        if modifier.type in LEVELS and viewport != renders:
            known[modifier.name] = [viewport, renders]
    if known and _is_automatic(ob):
        state["levels"] = known
    change(ob, state)


def keep_levels(ob):
    """Give the modifiers before the chosen place their higher levels everywhere, for good: freeing
    a bake does not take them back.
    """
    state = state_of(ob)
    for modifier in reshaping(ob):
        if modifier.type in LEVELS:
            modifier.levels = modifier.render_levels = max(levels_of(modifier))
            state.get("levels", {}).pop(modifier.name, None)
    ob.vbd.refined = json.dumps(state) if state else ""


def divide_faces(ob, after):
    """Divide the faces of an object that are larger than its cells, up to as many vertices as touch
    others. Of its modifiers those that come `after` the simulation must be off.
    """
    state = state_of(ob)
    name, _ = state.pop("faces", (NAME, 0))
    keeps_look = all(m.type in INDIFFERENT | DEFORMING | NEUTRAL for m in after)
    if _is_automatic(ob) and keeps_look and not ob.vbd.keep_coarse:
        with _undivided(ob, name):
            levels = _missing_levels(ob)
        if levels:
            state["faces"] = [name, levels]
    change(ob, state)


def _is_automatic(ob):
    return may_be_refined(ob) and not is_place_chosen(ob)


@contextmanager
def _undivided(ob, name):
    """Context without the modifier that divides faces, and without those after it that refine."""
    place = ob.modifiers.find(name)
    behind = ob.modifiers[place + 1 :] if place >= 0 else ()
    off = [m for m in behind if m.type in REFINING] + ([ob.modifiers[place]] if place >= 0 else [])
    off = [modifier for modifier in off if modifier.show_viewport]
    try:
        for modifier in off:
            modifier.show_viewport = False
        yield
    finally:
        for modifier in off:
            modifier.show_viewport = True


def _missing_levels(ob):
    """Number of times that the sides of the triangles of an evaluated object must be halved, as far
    as its number of vertices stays within that of its contact surface.
    """
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    points = read_mesh.transformed(read_mesh.matrix(evaluated), read_mesh.positions(mesh))
    triangles = read_mesh.triangles(mesh)
    try:
        longest = longest_side(ob, points, triangles)
    except ValueError:  # the bake reports the reason
        return 0
    size = _largest_size(mesh, points, triangles)
    levels = int(np.ceil(np.log2(max(size / longest, 1.0))))
    # Each level makes four faces of one, and four vertices.
    most = np.log2(max(ob.vbd.contact_vertices / max(0.25 * len(mesh.loops), 1.0), 1.0)) / 2.0
    return min(levels, int(most))


def _largest_size(mesh, points, triangles):
    """The longest side of the `triangles` of a mesh; or the diameter of a face with more than four
    corners: dividing joins its corners to its middle.
    """
    vertex = read_mesh.corner_vertices(mesh)
    start = read_mesh.face_starts(mesh)
    size = np.diff(np.append(start, len(vertex)))
    sides = edges_of(triangles)[0]
    largest = np.linalg.norm(points[sides[:, 0]] - points[sides[:, 1]], axis=1).max(initial=0.0)
    for face in np.flatnonzero(size > 4):
        corners = points[vertex[start[face] : start[face] + size[face]]]
        middle = corners.mean(axis=0)
        largest = max(largest, 2.0 * np.linalg.norm(corners - middle, axis=1).max())
    return float(largest)
