# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems by Cholesky decomposition, many of one shape at a time.

A matrix is dense or block tridiagonal: its rows are in blocks, and the rows of a block hold the
columns of the block before it and its own, the first of them at the first place. On the CPU by
LAPACK, whose arrays are those of Warp; on the GPU in tiles (kernels/coarse/factorisation.py).
"""

from itertools import pairwise

import numpy as np
import warp as wp

from ..device.launches import Launches, play
from ..kernels.coarse import factorisation as kernels
from ..kernels.coarse.factorisation import TILE

# Part of the diagonal that is added: what float32 sums may be wrong by; more where that fails.
SHIFT, MORE_SHIFT, MOST_SHIFT = 1e-6, 10.0, 1e-3
# Triangular matrices of up to so many rows are inverted at once.
SMALL = 32


def first_columns(bounds):
    """The first column [row] that the rows between `bounds` [block + 1] of blocks hold."""
    bounds = np.asarray(bounds)
    return np.repeat(np.append(0, bounds[:-2]), np.diff(bounds))


def last_rows(bounds):
    """Behind the last row [row] that holds the column of each row."""
    bounds = np.asarray(bounds)
    return np.repeat(np.append(bounds[2:], bounds[-1]), np.diff(bounds))


def lower_inverse(lower):
    """Inverses of lower triangular matrices [..., m, m], by halves."""
    size = lower.shape[-1]
    if size <= SMALL:
        return np.linalg.inv(lower)
    half = size // 2
    inverse = np.zeros_like(lower)
    inverse[..., :half, :half] = above = lower_inverse(lower[..., :half, :half])
    inverse[..., half:, half:] = below = lower_inverse(lower[..., half:, half:])
    inverse[..., half:, :half] = -below @ (lower[..., half:, :half] @ above)
    return inverse


class HostFactors:
    """L of A = S⁻¹ L Lᵀ S⁻¹ for a stack [n, m, w] of `matrices`, S scaling their diagonals to 1.

    `bounds` [block + 1] are the first rows of the blocks, and m; w is the most columns that a block
    holds. `right` and `solution` [n, m] are the right sides and the solutions. A matrix that is not
    positive definite gets a larger shift; `failed` [n] are those for which none was enough, and
    whose solution is zero.
    """

    def __init__(self, matrices, right, solution, bounds):
        self.matrices, self.right, self.solution = matrices.numpy(), right.numpy(), solution.numpy()
        self.spans = [slice(int(a), int(b)) for a, b in pairwise(bounds)]
        rows = np.arange(bounds[-1])
        self.diagonal = rows, rows - first_columns(bounds)

    def factor(self):
        """Decompose what the matrices hold now."""
        row, column = self.diagonal
        with np.errstate(invalid="ignore", divide="ignore"):
            self.scale = 1.0 / np.sqrt(self.matrices[:, row, column])
        self.failed = ~np.isfinite(self.scale).all(axis=1)
        self.failed |= ~np.isfinite(self.matrices).all(axis=(1, 2))
        good = np.flatnonzero(~self.failed)
        try:
            self.parts = self._decomposed(good, SHIFT)
        except np.linalg.LinAlgError:
            alone = {number: self._shifted(number) for number in good}
            self.failed[good] = [not alone[number] for number in good]
            self.parts = [
                tuple(np.concatenate(arrays) for arrays in zip(*same, strict=True))
                for same in zip(*filter(None, alone.values()), strict=True)
            ]

    def _shifted(self, number):
        """The parts of one matrix, with a larger shift; none where no shift is enough."""
        shift = SHIFT
        while shift < MOST_SHIFT:
            shift *= MORE_SHIFT
            try:
                return self._decomposed([number], shift)
            except np.linalg.LinAlgError:
                continue
        return []

    def _decomposed(self, numbers, shift):
        """(L⁻¹ of its own rows, L left of them) of every block, for some of the matrices."""
        parts, start = [], 0
        for span in self.spans:
            width = span.start - start
            block = self.matrices[numbers, span, : span.stop - start]
            block *= self.scale[numbers, span, None]
            block *= self.scale[numbers, None, start : span.stop]
            left, own = block[:, :, :width], block[:, :, width:]
            diagonal = np.arange(own.shape[1])
            own[:, diagonal, diagonal] += shift
            if parts:
                left = left @ parts[-1][0].transpose(0, 2, 1)
                own = own - left @ left.transpose(0, 2, 1)
            parts.append((lower_inverse(np.linalg.cholesky(own)), left))
            start = span.start
        return parts

    def solve(self):
        """Solve for the right sides of now."""
        good = np.flatnonzero(~self.failed)
        self.solution[:] = 0.0
        if not len(good):
            return
        scale = self.scale[good]
        rest = (self.right[good] * scale)[:, :, None]
        for number, (span, (inverse, left)) in enumerate(zip(self.spans, self.parts, strict=True)):
            if number:
                rest[:, span] -= left @ rest[:, self.spans[number - 1]]
            rest[:, span] = inverse @ rest[:, span]
        for number in reversed(range(len(self.spans))):
            span, (inverse, left) = self.spans[number], self.parts[number]
            rest[:, span] = inverse.transpose(0, 2, 1) @ rest[:, span]
            if number:
                rest[:, self.spans[number - 1]] -= left.transpose(0, 2, 1) @ rest[:, span]
        self.solution[good] = rest[:, :, 0] * scale


class DeviceFactors:
    """The same on the device, where blocks have a multiple of TILE rows.

    Nothing comes back to the host: where there is no decomposition, the solution is not finite.
    """

    THREADS = 64

    def __init__(self, matrices, right, solution, bounds):
        device = matrices.device
        count, size, _ = matrices.shape
        start = wp.array(first_columns(bounds), dtype=int, device=device)
        last = last_rows(bounds)
        stop = wp.array(last, dtype=int, device=device)
        scale = wp.zeros((count, size), dtype=wp.float64, device=device)
        corner = wp.zeros((count, size, TILE), dtype=wp.float64, device=device)
        right, solution = (values.reshape((count, size, 1)) for values in (right, solution))
        each, shift = (count, size), wp.float64(SHIFT)
        self.record = Launches(device, None).record
        self.factoring = [
            self.record(kernels.find_scales, each, [shift, start], [matrices, scale]),
            self.record(kernels.apply_scales, matrices.shape, [scale, start], [matrices]),
        ]
        for k in range(0, size, TILE):
            below = int(last[k] - k) // TILE - 1
            outputs = [matrices, corner]
            self._in_tiles(kernels.factor_column, (count, below + 1), [k, start], outputs)
            if below:
                self._in_tiles(kernels.update_rest, (count, below, below), [k, start], [matrices])
        triangles = [matrices, corner, start, stop]
        self.solving = [
            self.record(kernels.scale_vectors, each, [scale, right], [solution]),
            self.record(kernels.solve, (count,), triangles, [solution], tile_threads=self.THREADS),
            self.record(kernels.scale_vectors, each, [scale, solution], [solution]),
        ]

    def _in_tiles(self, kernel, tiles, inputs, outputs):
        """Go on with a launch of blocks of threads."""
        launch = self.record(kernel, tiles, inputs, outputs, tile_threads=self.THREADS)
        self.factoring.append(launch)

    def factor(self):
        """Decompose what the matrices hold now, in their place."""
        play(self.factoring)

    def solve(self):
        """Solve for the right sides of now."""
        play(self.solving)
