# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Conforming Tets: a soft body of tets that fill the closed mesh of an object."""

import time
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatProperty
from bpy.types import Operator

from ...solver.messages import message
from ...solver.topology.meshes import finite_points
from ..baking.bake import NAVIGATION
from ..baking.bake_steps import explain
from ..objects import read_mesh
from ..objects.in_window import InSteps
from ..objects.nearest import nearest, weights_in
from ..objects.participants import select_only
from ..playing.playback import is_baked
from .conforming import refuse_holes, refuse_missing_package, tets_in_steps
from .import_tets import tet_object

# Pause between two checks of the process [s].
TICK = 0.1
# Vertices with lower weights count as outside of a group.
LEAST_WEIGHT = 1e-4


@dataclass
class VisibleSurface:
    """Attributes of the visible surface of an object that are transferred to its tets."""

    turn: np.ndarray
    """Rotation and scale of the object, [3, 3]."""
    points: np.ndarray
    """Vertices in object space [vertex, 3]."""
    triangles: np.ndarray
    faces: np.ndarray
    """Material and smoothness of every triangle, [2, triangle]."""
    weights: np.ndarray
    """Weights in every vertex group of the object, [group, vertex]."""

    @classmethod
    def of(cls, ob, depsgraph):
        evaluated = ob.evaluated_get(depsgraph)
        mesh = evaluated.data
        triangles = read_mesh.triangles(mesh)
        face = np.empty(len(triangles), np.int32)
        mesh.loop_triangles.foreach_get("polygon_index", face)
        faces = np.empty((2, len(mesh.polygons)), np.int32)
        for row, name in zip(faces, ("material_index", "use_smooth"), strict=True):
            mesh.polygons.foreach_get(name, row)
        weights = np.zeros((len(ob.vertex_groups), len(mesh.vertices)), np.float32)
        if len(weights):
            for vertex in mesh.vertices:
                for entry in vertex.groups:
                    weights[entry.group, vertex.index] = entry.weight
        turn = read_mesh.matrix(evaluated)[:3, :3]
        return cls(turn, read_mesh.positions(mesh), triangles, faces[:, face], weights)

    def scaled(self):
        """Vertices [vertex, 3] around the object's origin with their lengths in the world, and the
        triangles.
        """
        return self.points @ self.turn.T, self.triangles

    def to_object_space(self, made):
        """Convert a `TetMesh` made of the `scaled` surface to object space."""
        made.points = np.linalg.solve(self.turn, made.points.T.astype(float)).T
        if np.linalg.det(self.turn) < 0.0:
            made.tets = made.tets[:, [0, 2, 1, 3]]


def _held_groups(ob):
    """Names of the vertex groups that hold an object by its surface."""
    return {ob.vbd.pin_group, *(item.vertex_group for item in ob.vbd.attachments)}


def replaced(context, ob, visible, made):
    """The new object of a `TetMesh` in object space, beside `ob`, which it replaces and hides."""
    new = ob.copy()
    new.name = f"{ob.name} Tets"
    shell = tet_object(new.name, made.points, made.tets)
    new.data = shell.data
    bpy.data.objects.remove(shell)
    new.modifiers.clear()  # they are applied to its shape
    _give_faces(new, ob, visible)
    _give_weights(new, ob, visible)
    for collection in ob.users_collection:
        collection.objects.link(new)
    new.vbd.role = "SOFT"
    for other in bpy.data.objects:
        for item in other.vbd.attachments if other.is_editable else ():
            if item.target == ob:
                item.target = new
    ob.vbd.role = "NONE"
    ob.hide_render = True
    ob.hide_set(True)
    select_only(context, [new])
    return new


def _give_faces(new, ob, visible):
    """Copy materials and smoothness of the nearest triangles."""
    mesh = new.data
    for slot in ob.material_slots:
        mesh.materials.append(slot.material)
    centers = read_mesh.positions(mesh).astype(float)[read_mesh.triangles(mesh)].mean(axis=1)
    found, _ = nearest(centers, visible.points.astype(float), visible.triangles)
    material, smooth = visible.faces[:, found]
    mesh.polygons.foreach_set("material_index", material.clip(0, max(len(mesh.materials) - 1, 0)))
    mesh.polygons.foreach_set("use_smooth", smooth.astype(bool))
    mesh.update()


