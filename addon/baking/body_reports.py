# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake says about the bodies themselves: all reports that look at every frame."""

from .volume_loss import VolumeLoss
from .within_faces import FaceReport


class BodyReports:
    """All of them for a `Gathered` scene."""

    def __init__(self, gathered):
        self.reports = [VolumeLoss(gathered), FaceReport(gathered)]

    def take(self, frame, positions):
        """Count a frame: `positions` of all bodies, [vertex, 3] each, in m."""
        for report in self.reports:
            report.take(frame, positions)

    def lines(self):
        """`Line`s of all reports."""
        for report in self.reports:
            yield from report.lines()
