# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipliers of attachments and stiff springs (model/augmentation.py), raised by every sweep."""

import numpy as np
import warp as wp

from ..kernels import attachments as kernels
from ..model.augmentation import split
from .stage import RecordedStage, Stage


class AttachmentMultipliers(Stage):
    """λ ← s (λ + ρ C) for every row of an attachment."""

    def __init__(self, model):
        super().__init__(model)
        rows = model.attachments
        self.launch = model.launches.record(
            kernels.raise_multipliers, rows.count, [model.x], [rows.struct, rows.multiplier]
        )

    def after_sweep(self, _iteration):
        self.launch()


class Breaking(Stage):
    """Rows of attachments that pull too hard let go."""

    def __init__(self, model):
        super().__init__(model)
        rows = model.attachments
        outputs = [rows.struct, rows.multiplier, rows.broken]
        self.launch = model.launches.record(kernels.break_rows, rows.count, [model.x], outputs)

    def end_step(self):
        self.launch()


class SpringMultipliers(RecordedStage):
    """The same for springs, whose pull is a shorter rest length."""

    def __init__(self, model):
        springs, upload = model.assembly.springs, model.upload
        ratio = springs.damping_time / model.settings.step_time
        _, s = split(springs.stiffness * (1.0 + ratio), model.spring_penalty)
        constants = np.stack([model.spring_penalty, s, ratio / (1.0 + ratio)], axis=1)
        self.inputs = [
            upload(springs.corners.astype(np.int32), wp.vec2i),
            upload(springs.rest, float),
            upload(constants, wp.vec3),
            upload(model.record_place["spring"].astype(np.int32), wp.vec2i),
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
            [model.spring_multiplier, model.elements.spring_rest],
        )

    def begin_step(self, _fraction):
        """Start from the multipliers of the last step."""
        self.renew()
        self.apply()

    def after_sweep(self, _iteration):
        self.raise_all()
