# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy gain: a system without external work never has more energy than at its start."""

import numpy as np

from ...solver.bodies import Cloth
from ...solver.messages import message
from ..objects.identity import found
from .report import Line, advice

# A gain is reported from this fraction of the largest kinetic energy on, ...
VISIBLE_FRACTION = 0.25
# ... if it could also lift everything by this fraction of the largest body's size.
LIFTS = 0.05


class EnergyGain:
    """Gathers the energies of the frames of a `Gathered` scene on which nothing does work.

    The energy of attachments is unknown, but zero at the start: so the known energy never exceeds
    its initial value.
    """

    def __init__(self, gathered):
        self.gathered = gathered
        settings = gathered.settings
        self.counts = any(settings.gravity) and not settings.quasistatic and not is_driven(gathered)
        self.first, self.visible, self.kinetic = None, 0.0, 0.0
        self.grown = None
        """The first frame with such an energy gain."""

    def take(self, frame, stats):
        """Count a frame with its `Statistics`."""
        # Depenetration lifts bodies; a resumed bake does not know its start.
        self.counts &= not stats.tangles and (self.first is not None or frame == 1)
        if not self.counts:
            return
        if self.first is None:
            self.first, self.visible = stats.energy, self._visible()
        self.kinetic = max(self.kinetic, stats.kinetic_energy)
        gain = stats.energy - self.first
        if self.grown is None and gain > max(VISIBLE_FRACTION * self.kinetic, self.visible):
            self.grown = frame

    def _visible(self):
        """Energy [J] below which a gain is invisible, with that of attachments in frame 1."""
        # Warp takes half a second to import; not while Blender starts.
        from ...solver.model.assembly import vertex_mass

        settings, bodies = self.gathered.settings, self.gathered.simulated()
        gravity = float(np.linalg.norm(settings.gravity))
        size = max(float(np.ptp(body.points, axis=0).max()) for body in bodies)
        height = max(LIFTS * size, gravity * settings.frame_time**2)
        return sum(float(vertex_mass(body).sum()) for body in bodies) * gravity * height

    def lines(self):
        """A `Line` about an energy gain."""
        if self.counts and self.grown is not None:
            settings = self.gathered.settings
            yield Line(
                text=message("report.energy", frame=self.gathered.frame_start + self.grown),
                warns=True,
                **advice("substeps", 2 * settings.substeps),
            )


def is_driven(gathered):
    """Return whether anything but gravity may do work: animation, fields, pressure or tension."""
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.force_fields import ForceField

    reader, bodies = gathered.reader, gathered.bodies
    if reader.wanted or reader.others or any(isinstance(body, ForceField) for body in bodies):
        return True
    cloths = [body for body in bodies if isinstance(body, Cloth)]
    if any(cloth.material.pressure or cloth.pressure_in_time for cloth in cloths):
        return True
    objects = [found(target.key) for target in gathered.targets]
    return any(map(_pulls, objects))


def _pulls(ob):
    """Return whether an object has seams, motors, or attachments that do not begin at rest."""
    tied = [item for item in ob.vbd.attachments if item.enabled]
    joints = [item for item in tied if ob.vbd.role == "RIGID" and item.kind != "ATTACHMENT"]
    moved = any(item.motor != "OFF" for item in joints)
    return moved or ob.vbd.use_sewing or any(i not in joints and not i.keep_distance for i in tied)
