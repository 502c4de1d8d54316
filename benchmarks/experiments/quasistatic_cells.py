# SPDX-License-Identifier: GPL-3.0-or-later
"""The equilibrium of cells in float64: Newton's method on their energy.

Slopes are complex steps of the energy, written as in the page on the method; curvatures are
differences of these. The cells of a body are cubes of one size, full, of one neo-Hookean material.
"""

import numpy as np
from scipy.sparse import coo_matrix

from vbd.benchmarks.reference.newton import direct
from vbd.solver.bodies import CELL_CORNERS
from vbd.solver.elements.cell_mass import mass_at_corners

STATES = 21


def lame(material):
    young, nu = material.youngs_modulus, material.poisson_ratio
    return young / (2.0 * (1.0 + nu)), young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))


def cross(a, b):
    return np.cross(a, b, axis=0)


def dot(a, b):
    return (a * b).sum(axis=0)


def density(state, mu, lam):
    """Energy [J/m³] of states [7, 3, cell]: the columns of F, then q_xy, q_yz, q_xz, q_xyz."""
    f_x, f_y, f_z, q_xy, q_yz, q_xz, _ = state
    n_x, n_y, n_z = cross(f_y, f_z), cross(f_z, f_x), cross(f_x, f_y)
    q, volume = (state[3:] ** 2).sum(axis=(0, 1)), dot(f_x, n_x)
    alpha = 1.0 + mu / (lam + mu)
    energy = 0.5 * mu * ((state[:3] ** 2).sum(axis=(0, 1)) - 3.0)
    energy = energy + 0.5 * (lam + mu) * (volume - alpha) ** 2
    twist = dot(n_z, q_xy) + dot(n_y, q_xz) + dot(n_x, q_yz)
    across = sum((cross(f, p) ** 2).sum(axis=0) for f, p in ((f_z, q_xy), (f_x, q_yz), (f_y, q_xz)))
    bent = (
        dot(n_y, q_xy) + dot(n_z, q_xz),
        dot(n_x, q_xy) + dot(n_z, q_yz),
        dot(n_x, q_xz) + dot(n_y, q_yz),
    )
    plane = 2.0 * lam * mu / (lam + 2.0 * mu)
    squares = mu * (q + across + twist**2) + plane * sum(b**2 for b in bent)
    return energy + 0.5 * squares


def slope(state, mu, lam):
    """∂/∂state of the density, [21, cell], to the last digit."""
    flat = state.reshape(STATES, -1)
    found = np.empty_like(flat)
    for k in range(STATES):
        nudged = flat.astype(complex)
        nudged[k] += 1e-30j
        found[k] = density(nudged.reshape(7, 3, -1), mu, lam).imag / 1e-30
    return found


def curvature(state, mu, lam, step=1e-6):
    """∂²/∂state² by differences, [21, 21, cell]."""
    flat = state.reshape(STATES, -1)
    found = np.empty((STATES, STATES, flat.shape[1]))
    for k in range(STATES):
        nudge = np.zeros_like(flat)
        nudge[k] = step
        ends = [slope((flat + s * nudge).reshape(7, 3, -1), mu, lam) for s in (1.0, -1.0)]
        found[k] = (ends[0] - ends[1]) / (2.0 * step)
    return 0.5 * (found + found.transpose(1, 0, 2))


def weights(side):
    """Weights that give the seven vectors of the state from the corners, [7, 8]."""
    u, v, w = (2.0 * CELL_CORNERS - 1.0).T
    quarter, rate = 1.0 / (4.0 * side), 1.0 / (4.0 * side * np.sqrt(3.0))
    return np.stack(
        [u * quarter, v * quarter, w * quarter]
        + [u * v * rate, v * w * rate, u * w * rate, u * v * w * rate]
    )


def settle(body, gravity, guess, precise=1e-10):
    """Equilibrium [vertex, 3] under gravity [m/s²] along −z, by Newton's method from a guess near
    to it, until steps are small beside the body.
    """
    mu, lam = lame(body.material)
    rest, cells = body.rest_points, body.elements
    side = np.ptp(rest[cells[0], 0])
    map_, volume = np.kron(weights(side), np.eye(3)), side**3
    index = (3 * cells[:, :, None] + np.arange(3)).reshape(len(cells), 24)
    load = np.zeros_like(rest)
    cell_mass = np.full(len(cells), body.material.density * volume)
    load[:, 2] = -gravity * mass_at_corners(body, cell_mass)
    free = np.ones(rest.size, bool)
    free[(3 * body.pins.indices[:, None] + np.arange(3)).ravel()] = False

    def gradient(x):
        state = (map_ @ x.ravel()[index].T).reshape(7, 3, -1)
        found = -load.ravel()
        np.add.at(found, index, volume * (map_.T @ slope(state, mu, lam)).T)
        return found, state

    x, size = guess.copy(), np.inf
    x[body.pins.indices] = rest[body.pins.indices]
    rows, columns = np.repeat(index, 24, axis=1).ravel(), np.tile(index, (1, 24)).ravel()
    found, state = gradient(x)
    while size > precise * np.ptp(rest, axis=0).max():
        local = np.einsum("ka,klc,lb->cab", map_, curvature(state, mu, lam), map_) * volume
        hessian = coo_matrix((local.ravel(), (rows, columns))).tocsr()[free][:, free].tocsc()
        step = np.zeros(rest.size)
        step[free] = direct(hessian, -found[free])
        scale, before = 1.0, found
        while True:
            found, state = gradient(x + scale * step.reshape(x.shape))
            # Halve while the slope along the step rises more than it fell: no overshooting.
            if found @ step <= -0.5 * (before @ step) or scale < 1e-3:
                break
            scale *= 0.5
        x, size = x + scale * step.reshape(x.shape), abs(step).max()
    return x
