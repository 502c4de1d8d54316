# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of tears, which end the part of a frame that needs no host (model/tearing.py)."""

import numpy as np
import warp as wp

from ..kernels.descent import tear_detection as kernels
from ..model.stage import RecordedStage

# Rough cost of a triangle [ns].
TRIANGLE = 20.0


class TearDetection(RecordedStage):
    """Skips the rest of the frame where a `Tearing` must split a vertex."""

    def __init__(self, model, tearing):
        self.tearing = tearing
        super().__init__(model)

    def record(self):
        model, cloth = self.model, self._cloth()
        inputs, outputs = [cloth, model.x], [model.frame_continues]
        count = len(cloth.triangles)
        self.launch = model.launches.record(kernels.find_tears, count, inputs, outputs, TRIANGLE)

    def _cloth(self):
        """Return the current `TearingCloth`."""
        upload, tears = self.model.upload, list(self.tearing.tears.values())
        triangles = np.concatenate([tear.vertices[tear.triangles] for tear in tears])
        counts = np.bincount(triangles.ravel(), minlength=self.model.vertex_count)
        splits = np.zeros(self.model.vertex_count, dtype=np.int32)
        for tear in tears:
            splits[tear.vertices] = tear.can_wake()
        cloth = kernels.TearingCloth()
        cloth.triangles = upload(triangles.astype(np.int32), wp.vec3i)
        cloth.rest = upload(np.concatenate([tear.rest for tear in tears]), wp.vec3d)
        strains = [np.full(len(tear.rest), tear.body.tear_strain) for tear in tears]
        cloth.tear_strain = upload(np.concatenate(strains), wp.float64)
        cloth.start = upload(np.append(0, np.cumsum(counts)).astype(np.int32), int)
        around = np.argsort(triangles.ravel(), kind="stable") // 3
        cloth.around = upload(around.astype(np.int32), int)
        cloth.splits = upload(splits, int)
        return cloth

    def end_step(self):
        """Look for tears at the positions at the end of the substep."""
        self.launch()
