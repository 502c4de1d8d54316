# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that turn the shown frame into the rest shape, or the start of the next bake."""

import bpy
import numpy as np
from bpy.types import Operator

from ...solver.messages import message
from ..objects import start_shape
from ..objects.curves import free_handles, is_curve, set_points
from ..objects.hair import is_hair
from ..objects.modifiers import simulation_point
from ..objects.stored_records import bake_record
from ..playing import playback
from ..playing.shown_frame import shown_points
from .bake import free_bakes, refusal


def chosen(context):
    """Baked objects to apply: the selected ones, or else the active one."""
    found = [ob for ob in context.selected_objects if playback.is_baked(ob) and ob.is_editable]
    ob = context.object
    return found or [ob] if ob is not None and playback.is_baked(ob) and ob.is_editable else found


class _Apply(Operator):
    """Base of operators on the frame that is shown."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context) or ("" if chosen(context) else message("free.select_baked"))
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context):
        try:
            objects, frame = chosen(context), context.scene.frame_current
            shapes = [(ob, self.shape_of(ob, frame)) for ob in objects]
            for ob, points in shapes:
                self.apply(context, ob, points)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        names = ", ".join(ob.name for ob in objects)
        self.report({"INFO"}, message(self.said, names=names, frame=frame))
        return {"FINISHED"}

    def shape_of(self, ob, frame):
        """The points of a frame in object space; refuses objects that cannot take them."""
        if is_hair(ob):
            raise ValueError(message("free.apply_hair", name=ob.name))
        return shown_points(ob, frame)


class VBD_OT_apply_as_start(_Apply):
    bl_idname = "vbd.apply_as_start"
    bl_label = "Apply as Start"
    bl_description = (
        "Let the next bake of the selected objects start as in the frame that is shown, at rest. "
        "Their rest shape stays, and this bake plays until then"
    )
    said = "free.applied_start"

    def apply(self, context, ob, points):
        start_shape.keep(ob, context.scene.frame_current, points)


class VBD_OT_apply_as_rest(_Apply):
    bl_idname = "vbd.apply_as_rest"
    bl_label = "Apply as Rest"
    bl_description = (
        "Give the selected objects the shape of the frame that is shown for good: it is their "
        "shape at rest and at the start. Frees their bake, and applies modifiers that divide faces"
    )
    said = "free.applied_rest"

    def shape_of(self, ob, frame):
        points, record = super().shape_of(ob, frame), bake_record(ob)
        used = [name for name in record["modifiers"] if name in ob.modifiers]
        if record.get("follows"):
            used += _deforming(ob)
            if ob.data.shape_keys:
                raise ValueError(message("free.apply_keys", name=ob.name))
        if used:
            raise ValueError(message("free.apply_modifier", name=ob.name, modifier=used[0]))
        return points

    def apply(self, context, ob, points):
        follows = bake_record(ob).get("follows")
        mesh = _refined_mesh(context, ob) if follows else None
        refining = _refining(ob) if follows else []
        if not is_curve(ob) and len(points) != len((mesh or ob.data).vertices):
            raise ValueError(message("report.edited", name=ob.name))  # the bake stays
        problem = free_bakes(context.scene, [ob])
        if problem:
            self.report({"WARNING"}, problem)
        for name in refining:
            if name in ob.modifiers:
                ob.modifiers.remove(ob.modifiers[name])
        if follows:
            ob.data = mesh
        elif ob.data.users > 1:
            ob.data = ob.data.copy()
        _move(ob, points)
        ob.vbd.property_unset("rest_shape_key")
        ob.vbd.property_unset("start_shape")


class VBD_OT_clear_start(Operator):
    bl_idname = "vbd.clear_start"
    bl_label = "Clear Start"
    bl_description = "Let the next bake start with the shape of the object again"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None and context.object is not None

    def execute(self, context):
        for ob in {context.object, *context.selected_objects}:
            ob.vbd.property_unset("start_shape")
        return {"FINISHED"}


def _without_bake(ob):
    """Modifiers that are simulated, and those after, while no bake plays."""
    playback.suspend(ob)
    try:
        deforming, after = simulation_point(ob)
        names = {m.name for m in after}
        used = [m.name for m in ob.modifiers if m.show_viewport and m.name not in names]
        return [m.name for m in deforming], used, names
    finally:
        playback.resume(ob)


def _deforming(ob):
    """Names of the modifiers that deform the simulated shape."""
    return _without_bake(ob)[0]


def _refining(ob):
    """Names of the modifiers that make the simulated vertices."""
    return _without_bake(ob)[1]


def _refined_mesh(context, ob):
    """A mesh with the vertices and faces that are simulated, which modifiers have made."""
    after = _without_bake(ob)[2]
    playback.suspend(ob)
    shown = {name: ob.modifiers[name].show_viewport for name in after}
    try:
        for name in after:
            ob.modifiers[name].show_viewport = False
        depsgraph = context.evaluated_depsgraph_get()
        evaluated = ob.evaluated_get(depsgraph)
        mesh = bpy.data.meshes.new_from_object(
            evaluated, preserve_all_data_layers=True, depsgraph=depsgraph
        )
    finally:
        for name, is_shown in shown.items():
            ob.modifiers[name].show_viewport = is_shown
        playback.resume(ob)
    mesh.name = ob.data.name
    return mesh


def _move(ob, points):
    """Move the points of an object, and all its shape keys with them."""
    if is_curve(ob):
        free_handles(ob)
        set_points(ob.data, points)
        return
    keys = ob.data.shape_keys
    if keys:
        now = np.empty_like(points)
        keys.reference_key.points.foreach_get("co", now.ravel())
        moved = points - now
        for block in keys.key_blocks:
            block.points.foreach_get("co", now.ravel())
            block.points.foreach_set("co", (now + moved).ravel())
    ob.data.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    ob.data.update()


classes = (VBD_OT_apply_as_start, VBD_OT_apply_as_rest, VBD_OT_clear_start)
