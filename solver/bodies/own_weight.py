# SPDX-License-Identifier: GPL-3.0-or-later
"""Weight of a soft body over its section, in units of its stiffness.

A column of height L, density ρ and Young's modulus E shortens or lengthens by ρ g L/(2 E) of its
height at small strain; where E differs along it, by the mean of 1/E. From ρ g L/E = 1 on it has
hardly its shape.
"""

import numpy as np

# ρ g L/E above which a body has hardly its shape.
MUCH = 1.0
# Points that are compared at most, of the body and of what holds it.
MOST = 2000


def load_over_stiffness(density, gravity, height, youngs_modulus):
    """ρ g L/E of a density [kg/m³], gravity [m/s²], height [m] and modulus [Pa]; the first and the
    last may be arrays [element].
    """
    return float(np.mean(density) * gravity * height * np.mean(1.0 / np.asarray(youngs_modulus)))


def farthest_from(points, held):
    """The largest distance [m] of `points` [point, 3] from the nearest one that is `held`, indices;
    of large bodies, from a sample.
    """
    some, hold = (chosen[:: 1 + len(chosen) // MOST] for chosen in (points, points[held]))
    square = (some**2).sum(axis=1)[:, None] + (hold**2).sum(axis=1) - 2.0 * some @ hold.T
    return float(np.sqrt(max(square.min(axis=1).max(), 0.0)))


def own_load(body, gravity, held):
    """ρ g L/E of a body of tets or cells under a gravity [3], with L its height along gravity, or
    the farthest distance from vertices `held` from outside, if these are less.
    """
    g, m = np.linalg.norm(gravity), body.material
    if not g:
        return 0.0
    height = np.ptp(body.points @ (np.asarray(gravity) / g))
    if len(held):
        middle = body.points - body.points.mean(axis=0)
        height = min(height, farthest_from(middle, np.unique(held)))
    return load_over_stiffness(m.density, g, height, m.youngs_modulus)
