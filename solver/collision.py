# SPDX-License-Identifier: GPL-3.0-or-later
"""Collider meshes on the device: queried for contacts, led through their frames."""

import numpy as np
import warp as wp

from .bodies import points_at, refuse_flat_triangles
from .kernels import detection
from .kernels.motion import move_points


def directed_edges(triangles):
    """Edges opposite to each corner, [triangle, 3, 2], wound like their triangle."""
    return triangles[:, [[1, 2], [2, 0], [0, 1]]]


def border_bits(triangles):
    """Per triangle, bit k set when the edge opposite to corner k has no neighbor across it."""
    edges = directed_edges(triangles).reshape(-1, 2).astype(np.int64)
    span = int(triangles.max()) + 1
    forward = edges[:, 0] * span + edges[:, 1]
    backward = edges[:, 1] * span + edges[:, 0]
    border = ~np.isin(forward, backward)
    return (border.reshape(-1, 3) * np.array([1, 2, 4])).sum(axis=1)


class LedMesh:
    """One collider as a `wp.Mesh` that moves from frame to frame."""

    def __init__(self, collider, origin, device):
        self.collider, self.origin, self.device = collider, origin, device
        self.moves = callable(collider.points) or np.ndim(collider.points[0]) == 2
        points = self._points(0, 0.0)
        refuse_flat_triangles(collider.name, points, collider.triangles)
        self.at_start = wp.array(points, dtype=wp.vec3, device=device)
        self.at_end = wp.clone(self.at_start)
        self.travel = 0.0
        self.mesh = wp.Mesh(
            points=wp.clone(self.at_start),
            indices=wp.array(collider.triangles.ravel(), dtype=int, device=device),
            velocities=wp.zeros(len(points), dtype=wp.vec3, device=device),
        )
        self._last = points

    def _points(self, frame, time):
        points = points_at(self.collider.name, self.collider.points, frame, time)
        if len(points) != self.collider.vertex_count:
            raise ValueError(
                f"{self.collider.name}: the collider has {len(points)} vertices in frame {frame} "
                f"after the start, {self.collider.vertex_count} before; keep its vertex count"
            )
        return points - self.origin

    def begin_frame(self, frame, time, substeps):
        """Read where the mesh will be at the end of this frame."""
        if not self.moves:
            return
        points = self._points(frame, time)
        motion = (points - self._last) / substeps
        self.travel = float(np.linalg.norm(motion, axis=1).max())
        wp.copy(self.at_start, self.at_end)
        self.at_end.assign(points.astype(np.float32))
        self.mesh.velocities.assign(motion.astype(np.float32))
        self._last = points

    def move(self, share):
        """Put the mesh where it is after a share of the frame."""
        if not self.moves:
            return
        wp.launch(
            move_points,
            dim=len(self.at_start),
            inputs=[self.at_start, self.at_end, share, 0],
            outputs=[self.mesh.points],
            device=self.device,
        )
        self.mesh.refit()


class Collisions:
    """All colliders of a scene and the ground."""

    def __init__(self, colliders, settings, origin, device):
        self.meshes = [LedMesh(collider, origin, device) for collider in colliders]
        triangles = [collider.triangles for collider in colliders]
        borders = [border_bits(t) for t in triangles]
        struct = detection.Colliders()

        def upload(values, dtype):
            return wp.array(np.array(values), dtype=dtype, device=device)

        struct.mesh = upload([led.mesh.id for led in self.meshes], wp.uint64)
        struct.closed = upload([not border.any() for border in borders], int)
        struct.thickness = upload([c.thickness for c in colliders], float)
        struct.friction = upload(
            [settings.friction if c.friction is None else c.friction for c in colliders], float
        )
        struct.travel = upload([0.0] * len(colliders), float)
        struct.face_start = upload(np.cumsum([0, *map(len, triangles)])[:-1], int)
        struct.border = upload(np.concatenate([[], *borders]), int)
        struct.use_ground = int(settings.use_ground)
        struct.ground_height = settings.ground_height - origin[2]
        struct.ground_friction = settings.friction
        self.struct = struct

    @property
    def slots(self):
        """The most contacts one vertex can have."""
        return len(self.meshes) + self.struct.use_ground

    def begin_frame(self, frame, time, substeps):
        for led in self.meshes:
            led.begin_frame(frame, time, substeps)
        if self.meshes:
            self.struct.travel.assign(np.array([m.travel for m in self.meshes], dtype=np.float32))

    def move(self, share):
        for led in self.meshes:
            led.move(share)
