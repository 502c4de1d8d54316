# SPDX-License-Identifier: GPL-3.0-or-later
"""One use of Live, from the button to the keys: a sequence of runs, of which each begins at the
start of the scene or at the last frame of the one before.
"""

import gc
import threading
import time
from contextlib import contextmanager

import bpy

from ...solver.messages import message
from ..baking.bake_steps import EVERY_FRAME, announced
from ..baking.cache_place import writing
from ..baking.outcome import explain
from ..baking.report import listed
from ..baking.resuming import saved_frames
from ..baking.solver_import import importing
from .live_run import LiveRun
from .pulls import MousePulls, Recorded
from .weights import WeightWatch

# How long a render waits until Live has stopped [s].
PATIENCE = 60.0
# How long a visit waits for the solver where there is no window [s].
IDLE = 0.005


class LiveSession:
    """Plain Python, since it outlives its operator; `current` is the one that runs."""

    current = None

    def __init__(self, context):
        self.context, self.window = context, context.window
        self.scene, self.state = context.scene, context.window_manager.vbd
        self.is_coarse = self.scene.vbd.live_coarse
        self.folder = self.run = self.outcome = None
        self.pulls, self.weights, self.is_compiled = MousePulls(), WeightWatch(), False
        self.changes, self.reason, self.started = [], "", time.monotonic()
        self.notice, self.has_failed = "", False
        self.generator = self._steps()

    def _steps(self):
        """Simulate and show frames until the user stops: yields None often. ValueError and OSError
        give the reason why nothing was simulated.
        """
        scene, state = self.scene, self.state
        with announced(scene, state), self._running():
            state.status = message("progress.solver")
            for _ in importing(0.0):
                yield None
            gc.freeze()  # modules are most of what there is: a collection would take 0.2 s
            with writing(scene, self.is_coarse) as self.folder:
                yield from self._runs()
                Recorded.take(self)
                if self.run.preview is not None:
                    scene.frame_set(self.run.at)
                self.run.outcome.headline = self._headline()
                self.run.keep(self.started)
            if self.run.outcome.frames:
                scene.vbd.live_bake = self.run.solver.bake
        self.outcome = self.run.outcome

    def _runs(self):
        """Run, after changes from the frame before, until the user stops or all is shown."""
        scene, state = self.scene, self.state
        after = first_frame(scene, self.folder)
        first = 0 if after is None else scene.frame_current - scene.vbd.frame_start
        while True:
            gc.collect()  # models hold arrays in cycles, of few objects but much memory
            yield from self._one_run(after, first)
            if state.cancel_requested:
                break
            first, over = self.newest, state.start_over
            if over or (state.loop and not self.changes and not self.run.outcome.error):
                state.start_over, self.changes, after, first = False, [], None, 0
                self.pulls.clear()
            elif self.changes:
                after = EVERY_FRAME if self.run.outcome.frames else None
            else:
                break

    def _one_run(self, after, first):
        """Run once; an error ends Live with the frames of the run before, if they still exist."""
        before, labels, self.changes = self.run, self.changes, []
        wait = IDLE if bpy.app.background else 0.0
        is_own = not self.is_coarse
        known = self.context, self.folder, wait, True, after, None, is_own, self, labels, first
        run = LiveRun(*known, () if before is None or after is None else before.last_frames())
        try:
            self.run = run
            yield from run.steps()
        except (ValueError, OSError) as error:
            is_lost = after is None and run.solver is not None and run.solver.cache is not None
            if before is None or is_lost:
                raise
            self.run, self.state.cancel_requested = before, True
            self.reason = _refusal(labels, explain(error))

    @contextmanager
    def _running(self):
        """Context of all runs. Undo steps would hold the preview, so there are none."""
        edit, state = bpy.context.preferences, self.state
        undo, dirty = edit.edit.use_global_undo, edit.is_dirty
        state.live, state.paused, state.start_over = True, False, False
        edit.edit.use_global_undo, LiveSession.current = False, self
        handlers = bpy.app.handlers
        listening = (
            *((handlers.load_pre, self.drop), (handlers.undo_pre, self.drop)),
            *((handlers.redo_pre, self.drop), (handlers.save_pre, self._before_saving)),
            (handlers.render_init, self._before_render),
        )
        for handler, function in listening:
            handler.append(function)
        try:
            yield
        finally:
            for handler, function in listening:
                handler.remove(function)
            edit.edit.use_global_undo, LiveSession.current = undo, None
            edit.is_dirty = dirty
            gc.unfreeze()
            state.live = state.paused = state.start_over = False

    @property
    def newest(self):
        """The last frame that was shown, counted from 0; −1 before the first one."""
        return self.run.newest if self.run is not None and self.run.pace is not None else -1

    def watch(self, run):
        """Stop the `run` where it has to; returns whether it goes on."""
        state, stopping = self.state, run.solver.stopping
        if not self.reason and not state.cancel_requested:
            self.reason = self._obstacle()
            state.cancel_requested |= bool(self.reason)
        if state.cancel_requested or stopping.is_set():
            return False
        self.changes = run.watching.changes()
        if self.changes and run.watching.starts_over:
            state.start_over = True
            self.notice = message("live.starts_over", names=listed(self.changes))
        if state.start_over or self.changes:
            stopping.set()
            return False
        return True

    def _obstacle(self):
        """A sentence about what has happened that Live cannot go on after; "" for nothing."""
        if self.window is not None and self.window.scene != self.scene:
            return message("live.other_scene")
        if any(ob.vbd.role != "NONE" for ob in _edited()):
            bpy.ops.object.mode_set(mode="OBJECT")
            return message("live.edit_mode")
        return ""

    def _headline(self):
        run, start = self.run, self.run.gathered.frame_start
        last = start + run.outcome.frames
        text = message("live.ended", first=start, last=last) if last > start else ""
        text = text or message("live.none")
        if run.pace is not None and run.pace.measured():
            text += message("live.at_rate", rate=run.pace.measured())
        text += message("live.was_coarse") if self.is_coarse else ""
        return f"{text}. {self.reason}" if self.reason else text

    def advance(self, seconds):
        """Work for a while; returns whether Live goes on. Errors are those of `_steps`."""
        deadline = time.monotonic() + seconds
        try:
            while next(self.generator) is not None and time.monotonic() < deadline:
                pass
        except StopIteration:
            pass
        except ReferenceError:
            if self.scene in bpy.data.scenes.values():
                raise
            self.reason = message("live.scene_deleted")
        finally:
            if self.generator.gi_frame is None:
                self.generator = None
        return self.generator is not None

    def finish(self, reason=""):
        """Stop now, and keep the frames so far; an error becomes the reason."""
        self.reason, self.state.cancel_requested = reason, True
        try:
            while self.generator is not None and self.advance(1.0):
                time.sleep(0.001)
        except (ValueError, OSError) as error:
            self.reason, self.has_failed = explain(error), True

    def pause(self, holds):
        """Hold the picture and the solver, or go on."""
        if self.state.paused and not holds and self.newest >= 0:
            self.run.go_on()
        self.state.paused = holds

    def drop(self, *_):
        """Stop without keys: the file, or its undo state, is closed."""
        if self.generator is not None:
            self.generator.close()
            self.generator, self.reason = None, message("live.dropped")

    def _before_saving(self, *_):
        self.finish(message("live.saved"))

    def _before_render(self, *_):
        """Stop before a render; those of the interface call this in a thread of their own."""
        if threading.current_thread() is threading.main_thread():
            self.finish(message("live.rendered"))
            return
        self.reason, self.state.cancel_requested = message("live.rendered"), True
        until = time.monotonic() + PATIENCE
        while LiveSession.current is self and time.monotonic() < until:
            time.sleep(0.01)


def _edited():
    """The objects in Edit Mode, of which the active one always is one."""
    active = bpy.context.view_layer.objects.active
    if active is None or active.mode != "EDIT":
        return []
    return [ob for ob in bpy.context.view_layer.objects if ob.mode == "EDIT"]


def _refusal(labels, error):
    """A sentence about changes, or a start over without any, that an error has ended."""
    if labels:
        return message("live.cannot_change", names=", ".join(labels), error=error)
    return message("live.cannot_start_over", error=error)


def first_frame(scene, folder=None):
    """The frame after which Live goes on from the frame that is shown; None from the start, where
    no frames are kept, or none is missing after it.
    """
    kept, frame = saved_frames(scene, folder), scene.frame_current
    if kept is None or not kept.frame or frame <= scene.vbd.frame_start:
        return None
    if kept.cache.header.frame_start != scene.vbd.frame_start:
        return None
    return None if frame >= scene.vbd.frame_end else frame
