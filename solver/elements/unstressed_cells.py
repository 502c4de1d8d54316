# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells that are no cubes without stress: their rest values, and their stiffness in bending.

With F₀ and q₀ of the unstressed corners (kernels/elements/cell_state.py), A = (F₀ᵀF₀)⁻¹ and J₀ =
det F₀, the energy is that of F F₀⁻¹ in the volume V J₀. In bending (hourglass.py), q is relative to
F b, b = F₀⁻¹ q₀, and squares are scaled: |q|² by tr(A)/3, |f_k × q_ij|² by A_kk (A_ii + A_jj)/2, t²
and J_k² by J₀⁻². That is exact for cells that are larger or smaller without stress.
"""

import numpy as np

from ..bodies import CELL_CORNERS
from ..messages import message

# A cell is flat if its volume is below this fraction of that of its longest side.
FLAT = 1e-6


def state_weights(cells):
    """w [cell, corner, 7] in 1/m, as `weights_of` in kernels/elements/cell_state.py."""
    s, a = 2.0 * CELL_CORNERS - 1.0, 0.25 / cells.side[:, None]
    x, y, z = np.moveaxis(1.0 + s * cells.middle[:, None], 2, 0)
    s_x, s_y, s_z = s.T
    linear = s_x * y * z, s_y * x * z, s_z * x * y
    bent = s_x * s_y * z, s_y * s_z * x, s_x * s_z * y, s_x * s_y * s_z + 0.0 * x
    return np.stack([*(a * w for w in linear), *(a * w / 3.0**0.5 for w in bent)], axis=2)


def unstressed_state(body, cells):
    """The rest values [cell, 18] and s [cell] of cells whose unstressed corners are given."""
    corners = body.unstressed_points[cells.corners]
    g = np.einsum("cki,ckm->cim", corners - corners[:, :1], state_weights(cells))
    f = g[..., :3]
    bad = np.flatnonzero(~(np.linalg.det(f) > FLAT * np.abs(f).max(axis=(1, 2)) ** 3))
    if len(bad):
        known = {"count": len(bad), "total": len(f), "first": bad[0]}
        raise ValueError(message("script.unstressed", name=body.name, **known))
    inverse = np.linalg.inv(f)
    swelling = np.cbrt(np.linalg.det(f))
    a = inverse @ np.swapaxes(inverse, 1, 2) * swelling[:, None, None] ** 2
    six = a[:, [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    b = np.swapaxes(inverse @ g[..., 3:], 1, 2)
    return np.concatenate([six, b.reshape(-1, 12)], axis=1), swelling


def scaled_bending(given, rest, swelling):
    """Fields of `Bending`, `given` for cubes, of cells with rest values [cell, 18] and s [cell]."""
    s = swelling[:, None]
    axes = rest[:, :3] / s**2
    others = 0.5 * (axes.sum(axis=1, keepdims=True) - axes)
    return {
        "floor": given["floor"] * axes.mean(axis=1) * swelling**3,
        "cross": given["cross"] * axes * others * s**3,
        "rates": given["rates"] / s**3,
    }
