# SPDX-License-Identifier: GPL-3.0-or-later
"""`vbd bake`: simulate a file, and save a copy with the motion in it."""

import signal
from contextlib import contextmanager
from pathlib import Path

import bpy

from ...solver.cache import HEADER, Cache
from ...solver.cache_lock import locked
from ...solver.messages import message
from ..baking.bake_steps import EVERY_FRAME, bake_steps, cache_folder, run_to_end
from ..baking.loading import load
from ..baking.resuming import changes, saved_frames, saved_until
from ..files.statistics_file import checked_path, save
from ..panels.softness import softer
from .exit_codes import DONE, FAILED, STOPPED, WRONG, RefusedError, epilog
from .opening import add_scene_arguments, opened, without_label


def add_bake_parser(commands):
    bake = commands.add_parser(
        "bake", help="simulate a file and save a copy with the motion in it", epilog=epilog
    )
    add_scene_arguments(bake)
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
    bake.add_argument(
        "--cache-only",
        action="store_true",
        help="write frames into the folder vbd_cache beside OUT.blend, but do not save OUT.blend",
    )
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


def bake(options):
    """Run the command; returns the exit code."""
    if options.load and options.cache_only:
        raise RefusedError(message("command.load_saves"), WRONG)
    scene = opened(options)
    output = _output(options)
    try:
        stats = options.stats and checked_path(options.stats.resolve())
    except ValueError as error:
        raise RefusedError(str(error), WRONG) from error
    folder = cache_folder(scene, output)
    with locked(folder):
        if options.load:
            folder = _folder_to_load(scene, output)
            code = load_and_save(scene, output)
        else:
            code = _bake(bpy.context, output, _after(bpy.context, options, output), options)
        _save_statistics(folder, stats)
    return code


def _output(options):
    """The path to save to; refuses one that cannot be."""
    beside = Path(bpy.data.filepath)
    beside = beside.with_name(f"{beside.stem}_baked.blend")
    if options.output is None and beside.exists():
        raise RefusedError(message("command.output_there", file=beside), WRONG)
    output = (options.output or beside).resolve()
    if output.suffix != ".blend":
        raise RefusedError(message("command.output_name", file=output), WRONG)
    if not output.parent.is_dir():
        raise RefusedError(message("command.no_folder", folder=output.parent), WRONG)
    return output


def _after(context, options, output):
    """The frame to resume after, None to start over; ValueError if that is impossible."""
    folder = cache_folder(context.scene, output)
    kept = saved_frames(context.scene, folder)
    if options.from_frame is not None:
        for line in changes(context, saved_until(context.scene, options.from_frame, folder)):
            show(message("command.changed", what=line))
        return options.from_frame
    if options.resume and kept is not None:
        found = changes(context, kept)
        if found:
            raise ValueError(
                message("command.from", changes="; ".join(found), frame=kept.scene_frame)
            )
        return EVERY_FRAME
    if options.resume and (folder / HEADER).is_file():
        Cache.open(folder)  # refuses one of another version, whose frames may be wanted there
    is_lost = kept is not None and kept.last and (kept.is_partial or not output.exists())
    if is_lost and not options.fresh:
        raise RefusedError(message("command.kept", frames=kept.span(), folder=folder), WRONG)
    return None


def load_and_save(scene, output):
    """Turn the existing frames into keys and save them; returns the exit code."""
    loaded = load(scene, _folder_to_load(scene, output), output)
    _save_blend(output)
    for line in (loaded.line(), *loaded.notes, message("command.saved", file=output)):
        show(line)
    return STOPPED if loaded.missing else DONE


def _folder_to_load(scene, output):
    """The folder of the output's frames, or of those of the open file where there are none."""
    folder = cache_folder(scene, output)
    return folder if (folder / HEADER).is_file() else cache_folder(scene)


def _save_blend(output):
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(output), check_existing=False)
    except RuntimeError as error:
        raise RefusedError(without_label(error), STOPPED) from error


def _save_statistics(folder, path):
    """Write the numbers of the bake in a folder to a path, if any."""
    if path is not None and (folder / HEADER).is_file():
        save(Cache.open(folder), path)
        show(message("command.saved", file=path))


@contextmanager
def _stopping_on_signals(state):
    """Context in which Ctrl+C, and the SIGTERM of a farm, keep the frames so far, as Esc does in
    the window.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {
        number: signal.signal(number, lambda *_: setattr(state, "cancel_requested", True))
        for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            # None: a handler of Blender itself, which Python cannot restore.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _bake(context, output, after, options):
    folder = cache_folder(context.scene, output)
    if softer(context.scene.objects):
        show(message("bake.softness"))
    with _stopping_on_signals(context.window_manager.vbd):
        steps = bake_steps(context, folder, after=after, keys=not options.cache_only)
        outcome = run_to_end(steps, show)
    _, text = outcome.report()
    if outcome.frames and not options.cache_only:
        _save_blend(output)
    for line in (*outcome.convergence.verdicts(), *outcome.contact.lines()):
        show(line)
    show(text)
    is_partial = outcome.frames < outcome.count
    if outcome.last is not None:
        show(message("statistics.final", residual=outcome.last.stats.residual))
        if is_partial:
            show(_partial(context.scene.vbd, outcome))
    if outcome.frames and options.cache_only:
        show(message("command.cached", folder=folder))
    elif outcome.frames:
        show(message("command.saved_part" if is_partial else "command.saved", file=output))
    if not is_partial:
        return DONE
    return STOPPED if outcome.may_continue else FAILED


def _partial(group, outcome):
    """The text about a bake that did not reach its end."""
    reached = group.frame_start + outcome.frames
    return message(
        "command.partial", first=group.frame_start, reached=reached, last=group.frame_end
    )


def show(line):
    print(line, flush=True)
