# SPDX-License-Identifier: GPL-3.0-or-later
"""`vbd jobs`: the commands that bake many shots, or one with many settings, a line each.

A farm, GNU parallel or a shell runs them side by side. Nothing is opened or baked here.
"""

import argparse
import os
import re
import shlex
from itertools import product
from pathlib import Path

import bpy

from ...solver.messages import message
from ..baking.command_line import FORMS, quoted
from ..values.presets import VBD_MT_solver_presets, named_preset
from ..values.setting_values import frame_range, value_of
from .exit_codes import DONE, WRONG, RefusedError
from .opening import DEVICES

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
        help="values of a solver setting, such as substeps=4,8, or of the material of an object, "
        "such as Cube.density=500,900 in SI units",
    )
    jobs.add_argument("--preset", metavar="NAME,NAME,...", help="solver presets")
    jobs.add_argument("--frames", type=frame_range, metavar="A:B", help="first and last frame")
    jobs.add_argument("--device", choices=DEVICES, help="what they run on")
    jobs.add_argument(
        "--folder", type=Path, help="where the bakes are saved; default: beside their files"
    )
    jobs.add_argument(
        "--cache-only",
        action="store_true",
        help="the jobs save no .blend: `collect` makes the keys when all have run",
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


def print_jobs(options):
    """Run the command; returns the exit code."""
    try:
        print(*lines(options), sep="\n", flush=True)
    except ValueError as error:
        raise RefusedError(str(error), WRONG) from error
    return DONE


def lines(options):
    """The commands; ValueError for options that no bake accepts.

    Each bake is resumed if it was begun before: a farm may run its command again.
    """
    sweeps = [sweep for group in options.set for sweep in group]
    names = [sweep[0][0] for sweep in sweeps]
    if len(names) > len(set(names)):
        raise ValueError(message("command.setting_twice"))
    for name, value in (pair for sweep in sweeps for pair in sweep):
        value_of(name, value)
    presets = _presets(options.preset)
    count = len(options.files) * len(presets or [0])
    for sweep in sweeps:
        count *= len(sweep)
    if count > MOST_JOBS:
        raise ValueError(message("command.many_jobs", count=count, most=MOST_JOBS))
    shared = ["--frames={}:{}".format(*options.frames)] if options.frames else []
    shared += ["--device", options.device] if options.device else []
    shared += ["--cache-only"] if options.cache_only else []
    if options.folder and not options.folder.is_dir():
        raise ValueError(message("command.no_folder", folder=options.folder))
    mixes = list(product([[("preset", name)] for name in presets] or [[]], *sweeps))
    found = {}
    for file in options.files:
        if not file.is_file():
            raise ValueError(message("command.no_file", file=file))
        for preset, *settings in mixes:
            output = _output(file, options.folder, [*preset, *settings])
            # The cache of a.b.blend has the name of that of a_b.blend.
            key = output.with_name(bpy.path.clean_name(output.stem))
            if key in found:
                raise ValueError(message("command.same_output", file=output))
            words = [word for _, name in preset for word in ("--preset", name)]
            words += ["--set", *(f"{name}={value}" for name, value in settings)] if settings else []
            program = [word.format(file=file.resolve()) for word in PROGRAMS[options.form]]
            words = [*program, *shared, *words, "--output", str(output), "--resume"]
            found[key] = quoted(words)
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


def words_in(line, is_windows=os.name == "nt"):
    """The words of a command that was `quoted`; ValueError for a quote that does not end."""
    if not is_windows:
        return shlex.split(line)
    split = shlex.shlex(line, posix=True)
    split.whitespace_split, split.commenters = True, ""
    split.quotes, split.escape = '"', ""  # an apostrophe and \\ are characters of names there
    return list(split)


def jobs_in(path, parser):
    """The options of `bake`, as its `parser` reads them, of all commands in a file that `jobs` has
    printed; refuses other lines.
    """
    if not path.is_file():
        raise RefusedError(message("command.no_file", file=path), WRONG)
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            words = words_in(line)
            options = parser.parse_args(words[words.index("bake") + 1 :])
        except (ValueError, SystemExit):
            options = None
        if options is None or options.output is None:
            raise RefusedError(message("command.no_job", line=number, file=path), WRONG)
        if options.file is None:  # blender --background FILE --command vbd bake ...
            options.file = Path(words[2])
        options.output = options.output.resolve()
        found.append(options)
    if not found:
        raise RefusedError(message("command.no_jobs", file=path), WRONG)
    return found
