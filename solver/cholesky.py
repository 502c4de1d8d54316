# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems by Cholesky decomposition, many of one size at a time.

On the CPU by LAPACK, whose arrays are those of Warp; on the GPU in tiles (kernels/cholesky.py).
"""

import numpy as np
import warp as wp

from .kernels import cholesky as kernels

# Part of the diagonal that is added: what float32 sums may be wrong by; more where that fails.
SHIFT, MORE_SHIFT, MOST_SHIFT = 1e-6, 10.0, 1e-3
# Rows of a triangular system that are solved by one product with an inverse.
ROWS = 32


class HostFactors:
    """L of A = S⁻¹ L Lᵀ S⁻¹ for a stack [n, m, m] of `matrices`, S scaling their diagonals to 1.

    `right` and `way` [n, m] are the right sides and the solutions. A matrix that is not positive
    definite gets a larger shift; `failed` [n] are those for which none was enough, and whose
    solution is zero.
    """

    def __init__(self, matrices, right, way):
        self.matrices, self.right, self.way = matrices.numpy(), right.numpy(), way.numpy()

    def factor(self):
        """Decompose what the matrices hold now; they are overwritten."""
        matrices = self.matrices
        size = matrices.shape[1]
        diagonal = np.arange(size)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = 1.0 / np.sqrt(matrices[:, diagonal, diagonal])
        self.failed = ~np.isfinite(scale).all(axis=1)
        scale[self.failed] = 0.0
        matrices *= scale[:, :, None]
        matrices *= scale[:, None, :]
        matrices[:, diagonal, diagonal] += SHIFT
        try:
            lower = np.linalg.cholesky(matrices)
        except np.linalg.LinAlgError:
            lower = np.stack([self._shifted(k, one) for k, one in enumerate(matrices)])
        self.failed |= ~np.isfinite(lower[:, -1]).all(axis=1)
        lower[self.failed] = np.eye(size)
        scale[self.failed] = 0.0
        self.scale, self.spans, self.inverses, self.below, self.behind = scale, [], [], [], []
        for begin in range(0, size, ROWS):
            span = slice(begin, min(begin + ROWS, size))
            self.spans.append(span)
            self.inverses.append(np.linalg.inv(lower[:, span, span]))
            self.below.append(np.ascontiguousarray(lower[:, span, :begin]))
            self.behind.append(np.ascontiguousarray(lower[:, span.stop :, span]))

    def _shifted(self, number, matrix):
        """L with a larger shift, or the identity where none is enough."""
        if not self.failed[number] and np.isfinite(matrix).all():
            shift = SHIFT
            while shift < MOST_SHIFT:
                shift *= MORE_SHIFT
                try:
                    return np.linalg.cholesky(matrix + shift * np.eye(len(matrix)))
                except np.linalg.LinAlgError:
                    continue
        self.failed[number] = True
        return np.eye(len(matrix))

    def solve(self):
        """Solve for the right sides of now."""
        y = (self.right * self.scale)[:, :, None]
        for span, inverse, below in zip(self.spans, self.inverses, self.below, strict=True):
            y[:, span] = inverse @ (y[:, span] - below @ y[:, : span.start])
        backwards = zip(self.spans[::-1], self.inverses[::-1], self.behind[::-1], strict=True)
        for span, inverse, behind in backwards:
            rest = y[:, span] - behind.transpose(0, 2, 1) @ y[:, span.stop :]
            y[:, span] = inverse.transpose(0, 2, 1) @ rest
        self.way[:] = y[:, :, 0] * self.scale


class DeviceFactors:
    """The same on the device for a stack [n, m, m] of `matrices`, whose m is a multiple of TILE.

    `right` and `way` [n, m] are the right sides and the solutions. Nothing comes back to the host:
    where there is no decomposition, the solution is not finite.
    """

    THREADS = 64

    def __init__(self, matrices, right, way):
        count, size, _ = matrices.shape
        scale = wp.zeros((count, size), dtype=wp.float64, device=matrices.device)
        right, way = (values.reshape((count, size, 1)) for values in (right, way))
        shift = wp.float64(SHIFT)
        tiles = {"dim": count, "block_dim": self.THREADS, "record_cmd": True}
        each = {"dim": (count, size), "record_cmd": True}
        device = matrices.device
        self.factoring = [
            wp.launch(kernels.find_scales, inputs=[shift, matrices, scale], device=device, **each),
            wp.launch(
                kernels.apply_scales,
                dim=matrices.shape,
                inputs=[scale, matrices],
                device=device,
                record_cmd=True,
            ),
            wp.launch_tiled(kernels.factor, inputs=[matrices], device=device, **tiles),
        ]
        self.solving = [
            wp.launch(kernels.scale_vectors, inputs=[scale, right, way], device=device, **each),
            wp.launch_tiled(kernels.solve, inputs=[matrices, way], device=device, **tiles),
            wp.launch(kernels.scale_vectors, inputs=[scale, way, way], device=device, **each),
        ]

    def factor(self):
        """Decompose what the matrices hold now, in their place."""
        for launch in self.factoring:
            launch.launch()

    def solve(self):
        """Solve for the right sides of now."""
        for launch in self.solving:
            launch.launch()
