# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems, by Cholesky decomposition of the matrices of a `Skyline`.

The number of matrices, their sizes and the widths of their panels are in device memory only. On the
CPU one thread decomposes a matrix (kernels/coarse/cholesky_cpu.py); on the GPU it is decomposed in
tiles (kernels/coarse/cholesky_gpu.py) and solved by products (substitution_gpu.py), in a launch
each.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.coarse import cholesky_cpu, coarse_step
from ..kernels.coarse import cholesky_gpu as tiles
from ..kernels.coarse import substitution_gpu as products
from ..kernels.coarse.cholesky_cpu import LANES, SHIFT
from ..kernels.coarse.skyline import PANEL, Skyline
from ..kernels.device.turns import TURNS

# Rough time of a multiplication in a decomposition and in a solution [ns].
FACTOR, SOLVE = 0.06, 0.3
# Panels of a block of L that is inverted: as many as fit this memory [bytes], within limits. More
# make fewer products that wait for each other.
MEMORY, FEWEST, MOST = 1 << 28, 8, 64


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
        self.launches, self.solution = launches, systems.solution

    def factor(self):
        """Decompose the current matrices."""
        self.factoring()

    def step(self, patches, _pulls, members, moves, each):
        """Return what copies positions, solves for z, and prolongs it to `members`: each chunk
        takes `each` [ns].
        """
        inputs, count = [self.solution, members, patches], len(members.shape)
        up = self.launches.record(coarse_step.prolong, count, inputs, [moves], each)
        copies = [
            partial(wp.copy, copy, moves.x)
            for copy in (moves.before, moves.moved)
            if copy is not moves.x
        ]
        return partial(play, [*copies, self.solving, up])


class TileFactors:
    """Factors computed in tiles; without them, the solution is not finite."""

    def __init__(self, launches, systems):
        skyline, panels, record = systems.skyline, systems.all_panels, launches.record
        blocks = -(-systems.panels // most_in_block(panels))
        span = -(-systems.panels // blocks)
        slots = max(systems.band, 1) + 1 + span

        def zeros(shape, dtype=wp.float64):
            return wp.zeros(shape, dtype=dtype, device=systems.matrix.device)

        matrix = systems.matrix.reshape((len(systems.matrix) // PANEL, PANEL))
        lower, inverse = zeros(matrix.shape), zeros((panels * span * PANEL, PANEL))
        vectors = products.Vectors()
        vectors.right, vectors.solution = systems.right, systems.solution
        for name in ("scale", "forth", "side"):
            setattr(vectors, name, zeros(len(systems.right)))
        inputs = [slots, span, wp.float64(SHIFT), skyline, matrix]
        state = [zeros(panels * slots, int), zeros(TURNS, int)]
        outputs = [*state, vectors.scale, lower, inverse]
        self.factor = record(
            tiles.decompose, panels * slots, inputs, outputs, tile_threads=tiles.TILE_THREADS
        )
        self.launches, self.panels, self.blocks = launches, panels, blocks
        self.known, self.vectors = [blocks, span, skyline, lower, inverse], vectors
        self.turns = zeros(TURNS, int)

    def step(self, patches, pulls, members, moves, _each):
        """Return what finds turns, copies positions, restricts the forces `pulls`, solves for z,
        and prolongs it to `members`.
        """
        threads = int(products.THREADS)
        counts = (
            -(-(pulls.elements + len(members.shape) + len(moves.x)) // threads),
            4 * len(patches.first),
            self.panels * products.groups_of(self.blocks),
            -(-len(members.shape) // threads),
        )
        begins = wp.vec4i(*np.cumsum(counts).tolist())
        inputs = [begins, *self.known]
        outputs = [patches, members, pulls, self.vectors, moves, self.turns]
        record = self.launches.record
        return record(products.solve, sum(counts), inputs, outputs, tile_threads=threads)


def most_in_block(panels):
    """Most panels of a block of L that is inverted, where there are `panels` in all."""
    tile = 8 * PANEL * PANEL
    return int(np.clip(MEMORY // (tile * panels), FEWEST, MOST))
