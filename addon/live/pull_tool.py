# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool that pulls on simulated bodies while Live runs."""

import bpy
import gpu
import numpy as np
from bpy.props import IntProperty
from bpy.types import Operator, WorkSpaceTool
from bpy_extras import view3d_utils
from gpu_extras.batch import batch_for_shader

from ...solver.messages import message
from ..objects.units import unit_scale
from .picking import pick, points_shown
from .session import LiveSession

COLOR, PIN_COLOR = (1.0, 0.55, 0.1, 1.0), (0.1, 0.7, 1.0, 1.0)
WIDTH, SIZE = 2.0, 9.0
# With Ctrl the goal lies behind the vertex by this fraction of its distance from the eye.
DEPTH = 0.15


class VBD_OT_pull(Operator):
    bl_idname = "vbd.pull"
    bl_label = "Pull"
    bl_description = (
        "While Live runs, pull the vertex under the mouse. Shift: it stays pinned where it is let "
        "go. Ctrl: push it away from the view"
    )
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        if LiveSession.current is None:
            cls.poll_message_set(message("live.not_running"))
            return False
        return context.region_data is not None

    def invoke(self, context, event):
        self.session = LiveSession.current
        if self.session.newest < 0:
            return {"PASS_THROUGH"}
        found = pick(context, self.session, (event.mouse_region_x, event.mouse_region_y))
        if found is None:
            if not points_shown(self.session):
                self.report({"INFO"}, message("live.not_solved_here"))
            return {"PASS_THROUGH"}
        self.pull, self.place = found
        for pin in self.session.pulls.pins():  # take a pinned vertex in hand again
            if (pin.body, pin.point) == (self.pull.body, self.pull.point):
                self.session.pulls.end(pin)
        self._move(context, event)
        self.session.pulls.begin(self.pull)
        context.window_manager.modal_handler_add(self)
        context.window.cursor_modal_set("SCROLL_XY")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if LiveSession.current is not self.session or not self.pull.is_held:
            return self._end(context, {"CANCELLED"})
        if event.type == "TIMER":
            return {"PASS_THROUGH"}
        if event.type in {"RIGHTMOUSE", "ESC"} and event.value == "PRESS":
            self.session.pulls.end(self.pull)
            return self._end(context, {"CANCELLED"})
        self._move(context, event)
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            if event.shift:
                self.pull.is_pin = True
            else:
                self.session.pulls.end(self.pull)
            return self._end(context, {"FINISHED"})
        return {"RUNNING_MODAL"}

    def _move(self, context, event):
        """Put the goal under the mouse, as deep in the view as the vertex was."""
        region, view = context.region, context.region_data
        mouse = event.mouse_region_x, event.mouse_region_y
        goal = np.array(view3d_utils.region_2d_to_location_3d(region, view, mouse, self.place))
        if event.ctrl:
            eye = np.array(view3d_utils.region_2d_to_origin_3d(region, view, mouse))
            along = np.array(view3d_utils.region_2d_to_vector_3d(region, view, mouse))
            goal += DEPTH * np.linalg.norm(goal - eye) * along
        self.pull.move(goal * unit_scale(context.scene))

    def _end(self, context, result):
        context.window.cursor_modal_restore()
        return result

    def cancel(self, context):
        self.session.pulls.end(self.pull)


class VBD_OT_release_pull(Operator):
    bl_idname = "vbd.release_pull"
    bl_label = "Release"
    bl_description = "Let go of a vertex that a pull has pinned"
    bl_options = {"INTERNAL"}

    index: IntProperty(name="Pin", description="Its number among the pins", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return LiveSession.current is not None

    def execute(self, _context):
        pulls = LiveSession.current.pulls
        for pull in pulls.pins()[self.index : self.index + 1]:
            pulls.end(pull)
        return {"FINISHED"}


class VBD_WT_pull(WorkSpaceTool):
    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = "vbd.pull_tool"
    bl_label = "Pull"
    bl_description = VBD_OT_pull.bl_description
    bl_icon = "ops.transform.vert_slide"
    bl_cursor = "HAND"
    bl_keymap = tuple(
        ("vbd.pull", {"type": "LEFTMOUSE", "value": "PRESS", **held}, None)
        for held in ({}, {"shift": True}, {"ctrl": True}, {"shift": True, "ctrl": True})
    )

    @staticmethod
    def draw_settings(context, layout, _tool):
        layout.prop(context.scene.vbd, "pull_strength")


def lines_of(session):
    """Ends [line, 2, 3] of all held pulls in units of Blender, and for each whether it is a pin."""
    held = session.pulls.held()
    if not held or session.newest < 0:
        return np.zeros((0, 2, 3)), []
    points, scale = points_shown(session), unit_scale(session.scene)
    held = [pull for pull in held if pull.body in points]
    ends = [(points[pull.body][pull.point] / scale, pull.goal / scale) for pull in held]
    return np.reshape(ends, (-1, 2, 3)), [pull.is_pin for pull in held]


def _draw():
    session = LiveSession.current
    if session is None or bpy.context.scene != session.scene:
        return
    ends, pins = lines_of(session)
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.line_width_set(WIDTH)
    gpu.state.point_size_set(SIZE)
    for (vertex, goal), is_pin in zip(ends.tolist(), pins, strict=True):
        shader.uniform_float("color", PIN_COLOR if is_pin else COLOR)
        batch_for_shader(shader, "LINES", {"pos": [vertex, goal]}).draw(shader)
        batch_for_shader(shader, "POINTS", {"pos": [goal]}).draw(shader)
    gpu.state.line_width_set(1.0)


classes = (VBD_OT_pull, VBD_OT_release_pull)
handles = []


def register():
    if bpy.app.background:
        return  # without a window there is no toolbar
    bpy.utils.register_tool(VBD_WT_pull, after={"builtin.transform"}, separator=True)
    handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister():
    if not handles:
        return
    bpy.types.SpaceView3D.draw_handler_remove(handles.pop(), "WINDOW")
    bpy.utils.unregister_tool(VBD_WT_pull)
