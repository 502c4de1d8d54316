# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated objects frame by frame: read in the main thread, while the solver's thread waits."""

from dataclasses import dataclass
from queue import Empty, Full, Queue

import bpy
import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.curves import control_points, is_curve
from ..objects.hair import StrandMotion
from ..objects.identity import found, identity
from ..objects.modifiers import is_still, may_change_count
from ..objects.stored_records import bake_record
from ..objects.units import unit_scale
from ..playing.key_curves import own_paths
from ..playing.playback import is_baked

# Frames that are read ahead of the solver.
AHEAD = 2
# Interval at which a waiting solver checks for a stop request [s].
PATIENCE = 0.1
# An object stands still while its numbers stay within this fraction of themselves, and of a unit.
STILLNESS = 1e-5
# The key of the gravity among the poses of a frame.
GRAVITY = "gravity"
# A transform that shrinks volumes by more than this cannot be undone in float32.
FLAT_TRANSFORM = 1e-18


class Stopped(BaseException):
    """The bake was stopped while the solver waited for the scene."""


def moves(ob):
    """Return whether anything may change an object's shape or place over time; True if unsure."""
    return deforms(ob) or is_carried(ob)


def is_carried(ob):
    """Return whether anything may change an object's place over time; True if unsure."""
    if _has_animation(ob) or len(ob.constraints) or ob.rigid_body:
        return True
    return ob.parent is not None and (ob.parent_type != "OBJECT" or moves(ob.parent))


def deforms(ob):
    """Return whether anything may change an object's shape over time; True if unsure."""
    if _has_handlers() or _has_animation(ob.data) or _keys_move(ob):
        return True
    if any(path.startswith("modifiers[") for path in keyed_paths(ob)):
        return True
    return any(m.show_viewport and not is_still(m) for m in ob.modifiers)


def _keys_move(ob):
    """Return whether shape keys may move an object; its own bake does not move a simulated one."""
    key = getattr(ob.data, "shape_keys", None)
    if key is None or not _has_animation(key):
        return False
    data = key.animation_data
    if not is_baked(ob) or ob.vbd.role == "COLLIDER" or data.drivers or data.nla_tracks:
        return True
    ours = own_paths(key, bake_record(ob))
    return any(curve.data_path not in ours for curve in curves_of(data.action))


def gravity_moves(scene):
    """Return whether anything may change the gravity of a scene over time; True if unsure."""
    return _has_handlers() or _has_animation(scene)


def _has_handlers():
    handlers = bpy.app.handlers
    return bool(handlers.frame_change_pre or handlers.frame_change_post)


def is_keyed(block, path):
    """Return whether keyframes, drivers or NLA strips change a property of a data-block."""
    return path in keyed_paths(block)


def keyed_paths(block):
    """The paths of properties of a data-block that keyframes, drivers or NLA strips change."""
    data = getattr(block, "animation_data", None)
    if data is None:
        return set()
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    actions = [data.action, *_actions_of(strips)]
    return {one.data_path for curves in (data.drivers, *map(curves_of, actions)) for one in curves}


def _actions_of(strips):
    """The actions of NLA strips, and of strips inside meta strips."""
    for strip in strips:
        yield strip.action
        yield from _actions_of(strip.strips)


def curves_of(action):
    """All curves of an action; up to Blender 4.3 they are its own, later those of its layers."""
    if action is None:
        return
    if not hasattr(action, "slots"):
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def _has_animation(block):
    """Return whether a data-block, or None, has keyframes, drivers or NLA strips."""
    data = getattr(block, "animation_data", None)
    return data is not None and bool(data.action or data.drivers or data.nla_tracks)


@dataclass
class Pose:
    """An object at one time: the transform [4, 4] to the world in metres, and points in object
    space where needed; for hair also the motion of its `strands` by a surface, if any.
    """

    matrix: np.ndarray
    points: np.ndarray | None
    strands: StrandMotion | None = None

    def world_points(self):
        return read_mesh.transformed(self.matrix, self.points)

    def stored(self, points):
        """Coordinates for Blender that show the object at `points` of the world [m], float32."""
        return self.undeformed(read_mesh.transformed(np.linalg.inv(self.matrix), points))

    def undeformed(self, points):
        """Points in object space before the surface of hair moves them, float32."""
        points = points if self.strands is None else self.strands.undone(points)
        return points.astype(np.float32)

    def is_close(self, other):
        """Return whether two poses are equal up to rounding."""
        atol = STILLNESS * unit_scale(bpy.context.scene)
        same = np.allclose(self.matrix, other.matrix, rtol=STILLNESS, atol=atol)
        return same and (self.points is None or self.has_shape_of(other))

    def has_shape_of(self, other):
        """Return whether the points of two poses are equal up to rounding."""
        return np.allclose(self.points, other.points, rtol=STILLNESS, atol=STILLNESS)


