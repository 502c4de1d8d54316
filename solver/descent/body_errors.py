# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of bodies that are estimated between the iterations of a substep."""

import numpy as np
import warp as wp

from ..device.launches import THREADS
from ..kernels.descent.body_errors import BodyErrorArrays, Displacements
from ..kernels.descent.error_samples import sample_chunks
from ..model.chunks import make_chunks
from ..report.position_error import BodyErrors, rounding_of, visible

# An error below this fraction of a body's size is invisible, at an accuracy of 1.
FRACTION_OF_SIZE = 0.005
# Vertices of a chunk on a GPU, whose blocks sum up chunks.
PER_BLOCK = 4 * THREADS
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


class BodyErrorEstimates:
    """Arrays of the errors of all bodies with free vertices, numbers `body`, and what they need."""

    def __init__(self, model):
        self.model = model
        free = [vertices[vertices < model.free_count] for vertices in model.assembly.vertices]
        counts = np.array([len(vertices) for vertices in free])
        self.body = np.flatnonzero(counts)
        owner = np.repeat(np.arange(len(self.body)), counts[self.body])
        size = PER_BLOCK if model.launches.are_wide else None
        self.chunks = make_chunks(np.concatenate(free), owner, len(self.body), model.device, size)
        self.errors = self._errors(counts[self.body])

    def _errors(self, counts):
        """Return the `BodyErrorArrays` of the bodies, which have `counts` free vertices."""
        model, errors = self.model, BodyErrorArrays()
        points = [model.assembly.points[model.assembly.vertices[b]] for b in self.body]
        self.sizes = np.array([np.ptp(each, axis=0).max() for each in points])
        fraction = FRACTION_OF_SIZE * model.settings.accuracy
        values = counts, fraction * self.sizes, [rounding_of(each) for each in points]
        for name, value in zip(("size", "least", "rounding"), values, strict=True):
            setattr(errors, name, model.upload(np.array(value), wp.float64))
        for name in ("error", "bound", "goal", "rate", "slowest", "latest", "motion"):
            zeros = wp.zeros(len(counts), dtype=wp.float64, device=model.device)
            setattr(errors, name, zeros)
        errors.is_cut = wp.zeros(len(counts), dtype=int, device=model.device)
        return errors

    def give_sums(self, at):
        """Give `ErrorSampleArrays` what chunks are summed up from, and places for the sums."""
        model, count = self.model, len(self.chunks.start) - 1
        at.moves = wp.zeros(count, dtype=wp.vec3d, device=model.device)
        at.displacements = wp.zeros(count, dtype=Displacements, device=model.device)
        at.touched = model.touched
        # Without contact no step is truncated.
        at.cut = wp.zeros(model.free_count, dtype=int, device=model.device)
        if model.contact is not None:
            at.cut = model.contact.truncation.cut

    def record_sampling(self, iterations, schedule, at):
        """Return the launch that sums up moves and displacements by chunk and takes samples `at`
        the positions that `ErrorSampleArrays` name, by a `CheckSchedule`.
        """
        sizes = np.diff(self.chunks.start.numpy())
        inputs = [iterations.number, schedule, self.chunks, iterations.has_fixed_period]
        how = {"cost": VERTEX * sizes, "tile_threads": THREADS}
        return self.model.launches.record(sample_chunks, len(sizes), inputs, [at], **how)

    @property
    def reported(self):
        """Arrays that a frame reports."""
        names = "error", "bound", "goal", "rate", "rounding", "motion"
        return {f"body_{name}": getattr(self.errors, name) for name in names}

    def unknown(self):
        """Return unknown `BodyErrors`."""
        return BodyErrors.unknown(len(self.model.assembly.vertices))

    def errors_after(self, numbers, later, compared):
        """Return the `BodyErrors` so many iterations `later` than the check of the `reported`
        numbers, whose rates are those of `compared` iterations.
        """
        found = self.unknown()
        error, bound, goal, rate, rounding, motion = (numbers[name] for name in self.reported)
        rate = rate ** (1.0 / compared)
        error, bound = (np.maximum(e * rate**later, rounding) for e in (error, bound))
        goal = np.maximum(goal, self.model.settings.accuracy * FRACTION_OF_SIZE * self.sizes)
        # An error whose bound is above the goal is not reported as below it.
        found.error[self.body] = np.where((error <= goal) & (goal < bound), bound, error)
        found.goal[self.body] = goal
        found.seen[self.body] = visible(motion, self.sizes)
        found.decay[self.body], found.motion[self.body] = rate, motion
        return found
