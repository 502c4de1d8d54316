# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that resume an earlier bake, or play its frames."""

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Operator

from ...solver.messages import message
from ..objects.participants import nothing_to_bake
from .bake import refusal
from .bake_steps import EVERY_FRAME, explain
from .loading import load
from .resuming import MOST_CHANGES, changes, nearest, saved_frames

WIDTH = 420


def start(operator, mode, frame=EVERY_FRAME):
    """Bake, and report the reason of a failure."""
    how = "EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT"
    try:
        bpy.ops.vbd.bake(how, mode=mode, frame=frame)
    except RuntimeError as error:
        operator.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
        return {"CANCELLED"}
    return {"FINISHED"}


def draw_changes(layout, found):
    """Draw the changes since the bake in a dialog."""
    if not found:
        return
    box = layout.box()
    box.label(text=message("resume.changed_used"), icon="INFO")
    for line in found[:MOST_CHANGES]:
        box.label(text=line, translate=False)
    if len(found) > MOST_CHANGES:
        box.label(text=message("resume.and_more", count=len(found) - MOST_CHANGES))


def resume_refusal(context):
    """The reason why nothing can be resumed, or None."""
    scene, kept = context.scene, saved_frames(context.scene)
    if kept is None:
        return message("resume.none")
    if not kept.frame:
        return message("resume.no_points")
    if is_there(kept, scene):
        return message("resume.all_there")
    return None


