# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft pins: springs towards places that animation gives, as stiff as what they hold is heavy."""

from ..scene.attachments import Attachment
from .assembly import element_mass, vertex_mass


def soft_pins(body, vertices, stiffness, *, mass=None, **options):
    """An `Attachment` of `vertices` [row] of a body, or of points in it, to places in space.

    `stiffness` [N/m per kg] κ times the mass that a row stands for is its stiffness. So a body that
    hangs on it sags by g/κ and swings with √κ [rad/s], whatever its weight and its mesh. `mass`
    [row, kg] is by default that of the vertices. `options` are those of an `Attachment`: `points`,
    and what else is wanted of `damping`, `grip` and so on.
    """
    if mass is None:
        mass = vertex_mass(body)[vertices]
    options.setdefault("name", f"{body.name}: soft pins")
    return Attachment(body, vertices, stiffness * mass, **options)


def mass_shares(body, share):
    """The mass [kg] of a body as `share` [point] divides it, which adds up to anything."""
    return element_mass(body).sum() * share / share.sum()
