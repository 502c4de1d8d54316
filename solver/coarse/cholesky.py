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
from ..kernels.coarse.skyline import PANEL, Skyline
from ..kernels.coarse.substitution_gpu import ROWS, SPAN

# Rough time of a multiplication in a decomposition and in a solution [ns].
FACTOR, SOLVE = 0.06, 0.3
# Threads per tile, and per solution.
THREADS, MANY_THREADS = 64, 512


@dataclass
class Systems:
    """All systems: `matrix` [place], and `right` and `solution` [row of all panels].

    `matrices` is the largest number of matrices, `panels` that of panels in one of them.
    """

    skyline: Skyline
    matrix: wp.array
    right: wp.array
    solution: wp.array
    matrices: int
    panels: int

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
    """Factors computed in tiles; without a decomposition, the solution is not finite."""

    def __init__(self, launches, systems):
        self.launches, self.systems = launches, systems
        skyline, panels = systems.skyline, systems.all_panels

        def in_columns(values):
            return values.reshape((len(values) // PANEL, PANEL))

        matrix, scale = in_columns(systems.matrix), wp.zeros_like(systems.right)
        lower = wp.zeros_like(matrix)
        corner = self._columns(len(scale))
        record, each = launches.record, (panels, PANEL)
        scaled = [wp.float64(SHIFT), skyline, matrix, scale]
        self.factoring = [
            record(tiles.find_scales, each, [skyline, matrix], [scale]),
            record(tiles.apply_scales, each, scaled, [lower]),
        ]
        for column in range(systems.panels):
            known, rest = [column, skyline], systems.panels - column - 1
            self.factoring.append(
                self._in_tiles(tiles.factor_column, panels, known, [lower, corner])
            )
            if rest:
                self.factoring.append(
                    self._in_tiles(tiles.update_rest, (panels, rest), known, [lower])
                )
        inverse, product = (self._columns(ROWS * panels) for _ in range(2))
        self.factoring += self._inversion(lower, corner, inverse, product)
        known = [skyline, lower, inverse, scale, systems.right]
        outputs, count = [systems.solution], systems.matrices
        self.solving = self._in_tiles(products.solve, count, known, outputs, MANY_THREADS)

    def _columns(self, count):
        """Zeros for so many columns of panels."""
        return wp.zeros((count, PANEL), dtype=wp.float64, device=self.systems.matrix.device)

    def _inversion(self, lower, corner, inverse, product):
        """Launches that invert the diagonal blocks of L, from tiles to blocks of SPAN panels."""
        skyline, count, record = self.systems.skyline, self.systems.all_panels, self.launches.record
        each = (count, PANEL)
        found = [record(products.invert_corners, each, [skyline, corner], [inverse])]
        panels = 1
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
