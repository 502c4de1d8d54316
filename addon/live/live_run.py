# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is shown while it is solved: at most in real time, and the timeline follows."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import bpy

from ...solver.messages import message
from ..baking.resuming import EVERY_FRAME, saved_for
from ..baking.run import Run
from ..objects.participants import participants
from ..playing.baked import rate
from .coarse import lowered
from .pace import AHEAD, Pace
from .watching import SceneWatch

# Frames whose positions are known: the newest one that is shown, and those solved ahead of it.
KNOWN = 1 + AHEAD


@dataclass
class LiveRun(Run):
    """A run of a `LiveSession`, which keeps the frames of `Run` and shows them."""

    session: Any = None
    changes: list = field(default_factory=list)
    """Labels of changes since the frame before."""
    first: int = 0
    """The last frame that need not be shown, counted from 0."""
    earlier: tuple = ()
    """The last frames of the run before, as `SolverThread.shown`, if this one continues it."""
    pace = watching = None

    def last_frames(self):
        """The last frames that this run or the one before has solved."""
        return (*self.earlier, *self.solver.shown)[-KNOWN:]

    def shown(self):
        """Positions and offsets of skins per body in the frame of the viewport, if it is one of the
        last ones; else None.
        """
        known = {index: (positions, skins) for index, positions, skins in self.last_frames()}
        return known.get(self.preview.shown)

    def drawn(self):
        """Nothing is drawn between this run and the one before, but weights are read."""
        for _ in self.session.weights.begin(participants(self.scene)):
            yield None

    def gather(self, objects):
        # What changes from now on is not in the solver.
        self.watching = SceneWatch(self.scene, self.session.weights)
        if not self.session.is_coarse:
            return super().gather(objects)
        with lowered(self.scene, objects):
            return super().gather(objects)

    def saved(self):
        """Frames of the same input are played and continued; with other input, those behind the
        one that the user has gone to are solved again.
        """
        kept = saved_for(self.gathered, self.scene, EVERY_FRAME, self.folder)
        is_old = kept.cache.changes(self.gathered.settings, self.gathered.bodies)
        return super().saved() if is_old else kept

    def thread(self, device, kept):
        thread = super().thread(device, kept)
        thread.gives_way = False  # frames are what the window waits for
        self.first = min(self.first, kept.last) if kept else 0
        self.newest = self.first
        self.ready = deque(range(self.first + 1, kept.frame + 1) if kept else ())
        self.pace = Pace(rate(self.scene), self.first)
        gathered = self.gathered
        since = kept and kept.cache.changes(gathered.settings, gathered.bodies)
        thread.edits, thread.has_changed = self.edits(), bool(self.changes or since)
        thread.between = self._before
        return thread

    def edits(self):
        """The solver's `Edits`, for pulls."""
        from ...solver.editing import Edits  # Warp takes half a second to import

        edits = Edits()
        # A run after another one has the same kernels, unless there was an error.
        edits.is_compiled = self.session.is_compiled
        return edits

    def _before(self, index):
        """Wait with frame `index` in the solver's thread until the picture is near enough."""
        self.session.is_compiled |= index > self.first + 1
        self.pace.wait(index, self.solver.stopping)
        self.session.pulls.record(index)

    def begin(self, kept):
        self.preview.leads = True
        self.at = self.gathered.frame_start + self.first
        return (self.first, kept.cache.read(self.first)) if kept else super().begin(kept)

    def show(self, solved):
        """Let a `Solved` frame wait until it is due."""
        if solved.index > self.first:
            self.ready.append(solved.index)
        self.state.progress = solved.index / solved.count

    def visit(self):
        """Show the next frame when it is due; look what the user does."""
        if not self.session.watch(self):
            return
        if _stopped_playing(self.context):
            self.state.paused = False
            self.go_on()
        elif self.scene.frame_current != self.at:
            self._scrub()
        self.session.pulls.serve(self)
        if self.ready and not self.state.paused and self.pace.is_due():
            self.newest = self.ready.popleft()
            self._picture(self.newest)
            self.pace.shown(self.newest)
            self._tell()

    def is_done(self):
        """Return whether all frames are shown, or the run is to stop."""
        return not self.ready or self.solver.stopping.is_set()

    def _picture(self, index):
        cache = self.solver.cache  # there is none before the first frame is solved
        self.preview.show(index, cache.read(index) if cache else self.gathered.start())
        self.at = self.scene.frame_current

    def _scrub(self):
        """Show the solved frame that the user has gone to; Live waits there, until the user goes
        beyond the newest one, or presses Space.
        """
        index = self.scene.frame_current - self.gathered.frame_start
        self.state.paused = index < self.newest
        self.pace.rest()
        self._picture(min(max(index, 0), self.newest))
        self._tell()

    def go_on(self):
        """Show the newest frame again, after a pause."""
        self._picture(self.newest)
        self.pace.rest()

    def _tell(self):
        if self.outcome.cancelled:
            return
        shown = self.pace.measured()
        share = 100.0 * shown / self.pace.rate
        text = message("live.rate", rate=shown, share=share) if shown else ""
        if self.state.paused:
            text = message("live.paused")
        parts = message("live.running"), text, self.session.notice
        self.state.status = ", ".join(filter(None, parts))

    def name(self):
        """The identifier of the bake; frames of the coarse preview are no bake's."""
        return uuid4().hex if self.session.is_coarse else super().name()


def _stopped_playing(context):
    """Stop Blender's own playing, which would drag the timeline; returns whether it ran. A drag of
    the timeline by hand counts as playing, but is none.
    """
    windows = context.window_manager.windows
    if any(window.screen.is_scrubbing for window in windows):
        return False
    playing = [window for window in windows if window.screen.is_animation_playing]
    for window in playing:
        with context.temp_override(window=window):
            bpy.ops.screen.animation_cancel(restore_frame=False)
    return bool(playing)