def _give_weights(new, ob, visible):
    """Copy weights of the nearest places; inside the body only for groups that do not hold it."""
    points = read_mesh.positions(new.data).astype(float)
    vertices = visible.points.astype(float)
    found, places = nearest(points, vertices, visible.triangles)
    corners = visible.triangles[found]
    shares = weights_in(places, vertices[corners])
    inner = np.ones(len(points), bool)
    inner[read_mesh.triangles(new.data)] = False
    held = _held_groups(ob)
    new.vertex_groups.clear()
    for group, weights in zip(ob.vertex_groups, visible.weights, strict=True):
        values = (weights[corners] * shares).sum(axis=1).clip(0.0, 1.0)
        if group.name in held:
            values[inner] = 0.0
        given = new.vertex_groups.new(name=group.name)
        for index in np.flatnonzero(values > LEAST_WEIGHT).tolist():
            given.add([index], float(values[index]), "REPLACE")


def refusal(context):
    """The reason why no tets can be made now, or None."""
    ob = context.object
    if context.window_manager.vbd.baking:
        return message("bake.running")
    if ob is None or ob.type != "MESH":
        return message("tets.select")
    if context.mode != "OBJECT":
        return message("bake.object_mode")
    if not ob.is_editable:
        return message("tets.linked", name=ob.name)
    if is_baked(ob):
        return message("tets.baked", name=ob.name)
    return None


class VBD_OT_make_tets(InSteps, Operator):
    bl_idname = "vbd.make_tets"
    bl_label = "Make Conforming Tets"
    bl_description = (
        "Fill the closed mesh of the object, as it is shown now, with tets that follow its surface "
        "(fTetWild), and simulate these instead: a new object beside it, which is hidden"
    )
    bl_options = {"REGISTER", "UNDO"}

    edge_length: FloatProperty(
        name="Edge Length",
        description="Of the tets, as a part of the diagonal of the object's box: half of it makes "
        "up to eight times as many",
        default=0.05,
        min=0.005,
        max=1.0,
        precision=3,
    )
    tolerance: FloatProperty(
        name="Tolerance",
        description="How far the tets may be off the surface, as a part of the same diagonal",
        default=0.001,
        min=1e-5,
        max=0.1,
        precision=4,
    )
    time_limit: FloatProperty(
        name="Time Limit",
        description="Give up after this time",
        default=600.0,
        min=0.1,
        max=1e5,
        unit="TIME_ABSOLUTE",
    )
    ask: BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def _made(self, context, ob):
        """Generator that yields the seconds so far and ends with the object in place of `ob`."""
        modules = bpy.utils.user_resource("SCRIPTS", path="modules")
        visible = VisibleSurface.of(ob, context.evaluated_depsgraph_get())
        surface = visible.scaled()
        if abs(np.linalg.det(visible.turn)) < 1e-30:
            raise ValueError(message("tets.zero_scale", name=ob.name))
        finite_points(ob.name, "vertices", surface[0])
        refuse_holes(ob.name, *surface)
        refuse_missing_package(modules)
        lengths = (self.edge_length, self.tolerance)
        made = yield from tets_in_steps(ob.name, surface, lengths, self.time_limit, modules)
        visible.to_object_space(made)
        new = replaced(context, ob, visible, made)
        text = message("tets.made", name=new.name, tets=len(made.tets), vertices=len(made.points))
        self.report({"INFO"}, "; ".join([text, *made.notes]))

    def execute(self, context):
        if getattr(self, "asked", False):  # called by the dialog: start the operator that does it
            chosen = {name: getattr(self, name) for name in ("edge_length", "tolerance")}
            chosen |= {"time_limit": self.time_limit, "ask": False}
            bpy.ops.vbd.make_tets("INVOKE_DEFAULT", **chosen)
            return {"CANCELLED"}
        try:
            for _ in self._made(context, context.object):
                time.sleep(TICK / 4)
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, _event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if self.ask:
            self.asked = True
            return context.window_manager.invoke_props_dialog(self)
        self.filled = context.object.name
        return self._begin(context, self._made(context, context.object), TICK)

    def _step(self, context):
        """Check the process; returns the operator's result, or None."""
        try:
            seconds = next(self.steps)
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        except ReferenceError:  # deleted by a script
            self.report({"ERROR"}, message("tets.deleted", name=self.filled))
            return {"CANCELLED"}
        except StopIteration:
            return {"FINISHED"}
        context.workspace.status_text_set(message("tets.making", name=self.filled, seconds=seconds))
        return None

    def modal(self, context, event):
        ended = None
        if event.type == "ESC" and event.value == "PRESS":
            self._drop()
            self.report({"INFO"}, message("tets.cancelled"))
        if self.steps is None:  # or dropped by a handler
            ended = {"CANCELLED"}
        elif event.type == "TIMER":
            ended = self._step(context)
        if ended:
            self._leave(context)
            return ended
        return {"PASS_THROUGH" if event.type in NAVIGATION else "RUNNING_MODAL"}


classes = (VBD_OT_make_tets,)
