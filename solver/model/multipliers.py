# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments and stiff springs on the device, and the multipliers that make them converge."""

import numpy as np
import warp as wp

from ..elements.records import damped
from ..elements.springs import split
from ..kernels import attachments as kernels
from ..kernels.motion import move_points
from ..topology.graphs import connected_components

# The penalty ρ of a multiplier is this times the stiffness around it. An attachment stiffer than ρ
# gets one; a spring only when it is stiffer than this times ρ, for then the sweeps really crawl.
STIFF = 10.0


def surroundings(assembly, settings):
    """Stiffness [N/m] that each vertex has without attachments and springs, and its inertia.

    Without inertia, that of its softest spring stands in for it.
    """
    count = len(assembly.points)
    total = assembly.mass / settings.step_time**2
    if settings.quasistatic:
        total = np.full(count, np.inf)
        springs = assembly.elements.get("springs")
        if springs is not None:
            np.minimum.at(total, springs.corners, springs.stiffness[:, None])
        total[~np.isfinite(total)] = 0.0
    for elements, modulus, dimension in (
        (assembly.tets, assembly.tets.lame_mu, 3),
        (assembly.triangles, assembly.triangles.shear, 2),
    ):
        if len(elements):
            corners = elements.corners
            size = _sizes(assembly.rest_points, corners) ** (dimension - 2)
            share = np.repeat(modulus * size, corners.shape[1])
            total = total + np.bincount(corners.ravel(), share, minlength=count)
    return total


def _sizes(points, corners):
    """Length of the first edge of every element [m]."""
    return np.linalg.norm(points[corners[:, 1]] - points[corners[:, 0]], axis=1)


class Ties:
    """The attachments of a scene."""

    def __init__(self, attachments, assembly, settings, device):
        self.attachments, self.origin, self.device = attachments, assembly.origin, device
        rows = assembly.attachments
        self.count = len(rows.corners)
        around = surroundings(assembly, settings)
        weakest = np.where(rows.weights != 0.0, around[rows.corners], np.inf).min(axis=1)
        limit = STIFF * weakest
        stiff = rows.stiffness.max(axis=1, initial=0.0) > limit
        self.penalty = np.where(stiff & settings.augmented, limit, 0.0)
        self.on = bool(self.penalty.any())
        self.offset = rows.offset
        self.two_way = np.concatenate(
            [np.full(len(a.vertices), a.other is not None) for a in attachments] or [[]]
        ).astype(bool)
        self.struct = self._upload(rows, len(assembly.points))
        self.multiplier = wp.zeros(self.count, dtype=wp.vec3, device=device)
        self.broken = wp.zeros(self.count, dtype=int, device=device)
        self.breakable = bool(np.isfinite(rows.strength).any())
        self.at_end = wp.array(self.targets(0, 0.0), dtype=wp.vec3, device=device)
        self.at_start = wp.clone(self.at_end)

    def _upload(self, rows, vertex_count):
        struct, device = kernels.Attachments(), self.device
        data = np.zeros(self.count, dtype=kernels.AttachmentRow.numpy_dtype())
        for k, letter in enumerate("abcde"):
            data[letter] = rows.corners[:, k]
        data["weights"], data["normal"] = rows.weights[:, 1:], rows.normal
        for k, name in enumerate(("along", "across")):
            data[name] = np.stack(split(rows.stiffness[:, k], self.penalty), axis=1)
        data["penalty"] = self.penalty
        data["strength"] = np.minimum(rows.strength, np.finfo(np.float32).max)
        used = rows.weights != 0.0
        vertices, row = rows.corners[used], np.nonzero(used)[0]
        order = np.argsort(vertices, kind="stable")
        start = np.zeros(vertex_count + 1, dtype=np.int32)
        np.cumsum(np.bincount(vertices, minlength=vertex_count), out=start[1:])
        struct.start = wp.array(start, dtype=int, device=device)
        struct.row = wp.array(row[order].astype(np.int32), dtype=int, device=device)
        struct.weight = wp.array(rows.weights[used][order], dtype=float, device=device)
        struct.rows = wp.array(data, dtype=kernels.AttachmentRow, device=device)
        struct.point = wp.zeros(self.count, dtype=wp.vec3, device=device)
        struct.pull = wp.zeros(self.count, dtype=wp.vec3, device=device)
        return struct

    def targets(self, frame, time):
        """p of every row [m], relative to the origin where it lies in space."""
        there = [a.there(frame, time) for a in self.attachments] or [np.zeros((0, 3))]
        there = np.concatenate(there)
        there[~self.two_way] -= self.origin
        return there + self.offset

    def begin_frame(self, frame, time):
        """Read where the points will be at the end of this frame."""
        if self.count:
            wp.copy(self.at_start, self.at_end)
            self.at_end.assign(self.targets(frame, time).astype(np.float32))

    def move(self, share):
        """Put the points where they are after a share of the frame."""
        if self.count:
            wp.launch(
                move_points,
                dim=self.count,
                inputs=[self.at_start, self.at_end, share, 0],
                outputs=[self.struct.point],
                device=self.device,
            )

    def carried(self):
        """Arrays that a sweep changes."""
        return [self.multiplier, self.struct.pull] if self.count else []

    def after_sweep(self, x):
        """Raise the multipliers."""
        if self.on:
            wp.launch(
                kernels.raise_multipliers,
                dim=self.count,
                inputs=[x, self.struct],
                outputs=[self.multiplier],
                device=self.device,
            )

    def after_step(self, x):
        """Let go of rows that pull too hard."""
        if self.breakable:
            wp.launch(
                kernels.break_rows,
                dim=self.count,
                inputs=[x],
                outputs=[self.struct, self.multiplier, self.broken],
                device=self.device,
            )

    def broken_count(self):
        return int(self.broken.numpy().sum()) if self.breakable else 0


