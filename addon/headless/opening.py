# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening the file of a command, with its options set in the scene."""

import argparse
from pathlib import Path

import bpy

from ...solver.messages import message
from ..gathering.reader import curves_of
from ..values.presets import apply_preset
from ..values.setting_values import frame_range, set_value
from .exit_codes import FAILED, WRONG, RefusedError

DEVICES = ("auto", "cpu", "cuda")


def add_scene_arguments(bake):
    """The arguments that `opened` reads."""
    bake.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.blend", help="default: the open one"
    )
    bake.add_argument("--frames", type=frame_range, metavar="A:B", help="first and last frame")
    bake.add_argument("--device", choices=DEVICES, help="default: as set in the file")
    bake.add_argument("--preset", metavar="NAME", help="solver preset, such as Preview or Final")
    bake.add_argument(
        "--set",
        type=_assignment,
        action="append",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="solver settings, such as substeps=8, and material of objects, such as "
        "Cube.density=500 in SI units; they win over the preset",
    )


def _assignment(text):
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise argparse.ArgumentTypeError(message("command.no_setting", text=text))
    return name, value


def opened(options):
    """Open the file of a command, if it names one, and set its options in the scene, which is
    returned.
    """
    if options.file is not None:
        if not options.file.is_file():
            raise RefusedError(message("command.no_file", file=options.file), WRONG)
        open_blend(options.file)
    elif not bpy.data.filepath:
        raise RefusedError(message("command.name_file"), WRONG)
    try:
        configure(bpy.context, options)
    except ValueError as error:
        raise RefusedError(str(error), WRONG) from error
    return bpy.context.scene


def open_blend(path):
    """Open a .blend; refuses one that Blender cannot read."""
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as error:
        raise RefusedError(without_label(error), FAILED) from error


def without_label(error):
    """The text of an error of an operator."""
    return str(error).removeprefix("Error: ").strip()


def configure(context, options):
    """Set the options in the scene; ValueError for an unknown option or an unsuitable value."""
    scene = context.scene
    if options.preset:
        apply_preset(context, "solver", options.preset)
    for name, text in (pair for pairs in options.set for pair in pairs):
        owner, _, short = name.rpartition(".")
        set_value(scene, name, text)
        if owner and _has_keys(scene.objects[owner], f"vbd.{short}"):
            raise ValueError(message("command.keyed", name=name))
    if options.frames:
        for name, frame in zip(("frame_start", "frame_end"), options.frames, strict=True):
            set_value(scene, name, str(frame))
    if options.device:
        scene.vbd.device = options.device.upper()


def _has_keys(ob, path):
    """Return whether a curve or driver of an object would win over a value that is set."""
    data = ob.animation_data
    curves = (*curves_of(data.action), *data.drivers) if data else ()
    return any(curve.data_path == path for curve in curves)
