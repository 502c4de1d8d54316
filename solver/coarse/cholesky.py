# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems, by Cholesky decomposition of the matrices of a `Skyline`.

The number of matrices, their sizes and the widths of their panels are in device memory only. On the
CPU one thread decomposes a matrix (kernels/coarse/cholesky_cpu.py); on the GPU it is decomposed in
tiles (kernels/coarse/cholesky_gpu.py) and solved by products (substitution_gpu.py).
"""

from dataclasses import dataclass

import warp as wp

from ..device.launches import play
from ..kernels.coarse import cholesky_cpu
from ..kernels.coarse import cholesky_gpu as tiles
from ..kernels.coarse import substitution_gpu as products
from ..kernels.coarse.cholesky_cpu import LANES, SHIFT
from ..kernels.coarse.cholesky_gpu import ROWS, SPAN
from ..kernels.coarse.skyline import PANEL, Skyline

# Rough time of a multiplication in a decomposition and in a solution [ns].
FACTOR, SOLVE = 0.06, 0.3
# Threads per tile, and per solution.
THREADS, MANY_THREADS = 256, 512


@dataclass
class Systems:
    """All systems: `matrix` [place], and `right` and `solution` [row of all panels].

    `matrices` is the largest number of matrices, `panels` that of panels in one of them, `band`
    that of tiles below a diagonal tile.
    """

    skyline: Skyline
    matrix: wp.array
    right: wp.array
    solution: wp.array
    matrices: int
    panels: int
    band: int

    @property
    def all_panels(self):
        return len(self.right) // PANEL


class Factors:
    """L of A = S⁻¹ L Lᵀ S⁻¹ of all matrices, S scaling their diagonals to 1.

    The fraction `shift` of the diagonal is added to it. A matrix that is not positive definite gets
    a larger shift; `failed` [matrix] marks those for which none suffices. Their solution is zero.
    """

    def __init__(self, launches, systems, shift=SHIFT):
        matrix, skyline, record = systems.matrix, systems.skyline, launches.record
        self.lower, self.scale = wp.zeros_like(matrix), wp.zeros_like(systems.right)
        self.failed = wp.zeros(systems.matrices, dtype=int, device=matrix.device)
        # Threads cannot share a single matrix.
        shared = len(matrix) / LANES if systems.matrices > 1 else 0.0
        each = FACTOR * shared * PANEL * systems.panels
        results = [self.lower, self.scale, self.failed]
        inputs = [wp.float64(shift), skyline, matrix]
        self.factoring = record(cholesky_cpu.factor, LANES, inputs, results, each)
        known = [skyline, *results, systems.right]
        self.solving = record(cholesky_cpu.solve, LANES, known, [systems.solution], SOLVE * shared)

    def factor(self):
        """Decompose the current matrices."""
        self.factoring()

    def solve(self):
        """Solve for the current right sides."""
        self.solving()


class TileFactors:
    """Factors computed in tiles, over the matrix; without them, the solution is not finite."""

    def __init__(self, launches, systems):
        self.launches, self.systems = launches, systems
        skyline, panels = systems.skyline, systems.all_panels
        matrix = systems.matrix.reshape((len(systems.matrix) // PANEL, PANEL))
        lower, scale = wp.zeros_like(matrix), wp.zeros_like(systems.right)
        inverse, product = self._inverses()
        record, each, tall = launches.record, (panels, PANEL), (panels, max(systems.band, 1) + 1)
        self.factoring = [
            record(tiles.find_scales, each, [skyline, matrix], [scale]),
            record(tiles.apply_scales, each, [wp.float64(SHIFT), skyline, scale], [matrix]),
        ]
        for column in range(-1, systems.panels - 1):
            known = [column, skyline, matrix, inverse]
            self.factoring.append(self._in_tiles(tiles.eliminate, tall, known, [lower]))
        self.factoring += self._inversion(lower, inverse, product)
        known = [skyline, lower, inverse, scale, systems.right]
        outputs, count = [systems.solution], systems.matrices
        self.solving = self._in_tiles(products.solve, count, known, outputs, MANY_THREADS)

    def _inverses(self):
        """Arrays for inverses of diagonal blocks, and for products on the way to them."""
        shape, device = (ROWS * self.systems.all_panels, PANEL), self.systems.matrix.device
        return [wp.zeros(shape, dtype=wp.float64, device=device) for _ in range(2)]

    def _inversion(self, lower, inverse, product):
        """Launches that invert the diagonal blocks of L, from tiles to blocks of SPAN panels."""
        skyline, count, record = self.systems.skyline, self.systems.all_panels, self.launches.record
        found, panels = [], 1
        while panels < min(SPAN, self.systems.panels):
            each = (count, PANEL * panels, PANEL)
            upper, rest = [panels, skyline, lower, inverse], [panels, skyline, product]
            found.append(record(products.multiply_upper, each, upper, [product]))
            found.append(record(products.multiply_lower, each, rest, [inverse]))
            panels *= 2
        return found

    def _in_tiles(self, kernel, count, inputs, outputs, threads=THREADS):
        """A launch of thread blocks."""
        return self.launches.record(kernel, count, inputs, outputs, tile_threads=threads)

    def factor(self):
        """Decompose the current matrices."""
        play(self.factoring)

    def solve(self):
        """Solve for the current right sides."""
        self.solving()
