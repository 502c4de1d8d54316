# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders that move: read once per frame and interpolated from its start."""

import numpy as np
import warp as wp

from ..kernels.contact.analytic_colliders import PLANE, SPHERE, AnalyticColliders, ColliderPlaces
from ..kernels.contact.moving_colliders import FramePath, StepPath
from ..messages import message
from .analytic_colliders import Plane, even_scale, friction_at


class AnalyticMotion:
    """All analytic colliders and the ground of the settings, on the device as `struct`, and their
    motion in time: `frame`, a `FramePath`, and `step`, a `StepPath`.

    `moves` is True if any collider may move; `changed` [collider] is True for those that move in
    this frame, and `known` [collider, 4, 4] maps each from where it is given to its place at the
    end, relative to the scene's origin.
    """

    state_name = "analytic_colliders"

    def __init__(self, colliders, assembly, settings, device):
        if settings.use_ground:
            colliders = [*colliders, Plane((0.0, 0.0, settings.ground_height), name="Ground")]
        self.colliders, self.settings = colliders, settings
        self.origin, self.device = assembly.origin, device
        self.walls = [(collider, *wall) for collider in colliders for wall in collider.walls()]
        moving = np.array([wall[0].motion is not None for wall in self.walls], dtype=bool)
        self.moving, self.moves = moving, bool(moving.any())
        self.changed = np.zeros(len(self.walls), dtype=bool)
        self.known = self._read(0.0)
        self.struct = self._colliders(self.frictions(0.0), settings.step_time)
        if self.moves:
            self._make_paths()

    def frictions(self, time):
        """Return the friction of all walls at a time [s]."""
        return [friction_at(wall[0], self.settings, time) for wall in self.walls]

    def _upload(self, values, dtype, shape=-1):
        return wp.array(np.reshape(values, shape), dtype=dtype, device=self.device)

    def _colliders(self, friction, step_time):
        """Return the `AnalyticColliders`; start and goal share arrays with now if none moves."""
        struct, count = AnalyticColliders(), len(self.walls)
        struct.kind = self._upload([wall[1] for wall in self.walls], int)
        struct.moves = self._upload(self.moving.astype(np.int32), int)
        struct.any_moves = int(self.moves)
        struct.friction = self._upload(friction, float)
        static = [wall[0].static_friction for wall in self.walls]
        struct.static_friction = self._upload(static, float)
        struct.turn = self._upload(np.zeros((count, 3, 3)), wp.mat33, (-1, 3, 3))
        struct.shift = self._upload(np.zeros((count, 3)), wp.vec3, (-1, 3))
        struct.step_time = step_time
        struct.now = struct.start = struct.goal = self._places()
        if self.moves:
            struct.start, struct.goal = self._places(), self._places()
        return struct

    def _places(self):
        """Return the `ColliderPlaces` where the colliders are `known` to be."""
        places = ColliderPlaces()
        center, normal, size = self._numbers()
        places.center = self._upload(center, wp.vec3, (-1, 3))
        places.normal = self._upload(normal, wp.vec3, (-1, 3))
        places.size = self._upload(size, float)
        return places

    def _numbers(self):
        """Return centers and normals [collider, 3] and sizes [collider] at the `known` places."""
        found = []
        for wall, matrix in zip(self.walls, self.known, strict=True):
            collider, kind, at, normal, size = wall
            at = at - self.origin
            if collider.motion is not None:
                axes = matrix[:3, :3]
                at = axes @ at + matrix[:3, 3]
                normal = np.linalg.solve(axes.T, normal)
                normal /= np.linalg.norm(normal)
                if kind == SPHERE:
                    size *= even_scale(collider.name, axes)
            if kind == PLANE:  # its point nearest to the origin rounds the least
                at = (at @ normal) * normal
            found.append((at, normal, size))
        return zip(*found, strict=True) if found else [()] * 3

    def _make_paths(self):
        self.frame, self.step = FramePath(), StepPath()
        count, maps = len(self.walls), self._maps
        self.frame.at_start, self.frame.at_end = self._places(), self._places()
        self.frame.map_at_start, self.frame.map_at_end = maps(), maps()
        self.step.map_at_start, self.step.map_at_goal = maps(), maps()
        self.step.turn = self._upload(np.zeros((count, 3, 3)), wp.mat33, (-1, 3, 3))
        self.step.shift = self._upload(np.zeros((count, 3)), wp.vec3, (-1, 3))
        self.step.progress = self._upload(np.ones(count), float)
        self.step.allowed = self._upload(np.ones(count), float)

    def _maps(self):
        return self._upload(self.known, wp.mat44d, (-1, 4, 4))

    def _read(self, time):
        """Return the maps of all colliders at a time [s], float64 [collider, 4, 4]."""
        maps = np.tile(np.eye(4), (len(self.walls), 1, 1))
        for number, wall in enumerate(self.walls):
            if wall[0].motion is not None:
                maps[number] = _matrix_of(wall[0], time)
                maps[number, :3, 3] += maps[number, :3, :3] @ self.origin - self.origin
        return maps

    def __len__(self):
        return len(self.walls)

    @property
    def saved(self):
        """Device arrays that pass from one substep to the next."""
        now, start, step = self.struct.now, self.struct.start, self.step
        return {
            "center": now.center,
            "normal": now.normal,
            "size": now.size,
            "start_center": start.center,
            "start_normal": start.normal,
            "start_size": start.size,
            "turn": self.struct.turn,
            "shift": self.struct.shift,
            "map_at_start": step.map_at_start,
            "map_at_goal": step.map_at_goal,
            "progress": step.progress,
        }

    def save(self):
        """Return the state that passes from one frame to the next."""
        return {"known": self.known}

    def restore(self, saved):
        """Restore the result of `save`."""
        if saved["known"].shape != self.known.shape:
            raise ValueError(message("resume.pins"))
        self.known = saved["known"].astype(np.float64)
        self._assign_end()

    def _assign_end(self):
        center, normal, size = self._numbers()
        end = self.frame.at_end
        end.center.assign(np.array(center))
        end.normal.assign(np.array(normal))
        end.size.assign(np.array(size))
        self.frame.map_at_end.assign(self.known)

    def begin_frame(self, _frame, time):
        """Read the places at the end of this frame."""
        start, end = self.frame.at_start, self.frame.at_end
        for name in ("center", "normal", "size"):
            wp.copy(getattr(start, name), getattr(end, name))
        wp.copy(self.frame.map_at_start, self.frame.map_at_end)
        before, self.known = self.known, self._read(time)
        self.changed = (before != self.known).any(axis=(1, 2))
        self._assign_end()


def _matrix_of(collider, time):
    """Return the matrix [4, 4] of a collider's motion at a time [s], checked."""
    matrix = np.array(collider.motion(time), dtype=np.float64)
    sound = matrix.shape == (4, 4) and np.isfinite(matrix).all()
    if not sound or abs(np.linalg.det(matrix[:3, :3])) < np.finfo(np.float32).tiny:
        raise ValueError(message("script.collider_motion", name=collider.name, time=time))
    return matrix
