# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake: one generator for the window, for background runs and for the command line."""

import time
from contextlib import contextmanager, nullcontext

import bpy

from ...solver.messages import message
from ..gathering.gather import participants
from ..objects.refining import taken_back_unless_baked
from ..values import preparing
from .cache_place import cache_folder, writing
from .outcome import Outcome, explain
from .resuming import EVERY_FRAME
from .run import Run
from .sizes import size_line
from .solver_import import importing

# Parts of the set-up that take longer than this [s] are printed in background runs.
LONG = 1.0
__all__ = ["EVERY_FRAME", "Outcome", "bake_steps", "cache_folder", "explain", "run_to_end"]


@contextmanager
def announced(scene, state):
    """Context of a bake: `window_manager.vbd` tells it, nothing else uses the cores, and objects
    that get no keys have the modifiers that they had before.
    """
    state.baking, state.cancel_requested, state.progress, state.status = True, False, 0.0, ""
    try:
        with preparing.paused(), taken_back_unless_baked(participants(scene)):
            yield
    finally:
        state.baking, state.cancel_requested, state.progress, state.status = False, False, 0.0, ""


def bake_steps(context, folder=None, wait=0.02, visible=False, after=None, keys=True):
    """Bake the scene: yields each `Solved` frame, and None at least every `wait` seconds.

    `folder`: where the frames go, which the caller has `locked`; that of the scene by default.
    `visible`: show finished frames in the viewport, and give drawing priority. `after`: resume
    after the saved frames of an earlier bake, up to this scene frame or `EVERY_FRAME`; None starts
    over and deletes them. `keys`: turn the frames into keys at the end. Returns an `Outcome`.
    ValueError and OSError give the reason why nothing was baked; the scene is then unchanged. It is
    also unchanged if the generator is closed early.
    """
    scene, state = context.scene, context.window_manager.vbd
    started = time.monotonic()
    with announced(scene, state):
        state.status = message("progress.solver")
        for _ in importing(wait):
            if state.cancel_requested:
                return Outcome(scene.vbd.frame_end - scene.vbd.frame_start, cancelled=True)
            yield None
        with nullcontext(folder) if folder else writing(scene) as place:
            run = Run(context, place, wait, visible, after, is_own=folder is None)
            yield from run.steps()
            run.keep(started, keys)
    return run.outcome


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
