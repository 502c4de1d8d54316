# SPDX-License-Identifier: GPL-3.0-or-later
"""Which solids are so stiff that float32 positions lose their strain, and where those lie at rest.

Positions [m] are rounded by about 10⁻⁷ of the size L of a body, and so is a strain of 10⁻⁷. Its own
weight strains a body by ρ g L/μ, and by more where it is slender. Where that is less than a
thousand roundings, less than three digits of its shape would be left; displacements from where it
was put down have them all. What turns as a whole would lose them again: only what is held where it
is counts.
"""

import numpy as np

from ..bodies import Cells, Solid
from .materials import solid_lame
from .of_bodies import NEO_HOOKEAN, elastic_per_element, per_element, yields

# Strains below a thousand times the spacing of float32.
LEAST_STRAIN = 1000.0 * 2.0**-23
STANDARD_GRAVITY = 9.80665


def is_stiff(body):
    """Whether a body is made of the elements of stiff_solids.py."""
    if not isinstance(body, Solid | Cells) or not is_held_still(body.pins):
        return False
    if body.material.solid_model != NEO_HOOKEAN or yields(body):
        return False
    mu, _lam = solid_lame(elastic_per_element(body))
    density = per_element(body, "density", body.material.density)
    size = np.ptp(body.rest_points, axis=0).max()
    return bool((density * STANDARD_GRAVITY * size < LEAST_STRAIN * mu).all())


def is_held_still(pins):
    """Whether pins of a body, or None, hold it where it is."""
    return pins is not None and len(pins.indices) > 0 and pins.targets is None


def put_down(rest, points):
    """The rotation R and the points R X + t [vertex, 3] of a rest shape X where a body begins, as
    near to its points as may be (Kabsch 1976).
    """
    middle, there = rest.mean(axis=0), points.mean(axis=0)
    u, _sizes, v = np.linalg.svd((points - there).T @ (rest - middle))
    turn = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))]) @ v
    return turn, there + (rest - middle) @ turn.T
