# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of Live: begin, start over, pause."""

import time

import bpy
from bpy.types import Operator

from ...solver.messages import message
from ..baking.bake import refusal
from ..baking.outcome import explain
from ..baking.resuming import is_unfinished, saved_frames
from ..objects.participants import nothing_to_bake
from ..playing.preview import remove_leftovers
from .session import LiveSession, first_frame

# Pause between two visits of the running simulation, and the longest duration of one visit [s].
TICK, VISIT = 0.008, 0.02
# Interval at which the sidebar is drawn again [s], since drawing takes time from the solver.
SIDEBAR = 0.25
# Editors in which Space is a letter.
TEXTS = {"TEXT_EDITOR", "CONSOLE"}


class VBD_OT_live(Operator):
    bl_idname = "vbd.live"
    bl_label = "Live"
    bl_description = (
        "Simulate and play at once, from the frame that is shown on, at most in real time. "
        "Settings, materials and the places of objects may change meanwhile. Space pauses, Esc "
        "stops and keeps the frames, and Bake continues them"
    )
    bl_options = {"REGISTER", "UNDO"}

    session = timer = None

    @classmethod
    def poll(cls, context):
        reason = refusal(context) or nothing_to_bake(context.scene)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def invoke(self, context, event):
        kept = saved_frames(context.scene)
        deletes = first_frame(context.scene) is None and not context.scene.vbd.live_coarse
        if (
            deletes
            and is_unfinished(kept)
            and kept.cache.header.bake != context.scene.vbd.live_bake
        ):
            text = message("live.deletes", frames=kept.span())
            manager, title = context.window_manager, self.bl_label
            return manager.invoke_confirm(
                self,
                event,
                title=title,
                message=text,
                confirm_text=message("live.delete_and_start"),
                icon="QUESTION",
            )
        return self.execute(context)

    def execute(self, context):
        self.session = LiveSession(context)
        has_window = not bpy.app.background and context.window is not None
        try:
            while self.session.advance(VISIT) and not has_window:
                pass
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        if not has_window:
            return self._ended()
        manager, self.drawn = context.window_manager, 0.0
        self.timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        for area in context.screen.areas:
            area.tag_redraw()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if self.session.generator is None:  # ended by a handler
            self._leave(context)
            return self._ended()
        if event.value == "PRESS" and (done := self._key(context, event)):
            return done
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            if not self.session.advance(VISIT):
                self._leave(context)
                return self._ended()
        except (ValueError, OSError) as error:
            self._leave(context)
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        except BaseException:
            self._leave(context)
            raise
        self._redraw(context)
        return {"PASS_THROUGH"}

    def _key(self, context, event):
        """The result of a key that is for Live; None for all others."""
        session, plain = self.session, not (event.ctrl or event.alt or event.shift or event.oskey)
        if plain and event.type == "ESC":
            context.window_manager.vbd.cancel_requested = True
        elif plain and event.type == "SPACE" and _area_kind(context, event) not in TEXTS:
            session.pause(not context.window_manager.vbd.paused)
        elif (
            event.type == "Z"
            and (event.ctrl or event.oskey)
            and _area_kind(context, event) not in TEXTS
        ):
            session.finish(message("live.undone"))  # the next undo takes Live back
        elif plain and event.type == "TAB" and _area_kind(context, event) == "VIEW_3D":
            session.finish(message("live.before_editing"))
            self._leave(context)
            return self._ended() | {"PASS_THROUGH"}
        else:
            return None
        return {"RUNNING_MODAL"}

    def _redraw(self, context):
        """Redraw the progress a few times a second."""
        if time.monotonic() < self.drawn + SIDEBAR:
            return
        self.drawn = time.monotonic()
        status = context.window_manager.vbd.status
        context.workspace.status_text_set(f"{status}   |   {message('live.keys')}")
        for area in context.screen.areas:
            for region in area.regions:
                if area.type == "VIEW_3D" and region.type == "UI":
                    region.tag_redraw()

    def _leave(self, context):
        context.window_manager.event_timer_remove(self.timer)
        self.timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)

    def cancel(self, context):
        """Stop when Blender quits, or closes the window."""
        self.session.drop()
        if self.timer is not None:
            self._leave(context)

    def _ended(self):
        outcome = self.session.outcome
        if outcome is None:
            level = "ERROR" if self.session.has_failed else "INFO"
            self.report({level}, self.session.reason or message("live.dropped"))
            return {"CANCELLED"}
        level, text = outcome.report()
        self.report({level}, text)
        return {"FINISHED"} if outcome.frames else {"CANCELLED"}


def _area_kind(context, event):
    """The kind of the editor under the mouse, or None."""
    for area in context.screen.areas:
        x, y = event.mouse_x - area.x, event.mouse_y - area.y
        if 0 <= x < area.width and 0 <= y < area.height:
            return area.type
    return None


class _WhileLive(Operator):
    """Base of operators for a running Live."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context):
        if LiveSession.current is None:
            cls.poll_message_set(message("live.not_running"))
            return False
        return True


class VBD_OT_start_over(_WhileLive):
    bl_idname = "vbd.start_over"
    bl_label = "Start Over"
    bl_description = "Begin again from the first frame, with the settings of now"

    def execute(self, context):
        LiveSession.current.pause(False)
        context.window_manager.vbd.start_over = True
        return {"FINISHED"}


class VBD_OT_pause(_WhileLive):
    bl_idname = "vbd.pause"
    bl_label = "Pause"
    bl_description = "Hold the simulation, or let it go on after the newest frame (Space)"

    def execute(self, context):
        LiveSession.current.pause(not context.window_manager.vbd.paused)
        return {"FINISHED"}


classes = (VBD_OT_live, VBD_OT_start_over, VBD_OT_pause)
keymaps = []


@bpy.app.handlers.persistent
def _clean(*_):
    """Remove previews from a file, or an undo step, that was stored while Live ran."""
    remove_leftovers()


# Handlers after which there may be such previews.
AFTER = ("load_post", "undo_post", "redo_post")


def register():
    for name in AFTER:
        getattr(bpy.app.handlers, name).append(_clean)
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration:
        keymap = configuration.keymaps.new("3D View", space_type="VIEW_3D")
        item = keymap.keymap_items.new("vbd.live", "SPACE", "PRESS", shift=True, alt=True)
        keymaps.append((keymap, item))


def unregister():
    if LiveSession.current is not None and bpy.app.background:
        LiveSession.current.drop()  # a script may end meanwhile
    elif LiveSession.current is not None:
        LiveSession.current.finish(message("live.disabled"))
    for name in AFTER:
        getattr(bpy.app.handlers, name).remove(_clean)
    for keymap, item in keymaps:
        keymap.keymap_items.remove(item)
    keymaps.clear()
