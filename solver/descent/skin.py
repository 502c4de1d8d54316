# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth skins: the offsets of their points follow the corners of cells between substeps."""

import warp as wp

from ..bodies.skin import SMOOTHING
from ..device.launches import play
from ..kernels.contact.feasibility.skin_bounds import bound_skin_steps
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
        count = len(skin.points)
        truncates = contact is not None and contact.truncation.on
        fraction = wp.ones(len(model.surface.body), dtype=float, device=model.device)
        asleep, corners = [x, model.asleep, of_contact], len(skin.corners)
        passes = (x, skin.places), (skin.places, skin.between), (skin.between, skin.places)
        self.slopes = [
            record(kernels.smooth_corners, corners, [axis, one, skin, SMOOTHING], [other], SLOPES)
            for axis, (one, other) in enumerate(passes)
        ]
        inputs = [skin.places]
        self.slopes += [record(kernels.find_slopes, corners, inputs, [skin], SLOPES)]
        self.launches = [
            *self.slopes,
            record(kernels.find_steps, count, [*asleep, int(truncates)], [skin], OFFSET),
        ]
        if truncates:
            inputs = [x, model.lists.all, of_contact.embedding, skin]
            outputs = [contact.truncation.gaps.watch, fraction]
            self.launches += [record(bound_skin_steps, count, inputs, outputs, STEP)]
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
