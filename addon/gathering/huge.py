# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes modeled in centimetres and simulated in metres: a sentence about them."""

import numpy as np

from ...solver.bodies import Rod
from ...solver.messages import message
from ..objects.units import unit_scale
from .ignored import EARTH, FAR

# Few objects are this large [m]; a figure of 180 cm at a unit scale of 1 is, and ropes may be.
HUGE = 100.0


def notes(bodies, settings, scene):
    """Sentences about the largest of the simulated `bodies`."""
    gravity = float(np.linalg.norm(settings.gravity))
    if settings.quasistatic or not EARTH / FAR <= gravity <= EARTH * FAR:
        return
    sizes = {body.name: _size(body) for body in bodies if not isinstance(body, Rod)}
    name = max(sizes, key=sizes.get, default="")
    if not name or sizes[name] < HUGE:
        return
    factor = 10.0 ** -np.floor(np.log10(sizes[name]))
    if scene.unit_settings.system == "NONE":
        yield message("note.huge", name=name, size=sizes[name], factor=factor)
    else:
        scale = factor * unit_scale(scene)
        yield message("note.huge_by_scale", name=name, size=sizes[name], scale=scale)


def _size(body):
    """The longest side of a body [m]."""
    return float(np.ptp(body.points, axis=0).max())
