# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame says about itself: residual, energies, contacts."""

import math
from dataclasses import dataclass

import numpy as np
import warp as wp

from ..contact.tangles import Tangle
from ..elements import records
from ..kernels.contact.bounds import measure_bounds
from ..kernels.elements import energy
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
    """Iterations that would do at that decay; None when it does not fall."""
    error: float
    """Estimated distance [m] of vertices from where more iterations of the substep would take them
    (root mean square), in the body where it is most visible; NaN when there were too few to tell,
    or without the coarse correction."""
    error_goal: float
    """Below this error [m] the body counts as converged, for nobody sees it."""
    kinetic_energy: float
    """½ m v² [J]."""
    elastic_energy: float
    """Of tets, membranes, hinges and springs [J]."""
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
    tangles: tuple[Tangle, ...]
    """Bodies whose surfaces pass through each other, which are being led apart."""
    broken: int
    """Rows of attachments that have broken so far."""
    inverted: int
    """Tets that are inside out."""
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
        if self.residual <= self.goal or self.error <= self.error_goal:
            return "converged"
        if self.iterations_needed is None:
            return "not converging: use more substeps or a softer material"
        return f"under-converged: raise iterations to about {self.iterations_needed}"

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
    """Iterations that bring the residual below the goal, from `count` done."""
    if residual <= goal:
        return count
    if not 0.0 < rate < 1.0:
        return None
    return count + math.ceil(math.log(goal / residual) / math.log(rate))


def _rest_and_stiffness(links):
    return [(links.rest, wp.float64), (links.stiffness, wp.float64)]


class Measure:
    """Takes the statistics of a frame."""

    def __init__(self, model, residual, bodies):
        self.model, self.residual, self.bodies = model, residual, bodies
        self.record()

    def record(self):
        """Take over the model's elements, at the start and when they have changed."""
        self.revision = self.model.revision
        self.energies = list(self._energy_launches())

    def _energy_launches(self):
        """(kernel, constants, out) for each kind of element there is."""
        scene, upload = self.model.assembly, self.model.upload
        tets, triangles = scene.tets, scene.triangles
        volumes, gradients = records.tet_gradients(scene.rest_points, tets.corners)
        self.inverted = wp.zeros(len(volumes), dtype=int, device=self.model.device)
        area = triangles.area
        for kernel, kind, index, constants, others in (
            (
                energy.tet_energy,
                tets,
                wp.vec4i,
                [
                    (tets.model, int),
                    (gradients[:, 1:], wp.mat33d),
                    (tets.mu * volumes, wp.float64),
                    (tets.lam * volumes, wp.float64),
                ],
                [self.inverted],
            ),
            (
                energy.triangle_energy,
                triangles,
                wp.vec3i,
                [
                    (triangles.inverse, wp.mat22d),
                    (triangles.stable.astype(np.int32), int),
                    (triangles.mu * area, wp.float64),
                    (triangles.lam * area, wp.float64),
                    (triangles.stiffness * area[:, None], wp.vec4d),
                ],
                [],
            ),
            (energy.hinge_energy, scene.hinges, wp.vec4i, _rest_and_stiffness(scene.hinges), []),
            (energy.spring_energy, scene.springs, wp.vec2i, _rest_and_stiffness(scene.springs), []),
        ):
            count = len(kind.corners)
            if count:
                inputs = [upload(kind.corners.astype(np.int32), index)]
                inputs += [upload(values, dtype) for values, dtype in constants]
                total = wp.zeros(count, dtype=wp.float64, device=self.model.device)
                yield kernel, inputs, [total, *others]

    def take(self, convergence, seconds, coarse=None):
        """`Statistics` of the state as it is now; `convergence` is that of the last substep."""
        if self.revision != self.model.revision:
            self.record()
        before = self.residual.measure_at(coarse.before) if coarse else math.nan
        model, free = self.model, self.model.free_count
        settings, pairs = model.settings, model.contact
        residual = self.residual.measure()
        count, done = settings.iterations, convergence.done
        rate = decay(convergence.halfway, residual, count, done)
        goal = max(CONVERGED, self.residual.floor(), settings.tolerance)
        # Plain sweeps stall: what they leave of the smooth part hardly shows in how they move.
        error, error_goal = convergence.error.estimate() if coarse else (math.nan, math.nan)
        contact_energy, touching, deepest = pairs.measure() if pairs else (0.0, 0, 0.0)
        for first, count in model.surface_ranges() if len(model.bounds.kind) else ():
            of_bounds = wp.zeros(count, dtype=float, device=model.device)
            depth = wp.zeros(count, dtype=float, device=model.device)
            wp.launch(
                measure_bounds,
                dim=count,
                inputs=[first, model.x, model.bounds],
                outputs=[of_bounds, depth],
                device=model.device,
            )
            contact_energy += float(of_bounds.numpy().sum(dtype=float))
            deepest = max(deepest, float(depth.numpy().max()))
        elastic = 0.0
        for kernel, inputs, outputs in self.energies:
            wp.launch(
                kernel,
                dim=len(outputs[0]),
                inputs=[*inputs, model.x],
                outputs=outputs,
                device=model.device,
            )
            elastic += float(outputs[0].numpy().sum())
        mass, still = model.assembly.mass[:free], settings.quasistatic
        x = model.x.numpy()[:free].astype(np.float64)
        v = model.velocity.numpy()[:free].astype(np.float64)
        rejected = model.rejected.numpy().copy()  # a view on the CPU
        model.rejected.zero_()
        inverted = self.inverted.numpy() > 0
        inside_out = np.zeros(len(rejected), dtype=bool)  # vertices of such tets
        inside_out[model.assembly.tets.corners[inverted]] = True
        return Statistics(
            residual=residual,
            goal=goal,
            decay=rate,
            iterations_needed=iterations_needed(residual, goal, rate, done),
            error=error,
            error_goal=error_goal,
            kinetic_energy=0.0 if still else float(0.5 * (mass * (v * v).sum(axis=1)).sum()),
            elastic_energy=elastic,
            gravitational_energy=float(-(mass * (x @ model.gravity.now)).sum()),
            contact_energy=contact_energy,
            contacts=self.residual.contacts(),
            pairs=touching,
            deepest=deepest,
            truncated=pairs.truncated_count() if pairs else 0,
            searches=pairs.searches if pairs else 0,
            coarse_share=coarse.share() if coarse else math.nan,
            coarse_skips=coarse.skips() if coarse else 0,
            residual_before_coarse=before,
            tangles=tuple(pairs.tangles.found) if pairs else (),
            broken=model.attachments.broken_count(),
            inverted=int(inverted.sum()),
            inverted_bodies=self._names(inside_out),
            rejected=int(rejected.sum()),
            rejected_bodies=self._names(rejected),
            seconds=seconds,
        )

    def _names(self, marked):
        """Names of the bodies that have a marked vertex."""
        places = self.model.assembly.place
        return tuple(
            body.name
            for body, place in zip(self.bodies, places, strict=True)
            if marked[place].any()
        )
