# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs by alternating a local and a global step (Liu, Bargteil, O'Brien, Kavan 2013).

    ½ k (|p| − r)² = min over |d| = r of ½ k |p − d|²

Local: d = r p/|p| for every spring. Global: (M/h² + L) x = (M/h²) y + J d, factored once.
"""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg

from .energies import Springs


def local_global(problem):
    """Yields x after every pair of a local and a global step; the problem is springs only."""
    for part in problem.elements:
        if not isinstance(part, Springs):
            raise ValueError(f"the local/global solver knows springs only, not {type(part)}")
    corners = np.concatenate([part.corners for part in problem.elements])
    stiffness = np.concatenate([part.stiffness for part in problem.elements])
    rest = np.concatenate([part.rest for part in problem.elements])
    count, ends = len(problem.guess), np.arange(len(corners))
    signs = np.ones(len(corners))
    # Row s of `difference` takes x to the vector from the first to the second end of spring s.
    difference = sparse.coo_matrix(
        (np.concatenate([-signs, signs]), (np.tile(ends, 2), corners.T.ravel())),
        shape=(len(corners), count),
    ).tocsr()
    pull = difference.T @ sparse.diags(stiffness)
    inertia = problem.mass / problem.h**2
    matrix = (sparse.diags(inertia) + pull @ difference).tocsc()
    free, held = np.flatnonzero(~problem.pinned), np.flatnonzero(problem.pinned)
    factors = sparse_linalg.splu(matrix[free][:, free], permc_spec="MMD_AT_PLUS_A")
    coupling = matrix[free][:, held]

    x = problem.guess.copy()
    while True:
        d = difference @ x
        d *= (rest / np.linalg.norm(d, axis=1))[:, None]
        right = inertia[:, None] * problem.inertial + pull @ d
        x[free] = factors.solve(right[free] - coupling @ x[held])
        yield x.copy()
