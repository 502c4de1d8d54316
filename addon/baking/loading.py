# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of a cache -> keys, after a bake or without one."""

from dataclasses import dataclass
from uuid import uuid4

import bpy

from ...solver.cache import Cache
from ...solver.messages import message
from ..gathering.gather import refuse_unbakeable
from ..gathering.hint import Hint
from ..objects import refining
from ..objects.curves import is_simulated_as_points, point_count
from ..objects.hair import is_hair
from ..objects.identity import identity, present
from ..objects.modifiers import reshaping, simulation_point
from ..playing import object_keys, playback
from ..playing.baked import mark, owners
from ..values.scene_time import end_timeline, refresh_frame
from .cache_place import cache_folder


@dataclass(frozen=True)
class Played:
    """An object that is to play frames."""

    key: tuple
    deforming: list


@dataclass(frozen=True)
class Loaded:
    """Result of loading a cache: scene frames, and how many the bake was to have."""

    first: int
    last: int
    wanted: int
    notes: list

    @property
    def missing(self):
        """Frames that the bake has not reached."""
        return max(self.wanted - (self.last - self.first), 0)

    def line(self):
        """The text of the report."""
        known = {"first": self.first, "last": self.last}
        if self.missing:
            return message("resume.loaded_part", count=self.missing, **known)
        return message("resume.loaded", **known)


def write_keys(scene, targets, cache, bake, frame_start, last, count):
    """Turn the frames of `targets` up to the last one, of `count` that the bake was to have, into
    keys; returns notes about bakes that they replace, and about the timeline.
    """
    # Time remapping changes the speed of curves; every baked frame stays at its scene frame.
    pace = scene.render.frame_map_old / scene.render.frame_map_new
    notes, are_checked = [], False
    for target, points in zip(targets, cache.header.vertex_counts, strict=True):
        _refuse_changed(present(target.key), points)
    for at, target in enumerate(targets):
        ob = present(target.key)
        if ob is None:
            continue  # deleted by a script in the meantime: there is nothing left to bake
        if playback.is_baked(ob) and scene not in owners(ob):
            notes.append(message("note.replaces_bake", name=ob.name, scene=owners(ob)[0].name))
        if are_checked:
            frames = (cache.read_one(index, at) for index in range(last + 1))
        else:
            frames = (cache.read(index)[at] for index in range(last + 1))
        are_checked = True
        playback.write(ob, frames, frame_start, target.deforming, pace)
        mark(ob, scene, bake)
    scene.vbd.baked_as = scene.name
    scene.vbd.frames_missing = max(count - last, 0)
    if not scene.vbd.frames_missing:
        notes += map(Hint, end_timeline(scene, frame_start + last))
    refresh_frame(scene)
    return notes


def _refuse_changed(ob, before):
    """Refuse an object, or None, that has other points than it had `before`, in its frames."""
    if ob is None or ob.vbd.role == "RIGID" or is_hair(ob) or reshaping(ob):
        return
    if (now := point_count(ob)) != before:
        raise ValueError(message("resume.load_vertices", name=ob.name, now=now, before=before))


def load(scene, folder=None, blend=None):
    """Let the objects of a scene play a cache, its own by default; nothing is solved. Returns
    `Loaded`. ValueError gives the reason of a failure; the scene is then unchanged. `blend`: the
    file that the scene will be saved as.
    """
    own = cache_folder(scene, blend)
    cache = Cache.open(folder or own)
    header, frames = cache.header, cache.sound()
    count = header.frame_count
    # This file must not move or delete a cache that lies elsewhere.
    bake = header.bake if cache.folder == own else uuid4().hex
    with refining.taken_back_unless_baked([ob for ob in scene.objects if ob.name in header.names]):
        targets = [
            _target(scene, *named) for named in zip(header.names, header.vertex_counts, strict=True)
        ]
        if frames < 2 or not targets:
            raise ValueError(message("resume.nothing_whole", folder=cache.folder))
        notes = write_keys(scene, targets, cache, bake, header.frame_start, frames - 1, count)
    scene.vbd.report = ""
    last = header.frame_start + frames - 1
    return Loaded(header.frame_start, last, count, notes)


def _target(scene, name, count):
    """The object of a cache that is `Played`; refuses one that is missing or has changed."""
    ob = scene.objects.get(name)
    if ob is None or not is_simulated_as_points(ob):
        raise ValueError(message("resume.not_in_scene", name=name))
    if ob.vbd.role == "RIGID":
        if count != object_keys.ROWS:
            raise ValueError(message("resume.not_rigid", name=name))
        refuse_unbakeable(ob)
        return Played(identity(ob), [])
    if ob.mode == "EDIT":
        raise ValueError(message("resume.edit_mode", name=name))
    refuse_unbakeable(ob)
    playback.suspend(ob)
    try:
        refining.even_levels(ob)
        deforming, after = simulation_point(ob)
        points = _refined_count(ob, after)
    finally:
        playback.resume(ob)
    if points != count:
        raise ValueError(message("resume.load_vertices", name=name, now=points, before=count))
    return Played(identity(ob), [modifier.name for modifier in deforming])


def _refined_count(ob, after):
    """Vertices of an object in a bake: those that come `after` the simulation make no more."""
    if is_hair(ob):
        return point_count(ob)
    for modifier in after:
        modifier.show_viewport = False
    try:
        refining.divide_faces(ob, after)
        if not reshaping(ob):
            return point_count(ob)
        return len(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices)
    finally:
        for modifier in after:
            modifier.show_viewport = True
