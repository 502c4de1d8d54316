# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame says about itself: residual, energies, contacts."""

import math
from collections import Counter
from dataclasses import dataclass, fields

from ..contact.initial.intersections import Intersection
from ..contact.measure import ContactMeasure
from ..device.readback import Readback
from ..kernels.contact.detection.pair_counts import SEARCHES
from .lengths import length
from .overstretch import Overstretch, Overstretched
from .position_error import BodyErrors
from .residual import decay
from .sums import Sums

# A frame whose unbalanced forces are below this part of the weight counts as converged.
CONVERGED = 0.01


@dataclass(frozen=True)
class Torn:
    """An attachment of which rows have broken."""

    name: str
    broken: int
    rows: int

    def __str__(self):
        if self.rows == 1:
            return f"{self.name} tore"
        return f"{self.name} tore in {self.broken} of {self.rows} places"


@dataclass(frozen=True)
class Statistics:
    """Numbers of one frame, at its last substep."""

    residual: float
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices."""
    goal: float
    """Below this it counts as converged: CONVERGED, or what float32 leaves of it."""
    decay: float
    """Factor by which one iteration shrank it in the second half of the substep."""
    iterations_needed: int | None
    """Iterations that would do at that decay, or at that of the error where it is known; None when
    it does not fall."""
    error: float
    """Estimated distance [m] of vertices from where more iterations of the substep would take them
    (root mean square), in the body where it is most visible; NaN when there were too few to tell,
    or without the coarse correction."""
    error_goal: float
    """Below this error [m] the body counts as converged, for nobody sees it or by the accuracy
    asked for."""
    error_decay: float
    """Factor by which one iteration shrank the error at the end of the substep; NaN where no
    accuracy is asked for, or iterations were too few to tell."""
    error_seen: float
    """From this error [m] on one might see it."""
    error_motion: float
    """How far that body has gone in the last substep [m] (root mean square)."""
    errors: tuple[float, ...]
    """The estimated error of every body [m], NaN where it is not known."""
    kinetic_energy: float
    """½ m v² [J]."""
    elastic_energy: float
    """Of all elements [J]."""
    gravitational_energy: float
    """−m g·x [J], zero at the bodies' common origin."""
    contact_energy: float
    """Of contacts, without friction [J]."""
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
    """How much of its step the coarse correction took at last (α), over all islands of bodies on
    average; NaN without."""
    coarse_skips: int
    """Coarse steps in the frame that were not taken: nothing descended, or tets had collapsed."""
    residual_before_coarse: float
    """The residual before the last coarse step, with contacts and multipliers as they are now; NaN
    without."""
    tangles: tuple[Intersection, ...]
    """Bodies whose surfaces pass through each other, which are being led apart."""
    rooms: tuple[tuple[str, str], ...]
    """Bodies that begin in closed colliders, and stay there as in rooms, with these."""
    broken: int
    """Rows of attachments that have broken so far."""
    torn: tuple[Torn, ...]
    """The attachments they belong to."""
    inverted: int
    """Elements that are inside out."""
    inverted_bodies: tuple[str, ...]
    """Names of the bodies they belong to."""
    overstretched: tuple[Overstretched, ...]
    """Rods and cloths of which contact keeps edges far longer than at rest."""
    rejected: int
    """Vertex steps that were not finite and were not taken."""
    rejected_bodies: tuple[str, ...]
    """Names of the bodies they belong to."""
    iterations: int
    """Iterations of the last substep."""
    seconds: float
    """Time it took to solve the frame [s]."""

    @property
    def verdict(self):
        """What to do about the convergence of this frame, in words."""
        if not math.isnan(self.error_decay):
            return self._verdict_on_error()
        if self.residual <= self.goal or self.error <= self.error_goal:
            return "converged"
        if self.iterations_needed is None:
            return "not converging: more iterations would not help, more substeps may"
        return f"under-converged: raise iterations to about {self.iterations_needed}"

    def _verdict_on_error(self):
        if self.error <= self.error_goal:
            return "converged"
        said = f"error about {length(self.error)}"
        if self.iterations_needed is None:
            return f"{said} and not falling: more iterations would not help, more substeps may"
        return f"{said}: {self.iterations_needed} iterations would bring {length(self.error_goal)}"

    @property
    def is_poor(self):
        """Whether one might see that this frame has not converged."""
        is_known = not math.isnan(self.error_decay)
        return self.error > self.error_seen if is_known else self.verdict != "converged"

    @property
    def iterations_enough(self):
        """Iterations after which nobody would see that a poor frame has not converged; None when no
        number would do.
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
    """Iterations that bring a residual, or an error, below the goal, from `count` done."""
    if residual <= goal:
        return count
    if not 0.0 < rate < 1.0:
        return None
    return count + math.ceil(math.log(goal / residual) / math.log(rate))


class Measure:
    """Takes the statistics of a frame: `read` is all that the host reads of it but for positions.

    `coarse` is None without a coarse correction.
    """

    def __init__(self, model, residual, bodies, convergence, coarse=None):
        self.model, self.residual, self.bodies = model, residual, bodies
        self.convergence, self.coarse = convergence, coarse
        self.contact, self.sums = ContactMeasure(model), Sums(model, residual.touching)
        self.overstretch = Overstretch(model, bodies, residual, self.sums.owner)
        self.revisions = model.revisions
        # All that tell of a frame; what they tell is in arrays, `reported`, by names.
        telling = [model, residual, convergence, coarse, model.attachments, self.sums]
        telling += [self.contact, model.contact, self.overstretch]
        arrays = {}
        for one in telling:
            arrays |= getattr(one, "reported", {})
        self.numbers = Readback(model.launches, arrays)

    def read(self):
        """All numbers that the frame tells about its end, by their names."""
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
            self.model.contact.find_certainty()
        self.sums.find()
        self.overstretch.find()
        return self.numbers.read()

    def statistics(self, numbers, seconds):
        """`Statistics` of the frame with these numbers, which took so many seconds."""
        model, settings, contact = self.model, self.model.settings, self.model.contact
        residual = one(numbers["residual"])
        count, done = settings.iterations, int(one(numbers["iteration"])) + 1
        rate = decay(one(numbers["halfway"]), residual, count, done)
        goal = max(CONVERGED, one(numbers["rounding"]))
        needed = iterations_needed(residual, goal, rate, done)
        # Plain sweeps stall: what they leave of the smooth part hardly shows in how they move.
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
            rooms=contact.intersections.in_rooms if contact else (),
            broken=int(numbers["broken"].sum()) if model.attachments.breakable else 0,
            torn=self._torn(numbers["broken"]) if model.attachments.breakable else (),
            inverted=int(numbers["inverted"].sum()),
            inverted_bodies=self._names(numbers["inverted"]),
            overstretched=self.overstretch.among(numbers["overstretch"]),
            rejected=int(numbers["rejected"].sum()),
            rejected_bodies=self._names(numbers["rejected"]),
            iterations=done,
            seconds=seconds,
        )

    def _names(self, counts):
        """Names of the bodies with a count."""
        return tuple(body.name for body, n in zip(self.bodies, counts, strict=True) if n)

    def _torn(self, broken):
        """The attachments that have broken rows, in their order."""
        names = self.model.assembly.attachments.names
        counts, rows = Counter(names[broken != 0]), Counter(names)
        return tuple(Torn(name, counts[name], rows[name]) for name in rows if counts[name])


def one(values):
    """The only one of the values."""
    (value,) = values
    return float(value)
