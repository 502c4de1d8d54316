# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that bake, cancel and free."""

import time

import bpy
from bpy.props import EnumProperty, IntProperty
from bpy.types import Operator

from ...solver.messages import message
from ..objects.in_window import InSteps
from ..objects.participants import nothing_to_bake
from ..playing import playback
from ..playing.baked import baked_elsewhere, baked_here
from .bake_steps import EVERY_FRAME, bake_steps, explain, run_to_end
from .cache_place import remove_unused
from .resuming import is_played, is_unfinished, saved_frames

# Pause between two visits of the running bake, and the longest duration of one visit [s].
TICK = 0.02
VISIT = 0.03

# Events that let the user look around while a bake runs; all others are blocked.
NAVIGATION = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN",
    "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "MOUSEMOVE",
}  # fmt: skip

# Keys that trigger nothing when they are pressed alone.
SILENT = {
    "ESC", "LEFT_CTRL", "LEFT_ALT", "LEFT_SHIFT", "RIGHT_CTRL", "RIGHT_ALT", "RIGHT_SHIFT", "OSKEY",
}  # fmt: skip


def refusal(context):
    """The reason why a bake cannot start now, or None."""
    if context.window_manager.vbd.baking:
        return message("bake.running")
    if bpy.app.is_job_running("RENDER"):
        return message("bake.rendering")
    if context.mode.startswith("EDIT"):
        return message("bake.edit_mode")
    return None


def free_bakes(scene, baked):
    """Free objects, and delete caches that no other object plays; returns a sentence on failure."""
    bakes = {ob.vbd.bake_id for ob in baked}
    for ob in baked:
        playback.free(ob)
    try:
        remove_unused(bakes, scene)
    except OSError as error:
        return message("free.cache_remains", error=explain(error))
    return ""


