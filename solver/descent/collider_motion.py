# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders that move, between the sweeps of a substep."""

import numpy as np

from ..device.launches import play
from ..kernels.contact import moving_colliders as kernels
from ..model.stage import Stage


class ColliderMotion(Stage):
    """Moves analytic colliders to their places at the end of the substep, before every sweep as far
    as the surface in front of them allows. Pinned vertices are passed.
    """

    def __init__(self, model, moving):
        super().__init__(model)
        record, points = model.launches.record, model.surface.points
        own = np.setdiff1d(np.arange(model.free_count), np.flatnonzero(model.surface.hidden))
        free = (points.corners < model.free_count).any(axis=1)
        vertices = np.concatenate([own, model.kinematic_end + np.flatnonzero(free)])
        vertices = model.upload(vertices.astype(np.int32), int)
        colliders, step = moving.struct, moving.step
        self.begin = record(
            kernels.begin_motion, len(moving), [model.fraction, moving.frame], [colliders, step]
        )
        inputs = [vertices, model.x, model.contact_model]
        self.launches = [
            model.launches.record_serial(kernels.find_free_way, len(vertices), inputs, [step]),
            record(kernels.go_on, len(moving), [], [colliders, step]),
        ]

    def begin_step(self):
        self.begin()

    def before_sweep(self):
        play(self.launches)
