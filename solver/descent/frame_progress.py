# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of the frame, for linear interpolation between its start and its end."""

import warp as wp

from ..kernels.descent.motion import advance
from ..model.stage import Stage


class FrameProgress(Stage):
    """Counts substeps on the device; `model.fraction` is that of the frame at the end of each."""

    state_name = "clock"

    def __init__(self, model):
        super().__init__(model)
        self.substep = wp.zeros(1, dtype=int, device=model.device)
        self.saved = {"substep": self.substep}
        self.advance = model.launches.record(
            advance, 1, [model.settings.substeps], [self.substep, model.fraction]
        )

    def begin_frame(self, _frame, _time):
        self.substep.zero_()

    def begin_step(self):
        self.advance()
