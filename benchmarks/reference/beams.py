# SPDX-License-Identifier: GPL-3.0-or-later
"""Beams in closed form or nearly so, and bars of cells or tets to compare with them.

A bar is square, of side 1 m and length LENGTH, clamped where x = 0. Γ = ρ g A L³/(E I) measures its
load: under its own weight its tip drops by 0.1235 L at Γ = 1 and by 0.496 L at Γ = 5.
"""

import numpy as np
from scipy.integrate import solve_bvp
from scipy.linalg import expm
from scipy.optimize import brentq

from vbd.solver.bodies import CELL_CORNERS, Cells, Pins
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material

LENGTH = 10.0
YOUNG = 1e5
INERTIA = 1.0 / 12.0
# St. Venant's torsion constant of a square, and that of a section that may not warp.
TORSION, POLAR = 0.1406, 1.0 / 6.0
SHEAR_FACTOR = 5.0 / 6.0


def drop(gamma, poisson):
    """Drop of the tip over the length, of a beam that bends, shears and stretches, at any angle.

    Geometrically exact beam (Reissner 1972), with the section's shear factor of 5/6.
    """
    weight = gamma * INERTIA / LENGTH**3  # for E = 1 Pa, per length
    shear = SHEAR_FACTOR / (2.0 * (1.0 + poisson))

    def change(s, y):
        angle, moment = y[:2]
        load = weight * (LENGTH - s)
        stretch, slide = 1.0 + load * np.sin(angle), load * np.cos(angle) / shear
        along = stretch * np.cos(angle) - slide * np.sin(angle)
        down = stretch * np.sin(angle) + slide * np.cos(angle)
        return np.stack([moment / INERTIA, -load * along, along, down])

    def ends(a, b):
        return np.array([a[0], b[1], a[2], a[3]])

    s = np.linspace(0.0, LENGTH, 101)
    start = np.zeros((4, len(s)))
    return solve_bvp(change, ends, s, start, tol=1e-8).y[3, -1] / LENGTH


def material(poisson, gamma=0.0, **others):
    """Material of the bar, heavy enough for Γ at 10 m/s²."""
    density = gamma * YOUNG * INERTIA / LENGTH**3 / 10.0 if gamma else 1.0
    return Material(youngs_modulus=YOUNG, poisson_ratio=poisson, density=density, **others)


def lattice(across):
    """Points and cells of a bar with `across` cells in width and height."""
    counts = np.array([int(LENGTH) * across, across, across])
    lowest = np.argwhere(np.ones(counts, bool))
    places, cells = np.unique(
        (lowest[:, None] + CELL_CORNERS).reshape(-1, 3), axis=0, return_inverse=True
    )
    return places / across, cells.reshape(-1, 8)


def bar(across, material, **others):
    """A bar of cells, `across` of them in width and height."""
    return Cells(*lattice(across), material, **others)


def free_clamp(body):
    """Holds the end of a bar so that it cannot turn, but may become thicker and thinner as in the
    theory of beams: stiff along it, soft across, where it gives by some hundredths of the width.
    """
    start, _ = ends(body)
    return Attachment(
        body,
        start,
        stiffness=1e3 * YOUNG / len(start),
        points=body.points[start],
        normal=(1.0, 0.0, 0.0),
        tangential_stiffness=0.05 * YOUNG / len(start),
    )


def drop_of(body, positions):
    """Drop of the middle of the tip below that of the start, over the length."""
    start, tip = ends(body)
    moved = positions - body.rest_points
    return (moved[start].mean(axis=0) - moved[tip].mean(axis=0))[2] / LENGTH


def twisted(body, angle):
    """Vertices of a bar whose far end is turned by `angle` [rad], with uniform twist between."""
    points = body.rest_points - [0.0, 0.5, 0.5]
    turn = points[:, 0] * angle / LENGTH
    y, z = points[:, 1:].T
    return np.stack(
        [
            points[:, 0],
            np.cos(turn) * y - np.sin(turn) * z + 0.5,
            np.sin(turn) * y + np.cos(turn) * z + 0.5,
        ],
        axis=1,
    )


def held(body, points):
    """`Pins` that move both ends of a bar to their places in `points`."""
    both = np.concatenate(ends(body))
    return Pins(both, points[both])


def torsion_energy(poisson, angle):
    """Energy [J] of a bar twisted by `angle` [rad], by St. Venant."""
    return 0.25 * YOUNG / (1.0 + poisson) * TORSION * angle**2 / LENGTH


def ends(body):
    """The vertices of both ends of a bar."""
    along = body.rest_points[:, 0]
    return np.flatnonzero(along < 1e-9), np.flatnonzero(along > LENGTH - 1e-9)


def bending_frequencies(poisson, count=3):
    """The first angular frequencies [rad/s] of a clamped bar with E = 1 Pa and a density of
    1 kg/m³ that bends, by Timoshenko's beam.
    """
    shear = SHEAR_FACTOR / (2.0 * (1.0 + poisson))

    def mismatch(omega):
        # w, ψ, M, V along the beam: w' = ψ + V/κGA, ψ' = M/EI, M' = −V − ρI ω² ψ, V' = −ρA ω² w.
        change = np.zeros((4, 4))
        change[0, 1], change[0, 3], change[1, 2] = 1.0, 1.0 / shear, 1.0 / INERTIA
        change[2, 1], change[2, 3], change[3, 0] = -(omega**2) * INERTIA, -1.0, -(omega**2)
        return np.linalg.det(expm(LENGTH * change)[2:, 2:])

    tried = np.linspace(1e-3, 0.2, 400)
    values = [mismatch(omega) for omega in tried]
    between = [k for k in range(len(tried) - 1) if values[k] * values[k + 1] < 0.0]
    return np.array([brentq(mismatch, tried[k], tried[k + 1]) for k in between[:count]])


def torsion_frequency(poisson):
    """The first one of a clamped bar that twists, by St. Venant."""
    return np.pi / (2.0 * LENGTH) * np.sqrt(TORSION / POLAR / (2.0 * (1.0 + poisson)))
