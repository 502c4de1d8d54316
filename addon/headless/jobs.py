# SPDX-License-Identifier: GPL-3.0-or-later
"""`vbd jobs`: the commands that bake many shots, or one with many settings, a line each.

A farm, GNU parallel or a shell runs them side by side. Nothing is opened or baked here.
"""

import argparse
import re
from itertools import product
from pathlib import Path

from ...solver.messages import message
from ..baking.command_line import FORMS, quoted
from ..values.presets import VBD_MT_solver_presets, named_preset
from ..values.setting_values import frame_range, value_of

MOST_JOBS = 10_000
PROGRAMS = {
    "blender": ("blender", "--background", "{file}", "--command", "vbd", "bake"),
    "python": ("python", "-m", "vbd", "bake", "{file}"),
}


def add_jobs_parser(commands):
    jobs = commands.add_parser(
        "jobs", help="print the commands that bake files with all mixes of values, for a farm"
    )
    jobs.add_argument("files", nargs="+", type=Path, metavar="FILE.blend")
    jobs.add_argument(
        "--set",
        type=_values,
        action="append",
        nargs="+",
        default=[],
        metavar="NAME=VALUE,VALUE,...",
        help="values of a solver setting, such as substeps=4,8",
    )
    jobs.add_argument("--preset", metavar="NAME,NAME,...", help="solver presets")
    jobs.add_argument("--frames", type=frame_range, metavar="A:B", help="first and last frame")
    jobs.add_argument("--device", choices=("auto", "cpu", "cuda"), help="what they run on")
    jobs.add_argument(
        "--folder", type=Path, help="where the bakes are saved; default: beside their files"
    )
    jobs.add_argument(
        "--form", choices=PROGRAMS, default=FORMS[0][0].lower(), help="what runs the commands"
    )


def _values(text):
    name, equals, values = text.partition("=")
    values = values.split(",")
    if not equals or not name or not all(values):
        raise argparse.ArgumentTypeError(message("command.no_values", text=text))
    if len(values) > len(set(values)):
        raise argparse.ArgumentTypeError(message("command.value_twice", text=text))
    return [(name, value) for value in values]


def lines(options, context):
    """The commands; ValueError for options that no bake accepts.

    Each bake is resumed if it was begun before: a farm may run its command again.
    """
    sweeps = [sweep for group in options.set for sweep in group]
    names = [sweep[0][0] for sweep in sweeps]
    if len(names) > len(set(names)):
        raise ValueError(message("command.setting_twice"))
    for name, value in (pair for sweep in sweeps for pair in sweep):
        value_of(context.scene.vbd, name, value)
    presets = _presets(options.preset)
    count = len(options.files) * len(presets or [0])
    for sweep in sweeps:
        count *= len(sweep)
    if count > MOST_JOBS:
        raise ValueError(message("command.many_jobs", count=count, most=MOST_JOBS))
    shared = ["--frames={}:{}".format(*options.frames)] if options.frames else []
    shared += ["--device", options.device] if options.device else []
    mixes = list(product([[("preset", name)] for name in presets] or [[]], *sweeps))
    found = {}
    for file in options.files:
        if not file.is_file():
            raise ValueError(message("command.no_file", file=file))
        for preset, *settings in mixes:
            output = _output(file, options.folder, [*preset, *settings])
            if output in found:
                raise ValueError(message("command.same_output", file=output))
            words = [word for _, name in preset for word in ("--preset", name)]
            words += ["--set", *(f"{name}={value}" for name, value in settings)] if settings else []
            program = [word.format(file=file.resolve()) for word in PROGRAMS[options.form]]
            found[output] = quoted([*program, *shared, *words, "--output", str(output), "--resume"])
    return list(found.values())


def _presets(text):
    """Names of presets as the menu shows them."""
    wanted = text.split(",") if text else []
    return [named_preset(VBD_MT_solver_presets, "solver", name) for name in wanted]


def _output(file, folder, choices):
    """Output file of a bake: its file with the choices, such as shot_substeps-4.blend."""
    said = [f"{name}-{value}" for name, value in choices] or ["baked"]
    name = re.sub(r"[^\w.+-]", "_", "_".join([file.stem, *said]))
    return (folder or file.parent).resolve() / f"{name}.blend"
