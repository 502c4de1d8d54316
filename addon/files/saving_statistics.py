# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator that writes the numbers of a bake to a file, and its button."""

from pathlib import Path

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Operator

from ...solver.cache import Cache
from ...solver.messages import message
from ..baking.bake_steps import explain
from ..baking.cache_place import cache_folder, find_cache
from ..playing.baked import baked_here
from .statistics_file import SUFFIXES, save


def played_cache(scene):
    """The `Cache` of the bake that a scene plays, or of its last one; ValueError without any."""
    bakes = {ob.vbd.bake_id for ob in baked_here(scene)} - {""}
    found = (find_cache(bake, scene) for bake in sorted(bakes))
    folder = next(filter(None, found), cache_folder(scene))
    if not folder.is_dir():
        raise ValueError(message("statistics.gone"))
    return Cache.open(folder)


class VBD_OT_save_statistics(Operator):
    bl_idname = "vbd.save_statistics"
    bl_label = "Save Statistics"
    bl_description = (
        "Write time, iterations, error, energies and contacts of every frame, and place, speed and "
        "stretch of every object, to a table (.csv) or for scripts (.json)"
    )

    filepath: StringProperty(name="File", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.csv;*.json", options={"HIDDEN"})
    kind: EnumProperty(
        name="Kind",
        description="What is written where the name of the file does not say it",
        items=(
            (".csv", "Table", "Comma-separated values, for spreadsheets"),
            (".json", "JSON", "For scripts"),
        ),
    )

    @classmethod
    def poll(cls, context):
        if not baked_here(context.scene):
            cls.poll_message_set(message("free.none_baked"))
            return False
        return True

    def invoke(self, context, _event):
        stem = Path(bpy.data.filepath).stem or context.scene.name
        name = f"{bpy.path.clean_name(stem)}_statistics{self.kind}"
        self.filepath = str(Path(bpy.data.filepath).parent / name)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        path = Path(bpy.path.abspath(self.filepath))
        if path.suffix.lower() not in SUFFIXES:
            path = path.with_name(path.name + self.kind)
        try:
            count = save(played_cache(context.scene), path)
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        self.report({"INFO"}, message("statistics.wrote", count=count, path=path.name))
        return {"FINISHED"}


classes = (VBD_OT_save_statistics,)
