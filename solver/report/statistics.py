# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of a frame: residual, energies, contacts."""

import math
from collections import Counter
from dataclasses import dataclass, fields

import numpy as np

from ..contact.initial.intersections import Intersection
from ..contact.measure import ContactMeasure
from ..device.readback import Readback
from ..kernels.contact.detection.pair_counts import SEARCHES
from ..messages import message
from .lengths import length
from .overstretch import Overstretch, Overstretched
from .position_error import BodyErrors, visible
from .residual import decay
from .sums import Sums

# A frame whose unbalanced forces are below this fraction of the weight counts as converged.
CONVERGED = 0.01


@dataclass(frozen=True)
class Torn:
    """An attachment with broken rows."""

    name: str
    broken: int
    rows: int

    def __str__(self):
        if self.rows == 1:
            return message("report.tore_off", name=self.name)
        return message("report.tore", name=self.name, count=self.broken, total=self.rows)


@dataclass(frozen=True)
class Statistics:
    """Numbers of one frame, at its last substep."""

    residual: float
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices."""
    goal: float
    """Residual below which the frame counts as converged: CONVERGED, or the rounding error."""
    decay: float
    """Factor by which one iteration shrank the residual in the second half of the substep."""
    iterations_needed: int | None
    """Iterations needed at that decay, or at that of the error if it is known; None if it does not
    fall."""
    error: float
    """Estimated distance [m] of vertices to the result of more iterations of the substep (root mean
    square), in the body where it is most visible; NaN after too few iterations, or without the
    coarse correction."""
    error_goal: float
    """Error [m] below which the body counts as converged: invisible, or within the accuracy."""
    error_decay: float
    """Factor by which one iteration shrank the error at the end of the substep; NaN without an
    accuracy, or after too few iterations."""
    error_seen: float
    """Least visible error [m]."""
    error_motion: float
    """Displacement of that body in the last substep [m] (root mean square)."""
    errors: tuple[float, ...]
    """Estimated error of every body [m], NaN where it is not known."""
    kinetic_energy: float
    """½ m v² [J]."""
    elastic_energy: float
    """Energy of all elements [J]."""
    gravitational_energy: float
    """−m g·x [J], zero at the bodies' common origin."""
    contact_energy: float
    """Energy of contacts, without friction [J]."""
    contacts: int
    """Vertices in touch with anything."""
    pairs: int
    """Pairs of surfaces in touch: vertex and triangle, or edge and edge."""
    deepest: float
    """Deepest penetration of the contact distance [m]; surfaces meet at the contact distance."""
    truncated: int
    """Vertices whose last step was cut short to keep surfaces apart."""
    searches: int
    """Searches for contact pairs in the frame."""
    coarse_share: float
    """Fraction α of the last coarse step that was taken, averaged over all islands of bodies; NaN
    without."""
    coarse_skips: int
    """Coarse steps in the frame that were not taken: nothing descended, or tets had collapsed."""
    residual_before_coarse: float
    """The residual before the last coarse step, with the current contacts and multipliers; NaN
    without."""
    tangles: tuple[Intersection, ...]
    """Bodies whose surfaces pass through each other, and which are being separated."""
    rooms: tuple[tuple[str, str], ...]
    """Bodies that begin inside closed colliders, and stay inside, with these colliders."""
    broken: int
    """Rows of attachments that have broken so far."""
    torn: tuple[Torn, ...]
    """The attachments with broken rows."""
    inverted: int
    """Elements that are inside out."""
    inverted_bodies: tuple[str, ...]
    """Names of the bodies with such elements."""
    overstretched: tuple[Overstretched, ...]
    """Rods and cloths with edges that contact keeps far longer than at rest."""
    held_back: tuple[str, ...]
    """Names of rigid bodies whose last step neighbors have cut visibly short, without a force."""
    rejected: int
    """Vertex steps that were not finite and were not taken."""
    rejected_bodies: tuple[str, ...]
    """Names of the bodies with such vertices."""
    iterations: int
    """Iterations of the last substep."""
    seconds: float
    """Time it took to solve the frame [s]."""

    @property
    def verdict(self):
        """Advice about the convergence of this frame, in words."""
        if self.held_back:
            return message("statistics.held_back", count=len(self.held_back))
        if not math.isnan(self.error_decay):
            return self._verdict_on_error()
        if self.residual <= self.goal or self.error <= self.error_goal:
            return "converged"
        if self.iterations_needed is None:
            return message("statistics.not_converging")
        return message("statistics.raise_iterations", iterations=self.iterations_needed)

    def _verdict_on_error(self):
        if self.error <= self.error_goal:
            return "converged"
        error = length(self.error)
        if self.iterations_needed is None:
            return message("statistics.not_falling", error=error)
        return message(
            "statistics.would_bring",
            error=error,
            iterations=self.iterations_needed,
            goal=length(self.error_goal),
        )

    @property
    def is_poor(self):
        """True if it may be visible that this frame has not converged."""
        is_known = not math.isnan(self.error_decay)
        return self.error > self.error_seen if is_known else self.verdict != "converged"

    @property
    def iterations_enough(self):
        """Iterations after which the error of a poor frame would be invisible; None if no number
        is enough.
        """
        if math.isnan(self.error_decay):
            return self.iterations_needed
        return iterations_needed(self.error, self.error_seen, self.error_decay, self.iterations)

    @property
    def energy(self):
        """Kinetic, elastic, gravitational and contact energy together [J]."""
        return (
            self.kinetic_energy
            + self.elastic_energy
            + self.gravitational_energy
            + self.contact_energy
        )


