# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedule of searches and of new separating planes, decided on the device."""

import warp as wp

from ...device.launches import play
from ...kernels.contact.detection import search_schedule as kernels
from ...kernels.contact.feasibility.truncation import BY_PAIR, KINEMATIC

# A search is due when trust radii limit more than this fraction of the vertices.
MANY = 0.01
# Rough cost of a vertex [ns].
CHECK = 4.0
# No limit to rounds.
NO_LIMIT = 2**30


class SearchSchedule:
    """Flags of what is due as of the last `check`: arrays of one int.

    A search is due, `searches`, when trust radii limit many vertices, on the way to the guess and,
    if it `counts_ends`, also those that others have drawn back since. After 1, 2, 4 … times `every`
    of the `iterations` [1], any such vertex is enough. At all multiples of `every` without a
    search, new `planes` are due if the old ones have ended any step since the last one. Without
    iterations, `every` counts rounds since `begin` (0: never), and planes are due for kinematic
    vertices. It `goes_on` while either is due, for at most `most` rounds.
    """

    def __init__(self, truncation, every, iterations=None, most=NO_LIMIT, counts_ends=True):
        model = truncation.model
        self.searches, self.planes, self.goes_on, self.capped, self.rounds = (
            wp.zeros(1, dtype=int, device=model.device) for _ in range(5)
        )
        stuck, cut, many = truncation.stuck, truncation.cut, MANY * len(model.surface.vertices)
        launches, count = model.launches, len(cut)
        number = self.rounds if iterations is None else iterations
        # On the way to the guess, free vertices may be stopped: sweeps continue from there.
        whose = KINEMATIC if iterations is None else BY_PAIR
        regions = truncation.regions.struct
        inputs = [stuck, number, every, whose, many, most]
        outputs = [self.capped, self.rounds, self.searches, self.planes, self.goes_on]
        self.launches = [
            launches.record_list(
                kernels.count_capped,
                count,
                count,
                [int(counts_ends), stuck, cut, model.x, regions],
                [self.capped],
                CHECK,
            ),
            launches.record(kernels.decide, 1, inputs, outputs),
        ]

    def begin(self):
        """Begin with the first round."""
        self.rounds.zero_()

    def check(self):
        """Decide by the last steps."""
        play(self.launches)
