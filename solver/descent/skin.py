# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth skins: the offsets of their points follow the corners of cells between substeps."""

import warp as wp

from ..bodies.skin import SMOOTHING
from ..device.launches import play
from ..kernels.contact.feasibility.truncation import truncation_kernel
from ..kernels.lattice import skin as kernels
from ..model.stage import RecordedStage

# Rough cost of the slopes at a corner, of an offset, and of the step of a point [ns].
SLOPES, OFFSET, STEP = 15.0, 60.0, 30.0


class SmoothSkin(RecordedStage):
    """Moves the points of smooth skins to where the corners want them, as far as contact allows.

    Sweeps see constant offsets. In quasistatic frames, each of which may be a long way, offsets
    follow before every sweep as well.
    """

    state_name = "skin"

    @staticmethod
    def is_needed(model):
        """Return whether any surface is a smooth skin."""
        return len(model.surface.points.skin) > 0

    def record(self):
        model, contact, record = self.model, self.model.contact, self.model.launches.record
        skin, of_contact, x = model.followers.skin, model.contact_model, model.x
        first, count = model.surface.point_start, len(skin.points)
        total = len(model.surface.body)
        truncates = contact is not None and contact.truncation.on
        fraction = wp.ones(total, dtype=float, device=model.device)
        asleep, candidate = [x, model.asleep, of_contact], model.candidate
        steps, corners = [skin, candidate], len(skin.corners)
        passes = (x, skin.places), (skin.places, skin.between), (skin.between, skin.places)
        self.slopes = [
            record(kernels.smooth_corners, corners, [axis, one, skin, SMOOTHING], [other], SLOPES)
            for axis, (one, other) in enumerate(passes)
        ]
        inputs = [skin.places]
        self.slopes += [record(kernels.find_slopes, corners, inputs, [skin], SLOPES)]
        self.launches = [
            *self.slopes,
            lambda: wp.copy(candidate, x, first, first, total - first),
            record(kernels.find_steps, count, [*asleep, int(truncates)], steps, OFFSET),
        ]
        if truncates:
            cut = wp.zeros(total, dtype=int, device=model.device)
            moving = [wp.vec2i(first, total), x, candidate, model.x_start]
            inputs = [of_contact, *moving, contact.regions.struct, model.lists.all]
            outputs = [contact.truncation.gaps.watch, fraction, cut]
            # Points move by themselves here, like vertices that no others carry.
            kernel = truncation_kernel(0)
            self.launches += [record(kernel, total - first, inputs, outputs, STEP, first)]
        taken = [fraction, skin], [of_contact.embedding, x]
        self.launches += [record(kernels.take_steps, count, *taken, STEP)]
        self.rows = []
        if len(skin.rows):
            self.offsets = wp.zeros(len(skin.rows), dtype=wp.vec3, device=model.device)
            moved = [self.offsets, model.attachments.struct.point]
            self.rows = [record(kernels.move_rows, len(skin.rows), [x, skin], moved)]
        if contact is not None:
            largest = record(kernels.find_largest, count, [of_contact.embedding], [skin])
            self.launches += [skin.largest.zero_, largest]

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        skin, offset = self.model.followers.skin, self.model.contact_model.embedding.offset
        names = {"offset": offset, "largest": skin.largest}
        return names | {n: getattr(skin, n) for n in ("change", "searched", "reach")}

    def begin_step(self):
        """Let attachments follow skins. Without pairs, save where points start: anchors of friction
        count their whole motion.
        """
        model, first = self.model, self.model.kinematic_end
        if self.rows:
            play([self.offsets.zero_, *self.slopes, *self.rows])
        if model.contact is None:
            wp.copy(model.x_start, model.x, first, first, len(model.x) - first)

    def before_sweep(self):
        if self.model.settings.quasistatic:
            play([*self.launches, *self.rows])

    def end_step(self):
        play(self.launches)
