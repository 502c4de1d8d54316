# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft pins: springs towards animated places, with a stiffness proportional to the held mass."""

import numpy as np

from ..messages import message
from ..scene.attachments import Attachment
from ..topology.graphs import connected_components
from .masses import vertex_mass


def soft_pins(body, vertices, stiffness, *, mass=None, axes=(True, True, True), **options):
    """Return an `Attachment` of `vertices` [row] of a body, or of points in it, to places in space.

    The stiffness of a row is `stiffness` κ [N/m per kg] times the mass that it holds. So a hanging
    body sags by g/κ and swings with √κ [rad/s], whatever its weight and mesh. `mass` [row, kg] is
    by default `held_mass`, shared with the body's own pins. `axes`: the world axes along which the
    pins hold, at least one; along the others the vertices are free. `options` are those of an
    `Attachment`: `points`, `damping`, `grip` and so on.
    """
    if mass is None:
        hard = [] if body.pins is None else np.setdiff1d(body.pins.indices, vertices)
        pinned = np.append(vertices, hard).astype(int)
        mass = held_mass(body, pinned, vertex_mass(body)[pinned])[: len(vertices)]
    options.setdefault("name", f"{body.name}: soft pins")
    stiffness, held = stiffness * mass, np.asarray(axes, dtype=bool)
    if not held.any():
        raise ValueError(message("pin.along_no_axis", name=options["name"]))
    if held.sum() == 1:
        options["normal"] = held
    elif not held.all():  # normal to the free axis, not along it
        options |= {"normal": ~held, "tangential_stiffness": stiffness}
        stiffness = np.zeros_like(stiffness)
    return Attachment(body, vertices, stiffness, **options)


def held_mass(body, vertices, share):
    """Return the mass [row, kg] that hangs on each pin of a body; `vertices` are those of all pins.

    They are vertices [row] or corners of points [row, corner]. The pins of a connected component
    of the body share its mass in proportion to `share` [row]; if all vertices are pinned, with
    their masses as `share`, each holds its own mass.
    """
    ends = [body.elements[:, [0, corner]] for corner in range(1, body.elements.shape[1])]
    component = connected_components(np.concatenate(ends), len(body.points))
    of_row = component[np.reshape(vertices, (len(share), -1))[:, 0]]
    whole = np.bincount(component, vertex_mass(body))
    shared = np.bincount(of_row, share, minlength=len(whole))
    return share * (whole / np.where(shared > 0.0, shared, 1.0))[of_row]
