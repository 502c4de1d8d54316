# SPDX-License-Identifier: GPL-3.0-or-later
"""MousePulls that become animation: keyframed empties, and attachments to them."""

import bpy
from bpy.types import Operator

from ...solver.messages import message
from ..baking.bake import refusal
from ..gathering.reader import curves_of
from ..objects.units import unit_scale
from .pulls import DAMPING, Recorded

# Size of the empties as a fraction of that of their object.
SIZE = 0.05


class VBD_OT_keep_pulls(Operator):
    bl_idname = "vbd.keep_pulls"
    bl_label = "Keep Pulls"
    bl_description = (
        "Turn the pulls of the last Live into animation that a bake repeats: an empty with "
        "keyframes for each, and an attachment to it"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context) or (
            None if Recorded.of(context.scene) else message("live.no_pulls")
        )
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        pulls, names = Recorded.of(context.scene), []
        for pull in pulls:
            ob = context.scene.objects.get(pull.body)
            if ob is not None and pull.track:
                names.append(_keep(context, ob, pull).name)
        Recorded.pulls = []
        if not names:
            self.report({"ERROR"}, message("live.no_pulls"))
            return {"CANCELLED"}
        self.report({"INFO"}, message("live.kept_pulls", count=len(names)))
        return {"FINISHED"}


def _keep(context, ob, pull):
    """Make the empty and the attachment of a pull; returns the empty."""
    scene, scale = context.scene, unit_scale(context.scene)
    start, frames = Recorded.start, sorted(pull.track)
    empty = bpy.data.objects.new(f"Pull of {ob.name}", None)
    empty.empty_display_size = SIZE * max(ob.dimensions)
    (ob.users_collection or (scene.collection,))[0].objects.link(empty)
    # Without vertices of its own that are simulated, the point nearest at the start is tied.
    if not pull.has_vertex:
        empty.location = pull.at_start / scale
        empty.keyframe_insert("location", frame=start)
    for index in frames:
        empty.location = pull.track[index] / scale
        empty.keyframe_insert("location", frame=start + index)
    item = ob.vbd.attachments.add()
    item.name, item.target, item.keep_distance = empty.name, empty, False
    item.stiffness, item.damping = pull.stiffness, DAMPING
    if pull.has_vertex:
        group = ob.vertex_groups.new(name=empty.name)
        group.add([pull.vertex], 1.0, "REPLACE")
        item.vertex_group = group.name
    switches = {frames[0] - 1: 0.0, frames[0]: 1.0}
    if not (pull.is_pin and pull.is_held):
        switches[frames[-1] + 1] = 0.0
    for index, value in switches.items():
        item.strength = value
        item.keyframe_insert("strength", frame=start + index)
    path = item.path_from_id("strength")
    for block, name, how in ((empty, "location", "LINEAR"), (ob, path, "CONSTANT")):
        for curve in curves_of(block.animation_data.action):
            if curve.data_path == name:
                for key in curve.keyframe_points:
                    key.interpolation = how
    return empty


@bpy.app.handlers.persistent
def _forget(_):
    """Forget the pulls of another file."""
    Recorded.pulls = []


def register():
    bpy.app.handlers.load_post.append(_forget)


def unregister():
    bpy.app.handlers.load_post.remove(_forget)


classes = (VBD_OT_keep_pulls,)
