# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that have changed since a bake, as far as a panel can find them while it is drawn: no
mesh is read. `resuming.py` finds all changes.
"""

from ...solver.messages import message
from ..gathering.keyed import stored_keyed
from ..gathering.reader import keyed_paths
from ..objects.participants import participants
from ..values.measured import NOT_STORED
from ..values.setting_values import OF_SCENES
from .report import listed

# Settings without effect on the result: the device, and how many frames there are.
WITHOUT_EFFECT = {"device", "threads", "restart_every", "frame_end"}
SCENE = ""
# Lists of an object: of attachments and joints, and of painted values.
LISTS = ("attachments", "painted")
KINDS = {"BOOLEAN", "INT", "FLOAT", "ENUM", "STRING", "POINTER"}


def now(scene):
    """The settings of a scene and its participants, by name: {"": {…}, object: {…}}, as JSON
    returns them.
    """
    found = {SCENE: {name: _plain(getattr(scene.vbd, name)) for name in _of_scene(scene)}}
    if scene.animation_data is None:
        found[SCENE]["gravity"] = _plain(scene.gravity if scene.use_gravity else (0.0, 0.0, 0.0))
    chosen = participants(scene)
    names = _of_object(chosen[0]) if chosen else ()
    for ob in chosen:
        keyed = stored_keyed(ob)
        found[ob.name] = {n: _plain(getattr(ob.vbd, n)) for n in names if n not in keyed}
        found[ob.name] |= {name: _rows(ob, getattr(ob.vbd, name)) for name in LISTS}
    return found


def _rows(ob, items):
    """The values of the rows of a list that no keyframes change."""
    if not len(items):
        return []
    known = [p.identifier for p in items[0].bl_rna.properties if p.type in KINDS]
    names = set(known) - {"rna_type", "name", "shown_value"}
    keyed = keyed_paths(ob)
    return [
        {
            n: _plain(getattr(item, n))
            for n in sorted(names)
            if not keyed or item.path_from_id(n) not in keyed
        }
        for item in items
    ]


def settings_changed(scene, was):
    """A sentence about settings that differ from `was`, those of the baked scene; or None."""
    labels = labels_of_changes(scene, was, now(scene))
    return message("resume.changed", names=listed(labels)) if labels else None


def labels_of_changes(scene, was, set_to):
    """The labels of all settings that differ between two results of `now`."""
    labels = []
    for name in {**was, **set_to}:
        if name in was and name in set_to:
            changed = [n for n, v in set_to[name].items() if was[name].get(n, v) != v]
            labels += [_label(scene, name, n) for n in changed]
        else:
            which = "resume.takes_part" if name in set_to else "resume.takes_no_part"
            labels.append(message(which, name=name))
    return labels


def _of_scene(scene):
    return _known(scene.vbd, OF_SCENES - WITHOUT_EFFECT)


def _of_object(ob):
    shown = {p.identifier for p in ob.vbd.bl_rna.properties if not p.is_hidden}
    return _known(ob.vbd, shown - NOT_STORED)


def _known(group, names):
    """The names of numbers, switches, choices and pointers."""
    known = group.bl_rna.properties
    return [n for n in sorted(names) if known[n].type in KINDS]


def _plain(value):
    if hasattr(value, "name"):
        return value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return [_plain(v) for v in value]


def _label(scene, owner, name):
    if owner == SCENE:
        return "Gravity" if name == "gravity" else scene.vbd.bl_rna.properties[name].name
    return f"{scene.objects[owner].vbd.bl_rna.properties[name].name} of {owner}"
