# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame says about itself: residual, energies, contacts."""

import math
from dataclasses import dataclass

import numpy as np
import warp as wp

from ..contact.intersections import Intersection
from ..contact.measure import ContactMeasure
from ..elements.records import filled
from ..kernels.elements.table import energy_kernel
from .residual import decay

# A frame whose unbalanced forces are below this part of the weight counts as converged.
CONVERGED = 0.01


@dataclass(frozen=True)
class Statistics:
    """Numbers of one frame, at its last substep."""

    residual: float
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices."""
    goal: float
    """Below this it counts as converged: CONVERGED, the tolerance, or what float32 leaves of it."""
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
    broken: int
    """Rows of attachments that have broken so far."""
    inverted: int
    """Elements that are inside out."""
    inverted_bodies: tuple[str, ...]
    """Names of the bodies they belong to."""
    rejected: int
    """Vertex steps that were not finite and were not taken."""
    rejected_bodies: tuple[str, ...]
    """Names of the bodies they belong to."""
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
            return "not converging: use more substeps or a softer material"
        return f"under-converged: raise iterations to about {self.iterations_needed}"

    def _verdict_on_error(self):
        if self.error <= self.error_goal:
            return "converged"
        said = f"error about {length(self.error)}"
        if self.iterations_needed is None:
            return f"{said} and not falling: use more substeps or a softer material"
        return f"{said}: {self.iterations_needed} iterations would bring {length(self.error_goal)}"

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


def length(metres):
    """A length in words."""
    return f"{metres:.2g} m" if metres >= 1.0 else f"{1e3 * metres:.2g} mm"


class Measure:
    """Takes the statistics of a frame."""

    def __init__(self, model, residual, bodies):
        self.model, self.residual, self.bodies = model, residual, bodies
        self.contact = ContactMeasure(model)
        self.record()

    def record(self):
        """Take over the model's elements, at the start and when they have changed."""
        self.revision = self.model.revision
        self.energies = list(self._energy_launches())

    def _energy_launches(self):
        """(kernel, elements, energies, which are inside out, corners) of every kind with energy."""
        scene, device = self.model.assembly, self.model.device
        for kind in scene.kinds:
            columns = scene.elements[kind.name]
            if kind.energy is None or not len(columns):
                continue
            fields = kind.exact_columns(scene.rest_points, columns)
            data = filled(kind.exact, columns.corners, fields)
            energies = wp.zeros(len(columns), dtype=wp.float64, device=device)
            inverted = wp.zeros(len(columns), dtype=int, device=device)
            elements = self.model.upload(data, kind.exact)
            self.model.launches.expect(energy_kernel(kind))
            yield energy_kernel(kind), elements, energies, inverted, columns.corners

    def take(self, convergence, seconds, coarse=None):
        """`Statistics` of the state as it is now; `convergence` is that of the last substep."""
        if self.revision != self.model.revision:
            self.record()
        before = self.residual.measure_at(coarse.before) if coarse else math.nan
        model, free = self.model, self.model.free_count
        settings, contact = model.settings, model.contact
        residual = self.residual.measure()
        count, done = settings.iterations, convergence.done
        rate = decay(convergence.halfway, residual, count, done)
        goal = max(CONVERGED, self.residual.floor(), settings.tolerance)
        needed = iterations_needed(residual, goal, rate, done)
        error, error_goal, error_decay = self._error(convergence, coarse)
        if not math.isnan(error_decay):
            needed = iterations_needed(error, error_goal, error_decay, done)
        contact_energy, touching, deepest = self.contact.take()
        elastic, inverted = 0.0, 0
        inside_out = np.zeros(model.vertex_count, dtype=bool)  # vertices of such elements
        for kernel, elements, energies, turned, corners in self.energies:
            model.launches.run(kernel, len(corners), [elements, model.x], [energies, turned])
            elastic += float(energies.numpy().sum())
            marked = turned.numpy() > 0
            inverted += int(marked.sum())
            inside_out[corners[marked]] = True
        mass, still = model.assembly.mass[:free], settings.quasistatic
        x = model.x.numpy()[:free].astype(np.float64)
        v = model.velocity.numpy()[:free].astype(np.float64)
        rejected = model.rejected.numpy().copy()  # a view on the CPU
        model.rejected.zero_()
        return Statistics(
            residual=residual,
            goal=goal,
            decay=rate,
            iterations_needed=needed,
            error=error,
            error_goal=error_goal,
            error_decay=error_decay,
            kinetic_energy=0.0 if still else float(0.5 * (mass * (v * v).sum(axis=1)).sum()),
            elastic_energy=elastic,
            gravitational_energy=float(-(mass * (x @ model.gravity.at_end)).sum()),
            contact_energy=contact_energy,
            contacts=self.residual.contacts(),
            pairs=touching,
            deepest=deepest,
            truncated=contact.truncation.truncated_count() if contact else 0,
            searches=contact.searches if contact else 0,
            coarse_share=coarse.step_length() if coarse else math.nan,
            coarse_skips=coarse.skips() if coarse else 0,
            residual_before_coarse=before,
            tangles=tuple(contact.intersections.found) if contact else (),
            broken=model.attachments.broken_count(),
            inverted=inverted,
            inverted_bodies=self._names(inside_out),
            rejected=int(rejected.sum()),
            rejected_bodies=self._names(rejected),
            seconds=seconds,
        )

    def _error(self, convergence, coarse):
        """(error [m], goal [m], decay of an iteration) of the positions; NaN where not known."""
        done, count = convergence.done, self.model.settings.iterations
        # Plain sweeps stall: what they leave of the smooth part hardly shows in how they move.
        if not coarse:
            return math.nan, math.nan, math.nan
        if convergence.accuracy:
            return convergence.accuracy.worst(done)
        return *convergence.error.estimate(done, count), math.nan

    def _names(self, marked):
        """Names of the bodies that have a marked vertex."""
        vertices = self.model.assembly.vertices
        return tuple(
            body.name
            for body, mine in zip(self.bodies, vertices, strict=True)
            if marked[mine].any()
        )
