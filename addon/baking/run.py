# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the solver through the frames of a scene.

Only the thread that runs the generator touches Blender. The solver has a thread of its own, which
gets the frames of animated objects through `Reader` and saves its results in the `Cache`; these
become shape keys when it has ended.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any

import bpy

from ...solver.messages import message
from ..gathering.gather import gather, participants, prepared_for_bake
from ..gathering.hint import Hint
from ..playing.preview import Preview
from . import outdated, report
from .cache_place import move_to_open_file, remove_unused
from .contact_report import ContactReport, contact_distances
from .loading import write_keys
from .outcome import Outcome, explain
from .resuming import refuse_lost, saved_for
from .solver_import import pick_device
from .solver_thread import Compiled, Prepared, SolverThread
from .time_left import TimeLeft


@dataclass
class Run:
    """A run whose `steps` solve the frames and whose `keep` makes them shape keys, both while the
    caller has the `folder` locked; the other arguments are those of `bake_steps`.
    """

    context: Any
    folder: Path
    wait: float = 0.02
    visible: bool = False
    after: int | None = None
    outcome: Outcome | None = None
    is_own: bool = True
    """True if this file owns the caches in the folder."""
    gathered = solver = preview = left = None

    def __post_init__(self):
        self.scene, self.state = self.context.scene, self.context.window_manager.vbd

    def steps(self):
        """Solve the frames: yields each `Solved` one, and None at least every `wait` seconds."""
        scene, state = self.scene, self.state
        objects = participants(scene)
        device = pick_device(scene.vbd.device)
        state.status = message("progress.scene")
        yield from self.drawn()
        with prepared_for_bake(scene, objects) as notes:
            gathered = self.gathered = self.gather(objects)
            distances = contact_distances(gathered.bodies, gathered.settings)
            reader = gathered.reader
            contact = ContactReport(distances, bool(reader.wanted))
            self.outcome = Outcome(
                gathered.frame_count,
                gathered.settings,
                contact=contact,
                notes=notes + gathered.notes,
                names=tuple(scene.objects.keys()),
            )
            state.status = message("progress.animation")
            for _ in gathered.reader.survey():
                if state.cancel_requested:
                    break
                yield None
            yield from self._solve(device)
        if self.solver.error is not None:
            self._explain(self.solver.error)

    def drawn(self):
        """Let the window draw before the scene is read."""
        yield None

    def saved(self):
        """The `SavedFrames` to resume after."""
        return saved_for(self.gathered, self.scene, self.after, self.folder)

    def gather(self, objects):
        """The scene in the form of the solver."""
        return gather(self.context, objects)

    def thread(self, device, kept):
        """The solver's thread, which resumes after the frames that are `kept`."""
        fps = self.scene.render.fps / self.scene.render.fps_base
        return SolverThread(self.gathered, device, self.folder, fps, kept, self.visible)

    def _solve(self, device):
        kept = None
        if self.after is not None:
            kept = self.saved()
            self.outcome.first = kept.frame
            self.gathered.reader.begin_after(kept.frame)
        self.solver = solver = self.thread(device, kept)
        self.outcome.bodies = solver.bodies
        self.state.status = message("progress.starting")
        self.preview = Preview(self.scene, self.gathered, self.visible)
        self.left = TimeLeft(self.outcome.count)
        first = self.begin(kept)
        solver.start()
        try:
            with self.preview.running(*first):
                yield from self._until_solved()
        finally:
            solver.stopping.set()
            solver.join()

    def begin(self, kept):
        """The number and the points of the frame that is shown first."""
        return (kept.frame, kept.cache.read(kept.frame)) if kept else (0, self.gathered.start())

    def _until_solved(self):
        """Serve the solver until it ends, and pass on its frames."""
        solver, preview, outcome = self.solver, self.preview, self.outcome
        reader = solver.gathered.reader
        while True:
            ended = (
                not solver.is_alive()
            )  # checked first: then all that it has sent is in the inbox
            self.visit()
            if self.state.cancel_requested and not solver.stopping.is_set():
                solver.stopping.set()
                outcome.cancelled = True
                self.state.status = message("progress.cancelling")
            if not solver.stopping.is_set() and reader.has_room():
                with preview.aside():
                    reader.fill()
            solver.gathered.questions.answer(preview.aside)
            try:
                solved = solver.inbox.get(timeout=0.0 if ended else self.wait)
            except Empty:
                if ended and self.is_done():
                    return
                yield None
                continue
            if solved is None:
                continue
            if isinstance(solved, Prepared | Compiled):
                if not outcome.cancelled:
                    self.state.status = solved.text
                yield None
                continue
            outcome.take(solved)
            self.show(solved)
            yield solved

    def visit(self):
        """Called every `wait` seconds."""

    def is_done(self):
        """Return whether the run may end, once all frames are solved."""
        return True

    def show(self, solved):
        """Tell the progress, and show a `Solved` frame if one is due."""
        state, outcome = self.state, self.outcome
        state.progress = solved.index / solved.count
        if not outcome.cancelled:
            done = message("progress.baking", frame=solved.index, count=solved.count)
            state.status = ", ".join(filter(None, [done, self.left.after(solved.index)]))
        if self.preview.is_due():
            self.preview.show(solved.index, self.solver.cache.read(solved.index))

    def _explain(self, error):
        """Keep the frames so far with the reason why there are no more; raise it without any."""
        if not isinstance(error, ValueError | OSError) or not self.outcome.last:
            raise error
        self.outcome.error = explain(error)
        self.outcome.may_pass = isinstance(error, OSError)

    def keep(self, started, keys=True):
        """Write the frames so far into shape keys, and the report into the scene; `started`: the
        time on the monotonic clock when the bake began [s]. Without `keys` the frames stay in the
        cache only.
        """
        scene, outcome, solver = self.scene, self.outcome, self.solver
        if outcome.frames:
            refuse_lost(solver.cache, outcome.frames)
        if outcome.frames and keys:
            self.state.status = message("progress.writing")
            replaced = {ob.vbd.bake_id for ob in bpy.data.objects if ob.vbd.baked}
            frames = self.gathered.frame_start, outcome.frames, outcome.count
            targets = self.gathered.targets
            outcome.notes += write_keys(scene, targets, solver.cache, self.name(), *frames)
            scene.vbd.live_bake = ""
            if edited := solver.cache.header.edited:
                text = message("live.edited", frame=self.gathered.frame_start + edited)
                outcome.notes.append(Hint(text))
            if self.is_own:
                outcome.notes += _settle_caches(replaced, scene, self.folder)
        outcome.seconds = time.monotonic() - started
        scene.vbd.report = report.dumps(outcome.lines(), outcome.numbers(), outdated.now(scene))

    def name(self):
        """The identifier of the bake, by which objects find its cache."""
        return self.solver.bake


def _settle_caches(bakes, scene, place):
    """Delete the caches of bakes that were replaced, and move the new one in `place` to its final
    folder; returns notes about failures.
    """
    try:
        move_to_open_file(place, scene)
        remove_unused(bakes, scene)
    except OSError as error:
        return [message("cache.earlier_remains", error=explain(error))]
    return []
