# SPDX-License-Identifier: GPL-3.0-or-later
"""Sliders, limits and motors of joints: rows of attachments that follow a body, and contact of
joined bodies (kernels/scene/joints.py).
"""

import numpy as np
import warp as wp

from ..elements.springs import split
from ..kernels.scene import joints as kernels
from ..model.stage import Stage
from ..scene.attachment_rows import RIGID
from ..scene.joints import kept_apart


class JointMultipliers(Stage):
    """Tempers the multipliers of joints between bodies that contact holds."""

    def __init__(self, model):
        super().__init__(model)
        rows, attachments = model.assembly.attachments, model.attachments
        joined = [r for r, joint in enumerate(rows.joint) if joint is not None]
        truncation, self.multiplier = model.contact.truncation, attachments.multiplier
        self.before = wp.clone(self.multiplier)
        inputs = [model.upload(np.array(joined, np.int32), int)]
        inputs += [truncation.fraction, truncation.cut, self.before]
        outputs = [attachments.struct, self.multiplier]
        kernel = kernels.temper_multipliers
        self.temper = model.launches.record(kernel, len(joined), inputs, outputs)

    @staticmethod
    def is_needed(model):
        """Return whether contact may hold joined bodies."""
        joints = any(joint is not None for joint in model.assembly.attachments.joint)
        return joints and model.contact is not None and model.contact.truncation.on

    def before_sweep(self):
        wp.copy(self.before, self.multiplier)

    def after_sweep(self):
        self.temper()


class JointContact(Stage):
    """Lets the bodies of a fixed joint touch once it is broken; `bodies` are those of the scene."""

    def __init__(self, model, bodies):
        super().__init__(model)
        rows, may_touch = model.assembly.attachments, model.surface.may_touch
        apart = kept_apart(may_touch, rows, bodies)
        inputs = [model.upload(column, int) for column in apart.T]
        inputs += [len(may_touch), model.attachments.broken]
        outputs = [model.contact.struct.may_touch]
        self.launch = model.launches.record(kernels.part_bodies, len(apart), inputs, outputs)

    @staticmethod
    def is_needed(model, bodies):
        """Return whether such bodies may touch."""
        rows, may_touch = model.assembly.attachments, model.surface.may_touch
        return model.contact is not None and len(kept_apart(may_touch, rows, bodies)) > 0

    def begin_step(self):
        self.launch()


class JointGuides(Stage):
    """Turns the normals of guided rows, and moves their targets, before and after every sweep.

    `attached` are the `AttachedPoints` of the scene; those whose goals change are driven.
    """

    state_name = "joint_guides"

    def __init__(self, model, attached):
        super().__init__(model)
        rows, attachments = model.assembly.attachments, model.attachments
        self.attached = attached
        self.row = np.array([r for r, guide in enumerate(rows.guides) if guide is not None])
        self.guides = rows.guides[self.row]
        count, device, record = len(self.row), model.device, model.launches.record
        self.given = wp.zeros(count, dtype=wp.vec2, device=device)
        self.starts, self.ends = (wp.zeros(count, dtype=wp.transform, device=device) for _ in "ab")
        goal = wp.zeros(count, dtype=float, device=device)
        self.saved = {"goal": goal}
        struct, h = attachments.struct, model.settings.step_time
        known = [wp.array(self._data(), dtype=kernels.Guide, device=device), self.starts, self.ends]
        substep = 1.0 / model.settings.substeps
        times = [self.given, model.fraction, substep, h]
        self.begin = record(
            kernels.begin_guides, count, [*known, *times, model.x_start, struct], [goal]
        )
        state = [goal, model.fraction, attachments.broken, model.x]
        outputs = [struct, attachments.multiplier]
        self.follow = record(kernels.follow_bodies, count, [*known, *state], outputs)

    def _data(self):
        """Return the `Guide`s [guide]."""
        rows, attachments = self.model.assembly.attachments, self.model.attachments
        assembly, used = self.model.assembly, rows.used()
        data = np.zeros(len(self.row), dtype=kernels.Guide.numpy_dtype())
        begin = np.cumsum(used.sum(axis=1)) - used.sum(axis=1)
        of_entry = rows.corners[used]
        slot = np.empty(len(of_entry), dtype=np.int64)
        slot[np.argsort(of_entry, kind="stable")] = np.arange(len(of_entry))
        in_space = rows.to_space()
        for one, r, guide in zip(data, self.row, self.guides, strict=True):
            one["row"], one["first"] = r, -1
            center = np.zeros(3)
            if not in_space[r]:
                first = begin[r] + RIGID
                one["first"], one["slots"] = first, slot[first : first + RIGID]
                corners = assembly.points[rows.corners[r, RIGID : 2 * RIGID]]
                center = corners.mean(axis=0)
                one["gradient"] = gradients(corners)
            elif guide.pose is not None:
                center = guide.pose(0.0)[:3, 3] - assembly.origin
            one["center"], one["place"] = center, guide.place - assembly.origin
            for name in ("axis", "zero", "arm", "sign", "aim", "slack", "middle"):
                one[name] = getattr(guide, name)
            stiffness = rows.stiffness[r, 0]
            one["stiffness"] = split(stiffness, attachments.penalty[r])
        return data

    @staticmethod
    def is_needed(model):
        """Return whether any joint has such rows."""
        return any(guide is not None for guide in model.assembly.attachments.guides)

    def begin_frame(self, _frame, time):
        """Read goals and places at both ends of the frame."""
        times = time - self.model.settings.frame_time, time
        given = np.array([[guide.goal_at(t) for t in times] for guide in self.guides])
        self.given.assign(given.astype(np.float32))
        for places, at in zip((self.starts, self.ends), times, strict=True):
            places.assign(np.array([self._place(guide, at) for guide in self.guides], np.float32))
        moves = (given[:, 0] != given[:, 1]) | [bool(g.aim and g.goal) for g in self.guides]
        self.attached.changed[self.row] |= moves

    def _place(self, guide, time):
        """Return the place of a target in space, as a translation and a quaternion [7]."""
        if guide.pose is None:
            return [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        matrix, start = guide.pose(time), guide.pose(0.0)
        turn = matrix[:3, :3] @ np.linalg.inv(start[:3, :3])
        turned = wp.quat_from_matrix(wp.mat33(*turn.ravel().tolist()))
        return [*(matrix[:3, 3] - self.model.assembly.origin), *turned]

    def begin_step(self):
        self.begin()
        self.follow()

    def after_sweep(self):
        self.follow()


def gradients(corners):
    """Gradients [4, 3] in 1/m of the weights of four corners [4, 3]."""
    matrix = np.vstack([corners.T, np.ones(4)])
    return np.linalg.inv(matrix)[:, :3]
