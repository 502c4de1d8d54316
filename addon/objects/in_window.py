# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in a window: a generator that a timer resumes."""

import bpy


class InSteps:
    """Base of operators that work in `steps`: a timer, and a stop when the file is closed."""

    steps = timer = None

    def _begin(self, context, steps, tick):
        """Run one of the `steps` every `tick` seconds, until the operator has ended."""
        self.steps, manager = steps, context.window_manager
        self.timer = manager.event_timer_add(tick, window=context.window)
        manager.modal_handler_add(self)
        for handlers in (bpy.app.handlers.load_pre, bpy.app.handlers.undo_pre):
            handlers.append(self._drop)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Stop when Blender quits, or closes the window."""
        if self.timer is not None:
            self._drop()
            self._leave(context)

    def _drop(self, *_):
        """Stop without a result: the file, or its undo state, is closed."""
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
