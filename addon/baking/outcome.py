# SPDX-License-Identifier: GPL-3.0-or-later
"""Result of a bake, and its report."""

from dataclasses import dataclass, field
from itertools import chain

from ...solver.messages import message
from ...solver.settings import Settings
from .body_reports import BodyReports
from .contact_report import ContactReport
from .convergence import ConvergenceReport
from .report import Line, advice, advised_once, in_order, listed, named, noted

# More attachments that tore are counted in one line.
MOST_TORN = 4


@dataclass
class Outcome:
    """Result of a bake."""

    count: int
    settings: Settings = field(default_factory=Settings)
    first: int = 0
    """The frame to resume after, counted from 0."""
    convergence: ConvergenceReport = field(default_factory=ConvergenceReport)
    contact: ContactReport = field(default_factory=ContactReport)
    bodies: BodyReports | None = None
    seconds: float = 0.0
    rejected: set = field(default_factory=set)
    cancelled: bool = False
    error: str = ""
    may_pass: bool = False
    """The error is one of a disk, memory or device, and need not come again."""
    notes: list = field(default_factory=list)
    headline: str = ""
    """The first sentence of the report, if it is not that of a bake."""
    names: tuple = ()
    """Names of the objects that notes may be about."""

    @property
    def last(self):
        """The last `Solved` frame, or None."""
        return self.convergence.last

    @property
    def frames(self):
        """The last existing frame, counted from 0."""
        return self.last.index if self.last else self.first

    @property
    def may_continue(self):
        """Return whether a bake that ended early can go on by Resume as it is."""
        return self.cancelled or self.may_pass

    def take(self, solved):
        """Count a solved frame."""
        self.convergence.take(solved)
        self.contact.take(solved)
        self.rejected.update(solved.stats.rejected_bodies)

    def _headline(self):
        if self.headline:
            return Line(text=self.headline)
        part = f"{self.frames} of " if self.frames < self.count else ""
        fields = {"part": part, "seconds": self.seconds}
        text = message("report.baked", count=self.count, **fields)
        if self.first:
            now = self.frames - self.first
            text = message("report.baked_more", count=now, total=self.count, **fields)
        if self.error:
            text += message("report.then_stopped", error=self.error)
        elif self.cancelled:
            text += message("report.then_cancelled")
        return Line(text=text, warns=bool(self.error or self.cancelled))

    def _rejected(self):
        if self.rejected:
            names = tuple(sorted(self.rejected))
            yield Line(
                text=message("report.unsolved", names=listed(names)),
                warns=True,
                objects=names,
                **advice("substeps", 2 * self.settings.substeps),
            )

    def _torn(self):
        torn = list(map(str, self.last.stats.torn)) if self.last else []
        owners = [named(text, self.names) for text in torn]
        if len(torn) > MOST_TORN:  # as of a body in pieces
            torn = [message("report.tore_many", count=len(torn))]
            owners = [tuple(dict.fromkeys(chain.from_iterable(owners)))]
        for text, objects in zip(torn, owners, strict=True):
            yield Line(text=text, objects=objects)

    def _notes(self):
        for note in self.notes:
            yield noted(note, self.names)

    def lines(self):
        """`Line`s for every user, the most important first."""
        rest = (
            *self._rejected(),
            *self.convergence.inside_out(self.settings),
            *self.contact.entanglement(),
            *(self.contact.penetration(self.bodies.deepest) if self.bodies else ()),
            *self.convergence.poor(self.settings),
            *(self.bodies.lines() if self.bodies else ()),
            *self._torn(),
            *self._notes(),
        )
        return [self._headline(), *advised_once(in_order(rest))]

    def numbers(self):
        """Sentences with numbers for users who want details."""
        return [*self.convergence.numbers(), *self.contact.numbers()]

    def report(self):
        """Level and text for the user."""
        lines = self.lines()
        text = ". ".join(line.sentence() for line in lines)
        return ("WARNING" if any(line.warns for line in lines) else "INFO"), text


def explain(error):
    """The text of an error, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