def read_pose(ob, depsgraph, with_points, vertex_count=None):
    """The pose of an object as evaluated now; refuses meshes that cannot be used."""
    evaluated = ob.evaluated_get(depsgraph)
    matrix, points, strands = read_mesh.matrix(evaluated), None, None
    here = {"name": ob.name, "frame": bpy.context.scene.frame_current}
    if not abs(np.linalg.det(matrix[:3, :3])) > FLAT_TRANSFORM:
        raise ValueError(message("animation.zero_scale", **here))
    if with_points:
        if is_curve(ob):
            points, strands = control_points(ob, depsgraph)
        else:
            points = read_mesh.positions(evaluated.data)
        if vertex_count is not None and len(points) != vertex_count:
            counts = {"count": len(points), "before": vertex_count}
            raise ValueError(message("animation.vertices", **counts, **here))
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if len(bad):
            lost = {"count": len(bad), "total": len(points), "first": bad[0]}
            raise ValueError(message("animation.not_finite", **lost, **here))
    matrix[:3] *= unit_scale(depsgraph.scene)
    return Pose(matrix, points, strands)


class Reader:
    """Poses of moving objects in time, and other values that change, such as gravity.

    `fill` runs in the main thread and reads frames ahead of the solver; `at` runs in the solver's
    thread and waits for them.
    """

    def __init__(self, frame_start, frame_count, frame_time):
        self.frame_start, self.frame_count, self.frame_time = frame_start, frame_count, frame_time
        self.wanted = {}  # identity -> whether points are needed
        self.rigid = {}  # identity -> pose whose shape must not change
        self.others = {}  # name -> function that reads it from a depsgraph
        self.unsure = False  # True if the count of points, or a shape that is held, may change
        self.known = {0: {}}  # frame -> identity -> pose; the input state and the last two
        self.queue = Queue(AHEAD)
        self.next = 1
        self.stop = None  # event
        self.wake = lambda: None  # called when another frame can be read

    def add(self, ob, pose, with_points):
        """Follow an object, whose pose in the input state is `pose`. It may be added again."""
        key = identity(ob)
        self.wanted[key] = with_points or self.wanted.get(key, False)
        if with_points or key not in self.known[0]:
            self.known[0][key] = pose
        self.unsure |= with_points and may_change_count(ob)

    def follow(self, name, read, start):
        """Call `read(depsgraph)` in every frame; it is `start` in the input state."""
        self.others[name] = read
        self.known[0][name] = start

    def hold(self, ob, pose):
        """Watch an object that must keep its shape."""
        self.rigid[identity(ob)] = pose
        self.unsure = True

    def begin_after(self, frame):
        """Start with the frame after this one; this moves the scene to it."""
        if frame:
            self.known[frame] = self._read(self.frame_start + frame)
            self.next = frame + 1

    def survey(self):
        """Visit all frames and refuse, before any work, objects whose count of points changes, or
        whose shape does though it must not.

        Yields after every frame, since this may take long; ends at once if it cannot happen.
        """
        for index in range(self.next, self.frame_count + 1) if self.unsure else ():
            self._read(self.frame_start + index)
            yield

    def has_room(self):
        """Return whether there is a frame to read, and the reader is not too far ahead."""
        wanted = bool(self.wanted or self.others)
        return wanted and self.next <= self.frame_count and not self.queue.full()

    def fill(self):
        """Read the next frame unless the reader is too far ahead; this moves the scene to it."""
        if not self.has_room():
            return
        try:
            answer = self._read(self.frame_start + self.next)
            self.next += 1
        except ValueError as error:  # raised in the solver, which may still solve earlier frames
            answer = error
            self.next = self.frame_count + 1
        try:
            self.queue.put_nowait(answer)
        except Full as full:
            raise RuntimeError("two threads read the scene") from full

    def _read(self, scene_frame):
        bpy.context.scene.frame_set(scene_frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        poses = {}
        for key, with_points in self.wanted.items():
            count = len(self.known[0][key].points) if with_points else None
            poses[key] = read_pose(found(key), depsgraph, with_points, count)
        for name, read in self.others.items():
            poses[name] = read(depsgraph)
        for key, start in self.rigid.items():
            pose = read_pose(found(key), depsgraph, True, len(start.points))
            if not pose.has_shape_of(start):
                raise ValueError(message("animation.shape_deforms", name=key[0], frame=scene_frame))
        return poses

    def at(self, key, time):
        """The pose of an object, or the followed value of a name, at a time [s] since the start."""
        frame = round(time / self.frame_time)
        last = max(self.known)
        while last < frame:
            try:
                answer = self.queue.get(timeout=PATIENCE)
            except Empty:
                if self.stop.is_set():
                    raise Stopped from None
                continue
            self.wake()
            if isinstance(answer, ValueError):
                raise answer
            last += 1
            self.known[last] = answer
            if last > 2:
                self.known.pop(last - 2, None)
        return self.known[frame][key]
