# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake says about the bodies themselves: all reports that look at every frame."""

from .opened import OpenedFaces
from .shells import ShellReport
from .volume_loss import VolumeLoss
from .within_faces import FaceReport


class BodyReports:
    """All of them for a `Gathered` scene."""

    def __init__(self, gathered):
        self.volumes, self.faces = VolumeLoss(gathered), FaceReport(gathered)
        self.shells, self.opened = ShellReport(gathered), OpenedFaces(gathered)

    def take(self, frame, positions, places):
        """Count a frame: `positions` of all bodies, [vertex, 3] each, in m, and its `Places`."""
        self.volumes.take(positions)
        self.faces.take(frame, positions)
        self.shells.take(frame, positions, places)
        self.opened.take(frame)

    def lines(self):
        """`Line`s of all reports."""
        for report in (self.opened, self.volumes, self.faces, self.shells):
            yield from report.lines()
