# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether contact pairs are to be sought again: decided on the device."""

import warp as wp

from ...device.launches import play
from ...kernels.contact.detection import search_schedule as kernels
from ...kernels.contact.feasibility.truncation import BY_PAIR, KINEMATIC

# More vertices than this part are many: when their trust radii hold them back, a search is due.
MANY = 0.01
# Rough cost of a vertex [ns].
LOOK = 4.0
# No limit to rounds.
NO_LIMIT = 2**30


class SearchDue:
    """What is due as of the last `look`: flags, arrays of one int.

    A search is due, `searches`, when trust radii hold many vertices back, on the way to the guess
    and if it `counts_ends` also those that others have drawn back since; after 1, 2, 4 … times
    `every` so many of the `iterations` [1] also when they do so with any. In all of every so many
    without one, new planes are, `parts`, if those of before have held anything back since the last
    search. Without iterations it is in so manieth round since `begin` (never where that is 0), and
    planes are for the sake of what animation moves. It `goes_on` while either is due, for no more
    than `most` rounds.
    """

    def __init__(self, truncation, every, iterations=None, most=NO_LIMIT, counts_ends=True):
        model = truncation.model
        self.searches, self.parts, self.goes_on, self.capped, self.rounds = (
            wp.zeros(1, dtype=int, device=model.device) for _ in range(5)
        )
        stuck, cut, many = truncation.stuck, truncation.cut, MANY * len(model.surface.vertices)
        launches, count = model.launches, len(cut)
        number = self.rounds if iterations is None else iterations
        # On the way to the guess, what is free may be held back: it goes on from there.
        whose = KINEMATIC if iterations is None else BY_PAIR
        regions = truncation.regions.struct
        inputs = [stuck, number, every, whose, many, most]
        outputs = [self.capped, self.rounds, self.searches, self.parts, self.goes_on]
        self.launches = [
            launches.record_list(
                kernels.count_capped,
                count,
                count,
                [int(counts_ends), stuck, cut, model.x, regions],
                [self.capped],
                LOOK,
            ),
            launches.record(kernels.decide, 1, inputs, outputs),
        ]

    def begin(self):
        """Begin with the first round."""
        self.rounds.zero_()

    def look(self):
        """Decide by the steps that were taken last."""
        play(self.launches)
