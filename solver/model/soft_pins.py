# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft pins: springs towards places that animation gives, as stiff as what they hold is heavy."""

import numpy as np

from ..scene.attachments import Attachment
from ..topology.graphs import connected_components
from .assembly import vertex_mass


def soft_pins(body, vertices, stiffness, *, mass=None, axes=(True, True, True), **options):
    """An `Attachment` of `vertices` [row] of a body, or of points in it, to places in space.

    `stiffness` [N/m per kg] κ times the mass that a row holds is its stiffness. So a body that
    hangs on it sags by g/κ and swings with √κ [rad/s], whatever its weight and its mesh. `mass`
    [row, kg] is by default `held_mass`, with what the body's own pins hold. `axes`: those of the
    world along which they hold, at least one; along the others the vertices are free. `options` are
    those of an `Attachment`: `points`, and what else is wanted of `damping`, `grip` and so on.
    """
    if mass is None:
        hard = [] if body.pins is None else np.setdiff1d(body.pins.indices, vertices)
        pinned = np.append(vertices, hard).astype(int)
        mass = held_mass(body, pinned, vertex_mass(body)[pinned])[: len(vertices)]
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


def held_mass(body, vertices, share):
    """The mass [row, kg] that hangs on each pin of a body, where `vertices` are all of them.

    They are vertices [row] or corners of points [row, corner]. Those of a connected part of the
    body hold it together, and `share` [row], which adds up to anything, divides it among them: on
    pins all over each holds its own part.
    """
    ends = [body.elements[:, [0, corner]] for corner in range(1, body.elements.shape[1])]
    part = connected_components(np.concatenate(ends), len(body.points))
    of_row = part[np.reshape(vertices, (len(share), -1))[:, 0]]
    whole = np.bincount(part, vertex_mass(body))
    shared = np.bincount(of_row, share, minlength=len(whole))
    return share * (whole / np.where(shared > 0.0, shared, 1.0))[of_row]
