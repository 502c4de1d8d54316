# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematic points: pins, the vertices of colliders, and the targets of attachments.

They are read once per frame and interpolated from their positions at its start.
"""

import numpy as np
import warp as wp

from ..bodies import points_at
from ..bodies.points import moves
from ..messages import message
from ..topology.meshes import are_flat, refuse_flat_triangles


class KinematicPoints:
    """Positions [m] of points at both ends of the frame, `at_start` and `at_end` [point].

    `first` is the number of the first point in the target array; `moves` is True if any may move,
    and `changed` [point] where one does in this frame. `known` are the positions at the end, on the
    host.
    """

    def __init__(self, first, moves, device):
        self.first, self.moves = first, moves
        self.known = self.read(0, 0.0).astype(np.float32)
        self.changed = np.zeros(len(self.known), dtype=bool)
        self.at_start = wp.array(self.known, dtype=wp.vec3, device=device)
        self.at_end = wp.clone(self.at_start)

    def save(self):
        """Return the state that passes from one frame to the next."""
        return {"known": self.known}

    def restore(self, saved):
        """Restore the result of `save`."""
        if saved["known"].shape != self.known.shape:
            raise ValueError(message("resume.pins"))
        self.known = saved["known"].astype(np.float32)
        if len(self.known):
            self.at_end.assign(self.known)

    def __len__(self):
        return len(self.at_end)

    def read(self, frame, time):
        """Positions [point, 3] in m at the end of a frame, relative to the scene's origin."""
        raise NotImplementedError

    def begin_frame(self, frame, time):
        """Read the positions at the end of this frame."""
        if self.moves:
            before = self.known
            wp.copy(self.at_start, self.at_end)
            self.known = self.read(frame, time).astype(np.float32)
            self.changed = (before != self.known).any(axis=1)
            self.at_end.assign(self.known)


class KinematicPins(KinematicPoints):
    """The pinned vertices of all bodies, which follow the free ones in solver order."""

    state_name = "pins"

    def __init__(self, bodies, assembly, device):
        self.origin, first = assembly.origin, assembly.free_count
        self.now = assembly.points[first:].copy()
        self.animated = [
            (body, vertices[body.pins.indices] - first)
            for body, vertices in zip(bodies, assembly.vertices, strict=True)
            if body.pins is not None and body.pins.targets is not None and len(body.pins.indices)
        ]
        super().__init__(first, bool(self.animated), device)

    def read(self, frame, time):
        for body, pins in self.animated:
            points = points_at(f"pins of {body.name}", body.pins.targets, frame, time)
            if len(points) != len(pins):
                raise ValueError(
                    message(
                        "script.pin_targets",
                        name=body.name,
                        count=len(points),
                        frame=frame,
                        pins=len(pins),
                    )
                )
            self.now[pins] = points - self.origin
        return self.now


class KinematicColliders(KinematicPoints):
    """The vertices of all colliders, which follow those of the bodies in solver order.

    `travel` [1] is the largest displacement of any of them in the frame [m], on the device.
    """

    state_name = "colliders"

    def __init__(self, colliders, assembly, device):
        self.colliders, self.origin = colliders, assembly.origin
        changes = any(moves(collider.points) for collider in colliders)
        for collider in colliders:
            if are_flat(collider.start, collider.triangles).all():
                refuse_flat_triangles(collider.name, collider.start, collider.triangles)
        super().__init__(len(assembly.points), changes, device)
        self.travel = wp.zeros(1, dtype=float, device=device)

    @property
    def saved(self):
        """Device arrays to save for a repeated frame, besides positions."""
        return {"travel": self.travel}

    def read(self, frame, time):
        read = [np.zeros((0, 3))]
        for collider in self.colliders:
            points = points_at(collider.name, collider.points, frame, time)
            if len(points) != collider.vertex_count:
                raise ValueError(
                    message(
                        "script.collider_vertices",
                        name=collider.name,
                        count=len(points),
                        frame=frame,
                        before=collider.vertex_count,
                    )
                )
            read.append(points - self.origin)
        return np.concatenate(read)

    def begin_frame(self, frame, time):
        before = self.known
        super().begin_frame(frame, time)
        if self.moves:
            paths = self.known.astype(float) - before
            self.travel.fill_(np.linalg.norm(paths, axis=1).max())


class AttachedPoints(KinematicPoints):
    """p of every row of the attachments; targets in space are relative to the origin.

    `grip_at_start` and `grip_at_end` [row] are the grips at both ends of the frame.
    """

    state_name = "attached_points"

    def __init__(self, attachments, assembly, device):
        self.attachments, self.origin = attachments, assembly.origin
        self.offset = assembly.attachments.offset
        two_way = [np.full(len(a.vertices), a.other is not None) for a in attachments]
        self.two_way = np.concatenate(two_way or [[]]).astype(bool)
        super().__init__(0, bool(attachments), device)
        self.known_grips = self._read_grips(0, 0.0).astype(np.float32)
        self.grip_at_start = wp.array(self.known_grips, dtype=float, device=device)
        self.grip_at_end = wp.clone(self.grip_at_start)

    def save(self):
        return super().save() | {"grips": self.known_grips}

    def restore(self, saved):
        super().restore(saved)
        if saved["grips"].shape != self.known_grips.shape:
            raise ValueError(message("resume.attachments"))
        self.known_grips = saved["grips"].astype(np.float32)
        if len(self.known_grips):
            self.grip_at_end.assign(self.known_grips)

    def _read_grips(self, frame, time):
        return np.concatenate([[], *(a.grips(frame, time) for a in self.attachments)])

    def begin_frame(self, frame, time):
        super().begin_frame(frame, time)
        if any(a.grip is not None for a in self.attachments):
            wp.copy(self.grip_at_start, self.grip_at_end)
            before = self.known_grips
            self.known_grips = self._read_grips(frame, time).astype(np.float32)
            self.changed |= before != self.known_grips
            self.grip_at_end.assign(self.known_grips)

    def read(self, frame, time):
        there = [a.there(frame, time) for a in self.attachments] or [np.zeros((0, 3))]
        there = np.concatenate(there)
        there[~self.two_way] -= self.origin
        return there + self.offset


class Kinematic:
    """All kinematic points of a scene: `pins`, `colliders` and `attached` points; and `analytic`,
    the `AnalyticMotion` of its analytic colliders.
    """

    def __init__(self, deformable, colliders, attachments, analytic, assembly, device):
        self.analytic = analytic
        self.attached = AttachedPoints(attachments, assembly, device)
        self.colliders = KinematicColliders(colliders, assembly, device)
        self.pins = KinematicPins(deformable, assembly, device)

    @property
    def moves_surfaces(self):
        """True if any collider or pin moves."""
        return self.colliders.moves or self.pins.moves

    @property
    def state_owners(self):
        """The owners of state for the next frame."""
        analytic = [self.analytic] if self.analytic.moves else []
        return [self.pins, self.attached, self.colliders, *analytic]

    def begin_frame(self, frame, time):
        """Read all positions at the end of this frame."""
        for owner in self.state_owners:
            owner.begin_frame(frame, time)
