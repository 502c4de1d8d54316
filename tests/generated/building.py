# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of the solver as plain data, so that they can be stored as JSON.

A scene is {"settings": {…}, "bodies": […], "simulate": {…}}. Values are those of JSON, and

- {"new": class, "args": {…}}: an object of the solver,
- {"body": number}: one of the bodies before,
- {"array": nested lists, "dtype": …}: an array of NumPy,
- {"time": [start, later]}: a function of the time [s],
- {"complex": [real, imaginary]}, {"object": anything}: values that are no numbers.
"""

import numpy as np

from vbd.solver.attachments import Attachment
from vbd.solver.bodies import (
    Cells,
    Cloth,
    Collider,
    EmbeddedSurface,
    Filling,
    Grains,
    Pins,
    RigidBody,
    Rod,
    Solid,
)
from vbd.solver.scene.analytic_colliders import Box, Plane, Sphere
from vbd.solver.scene.force_fields import FieldNumbers, ForceField
from vbd.solver.scene.joints import Joint, Motor
from vbd.solver.settings import Material, Settings

CLASSES = {
    cls.__name__: cls
    for cls in (
        *(Attachment, Box, Cells, Cloth, Collider, EmbeddedSurface, FieldNumbers, Filling),
        *(ForceField, Grains, Joint, Material, Motor, Pins, Plane, RigidBody, Rod, Settings),
        *(Solid, Sphere),
    )
}


def made(value, bodies=()):
    """The value that plain data describes."""
    if isinstance(value, list):
        return [made(part, bodies) for part in value]
    if not isinstance(value, dict):
        return value
    if "new" in value:
        args = {name: made(part, bodies) for name, part in value["args"].items()}
        return CLASSES[value["new"]](**args)
    if "body" in value:
        return bodies[value["body"]]
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    if "time" in value:
        start, later = (made(part, bodies) for part in value["time"])
        return lambda time: start if time <= 0.0 else later
    if "complex" in value:
        return complex(*value["complex"])
    if "object" in value:
        return object()
    return {name: made(part, bodies) for name, part in value.items()}


def scene_of(spec):
    """The bodies, the `Settings` and the other arguments of `simulate` of a scene."""
    bodies = []
    for value in spec["bodies"]:
        bodies.append(made(value, bodies))
    settings = CLASSES["Settings"](**made(spec["settings"]))
    return bodies, settings, made(spec["simulate"])
