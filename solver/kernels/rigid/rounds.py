# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds that find the fractions of their arcs which rigid bodies take together
(kernels/contact/feasibility/rigid_pairs.py).
"""

import warp as wp

from ..contact.feasibility.rigid_pairs import ROUNDS, Fractions
from ..contact.feasibility.truncation import BY_PAIR
from ..contact.feasibility.trust_regions import Regions
from ..device.options import OPTIONS
from .poses import RigidArrays
from .steps import fraction_in_regions

wp.set_module_options(OPTIONS)


@wp.kernel
def begin_fractions(
    regions: Regions,
    bodies: RigidArrays,
    fraction: wp.array[float],
    cut: wp.array[int],
    # out
    fractions: Fractions,
):
    """Begin with the fraction that all but their pairs allows each body. One thread per body."""
    b = wp.tid()
    at = bodies.first + 4 * b
    least = float(1.0)
    for k in range(4):
        if cut[at + k] != 0:
            least = wp.min(least, fraction[at + k])
    if least < 1.0:
        least = fraction_in_regions(b, least, bodies, regions)
    fractions.taken[b] = least
    fractions.lowered[b] = least
    fractions.has_changed[b] = 1
    fractions.goes_on[0] = 1
    fractions.is_unsettled[0] = 0
    fractions.round[0] = 0


@wp.kernel
def end_round(
    count: int,
    regions: Regions,
    bodies: RigidArrays,
    # in and out
    fraction: wp.array[float],
    cut: wp.array[int],
    fractions: Fractions,
):
    """Take over the fractions that a round has lowered, and decide on another one. One thread."""
    fractions.goes_on[0] = 0
    for b in range(count):
        least = fractions.lowered[b]
        fractions.has_changed[b] = 0
        if least < fractions.taken[b]:
            least = fraction_in_regions(b, least, bodies, regions)
            fractions.has_changed[b] = 1
            fractions.goes_on[0] = 1
            fractions.taken[b] = least
            fractions.lowered[b] = least
            at = bodies.first + 4 * b
            for k in range(4):
                fraction[at + k] = least
                cut[at + k] = BY_PAIR
    fractions.round[0] = fractions.round[0] + 1
    if fractions.goes_on[0] != 0 and fractions.round[0] >= ROUNDS:
        fractions.goes_on[0] = 0
        fractions.is_unsettled[0] = 1
