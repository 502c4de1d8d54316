# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedule of searches and of new separating planes, decided on the device."""

import warp as wp

from ...device.launches import SHARES, THREADS
from ...kernels.contact.detection import search_schedule as kernels
from ...kernels.contact.feasibility.truncation import BY_PAIR, KINEMATIC

# A search is due when trust radii limit more than this fraction of the vertices.
MANY = 0.01
# Rough cost of a vertex [ns].
CHECK = 4.0
# Vertices that a block counts on a GPU.
PER_BLOCK = 4 * THREADS
# With so many of the vertices of rigid bodies a search is due, too: few links or stones are all
# slowed down; in a pile it would cost more than it gains.
PART_OF_RIGID = 0.25
# No limit to rounds.
NO_LIMIT = 2**30


class SearchSchedule:
    """Flags of what is due as of the last `check()`, a launch: arrays of one int.

    A search is due, `searches`, when trust radii limit many vertices, a part of the rigid bodies,
    which have but four each, or one of these that has far to go: on the way to the guess and, if it
    `counts_ends`, also those that others have drawn back since. After 1, 2, 4 … times `every` of
    the `iterations` [1], any such vertex is enough. At all multiples of `every` without a search,
    new `planes` are due if the old ones have ended any step since the last one; for rigid bodies,
    whose turns need others, at once. Without iterations, `every` counts rounds since `begin` (0:
    never), and planes are due for kinematic vertices. It `goes_on` while either is due, for at most
    `most` rounds.
    """

    def __init__(self, truncation, every, iterations=None, most=NO_LIMIT, counts_ends=True):
        model, flags, rules = truncation.model, kernels.SearchFlags(), kernels.SearchRules()
        for name in ("searches", "planes", "goes_on", "rounds", "capped", "ended"):
            setattr(flags, name, wp.zeros(1, dtype=int, device=model.device))
        self.searches, self.planes, self.goes_on = flags.searches, flags.planes, flags.goes_on
        self.rounds = flags.rounds
        cut, launches = truncation.cut, model.launches
        number = self.rounds if iterations is None else iterations
        # On the way to the guess, free vertices may be stopped: sweeps continue from there.
        rules.whose = KINEMATIC if iterations is None else BY_PAIR
        rules.every, rules.most, rules.counts_ends = every, most, int(counts_ends)
        rules.turns = int(iterations is not None and model.rigid is not None)
        rules.many = MANY * len(model.surface.vertices)
        rigid = model.rigid
        first, end = (rigid.first, rigid.end) if rigid else (0, 0)
        rules.rigid = wp.vec2i(first, end)
        rules.weight = int(rules.many / (PART_OF_RIGID * max(end - first, 1))) + 1
        shares = min(len(cut), SHARES)
        if launches.are_wide:
            shares = -(-len(cut) // PER_BLOCK)
        left = rigid.struct.left if rigid else wp.zeros(1, dtype=float, device=model.device)
        inputs = [shares, truncation.stuck, cut, model.x, truncation.regions.struct, left]
        inputs += [number, rules]
        cost = CHECK * len(cut) / max(shares, 1)
        self.check = launches.record(
            kernels.schedule_search, shares, inputs, [flags], cost, tile_threads=THREADS
        )

    def begin(self):
        """Begin with the first round."""
        self.rounds.zero_()
