# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: `blender --command vbd bake FILE ...` and `python -m vbd bake FILE ...`, and
`jobs`, which prints such commands.

Exit codes: 0 success, 1 the scene cannot be baked completely, 2 the command is wrong.
"""

import argparse
import signal
import sys
from pathlib import Path

import bpy

from ...solver.cache import Cache
from ...solver.messages import message
from ..baking.bake_steps import EVERY_FRAME, bake_steps, cache_folder, explain, run_to_end
from ..baking.loading import load
from ..baking.resuming import changes, saved_frames, saved_until
from ..files.statistics_file import checked_path, save
from ..panels.softness import softer
from ..values.presets import apply_preset
from ..values.setting_values import frame_range, set_value
from .jobs import add_jobs_parser, lines

DEVICES = ("auto", "cpu", "cuda")


def parser(program):
    top = argparse.ArgumentParser(prog=program, description="Vertex Block Descent for Blender")
    commands = top.add_subparsers(dest="command", required=True)
    bake = commands.add_parser("bake", help="simulate a file and save a copy with the motion in it")
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
        help="solver settings, such as substeps=8; they win over the preset",
    )
    bake.add_argument(
        "--output",
        type=Path,
        metavar="OUT.blend",
        help="where to save, overwriting what is there; default: a new FILE_baked.blend",
    )
    bake.add_argument(
        "--stats",
        type=Path,
        metavar="FILE",
        help="where to write the numbers of every frame and object: a .csv or .json",
    )
    add_jobs_parser(commands)
    kept = bake.add_argument_group(
        "frames of an earlier bake into the same output",
        "Without one of these, frames that a bake could continue from are kept",
    ).add_mutually_exclusive_group()
    kept.add_argument(
        "--resume",
        action="store_true",
        help="continue after the last finished frame, from the start if there is none; refused "
        "when settings or meshes have changed",
    )
    kept.add_argument(
        "--from",
        type=int,
        dest="from_frame",
        metavar="FRAME",
        help="go back to the last checkpoint at or before this frame, and bake again from there "
        "with what has changed since",
    )
    kept.add_argument("--fresh", action="store_true", help="delete them and bake again")
    kept.add_argument("--load", action="store_true", help="solve nothing: save what is there")
    return top


def _assignment(text):
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise argparse.ArgumentTypeError(message("command.no_setting", text=text))
    return name, value


def _configure(context, options):
    """Set the options in the scene; ValueError for an unknown option or an unsuitable value."""
    group = context.scene.vbd
    if options.preset:
        apply_preset(context, "solver", options.preset)
    for assignments in options.set:
        for name, text in assignments:
            set_value(group, name, text)
    if options.frames:
        for name, frame in zip(("frame_start", "frame_end"), options.frames, strict=True):
            set_value(group, name, str(frame))
    if options.device:
        group.device = options.device.upper()


def _refuse(program, text, code):
    print(f"{program}: error: {text}", file=sys.stderr)
    return code


def run(arguments, program):
    """Run the command line; returns the exit code."""
    try:
        options = parser(program).parse_args(arguments)
    except SystemExit as end:  # argparse has printed the reason
        return end.code or 0
    if options.command == "jobs":
        try:
            print(*lines(options, bpy.context), sep="\n", flush=True)
        except ValueError as error:
            return _refuse(program, str(error), 2)
        return 0
    if options.file is not None:
        if not options.file.is_file():
            return _refuse(program, message("command.no_file", file=options.file), 2)
        try:
            bpy.ops.wm.open_mainfile(filepath=str(options.file.resolve()), load_ui=False)
        except RuntimeError as error:
            return _refuse(program, str(error).removeprefix("Error: ").strip(), 1)
    elif not bpy.data.filepath:
        return _refuse(program, message("command.name_file"), 2)
    context = bpy.context
    try:
        _configure(context, options)
    except ValueError as error:
        return _refuse(program, str(error), 2)
    beside = Path(bpy.data.filepath)
    beside = beside.with_name(f"{beside.stem}_baked.blend")
    if options.output is None and beside.exists():
        return _refuse(program, message("command.output_there", file=beside), 2)
    output = (options.output or beside).resolve()
    if output.suffix != ".blend":
        return _refuse(program, message("command.output_name", file=output), 2)
    if not output.parent.is_dir():
        return _refuse(program, message("command.no_folder", folder=output.parent), 2)
    try:
        stats = options.stats and checked_path(options.stats.resolve())
    except ValueError as error:
        return _refuse(program, str(error), 2)
    if options.load:
        code = _load(context, program, output)
        return _save_statistics(context, program, output, stats) or code
    try:
        after = _after(context, options, output)
    except (ValueError, OSError) as error:
        return _refuse(program, explain(error), 1)
    except KeptError as error:
        return _refuse(program, str(error), 2)
    return _bake(context, program, output, after, stats)


def _save_statistics(context, program, output, path):
    """Write the numbers of the bake in `output` to a path, if any; returns 1 on failure."""
    try:
        folder = cache_folder(context.scene, output)
        if path is not None and folder.is_dir():
            save(Cache.open(folder), path)
            _show(message("command.saved", file=path))
    except (ValueError, OSError) as error:
        return _refuse(program, explain(error), 1)
    return 0


class KeptError(Exception):
    """Frames would be deleted without permission."""


def _after(context, options, output):
    """The frame to resume after, None to start over; ValueError if that is impossible."""
    folder = cache_folder(context.scene, output)
    kept = saved_frames(context.scene, folder)
    if options.from_frame is not None:
        for line in changes(context, saved_until(context.scene, options.from_frame, folder)):
            _show(message("command.changed", what=line))
        return options.from_frame
    if options.resume and kept is not None:
        found = changes(context, kept)
        if found:
            raise ValueError(
                message("command.from", changes="; ".join(found), frame=kept.scene_frame)
            )
        return EVERY_FRAME
    is_lost = kept is not None and kept.last and (kept.is_partial or not output.exists())
    if is_lost and not options.fresh:
        raise KeptError(message("command.kept", frames=kept.span(), folder=folder))
    return None


def _load(context, program, output):
    """Load and save the existing frames."""
    folder = cache_folder(context.scene, output)
    if not folder.is_dir():
        folder = cache_folder(context.scene)
    try:
        loaded = load(context.scene, folder, output)
        bpy.ops.wm.save_as_mainfile(filepath=str(output), check_existing=False)
    except (ValueError, OSError, RuntimeError) as error:
        return _refuse(program, explain(error).removeprefix("Error: ").strip(), 1)
    for line in (loaded.line(), *loaded.notes, message("command.saved", file=output)):
        _show(line)
    return 1 if loaded.missing else 0


def _bake(context, program, output, after, stats):
    state = context.window_manager.vbd
    # Ctrl+C keeps the frames so far, as Esc does in the window.
    before = signal.signal(signal.SIGINT, lambda *_: setattr(state, "cancel_requested", True))
    if softer(context.scene.objects):
        _show(message("bake.softness"))
    try:
        steps = bake_steps(context, cache_folder(context.scene, output), after=after)
        outcome = run_to_end(steps, _show)
    except (ValueError, OSError) as error:
        return _refuse(program, explain(error), 1)
    finally:
        # None: a handler of Blender itself, which Python cannot restore.
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    _, text = outcome.report()
    try:
        if outcome.frames:
            bpy.ops.wm.save_as_mainfile(filepath=str(output), check_existing=False)
    except RuntimeError as error:
        return _refuse(program, str(error).removeprefix("Error: ").strip(), 1)
    for line in (*outcome.convergence.verdicts(), *outcome.contact.lines()):
        _show(line)
    _show(text)
    if outcome.last is not None:
        _show(message("statistics.final", residual=outcome.last.stats.residual))
        partial = outcome.frames < outcome.count
        if partial:
            _show(_partial(context.scene.vbd, outcome))
        _show(message("command.saved_part" if partial else "command.saved", file=output))
        if _save_statistics(context, program, output, stats):
            return 1
    return 0 if outcome.frames == outcome.count else 1


def _partial(group, outcome):
    """The text about a bake that did not reach its end."""
    reached = group.frame_start + outcome.frames
    return message(
        "command.partial", first=group.frame_start, reached=reached, last=group.frame_end
    )


def _show(line):
    print(line, flush=True)


class Command:
    """Blender's handle of `--command vbd`."""

    handle = None


def _from_blender(arguments):
    return run(arguments, "blender --command vbd")


def register():
    Command.handle = bpy.utils.register_cli_command("vbd", _from_blender)


def unregister():
    bpy.utils.unregister_cli_command(Command.handle)
    Command.handle = None
