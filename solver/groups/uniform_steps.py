# SPDX-License-Identifier: GPL-3.0-or-later
"""Uniform steps of stiff bodies, to the guess and in coarse steps: all vertices take the smallest
fraction of any.

If some vertices stop at contacts and the others do not, the guess presses a body flat. Soft bodies
tolerate that. In bodies where sound travels far in a substep, sweeps would have to undo a false
deformation, and its rest would become motion. And along a coarse step that presses bodies flat the
energy does not fall: none would be taken in an impact.
"""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.groups import uniform_steps as kernels
from ..topology.meshes import tet_volumes

# A body is stiff if shear waves travel through this fraction of it within a substep.
STIFF = 0.3


def stiff_bodies(assembly, step_time):
    """True for vertices of free solids in which shear waves travel far within a substep
    [free vertex].
    """
    count, points = len(assembly.vertices), assembly.rest_points
    of = np.zeros(len(points), dtype=np.int64)
    for number, vertices in enumerate(assembly.vertices):
        of[vertices] = number
    softest, volume = np.full(count, np.inf), np.zeros(count)
    tets, cells = assembly.solids
    sides = points[cells.corners[:, [1, 2, 4]]] - points[cells.corners[:, :1]]
    volumes = tet_volumes(points, tets.corners), np.abs(np.linalg.det(sides)) * cells.part
    for solids, volumes_of in zip(assembly.solids, volumes, strict=True):
        body = of[solids.corners[:, 0]]
        np.minimum.at(softest, body, solids.lame_mu)
        np.add.at(volume, body, volumes_of)
    mass = np.bincount(of, assembly.mass, minlength=count)
    held = assembly.held_from_outside()
    held[assembly.attachments.corners] = True
    stiff = np.isfinite(softest) & (np.bincount(of, held, minlength=count) == 0)
    for number in np.flatnonzero(stiff):
        size = np.ptp(points[assembly.vertices[number]], axis=0).max()
        speed = np.sqrt(softest[number] * volume[number] / mass[number])
        stiff[number] = step_time * speed > STIFF * size
    return stiff[of[: assembly.free_count]]


class UniformSteps:
    """Limits stiff bodies, after steps of all vertices, to the fraction that all may take."""

    def __init__(self, model):
        self.model, stiff = model, stiff_bodies(model.assembly, model.settings.step_time)
        truncation = model.contact.truncation
        self.has_stiff_bodies = bool(truncation.on and stiff.any())
        if not self.has_stiff_bodies:
            return
        device, body = model.device, model.contact.struct.body
        vertex = model.upload(np.flatnonzero(stiff).astype(np.int32), int)
        self.before = wp.clone(model.x)
        self.least = wp.zeros(len(model.assembly.vertices), dtype=float, device=device)
        mine, record = [vertex, body], model.launches.record
        taking = [*mine, self.before, truncation.candidate, self.least]
        self.launches = [
            record(kernels.find_least, len(vertex), [*mine, truncation.fraction], [self.least]),
            record(kernels.take_least, len(vertex), taking, [model.x]),
        ]

    def commit(self, first, last, together=False):
        """Commit candidates like `model.commit`, with uniform steps of stiff bodies."""
        if self.has_stiff_bodies:
            wp.copy(self.before, self.model.x)
            self.least.fill_(1.0)
        self.model.commit(first, last, together)
        if self.has_stiff_bodies:
            play(self.launches)
            self.model.followers.listed(first, last)()
            self.model.contact.truncation.turn(first, last)
