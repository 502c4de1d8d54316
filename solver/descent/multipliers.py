# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipliers of attachments and stiff springs (model/penalties.py), raised by every sweep, and
attachments that change from step to step.
"""

import numpy as np
import warp as wp

from ..device.launches import play
from ..elements.springs import split
from ..elements.vertex_records import damped
from ..kernels.scene import attachments as kernels
from ..kernels.scene.joints import break_joints
from ..model.stage import RecordedStage, Stage
from ..scene.joints import joints_of


class AttachmentLaws(Stage):
    """Updates attachments that are damped, shrink, give way, or are released and gripped again.

    `points` are the `AttachedPoints` of the scene, which have moved already.
    """

    state_name = "attachment_laws"

    def __init__(self, model, points):
        super().__init__(model)
        rows = model.attachments
        before = wp.clone(points.at_start)
        self.saved = {"length": rows.length, "before": before}
        inputs = [model.x_start, points.at_end, points.grip_at_start, points.grip_at_end]
        inputs += [model.fraction, model.settings.substeps, rows.laws, rows.broken]
        outputs = [rows.struct, rows.multiplier, rows.length, before]
        self.launch = model.launches.record(kernels.adapt_rows, rows.count, inputs, outputs)

    def begin_step(self):
        self.launch()


class AttachmentMultipliers(Stage):
    """Updates the multiplier of every row of an attachment: λ ← s (λ + ρ C)."""

    def __init__(self, model):
        super().__init__(model)
        rows = model.attachments
        self.launch = model.launches.record(
            kernels.raise_multipliers, rows.count, [model.x], [rows.struct, rows.multiplier]
        )

    def after_sweep(self):
        self.launch()


class Breaking(Stage):
    """Breaks rows of attachments whose force exceeds their strength, and joints."""

    def __init__(self, model):
        super().__init__(model)
        rows, record = model.attachments, model.launches.record
        outputs = [rows.struct, rows.multiplier, rows.broken]
        self.launches = [record(kernels.break_rows, rows.count, [model.x], outputs)]
        joints = joints_of(model.assembly.attachments)
        if joints:
            spans = np.array([span for _joint, *span in joints]).T
            first, end = (model.upload(ends.astype(np.int32), int) for ends in spans)
            strength = model.upload([float(joint.strength) for joint, *_ in joints], float)
            arm = model.upload([0.5 * joint.size for joint, *_ in joints], float)
            inputs = [first, end, arm, strength, model.x]
            self.launches.append(record(break_joints, len(joints), inputs, outputs))

    def end_step(self):
        play(self.launches)


class SpringMultipliers(RecordedStage):
    """Updates the multipliers of stiff springs, which act through their rest lengths."""

    def __init__(self, model):
        springs, upload = model.assembly.elements["springs"], model.upload
        step_time = model.settings.step_time
        stiffness, blend = damped(springs.stiffness, springs.damping_time / step_time)
        _, s = split(stiffness, springs.penalty)
        constants = np.stack([springs.penalty, s, blend], axis=1)
        numbers = model.tables["springs"].number.astype(np.int32)
        self.inputs = [
            upload(springs.corners.astype(np.int32), wp.vec2i),
            upload(springs.rest, float),
            upload(constants, wp.vec3),
            upload(numbers, wp.vec2i),
            model.x_start,
        ]
        super().__init__(model)

    def record(self):
        self.apply, self.raise_all = (self._launch(raised_by) for raised_by in (0, 1))

    def _launch(self, raised_by):
        model = self.model
        return model.launches.record(
            kernels.raise_spring_multipliers,
            len(model.spring_multiplier),
            [model.x, raised_by, *self.inputs],
            [model.spring_multiplier, model.tables["springs"].struct.rest],
        )

    def begin_step(self):
        """Start from the multipliers of the last step."""
        self.apply()

    def after_sweep(self):
        self.raise_all()
