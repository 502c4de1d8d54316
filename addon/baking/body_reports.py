# SPDX-License-Identifier: GPL-3.0-or-later
"""All reports that examine the shapes of the bodies in every frame of a bake."""

from ...solver.messages import message
from ...solver.report.lengths import length
from .energy_gain import EnergyGain
from .opened import OpenedFaces
from .report import Line
from .shells import ShellReport
from .volume_loss import VolumeLoss
from .within_faces import FaceReport


class BodyReports:
    """These reports for a `Gathered` scene."""

    def __init__(self, gathered):
        self.energy = EnergyGain(gathered)
        self.volumes, self.faces = VolumeLoss(gathered), FaceReport(gathered)
        self.shells, self.opened = ShellReport(gathered), OpenedFaces(gathered)
        self.names = [body.name for body in gathered.simulated()]
        self.sags = {}
        """By how much bodies sag that should keep their shape [m], by name."""
        self.deepest = ""
        """Name of the body that is deepest in what it touches."""

    def take(self, frame, places):
        """Count a `Frame` of the solver and its `Places`."""
        positions = frame.exact_positions
        self.energy.take(frame.index, frame.stats)
        self.volumes.take(positions)
        self.faces.take(frame.index, positions)
        self.shells.take(frame.index, positions, places)
        self.opened.take(frame.index)
        self.deepest = "" if places.deepest is None else self.names[places.deepest]

    def lines(self):
        """`Line`s of all reports."""
        for name, sag in self.sags.items():
            text = message("report.sags", name=name, sag=length(sag))
            yield Line(text=text, warns=True, objects=(name,))
        for report in (self.energy, self.opened, self.volumes, self.faces, self.shells):
            yield from report.lines()
