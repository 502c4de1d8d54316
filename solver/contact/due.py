# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether contact pairs are to be sought again: decided on the device."""

import warp as wp

from ..device.launches import play
from ..kernels.contact import due as kernels

# More vertices than this part are many: when their trust radii hold them back, a search is due.
MANY = 0.01


# No limit to searches in a row.
NO_LIMIT = 2**30


class SearchDue:
    """`flag`, an array of one int, says whether another search is due as of the last `look`.

    That is when trust radii hold many vertices back, or when anything has held one back since the
    last search, in `every` so manieth round since `begin` (never where that is 0), or, where there
    are `iterations` [1], in so manieth of these. No more than `most` searches are due in a row.
    """

    def __init__(self, truncation, every, iterations=None, most=NO_LIMIT):
        model = truncation.model
        self.flag, self.capped, self.rounds = (
            wp.zeros(1, dtype=int, device=model.device) for _ in range(3)
        )
        stuck, cut, many = truncation.stuck, truncation.cut, MANY * len(model.surface.vertices)
        launches, count = model.launches, len(cut)
        number = self.rounds if iterations is None else iterations
        inputs = [stuck, number, every, many, most]
        outputs = [self.capped, self.rounds, self.flag]
        self.launches = [
            launches.record_list(kernels.count_capped, count, count, [stuck, cut], [self.capped]),
            launches.record(kernels.decide, 1, inputs, outputs),
        ]

    def begin(self):
        """A search is due, and up to `most` of them from here on."""
        self.flag.fill_(1)
        self.rounds.zero_()

    def look(self):
        """Decide by the steps that were taken last."""
        play(self.launches)
