# SPDX-License-Identifier: GPL-3.0-or-later
"""`vbd check` and `vbd collect`: tell which frames of a list of jobs are missing, and turn their
caches into keys.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import bpy

from ...solver.cache import FRAME
from ...solver.cache_lock import locked
from ...solver.messages import message
from ..baking.cache_place import cache_folder
from ..baking.outcome import explain
from ..baking.resuming import changes, saved_frames
from ..objects.participants import SIMULATED
from .bake import load_and_save, show
from .exit_codes import DONE, FAILED, STOPPED, WRONG, RefusedError, code_of, epilog
from .jobs import jobs_in
from .keyed_frames import keyed_frames
from .opening import open_blend, opened


def add_collect_parsers(commands):
    commands.add_parser(
        "check",
        help="tell which frames of a list of jobs are neither in a cache nor keys, by object",
    )
    commands.add_parser(
        "collect",
        help="save the files of a list of jobs, with the frames of their caches as keys",
    )
    for name in ("check", "collect"):
        command = commands.choices[name]
        command.epilog = epilog
        command.add_argument("list", type=Path, metavar="JOBS.txt", help="what `jobs` has printed")
        command.set_defaults(bake_parser=commands.choices["bake"])


def check(options):
    """Run the command; returns the exit code."""
    return _each(options, _state)


def collect(options):
    """Run the command; returns the exit code."""
    return _each(options, _collected)


@dataclass(frozen=True)
class State:
    """The frames that there are of a job."""

    output: Path
    frames: range
    """Scene frames that the bake is to have."""
    cached: dict
    """Undamaged frames in the cache, a set by name of every simulated object."""
    keyed: dict
    """Frames with keys in the output, likewise."""

    def missing(self):
        """Lists of frames that are neither cached nor keys, by object."""
        return _without(self.frames, {n: self.keyed[n] | self.cached[n] for n in self.cached})

    @property
    def is_keyed(self):
        return not _without(self.frames, self.keyed)

    @property
    def is_cached(self):
        return not _without(self.frames, self.cached)


def _without(frames, there):
    """The `frames` that each object lacks, if any, by object."""
    lost = {name: [frame for frame in frames if frame not in has] for name, has in there.items()}
    return {name: frames for name, frames in lost.items() if frames}


def _each(options, state_of):
    """Tell of every job which frames are missing; returns the exit code."""
    jobs, codes = jobs_in(options.list, options.bake_parser), []
    for job in jobs:
        try:
            codes.append(_tell(state_of(job)))
        except (RefusedError, ValueError, OSError) as error:
            show(message("command.job_failed", file=job.output, error=explain(error)))
            codes.append(code_of(error))
    show(message("command.jobs_whole", whole=codes.count(DONE), total=len(jobs)))
    return next((code for code in (WRONG, FAILED) if code in codes), max(codes))


def _state(job):
    """The `State` of a job; ValueError if its cache is of other settings or objects."""
    scene, output = opened(job), job.output
    frames = range(scene.vbd.frame_start, scene.vbd.frame_end + 1)
    names = [ob.name for ob in scene.objects if ob.vbd.role in SIMULATED]
    cached, folder = {name: set() for name in names}, cache_folder(scene, output)
    kept = saved_frames(scene, folder)
    if kept is not None:
        if found := changes(bpy.context, kept):
            raise ValueError(message("command.stale", changes="; ".join(found)))
        there = _undamaged(kept.cache, frames)
        cached |= dict.fromkeys(kept.cache.header.names, there)
    keyed = _keyed(output, names, kept and kept.cache, len(frames) - 1)
    return State(output, frames, cached, keyed)


def _undamaged(cache, frames):
    """The scene frames whose checksum is right."""
    found = set()
    for index, frame in enumerate(frames):
        try:
            cache.read(index)
        except (OSError, ValueError):
            continue
        found.add(frame)
    return found


def _keyed(output, names, cache, last):
    """The frames with keys by object in the output, if these are of the `cache` as it is now."""
    nothing = {name: set() for name in names}
    if not output.is_file():
        return nothing
    written = cache and cache.folder / FRAME.format(last)
    if written and written.is_file() and written.stat().st_mtime > output.stat().st_mtime:
        return nothing  # baked again since
    open_blend(output)
    scene = bpy.context.scene
    for name in names:
        ob = scene.objects.get(name)
        if ob is not None and (not cache or ob.vbd.bake_id == cache.header.bake):
            nothing[name] = keyed_frames(ob, scene.vbd.frame_start)
    return nothing


def _collected(job):
    """The `State` of a job after its cache, if that is whole, has become keys."""
    state = _state(job)
    if state.is_keyed or not state.is_cached:
        return state
    scene = opened(job)
    with locked(cache_folder(scene, job.output)):
        load_and_save(scene, job.output)
    return _state(job)


def _tell(state):
    """Print the state of a job; returns its exit code."""
    missing, file = state.missing(), state.output
    for name, frames in missing.items():
        show(message("command.job_missing", file=file, name=name, frames=_ranges(frames)))
    if missing:
        return STOPPED
    span = {"first": state.frames[0], "last": state.frames[-1]}
    which = "command.job_keyed" if state.is_keyed else "command.job_cached"
    show(message(which, file=file, names=", ".join(state.cached), **span))
    return DONE


def _ranges(frames):
    """Numbers in ascending order as a text: 3, 5 to 9."""
    ends = [k for k, (a, b) in enumerate(pairwise(frames), 1) if b > a + 1]
    parts = [frames[i:j] for i, j in pairwise([0, *ends, len(frames)])]
    ranges = (message("command.frames", first=part[0], last=part[-1]) for part in parts)
    return ", ".join(
        text if len(part) > 1 else str(part[0]) for part, text in zip(parts, ranges, strict=True)
    )
