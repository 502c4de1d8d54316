# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake: one generator for the window, for background runs and for the command line.

Only the thread that runs the generator touches Blender. The solver has a thread of its own, which
gets the frames of animated objects through `Feed` and keeps its results in the `Cache`; these
become shape keys when it has ended.
"""

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

import bpy

from . import playback, preparing
from .contact_report import ContactReport, contact_distances
from .convergence import Convergence
from .gather import gather, participants, prepared
from .solver_thread import Compiled, SolverThread

SURVEYING = "Looking through the animation"
COMPILING = "Compiling"
STARTING = "Starting"


@dataclass
class Outcome:
    """How a bake ended."""

    count: int
    convergence: Convergence = field(default_factory=Convergence)
    contact: ContactReport = field(default_factory=ContactReport)
    seconds: float = 0.0
    rejected: set = field(default_factory=set)
    cancelled: bool = False
    error: str = ""
    notes: list = field(default_factory=list)

    @property
    def last(self):
        """The last `Solved` frame, or None."""
        return self.convergence.last

    @property
    def frames(self):
        return self.last.index if self.last else 0

    def take(self, solved):
        """Count a frame."""
        self.convergence.take(solved)
        self.contact.take(solved)
        self.rejected.update(solved.stats.rejected_bodies)

    def _headline(self):
        text = f"Baked {self.frames} frames in {self.seconds:.0f} s"
        if self.frames < self.count:
            text = f"Baked {self.frames} of {self.count} frames in {self.seconds:.0f} s"
        if self.error:
            text += f", then stopped: {self.error}"
        elif self.cancelled:
            text += ", then cancelled"
        return text

    def short(self):
        """Lines for a narrow panel."""
        return "\n".join([self._headline(), *self.convergence.short(), *self.contact.short()])

    def report(self):
        """Level and text for the user."""
        text = self._headline()
        if self.rejected:
            names = ", ".join(sorted(self.rejected))
            text += (
                f". Some vertices of {names} could not be solved and kept their place; "
                "use more substeps"
            )
        text = ". ".join([text, *self.convergence.notes(), *self.notes])
        odd = self.error or self.cancelled or self.rejected or self.notes
        odd = odd or self.convergence.is_poor()
        return ("WARNING" if odd else "INFO"), text


def cache_folder(scene, blend=None):
    """Where the frames of a scene are kept: beside its .blend, or for the session if unsaved."""
    blend = blend or bpy.data.filepath
    name = bpy.path.clean_name(scene.name)
    if not blend:
        return Path(bpy.app.tempdir) / "vbd_cache" / name
    return Path(blend).parent / "vbd_cache" / f"{bpy.path.clean_name(Path(blend).stem)}_{name}"


def pick_device(choice):
    """The solver's device for AUTO, CPU or CUDA; refuses CUDA where there is none."""
    import warp

    from ..solver.simulate import pick_device

    # Warp announces its devices and every module it loads; users want to see their frames.
    warp.config.log_level = warp.LOG_WARNING
    return pick_device(choice.lower())


@contextmanager
def _announced(state):
    """`window_manager.vbd` while a bake runs."""
    state.baking, state.cancel_requested, state.progress, state.status = True, False, 0.0, ""
    ended = False
    try:
        yield
        ended = True
    finally:
        state.baking, state.cancel_requested, state.progress = False, False, 0.0
        if not ended:
            state.status = ""


def bake_steps(context, folder=None, wait=0.02):
    """Bake the scene: yields each `Solved` frame, and None at least every `wait` seconds.

    Returns an `Outcome`. ValueError and OSError say why nothing was baked; the scene is then as it
    was. Closed before its end it leaves the scene as it was, too.
    """
    scene, state = context.scene, context.window_manager.vbd
    started = time.monotonic()
    with _announced(state), preparing.paused():
        objects = participants(scene)
        device = pick_device(scene.vbd.device)
        with prepared(scene, objects) as notes:
            gathered = gather(context, objects)
            distances = contact_distances(gathered.bodies, gathered.settings)
            contact = ContactReport(distances)
            outcome = Outcome(gathered.frame_count, contact=contact, notes=notes)
            state.status = SURVEYING
            for _ in gathered.feed.survey():
                if state.cancel_requested:
                    break
                yield None
            fps = scene.render.fps / scene.render.fps_base
            solver = SolverThread(gathered, device, folder or cache_folder(scene), fps)
            state.status = STARTING
            solver.start()
            try:
                yield from _until_solved(solver, state, outcome, wait)
            finally:
                solver.stopping.set()
                solver.join()
        if solver.error is not None:
            if not isinstance(solver.error, ValueError | OSError) or not outcome.frames:
                raise solver.error
            outcome.error = explain(solver.error)
        if outcome.frames:
            state.status = "Writing shape keys"
            _write_keys(scene, gathered, solver.cache, outcome.frames)
        outcome.seconds = time.monotonic() - started
        state.status = outcome.short()
    return outcome


def _until_solved(solver, state, outcome, wait):
    """Serve the solver until it ends, and pass on its frames."""
    while True:
        ended = not solver.is_alive()  # asked first: what it has sent before is in the inbox
        if state.cancel_requested and not solver.stopping.is_set():
            solver.stopping.set()
            outcome.cancelled = True
            state.status = "Cancelling"
        if not solver.stopping.is_set():
            solver.gathered.feed.fill()
        try:
            solved = solver.inbox.get(timeout=0.0 if ended else wait)
        except Empty:
            if ended:
                return
            yield None
            continue
        if solved is None:
            continue
        if isinstance(solved, Compiled):
            if not outcome.cancelled:
                state.status = _compiling(solved)
            yield None
            continue
        outcome.take(solved)
        state.progress = solved.index / solved.count
        if not outcome.cancelled:
            state.status = f"Baking {solved.index}/{solved.count}"
        yield solved


def _compiling(compiled):
    """What is shown while kernels are compiled."""
    if compiled.done == compiled.count:
        return STARTING
    return f"{COMPILING} {compiled.done + 1} of {compiled.count} (first time only)"


def _write_keys(scene, gathered, cache, last):
    # Time remapping plays curves at another pace; every baked frame stays at its scene frame.
    pace = scene.render.frame_map_old / scene.render.frame_map_new
    for at, target in enumerate(gathered.targets):
        ob = bpy.data.objects.get(target.key)
        if ob is None:
            continue  # deleted by a script meanwhile: there is nothing left to bake
        frames = (cache.read(index)[at] for index in range(last + 1))
        playback.write(ob, frames, gathered.frame_start, target.deforming, pace)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def explain(error):
    """What an error says, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def run_to_end(steps, show=print):
    """Exhaust `bake_steps`, showing a line per module compiled and frame; returns its `Outcome`."""
    first, before = True, ""
    while True:
        try:
            solved = next(steps)
        except StopIteration as end:
            return end.value
        status = bpy.context.window_manager.vbd.status
        if status != before and status.startswith(COMPILING):
            show(status)
        before = status
        if solved is None:
            continue
        if first:
            size, first = solved.model, False
            show(
                f"Device {size.device}: {size.vertices} vertices, {size.tets} tets, "
                f"{size.triangles} triangles, {size.springs} springs, {size.colors} colors"
            )
        show(solved.line())