class _OnSavedFrames(Operator):
    """Base of operators on the saved frames."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context) or nothing_to_bake(context.scene) or cls.other_refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def find_changes(self, context):
        """Find `changes` since the bake; returns whether it can be resumed."""
        try:
            self.changes = changes(context, saved_frames(context.scene))
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return False
        return True

    def dialog(self, context, title, confirm):
        manager = context.window_manager
        return manager.invoke_props_dialog(self, width=WIDTH, title=title, confirm_text=confirm)


class VBD_OT_resume_bake(_OnSavedFrames):
    bl_idname = "vbd.resume_bake"
    bl_label = "Resume"
    bl_description = (
        "Continue after the last frame that an earlier bake has finished, also after Esc, a crash "
        "or in another session. The result is that of a bake without the break"
    )

    other_refusal = staticmethod(resume_refusal)

    def invoke(self, context, _event):
        if not self.find_changes(context):
            return {"CANCELLED"}
        if not self.changes or bpy.app.background:
            return self.execute(context)
        frame = saved_frames(context.scene).scene_frame + 1
        return self.dialog(context, f"Resume from Frame {frame}", "Resume")

    def draw(self, _context):
        draw_changes(self.layout, self.changes)

    def execute(self, _context):
        return start(self, "RESUME")


class VBD_OT_bake_from_here(_OnSavedFrames):
    bl_idname = "vbd.bake_from_here"
    bl_label = "Bake from Here"
    bl_description = (
        "Go back to the last checkpoint at or before the current frame, and bake again from there, "
        "with the current settings"
    )

    @staticmethod
    def other_refusal(context):
        kept = saved_frames(context.scene)
        if kept is None or not kept.frame:
            return message("resume.none")
        begin, end = nearest(kept, context.scene.frame_current), context.scene.vbd.frame_end
        if begin >= end:
            return message("resume.nothing_after", frame=begin)
        if begin <= kept.cache.header.frame_start:
            return message("resume.no_point_before")
        return None

    def invoke(self, context, _event):
        if not self.find_changes(context):
            return {"CANCELLED"}
        if bpy.app.background:
            return self.execute(context)
        return self.dialog(context, "Bake from Here", "Bake")

    def draw(self, context):
        kept, frame = saved_frames(context.scene), context.scene.frame_current
        last = kept.cache.header.frame_start + kept.last
        begin, end = nearest(kept, frame) + 1, context.scene.vbd.frame_end
        text = message("resume.from_here", first=begin, last=end)
        if last > end:
            text += message("resume.deleted_after", frame=end)
        self.layout.label(text=text)
        if begin <= frame:
            self.layout.label(text=message("resume.point_before", frame=frame, point=begin - 1))
        draw_changes(self.layout, self.changes)

    def execute(self, context):
        return start(self, "RESUME", context.scene.frame_current)


def draw_question(layout, context):
    """Ask before frames are deleted that could be resumed: two buttons that act."""
    kept, found, obstacle = saved_frames(context.scene), [], resume_refusal(context) or ""
    is_whole = is_there(kept, context.scene)
    if not obstacle:
        try:
            found = changes(context, kept)
        except (ValueError, OSError) as error:
            obstacle = explain(error)
    layout.operator_context = "EXEC_DEFAULT"
    layout.label(text=message("resume.kept", frames=kept.span()))
    header = kept.cache.header
    if header.edited:
        layout.label(text=message("resume.edited", frame=header.frame_start + header.edited))
    if obstacle and not is_whole:
        layout.label(text=obstacle, icon="ERROR", translate=False)
    row = layout.row()
    row.enabled = is_whole or not obstacle
    keep = "Keep and Load" if is_whole else "Keep and Resume"
    row.operator("vbd.ask_bake", text=keep, icon="PLAY").choice = "RESUME"
    layout.operator("vbd.ask_bake", text="Delete and Bake Again", icon="TRASH").choice = "NEW"
    draw_changes(layout, found)


def is_there(kept, scene):
    """Return whether all frames to be baked are saved."""
    return kept.scene_frame >= scene.vbd.frame_end


class VBD_OT_ask_bake(_OnSavedFrames):
    bl_idname = "vbd.ask_bake"
    bl_label = "Resume or Bake Again"
    bl_description = "Ask before deleting frames that a bake could continue from"

    choice: EnumProperty(
        name="Choice",
        items=(
            ("RESUME", "Keep and Resume", "Continue after the frames that are kept, or load them"),
            ("NEW", "Delete and Bake Again", "Delete the kept frames and begin from the start"),
        ),
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context, properties):
        return properties.bl_rna.properties["choice"].enum_items[properties.choice].description

    @staticmethod
    def other_refusal(context):
        return None if saved_frames(context.scene) else message("resume.none")

    def invoke(self, context, _event):
        context.window_manager.popup_menu(
            lambda menu, context: draw_question(menu.layout, context),
            title="Frames Are Kept",
            icon="QUESTION",
        )
        return {"CANCELLED"}

    def execute(self, context):
        if self.choice == "RESUME" and is_there(saved_frames(context.scene), context.scene):
            return bpy.ops.vbd.load_cache("EXEC_DEFAULT")
        return start(self, self.choice)


class _Load(Operator):
    """Operator that turns frames into keys."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context) or cls.other_refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    @staticmethod
    def other_refusal(_context):
        return None

    def load(self, context, folder=None):
        try:
            loaded = load(context.scene, folder)
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        self.report({"INFO"}, ". ".join([loaded.line(), *loaded.notes]))
        return {"FINISHED"}


class VBD_OT_load_cache(_Load):
    bl_idname = "vbd.load_cache"
    bl_label = "Load Cache"
    bl_description = "Play the frames that are kept of this scene's bake; nothing is solved"

    @staticmethod
    def other_refusal(context):
        return None if saved_frames(context.scene) else message("resume.none")

    def execute(self, context):
        return self.load(context)


class VBD_OT_load_cache_folder(_Load):
    bl_idname = "vbd.load_cache_folder"
    bl_label = "Load Cache Folder"
    bl_description = "Play the frames in another folder, such as one that came from a farm"

    directory: StringProperty(name="Folder", subtype="DIR_PATH", options={"SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        return self.load(context, bpy.path.abspath(self.directory))


classes = (
    VBD_OT_resume_bake,
    VBD_OT_bake_from_here,
    VBD_OT_ask_bake,
    VBD_OT_load_cache,
    VBD_OT_load_cache_folder,
)
