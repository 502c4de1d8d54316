# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns of aggregates, and the blocks of the coarse matrix that are kept (kernels: shapes.py)."""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.coarse import shapes as kernels

# Rough cost of a vertex in the sum of a shape [ns].
VERTEX = 10.0
# Bodies with fewer elements keep no blocks: to find these takes less than a millisecond.
FEWEST = 3000


class KeptBlocks:
    """The shapes of all aggregates when their blocks were found; `is_due` is not 0 where some must
    be found again, where the scene `keeps` any.
    """

    def __init__(self, model, groups, members):
        self.model, self.groups, self.members = model, groups, members
        device, count = model.device, len(groups.aggregates)
        self.shape = members.shape_before = wp.zeros(count, dtype=wp.mat33, device=device)
        self.is_due = wp.zeros(1, dtype=int, device=device)
        self.keeps = False
        # Flat and straight patches never turn, nor are their blocks kept.
        self.may_turn = bool((groups.aggregates.mode_count == 4).any())
        if self.may_turn:
            self._record()

    def _record(self):
        model, groups, members = self.model, self.groups, self.members
        count, component = len(groups.aggregates), groups.aggregates.component.astype(np.int32)
        patches, record, chunks = groups.patches, model.launches.record, len(members.shape)
        each = VERTEX * len(members.vertex) / chunks
        sums = record(kernels.sum_shapes, chunks, [model.x, patches], [members], each)
        known = [members, self.shape]
        inputs = [*known, model.upload(component, int), groups.components]
        outputs = [patches, self.is_due]
        self.checks = [sums, record(kernels.check_blocks, count, inputs, outputs)]
        save = record(kernels.save_shapes, count, [members], [self.shape, patches])
        self.saving, self.turns = [sums, save], []
        if not model.launches.are_wide:  # on a GPU the launch that solves finds turns
            self.turns = [sums, record(kernels.find_turns, count, known, [patches])]
        bodies, kept = len(patches.is_kept), [patches, self.is_due]
        self.keeping = record(kernels.keep_blocks, bodies, [], kept)

    def choose(self, chunked):
        """Choose whether blocks can be kept: where all bodies are large and of solids alone, by
        `Chunked` elements.

        Cloth buckles at once, and on the way to an equilibrium bodies turn too far. Among others,
        the launches that find blocks would take very unequal times, by which threads are chosen.
        """
        body = self.groups.patches.body.numpy()
        count, others = np.zeros((2, len(self.groups.patches.is_kept)))
        for elements in chunked:
            found = count if elements.kind.affine else others
            np.add.at(found, body[elements.slots[:, 0]], np.diff(elements.start))
        fits = bool(((count >= FEWEST) & (others == 0)).all())
        self.keeps = self.may_turn and fits and not self.model.settings.quasistatic
        self.forget()

    def forget(self):
        """Let all blocks be found again."""
        self.groups.patches.is_kept.zero_()

    def find_turns(self):
        """Find the turns of all aggregates since their blocks were found, where they may turn and
        no other launch does."""
        if self.may_turn:
            play(self.turns)

    def check(self):
        """Choose the blocks that must be found again."""
        if self.keeps:
            play(self.checks)

    def save(self):
        """Keep the blocks that have been found."""
        if self.keeps:  # sums are those of the check
            play([*self.saving[1:], self.keeping])
        elif self.may_turn:
            play(self.saving)
