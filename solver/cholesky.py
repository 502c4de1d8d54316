# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems by Cholesky decomposition, many of one size at a time."""

import numpy as np

# Part of the diagonal that is added: what float32 sums may be wrong by; more where that fails.
SHIFT, MORE_SHIFT, MOST_SHIFT = 1e-6, 10.0, 1e-3
# Rows of a triangular system that are solved by one product with an inverse.
ROWS = 32


class Factors:
    """L of A = S⁻¹ L Lᵀ S⁻¹ for a stack of matrices [n, m, m], S scaling their diagonals to 1.

    The matrices are overwritten. One that is not positive definite gets a larger shift; `failed`
    [n] are those for which none was enough, and whose solution is zero.
    """

    def __init__(self, matrices):
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

    def solve(self, right):
        """A⁻¹ b of right sides [n, m]."""
        y = (right * self.scale)[:, :, None]
        for span, inverse, below in zip(self.spans, self.inverses, self.below, strict=True):
            y[:, span] = inverse @ (y[:, span] - below @ y[:, : span.start])
        backwards = zip(self.spans[::-1], self.inverses[::-1], self.behind[::-1], strict=True)
        for span, inverse, behind in backwards:
            rest = y[:, span] - behind.transpose(0, 2, 1) @ y[:, span.stop :]
            y[:, span] = inverse.transpose(0, 2, 1) @ rest
        return y[:, :, 0] * self.scale
