# SPDX-License-Identifier: GPL-3.0-or-later
"""Cohesion of grains: bonds between those that touch, which break.

A bond is a beam between two centers without bending, with the section A = π r² of the smaller
grain: a spring of stiffness E A / L that breaks at a force of the tensile strength times A
(Potyondy and Cundall, "A bonded-particle model for rock", 2004). The strength is the cohesion of
the material.
"""

import numpy as np

from ..bodies import Grains
from ..elements.body_constants import per_vertex
from ..scene.attachments import Attachment


class Bonds(Attachment):
    """An attachment within one body whose ends still touch each other."""

    are_bonds = True


def bonds_of(body):
    """Return the `Bonds` of a body; None without any."""
    if not isinstance(body, Grains) or not len(body.bonds):
        return None
    grains, pairs = body, body.bonds
    one, other = pairs.T
    section = np.pi * np.minimum(grains.radius[one], grains.radius[other]) ** 2
    length = np.linalg.norm(grains.points[one] - grains.points[other], axis=1)

    def weaker(what, values):
        of_grain = per_vertex(grains, what, values)
        return np.minimum(of_grain[one], of_grain[other])

    modulus = weaker("Young's modulus", grains.material.youngs_modulus)
    strength = weaker("cohesion", grains.material.cohesion) * section
    return Bonds(
        grains,
        one,
        modulus * section / length,
        other=grains,
        corners=other,
        length=length,
        strength=np.maximum(strength, np.finfo(np.float32).tiny),
        damping=float(np.mean(grains.material.damping)),
        name=grains.name,
    )
