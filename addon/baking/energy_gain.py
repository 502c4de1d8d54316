# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy that comes from nowhere: what falls, swings and bounces with nothing that drives it never
has more than at its start.
"""

import numpy as np

from ...solver.bodies import Cloth
from ...solver.messages import message
from ..gathering.reader import found
from ..objects.participants import BODIES
from .report import Line, advice

# It shows from this part of the largest kinetic energy on, ...
PART = 0.25
# ... and where it would lift everything by this part of the largest body.
LIFTS = 0.05


class EnergyGain:
    """Gathers the energies of the frames of a `Gathered` scene that nothing drives.

    What attachments hold is not known, but none of it is there at the start: what is known is at
    most what there was.
    """

    def __init__(self, gathered):
        self.gathered = gathered
        settings = gathered.settings
        self.counts = any(settings.gravity) and not settings.quasistatic and not is_driven(gathered)
        self.first, self.visible, self.kinetic = None, 0.0, 0.0
        self.grown = None
        """The first frame whose energy is so much larger."""

    def take(self, frame, stats):
        """Count a frame with its `Statistics`."""
        # What is led apart is lifted; a bake that goes on does not know its start.
        self.counts &= not stats.tangles and (self.first is not None or frame == 1)
        if not self.counts:
            return
        if self.first is None:
            self.first, self.visible = stats.energy, self._visible()
        self.kinetic = max(self.kinetic, stats.kinetic_energy)
        gain = stats.energy - self.first
        if self.grown is None and gain > max(PART * self.kinetic, self.visible):
            self.grown = frame

    def _visible(self):
        """Energy [J] that nobody would miss: also what attachments take in the first frame."""
        # Warp takes half a second to import; not while Blender starts.
        from ...solver.model.assembly import vertex_mass

        settings, bodies = self.gathered.settings, self.gathered.simulated()
        gravity = float(np.linalg.norm(settings.gravity))
        size = max(float(np.ptp(body.points, axis=0).max()) for body in bodies)
        height = max(LIFTS * size, gravity * settings.frame_time**2)
        return sum(float(vertex_mass(body).sum()) for body in bodies) * gravity * height

    def lines(self):
        """A `Line` about energy that comes from nowhere."""
        if self.counts and self.grown is not None:
            settings = self.gathered.settings
            yield Line(
                text=message("report.energy", frame=self.gathered.frame_start + self.grown),
                warns=True,
                **advice("substeps", 2 * settings.substeps),
            )


def is_driven(gathered):
    """Whether anything but gravity may do work: what moves, fields, pressure, and what pulls."""
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.force_fields import ForceField

    reader, bodies = gathered.reader, gathered.bodies
    if reader.wanted or reader.others or any(isinstance(body, ForceField) for body in bodies):
        return True
    cloths = [body for body in bodies if isinstance(body, Cloth)]
    if any(cloth.material.pressure or cloth.pressure_in_time for cloth in cloths):
        return True
    objects = [found(target.key) for target in gathered.targets]
    return any(_pulls(ob) for ob in objects if ob.vbd.role in BODIES)


def _pulls(ob):
    """Whether an object has seams, or attachments that do not begin at rest."""
    tied = [item for item in ob.vbd.attachments if item.enabled]
    return ob.vbd.use_sewing or any(not item.keep_distance for item in tied)
