# SPDX-License-Identifier: GPL-3.0-or-later
"""The state at the start of a frame, to do the frame again from there."""

import warp as wp


class Keeper:
    """Keeps what passes from one substep to the next.

    Of the `owners`, which are the model, its contact and all stages, those that hold such arrays
    name them in `kept`. Those with anything on the host have a method `keep()`, which returns a
    function that brings it back.
    """

    def __init__(self, owners):
        self.owners = owners
        self.copies, self.bring_back = [], []

    def _arrays(self):
        return [array for owner in self.owners for array in getattr(owner, "kept", ())]

    def keep(self):
        """Keep the state of now."""
        arrays = self._arrays()
        if [a.shape for a in arrays] != [a.shape for a in self.copies]:
            self.copies = [wp.empty_like(array) for array in arrays]
        for copy, array in zip(self.copies, arrays, strict=True):
            wp.copy(copy, array)
        self.bring_back = [owner.keep() for owner in self.owners if hasattr(owner, "keep")]

    def go_back(self):
        """Bring back what was kept last, also into arrays that have been replaced."""
        for bring_back in self.bring_back:
            bring_back()
        for array, copy in zip(self._arrays(), self.copies, strict=True):
            wp.copy(array, copy)