def iterations_needed(residual, goal, rate, count):
    """Return the iterations that bring a residual or error below the goal, after `count` done."""
    if residual <= goal:
        return count
    if not 0.0 < rate < 1.0:
        return None
    return count + math.ceil(math.log(goal / residual) / math.log(rate))


class Measure:
    """Takes the statistics of a frame: the host reads no more of it than `read` and positions.

    `coarse` is None without a coarse correction.
    """

    def __init__(self, model, residual, bodies, convergence, coarse=None):
        self.model, self.residual, self.bodies = model, residual, bodies
        self.convergence, self.coarse = convergence, coarse
        self.contact, self.sums = ContactMeasure(model), Sums(model, residual.touching)
        self.overstretch = Overstretch(model, bodies, residual, self.sums.owner)
        self.revisions = model.revisions
        # Sources of statistics; their property `reported` has arrays by name.
        sources = [model, residual, convergence, coarse, model.attachments, self.sums, model.rigid]
        sources += [self.contact, model.contact, self.overstretch]
        arrays = {}
        for one in sources:
            arrays |= getattr(one, "reported", {})
        self.numbers = Readback(model.launches, arrays)

    def read(self):
        """Return all numbers that the frame reports at its end, by name."""
        if self.revisions != self.model.revisions:
            self.revisions = self.model.revisions
            self.contact.record()
            self.sums.record()
            self.overstretch.record()
        if self.coarse:
            self.residual.find_before(self.coarse.before)
        self.residual.find()
        self.contact.find()
        if self.model.contact is not None:
            self.model.contact.find_certificate()
        self.sums.find()
        self.overstretch.find()
        return self.numbers.read()

    def statistics(self, numbers, seconds):
        """Return the `Statistics` of a frame with these numbers, which took so many seconds."""
        model, settings, contact = self.model, self.model.settings, self.model.contact
        residual = one(numbers["residual"])
        count, done = settings.iterations, int(one(numbers["iteration"])) + 1
        rate = decay(one(numbers["halfway"]), residual, count, done)
        goal = max(CONVERGED, one(numbers["rounding"]))
        needed = iterations_needed(residual, goal, rate, done)
        # Plain sweeps stall: their small moves hardly show the remaining smooth error.
        errors = BodyErrors.unknown(len(self.bodies))
        if self.coarse:
            errors = self.convergence.errors_of(numbers)
        error, error_goal, error_seen, error_decay, motion = (
            math.nan if errors.worst is None else float(getattr(errors, f.name)[errors.worst])
            for f in fields(errors)
        )
        if not math.isnan(error_decay):
            needed = iterations_needed(error, error_goal, error_decay, done)
        return Statistics(
            residual=residual,
            goal=goal,
            decay=rate,
            iterations_needed=needed,
            error=error,
            error_goal=error_goal,
            error_decay=error_decay,
            error_seen=error_seen,
            error_motion=motion,
            errors=tuple(errors.error.tolist()),
            kinetic_energy=0.0 if settings.quasistatic else float(numbers["kinetic"].sum()),
            elastic_energy=one(numbers["elastic"]),
            gravitational_energy=float(numbers["gravitational"].sum()),
            contact_energy=one(numbers["contact_energy"]),
            contacts=int(numbers["touching"].sum()),
            pairs=int(one(numbers["pairs"])),
            deepest=one(numbers["deepest"]),
            truncated=int(one(numbers["truncated"])),
            searches=int(numbers["counts"][SEARCHES]) if contact else 0,
            coarse_share=float(numbers["coarse_share"].mean()) if self.coarse else math.nan,
            coarse_skips=int(numbers["coarse_skips"].sum()) if self.coarse else 0,
            residual_before_coarse=one(numbers["residual_before"]) if self.coarse else math.nan,
            tangles=tuple(contact.intersections.found) if contact else (),
            rooms=contact.intersections.in_enclosures if contact else (),
            broken=int(numbers["broken"].sum()) if model.attachments.breakable else 0,
            torn=self._torn(numbers["broken"]) if model.attachments.breakable else (),
            inverted=int(numbers["inverted"].sum()),
            inverted_bodies=self._names(numbers["inverted"]),
            overstretched=self.overstretch.among(numbers["overstretch"]),
            held_back=self._held_back(numbers),
            rejected=int(numbers["rejected"].sum()),
            rejected_bodies=self._names(numbers["rejected"]),
            iterations=done,
            seconds=seconds,
        )

    def _held_back(self, numbers):
        """Return the names of rigid bodies whose last step was cut by a visible length."""
        if not self.model.rigid:
            return ()
        bodies = self.model.rigid.set.bodies
        sizes = 2.0 * np.array([body.size for body in bodies])
        seen = numbers["left"] > visible(numbers["moved"], sizes)
        return tuple(bodies[b].name for b in np.flatnonzero(seen))

    def _names(self, counts):
        """Return the names of the bodies with a count."""
        return tuple(body.name for body, n in zip(self.bodies, counts, strict=True) if n)

    def _torn(self, broken):
        """Return the attachments with broken rows, in their order."""
        names = self.model.assembly.attachments.names
        counts, rows = Counter(names[broken != 0]), Counter(names)
        return tuple(Torn(name, counts[name], rows[name]) for name in rows if counts[name])


def one(values):
    """Return the only value."""
    (value,) = values
    return float(value)
