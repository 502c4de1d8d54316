# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked motion as .pc2 files, which other programs read and Blender plays without shape keys."""

import json
import os
import re
import struct
from pathlib import Path

import bpy
import numpy as np
from bpy.props import BoolProperty, StringProperty
from bpy.types import Operator

from ...solver.messages import message
from ..baking.bake import refusal
from ..baking.bake_steps import explain
from ..objects.curves import is_curve
from ..objects.stored_records import bake_record
from ..playing import mesh_cache, object_keys, playback
from ..playing.baked import baked_here

# Signature and version, points, first frame, frames per sample, samples (PC2 of 3ds Max).
HEADER = struct.Struct("<12siiffi")
SIGNATURE = b"POINTCACHE2\0"
# Keys of a bake are named after their frame.
KEY_NAME = re.compile(re.escape(playback.PREFIX) + r"(-?\d+)")


def write_pc2(path, first, samples):
    """Write float32 [vertex, 3] arrays, one per frame from `first` on; a failure leaves the old
    file unchanged.
    """
    path, part = Path(path), Path(f"{path}.part")
    count, points = 0, None
    try:
        with part.open("wb") as file:
            file.write(bytes(HEADER.size))
            for sample in samples:
                points = len(sample)
                file.write(np.ascontiguousarray(sample, "<f4").tobytes())
                count += 1
            file.seek(0)
            file.write(HEADER.pack(SIGNATURE, 1, points, first, 1.0, count))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _keys(ob):
    """The keys of the bake of an object, in the order of time."""
    names = bake_record(ob)["blocks"]
    blocks = ob.data.shape_keys.key_blocks if ob.data.shape_keys else {}
    return [blocks[name] for name in names if name in blocks]


def first_frame(ob):
    """The scene frame of the first key of a bake."""
    name = KEY_NAME.match(_keys(ob)[0].name)
    return int(name[1]) if name else bpy.context.scene.vbd.frame_start


def _samples(ob):
    for block in _keys(ob):
        points = np.empty((len(block.points), 3), np.float32)
        block.points.foreach_get("co", points.ravel())
        yield points


def exportable(context):
    """Baked meshes with keys: the selected ones, or else all of the scene."""
    meshes = [ob for ob in baked_here(context.scene) if not is_curve(ob) and ob.data.shape_keys]
    meshes = [ob for ob in meshes if not (mesh_cache.plays(ob) or object_keys.plays(ob))]
    found = [ob for ob in meshes if _keys(ob)]
    return [ob for ob in found if ob in context.selected_objects] or found


def play_file(ob, path):
    """Let the Mesh Cache modifier play a file, and remove the keys of the bake."""
    first, record, own = first_frame(ob), bake_record(ob), ob.vbd
    whose = own.bake_scene, own.bake_id, own.bake_vertices, own.bake_fps
    render = bpy.context.scene.render
    playback.free(ob)
    name = mesh_cache.add(ob, path, first, render.frame_map_old / render.frame_map_new)
    known = {"mesh_cache": name, "modifiers": record["modifiers"]}
    own.bake_record, own.baked = json.dumps(known), True
    own.bake_scene, own.bake_id, own.bake_vertices, own.bake_fps = whose
    playback.resume(ob)


def _paths(objects, folder):
    """A file for each object; names that differ only in forbidden characters get a number."""
    paths = {}
    for ob in objects:
        stem = name = bpy.path.clean_name(ob.name)
        while f"{name}.pc2" in {path.name for path in paths.values()}:
            name = f"{stem}_{len(paths)}"
        paths[ob] = Path(folder) / f"{name}.pc2"
    return paths


class VBD_OT_export_point_cache(Operator):
    bl_idname = "vbd.export_point_cache"
    bl_label = "Export Point Cache"
    bl_description = (
        "Write the bake of the selected objects, or of all, into .pc2 files, one per object"
    )
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(
        name="Folder", description="Where the files go; those of the same name are replaced",
        subtype="DIR_PATH",
    )  # fmt: skip
    filter_folder: BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
    play: BoolProperty(
        name="Play the Files",
        description="Let a Mesh Cache modifier play each file and take the shape keys away: the "
        ".blend stays small and large meshes play faster",
        default=False,
    )

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason is None and not exportable(context):
            reason = message("free.no_keys")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        if not self.directory:
            self.report({"ERROR"}, message("free.choose_folder"))
            return {"CANCELLED"}
        folder = Path(bpy.path.abspath(self.directory))
        objects = [ob for ob in exportable(context) if _keys(ob)]
        if not objects:
            self.report({"ERROR"}, message("free.keys_deleted"))
            return {"CANCELLED"}
        blocked = next((ob.name for ob in objects if ob.override_library and len(ob.modifiers)), "")
        if self.play and blocked:
            self.report(
                {"ERROR"},
                message("free.override", name=blocked),
            )
            return {"CANCELLED"}
        paths = _paths(objects, folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for ob, path in paths.items():
                write_pc2(path, first_frame(ob), _samples(ob))
        except OSError as error:
            self.report({"ERROR"}, message("free.not_written", error=explain(error)))
            return {"CANCELLED"}
        for ob, path in paths.items() if self.play else ():
            play_file(ob, _shown(path))
        files = paths[objects[0]].name if len(objects) == 1 else f"{len(objects)} files"
        self.report({"INFO"}, message("free.wrote", files=files, folder=folder))
        return {"FINISHED"}


def _shown(path):
    """A path relative to the .blend, if both are on one drive."""
    try:
        return bpy.path.relpath(str(path)) if bpy.data.filepath else str(path)
    except ValueError:
        return str(path)


classes = (VBD_OT_export_point_cache,)
