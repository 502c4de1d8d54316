# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake: one generator for the window, for background runs and for the command line.

Only the thread that runs the generator touches Blender. The solver has a thread of its own, which
gets the frames of animated objects through `Reader` and saves its results in the `Cache`; these
become shape keys when it has ended.
"""

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty

import bpy

from ...solver.messages import message
from ...solver.settings import Settings
from ..gathering.gather import gather, participants, prepared_for_bake
from ..objects.refining import taken_back_unless_baked
from ..playing.preview import Preview
from ..values import preparing
from . import outdated, report
from .body_reports import BodyReports
from .cache_place import cache_folder, follow, move_to_open_file, remove_unused
from .contact_report import ContactReport, contact_distances
from .convergence import ConvergenceReport
from .loading import write_keys
from .report import Line, advice, advised_once, in_order, listed, named, noted
from .resuming import refuse_lost, saved_for
from .sizes import size_line
from .solver_import import importing, pick_device
from .solver_thread import Compiled, Prepared, SolverThread
from .time_left import TimeLeft

# Parts of the set-up that take longer than this [s] are printed in background runs.
LONG = 1.0
# Resume after the last frame that exists.
EVERY_FRAME = 1 << 30


@dataclass
class Outcome:
    """Result of a bake."""

    count: int
    settings: Settings = field(default_factory=Settings)
    first: int = 0
    """The frame to resume after, counted from 0."""
    convergence: ConvergenceReport = field(default_factory=ConvergenceReport)
    contact: ContactReport = field(default_factory=ContactReport)
    bodies: BodyReports | None = None
    seconds: float = 0.0
    rejected: set = field(default_factory=set)
    cancelled: bool = False
    error: str = ""
    notes: list = field(default_factory=list)
    names: tuple = ()
    """Names of the objects that notes may be about."""

    @property
    def last(self):
        """The last `Solved` frame, or None."""
        return self.convergence.last

    @property
    def frames(self):
        """The last existing frame, counted from 0."""
        return self.last.index if self.last else self.first

    def take(self, solved):
        """Count a solved frame."""
        self.convergence.take(solved)
        self.contact.take(solved)
        self.rejected.update(solved.stats.rejected_bodies)

    def _headline(self):
        part = f"{self.frames} of " if self.frames < self.count else ""
        fields = {"part": part, "seconds": self.seconds}
        text = message("report.baked", count=self.count, **fields)
        if self.first:
            now = self.frames - self.first
            text = message("report.baked_more", count=now, total=self.count, **fields)
        if self.error:
            text += message("report.then_stopped", error=self.error)
        elif self.cancelled:
            text += message("report.then_cancelled")
        return Line(text=text, warns=bool(self.error or self.cancelled))

    def _rejected(self):
        if self.rejected:
            names = tuple(sorted(self.rejected))
            yield Line(
                text=message("report.unsolved", names=listed(names)),
                warns=True,
                objects=names,
                **advice("substeps", 2 * self.settings.substeps),
            )

    def _torn(self):
        for torn in self.last.stats.torn if self.last else ():
            yield Line(text=str(torn), objects=named(str(torn), self.names))

    def _notes(self):
        for note in self.notes:
            yield noted(note, self.names)

    def lines(self):
        """`Line`s for every user, the most important first."""
        rest = (
            *self._rejected(),
            *self.convergence.inside_out(self.settings),
            *self.contact.entanglement(),
            *(self.contact.penetration(self.bodies.deepest) if self.bodies else ()),
            *self.convergence.poor(self.settings),
            *(self.bodies.lines() if self.bodies else ()),
            *self._torn(),
            *self._notes(),
        )
        return [self._headline(), *advised_once(in_order(rest))]

    def numbers(self):
        """Sentences with numbers for users who want details."""
        return [*self.convergence.numbers(), *self.contact.numbers()]

    def report(self):
        """Level and text for the user."""
        lines = self.lines()
        text = ". ".join(line.sentence() for line in lines)
        return ("WARNING" if any(line.warns for line in lines) else "INFO"), text


@contextmanager
def _announced(state):
    """`window_manager.vbd` while a bake runs."""
    state.baking, state.cancel_requested, state.progress, state.status = True, False, 0.0, ""
    try:
        yield
    finally:
        state.baking, state.cancel_requested, state.progress, state.status = False, False, 0.0, ""


def bake_steps(context, folder=None, wait=0.02, visible=False, after=None):
    """Bake the scene: yields each `Solved` frame, and None at least every `wait` seconds.

    `visible`: show finished frames in the viewport, and give drawing priority. `after`: resume
    after the saved frames of an earlier bake, up to this scene frame or `EVERY_FRAME`; None starts
    over and deletes them. Returns an `Outcome`. ValueError and OSError give the reason why nothing
    was baked; the scene is then unchanged. It is also unchanged if the generator is closed early.
    """
    scene, state = context.scene, context.window_manager.vbd
    started = time.monotonic()
    objects = participants(scene)
    with _announced(state), preparing.paused(), taken_back_unless_baked(objects):
        state.status = message("progress.solver")
        for _ in importing(wait):
            if state.cancel_requested:
                return Outcome(scene.vbd.frame_end - scene.vbd.frame_start, cancelled=True)
            yield None
        device = pick_device(scene.vbd.device)
        state.status = message("progress.scene")
        yield None
        with prepared_for_bake(scene, objects) as notes:
            gathered = gather(context, objects)
            distances = contact_distances(gathered.bodies, gathered.settings)
            contact = ContactReport(distances)
            outcome = Outcome(
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
            fps = scene.render.fps / scene.render.fps_base
            follow(bpy.data.filepath)
            place = folder or cache_folder(scene)
            kept = None if after is None else saved_for(gathered, scene, after, place)
            if kept is not None:
                outcome.first = kept.frame
                gathered.reader.begin_after(kept.frame)
            solver = SolverThread(gathered, device, place, fps, kept, gives_way=visible)
            outcome.bodies = solver.bodies
            state.status = message("progress.starting")
            preview = Preview(scene, gathered, visible)
            solver.start()
            try:
                with preview.running(gathered.start()):
                    yield from _until_solved(solver, state, outcome, wait, preview)
            finally:
                solver.stopping.set()
                solver.join()
        if solver.error is not None:
            if not isinstance(solver.error, ValueError | OSError) or not outcome.last:
                raise solver.error
            outcome.error = explain(solver.error)
        if outcome.frames:
            refuse_lost(solver.cache, outcome.frames)
            state.status = message("progress.writing")
            replaced = {ob.vbd.bake_id for ob in bpy.data.objects if ob.vbd.baked}
            frames = gathered.frame_start, outcome.frames, outcome.count
            outcome.notes += write_keys(scene, gathered.targets, solver.cache, solver.bake, *frames)
            if folder is None:  # otherwise another file owns the caches in that folder
                outcome.notes += _settle_caches(replaced, scene, place)
        outcome.seconds = time.monotonic() - started
        scene.vbd.report = report.dumps(outcome.lines(), outcome.numbers(), outdated.now(scene))
    return outcome


def _until_solved(solver, state, outcome, wait, preview):
    """Serve the solver until it ends, and pass on its frames."""
    reader, left = solver.gathered.reader, TimeLeft(outcome.count)
    while True:
        ended = not solver.is_alive()  # checked first: then all that it has sent is in the inbox
        if state.cancel_requested and not solver.stopping.is_set():
            solver.stopping.set()
            outcome.cancelled = True
            state.status = message("progress.cancelling")
        if not solver.stopping.is_set() and reader.has_room():
            with preview.aside():
                reader.fill()
        solver.gathered.questions.answer(preview.aside)
        try:
            solved = solver.inbox.get(timeout=0.0 if ended else wait)
        except Empty:
            if ended:
                return
            yield None
            continue
        if solved is None:
            continue
        if isinstance(solved, Prepared | Compiled):
            if not outcome.cancelled:
                state.status = solved.text
            yield None
            continue
        outcome.take(solved)
        state.progress = solved.index / solved.count
        if not outcome.cancelled:
            done = message("progress.baking", frame=solved.index, count=solved.count)
            state.status = ", ".join(filter(None, [done, left.after(solved.index)]))
        if preview.is_due():
            preview.show(solved.index, solver.cache.read(solved.index))
        yield solved


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


def explain(error):
    """The text of an error, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def run_to_end(steps, show=print):
    """Exhaust `bake_steps`, showing a line per module compiled, long part of the set-up and frame;
    returns its `Outcome`.
    """
    first, before, since = True, "", time.monotonic()
    while True:
        try:
            solved = next(steps)
        except StopIteration as end:
            return end.value
        status = bpy.context.window_manager.vbd.status
        if status != before:
            before, since = status, time.monotonic()
            is_due = status.startswith("Compiling")
        else:
            is_due = first and since is not None and time.monotonic() > since + LONG
        if is_due:
            since = None
            show(status)
        if solved is None:
            continue
        if first:
            first = False
            show(size_line(solved.model))
        show(solved.line())
