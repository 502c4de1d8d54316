# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that takes a while, in a window: a generator that a timer asks to go on."""

import bpy


class InSteps:
    """What operators that work in `steps` share: a timer, and an end where the file goes away."""

    steps = timer = None

    def _begin(self, context, steps, tick):
        """Ask for `steps` every `tick` seconds, until the operator has ended."""
        self.steps, manager = steps, context.window_manager
        self.timer = manager.event_timer_add(tick, window=context.window)
        manager.modal_handler_add(self)
        for handlers in (bpy.app.handlers.load_pre, bpy.app.handlers.undo_pre):
            handlers.append(self._drop)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender quits, or closes the window."""
        if self.timer is not None:
            self._drop()
            self._leave(context)

    def _drop(self, *_):
        """Stop without a result: the file, or the state of it, goes away."""
        if self.steps is not None:
            self.steps.close()
            self.steps = None

    def _leave(self, context):
        self.steps = None
        for handlers in (bpy.app.handlers.load_pre, bpy.app.handlers.undo_pre):
            if self._drop in handlers:
                handlers.remove(self._drop)
        context.window_manager.event_timer_remove(self.timer)
        self.timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
