# SPDX-License-Identifier: GPL-3.0-or-later
"""Transfer of the few numbers on a device that the host needs, in one read."""

import numpy as np
import warp as wp

from ..kernels.device.readback import PUT
from .launches import play


class Readback:
    """One block with the numbers of all `arrays`: Warp arrays by name, which are never replaced."""

    def __init__(self, launches, arrays):
        ends = np.cumsum([array.size for array in arrays.values()]).tolist()
        self.block = wp.zeros(ends[-1], dtype=wp.float64, device=launches.device)
        self.places = {
            name: (slice(end - array.size, end), array.shape)
            for (name, array), end in zip(arrays.items(), ends, strict=True)
        }
        self.puts = [
            launches.record(
                PUT[array.dtype], array.size, [array.flatten(), end - array.size], [self.block]
            )
            for array, end in zip(arrays.values(), ends, strict=True)
        ]

    def read(self):
        """Return all current numbers by name, as NumPy arrays of float64, by one read."""
        play(self.puts)
        block = self.block.numpy().copy()  # a view on the CPU
        return {name: block[place].reshape(shape) for name, (place, shape) in self.places.items()}
