# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft pins: springs towards places that animation gives, as stiff as what they hold is heavy."""

import numpy as np

from ..scene.attachments import Attachment
from .assembly import element_mass, vertex_mass


def soft_pins(body, vertices, stiffness, *, mass=None, axes=(True, True, True), **options):
    """An `Attachment` of `vertices` [row] of a body, or of points in it, to places in space.

    `stiffness` [N/m per kg] κ times the mass that a row stands for is its stiffness. So a body that
    hangs on it sags by g/κ and swings with √κ [rad/s], whatever its weight and its mesh. `mass`
    [row, kg] is by default that of the vertices. `axes`: those of the world along which they hold,
    at least one; along the others the vertices are free. `options` are those of an `Attachment`:
    `points`, and what else is wanted of `damping`, `grip` and so on.
    """
    if mass is None:
        mass = vertex_mass(body)[vertices]
    options.setdefault("name", f"{body.name}: soft pins")
    stiffness, held = stiffness * mass, np.asarray(axes, dtype=bool)
    if not held.any():
        raise ValueError(f"{options['name']}: they hold along no axis; choose one")
    if held.sum() == 1:
        options["normal"] = held
    elif not held.all():  # across the free axis, not along it
        options |= {"normal": ~held, "tangential_stiffness": stiffness}
        stiffness = np.zeros_like(stiffness)
    return Attachment(body, vertices, stiffness, **options)


def mass_shares(body, share):
    """The mass [kg] of a body as `share` [point] divides it, which adds up to anything."""
    return element_mass(body).sum() * share / share.sum()