class StiffSprings:
    """The springs of a scene that get a multiplier."""

    def __init__(self, model, settings):
        self.model, springs = model, model.assembly.elements.get("springs")
        self.on = springs is not None and bool((springs.penalty > 0.0).any())
        if not self.on:
            return
        self.count, device = len(springs), model.device
        stiffness, blend = damped(springs.stiffness, springs.damping_time / settings.step_time)
        _, s = split(stiffness, springs.penalty)
        constants = np.stack([springs.penalty, s, blend], axis=1)
        numbers = model.tables["springs"].number.astype(np.int32)
        self.inputs = [
            wp.array(springs.corners.astype(np.int32), dtype=wp.vec2i, device=device),
            wp.array(springs.rest, dtype=float, device=device),
            wp.array(constants, dtype=wp.vec3, device=device),
            wp.array(numbers, dtype=wp.vec2i, device=device),
            model.x_start,
        ]
        self.multiplier = wp.zeros(self.count, dtype=float, device=device)

    def carried(self):
        """Arrays that a sweep changes."""
        return [self.multiplier, self.model.tables["springs"].struct.rest] if self.on else []

    def _launch(self, x, raise_by):
        wp.launch(
            kernels.raise_spring_multipliers,
            dim=self.count,
            inputs=[x, raise_by, *self.inputs],
            # The rest lengths are new ones after a tear.
            outputs=[self.multiplier, self.model.tables["springs"].struct.rest],
            device=self.model.device,
        )

    def begin_step(self):
        """Start from the multipliers of the last step."""
        if self.on:
            self._launch(self.model.x, 0)

    def after_sweep(self):
        """Raise the multipliers."""
        if self.on:
            self._launch(self.model.x, 1)


def spring_penalty(assembly, settings):
    """ρ [N/m] of every spring, 0 for those that are not much stiffer than what is around them.

    Around a spring are the inertia of its lighter end and the softest spring of its net.
    """
    springs = assembly.elements["springs"]
    if not settings.augmented:
        return np.zeros(len(springs))
    around = surroundings(assembly, settings)[springs.corners].min(axis=1)
    net = connected_components(springs.corners, len(assembly.points))[springs.corners[:, 0]]
    softest = np.full(net.max() + 1, np.inf)
    np.minimum.at(softest, net, springs.stiffness)
    limit = STIFF * (around + softest[net])
    return np.where(springs.stiffness > STIFF * limit, limit, 0.0)
