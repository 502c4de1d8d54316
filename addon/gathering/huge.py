# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that are modeled in centimetres and simulated in metres: a sentence that says so."""

import numpy as np

from ...solver.bodies import Rod
from ..objects.units import unit_scale
from .ignored import EARTH, FAR

# Few things are so large [m], and a figure of 180 cm at a unit scale of 1 is; ropes may well be.
HUGE = 100.0


def notes(bodies, settings, scene):
    """What is to be said about the largest of the simulated `bodies`."""
    gravity = float(np.linalg.norm(settings.gravity))
    if settings.quasistatic or not EARTH / FAR <= gravity <= EARTH * FAR:
        return
    sizes = {body.name: _size(body) for body in bodies if not isinstance(body, Rod)}
    name = max(sizes, key=sizes.get, default="")
    if not name or sizes[name] < HUGE:
        return
    factor = 10.0 ** -np.floor(np.log10(sizes[name]))
    advice = f"scale everything by {factor:g}"
    if scene.unit_settings.system != "NONE":
        scale = factor * unit_scale(scene)
        advice = f"set the Unit Scale to {scale:.3g} (Scene Properties > Units)"
    yield (
        f"{name} is {sizes[name]:.3g} m large, and what is so large falls in slow motion; if it "
        f"should be smaller, {advice}"
    )


def _size(body):
    """The longest side of a body [m]."""
    return float(np.ptp(body.points, axis=0).max())