class VBD_OT_bake(InSteps, Operator):
    bl_idname = "vbd.bake"
    bl_label = "Bake"
    bl_description = (
        "Simulate all objects that have a role and store the motion as shape keys, that of rigid "
        "bodies as keyframes. Replaces an earlier bake, and asks before it deletes one that is not "
        "finished; Esc stops and keeps the frames so far"
    )
    bl_options = {"REGISTER", "UNDO"}

    mode: EnumProperty(
        name="Mode",
        items=(
            ("ASK", "Ask", "Bake again, unless frames of an unfinished bake can be continued"),
            ("NEW", "New", "Bake again and delete the frames of an earlier bake"),
            ("RESUME", "Resume", "Continue after the frames that are there"),
        ),
        default="ASK",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    frame: IntProperty(
        name="Frame",
        description="To resume: the last frame to keep, or the checkpoint before it",
        default=EVERY_FRAME,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        reason = refusal(context) or nothing_to_bake(context.scene)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def _after(self):
        """The frame to resume after; None to start over."""
        return self.frame if self.mode == "RESUME" else None

    def execute(self, context):
        kept = saved_frames(context.scene)
        if self.mode == "ASK" and is_unfinished(kept):
            self.report({"ERROR"}, message("resume.mode", kept=kept.span()))
            return {"CANCELLED"}
        try:
            outcome = run_to_end(bake_steps(context, after=self._after()))
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        return self._ended(outcome)

    def invoke(self, context, _event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if self.mode == "ASK" and is_unfinished(saved_frames(context.scene)):
            bpy.ops.vbd.ask_bake("INVOKE_DEFAULT")
            return {"CANCELLED"}
        steps = bake_steps(context, wait=0.0, visible=True, after=self._after())
        self.has_hinted, self.drawn = False, None
        try:
            next(steps)
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        except StopIteration as end:
            return self._ended(end.value)
        self._redraw(context, context.window_manager.vbd)
        return self._begin(context, steps, TICK)

    def modal(self, context, event):
        if self.steps is None:  # dropped by a handler
            self._leave(context)
            return {"CANCELLED"}
        state = context.window_manager.vbd
        if event.type == "ESC" and event.value == "PRESS":
            state.cancel_requested = True
        if event.type != "TIMER":
            return self._pass_on(context, event)
        deadline = time.monotonic() + VISIT
        try:
            while next(self.steps) is not None and time.monotonic() < deadline:
                pass
        except (ValueError, OSError) as error:
            self._leave(context)
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        except StopIteration as end:
            self._leave(context)
            return self._ended(end.value)
        except BaseException:
            self._leave(context)
            raise
        self._redraw(context, state)
        return {"RUNNING_MODAL"}

    def _redraw(self, context, state):
        """Redraw the progress of the bake, and when it begins the fields that it locks; nothing
        more, since drawing takes time from the solver.
        """
        if (state.status, state.progress) == self.drawn:
            return
        begins, self.drawn = self.drawn is None, (state.status, state.progress)
        context.workspace.status_text_set(f"{state.status}   |   {message('progress.esc')}")
        for area in context.screen.areas:
            if begins:
                area.tag_redraw()
            for region in _sidebars(area):
                region.tag_redraw()

    def _pass_on(self, context, event):
        """Let the user look around and reach the sidebar, where the Cancel button is."""
        if event.type in NAVIGATION or _over_sidebar(context, event):
            return {"PASS_THROUGH"}
        if event.value == "PRESS" and event.type not in SILENT and not self.has_hinted:
            self.has_hinted = True
            self.report({"INFO"}, message("progress.esc_first"))
        return {"RUNNING_MODAL"}

    def _ended(self, outcome):
        level, text = outcome.report()
        self.report({level}, text)
        return {"FINISHED"} if outcome.frames else {"CANCELLED"}


def _over_sidebar(context, event):
    """Return whether a left click goes to a region that has the Cancel button."""
    if event.type != "LEFTMOUSE":
        return False
    return any(
        0 <= event.mouse_x - region.x < region.width
        and 0 <= event.mouse_y - region.y < region.height
        for area in context.screen.areas
        for region in _sidebars(area)
    )


def _sidebars(area):
    """The regions of an area that show the bake's panel."""
    if area.type != "VIEW_3D":
        return []
    return [region for region in area.regions if region.type == "UI"]


class VBD_OT_cancel_bake(Operator):
    bl_idname = "vbd.cancel_bake"
    bl_label = "Cancel Bake"
    bl_description = "Stop the running bake and keep the frames so far"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        if not context.window_manager.vbd.baking:
            cls.poll_message_set(message("bake.none_running"))
            return False
        return True

    def execute(self, context):
        context.window_manager.vbd.cancel_requested = True
        return {"FINISHED"}


def unplayed(scene):
    """The `SavedFrames` that no object plays, such as those of deleted objects; or None."""
    kept = saved_frames(scene)
    return None if kept is None or is_played(kept) else kept


class VBD_OT_free_bake(Operator):
    bl_idname = "vbd.free_bake"
    bl_label = "Free Bake"
    bl_description = (
        "Delete the motion of all objects that were baked in this scene and give back their shape "
        "keys, modifiers and animation as they were before. Frames on disk that no object plays go "
        "as well"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        scene = context.scene
        if reason is None and not baked_here(scene) and not unplayed(scene):
            reason = message("free.none")
            others = baked_elsewhere(scene)
            if others:
                reason = message("free.elsewhere", scene=others[0])
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        scene = context.scene
        baked, kept = baked_here(scene), unplayed(scene)
        remains = free_bakes(scene, baked)
        scene.vbd.frames_missing, scene.vbd.report = 0, ""
        if remains:
            self.report({"WARNING"}, remains)
            return {"FINISHED"}
        if not baked:
            text = message("free.deleted", frames=kept.span(), folder=kept.cache.folder)
            self.report({"INFO"}, text)
            return {"FINISHED"}
        objects = baked[0].name if len(baked) == 1 else f"{len(baked)} objects"
        self.report({"INFO"}, message("free.done", names=objects))
        return {"FINISHED"}


classes = (VBD_OT_bake, VBD_OT_cancel_bake, VBD_OT_free_bake)
