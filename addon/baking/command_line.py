# SPDX-License-Identifier: GPL-3.0-or-later
"""The command that bakes the open file without a window, as text for a terminal or a farm."""

import os
import shlex
import subprocess
from pathlib import Path

import bpy
import numpy as np
from bpy.props import EnumProperty
from bpy.types import Operator

from ...solver.messages import message
from ..values.declared import SETTINGS
from ..values.preset_values import preset_values
from ..values.presets import ROOT, VBD_MT_solver_presets, preset_files, shown_preset

FORMS = (
    ("BLENDER", "Blender", "blender --background … --command vbd bake …"),
    ("PYTHON", "Python", "python -m vbd bake …, where Blender is a Python module"),
)


def quoted(words):
    """Words as one line for the shell of this system."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def _text(prop, value):
    """A value of a setting as `--set` reads it; the shortest form of a number in float32."""
    if prop.type != "FLOAT":
        return str(value).lower()
    short = str(np.float32(value))
    return short if prop.hard_min <= float(short) <= prop.hard_max else repr(float(value))


def options(scene):
    """The options of `bake` that reproduce the settings of a scene, whatever its file contains.

    A preset goes by its name only if it comes with the add-on, so that other machines have it.
    """
    group = scene.vbd
    words = [f"--frames={group.frame_start}:{group.frame_end}"]  # the first may be negative
    if group.device != "AUTO":
        words += ["--device", group.device.lower()]
    names = ["time_scale", *(f.name for f in SETTINGS)]
    properties = {name: group.bl_rna.properties[name] for name in names}
    known = {name: prop.default for name, prop in properties.items()}
    preset = shown_preset(VBD_MT_solver_presets, group)
    file = preset and preset_files(VBD_MT_solver_presets)[preset]
    if preset and Path(file).is_relative_to(ROOT):
        words += ["--preset", preset]
        known |= preset_values(file)
    changed = []
    for name, prop in properties.items():
        now = _text(prop, getattr(group, name))
        if now != _text(prop, known[name]):
            changed.append(f"{name}={now}")
    return words + (["--set", *changed] if changed else [])


def command_line(blend, scene, form="BLENDER"):
    """The line that bakes `scene`, whose file is `blend`; `form` is one of `FORMS`."""
    if form == "PYTHON":
        return quoted(["python", "-m", "vbd", "bake", blend, *options(scene)])
    program = bpy.app.binary_path or "blender"  # empty where Blender is a Python module
    return quoted([program, "--background", blend, "--command", "vbd", "bake", *options(scene)])


class VBD_OT_copy_command_line(Operator):
    bl_idname = "vbd.copy_command_line"
    bl_label = "Copy Command Line"
    bl_description = (
        "Copy the command that bakes this file without a window, in a terminal or on a farm, with "
        "the frames and settings of now"
    )

    form: EnumProperty(name="Form", description="What runs the command", items=FORMS)

    @classmethod
    def description(cls, _context, properties):
        form = next(text for name, _, text in FORMS if name == properties.form)
        return f"{cls.bl_description}: {form}"

    @classmethod
    def poll(cls, _context):
        if not bpy.data.filepath:
            cls.poll_message_set(message("bake.save_first"))
        return bool(bpy.data.filepath)

    def execute(self, context):
        line = command_line(bpy.data.filepath, context.scene, self.form)
        context.window_manager.clipboard = line
        if bpy.data.is_dirty:
            self.report({"WARNING"}, message("bake.copied"))
        else:
            self.report({"INFO"}, "Copied")
        return {"FINISHED"}


classes = (VBD_OT_copy_command_line,)
