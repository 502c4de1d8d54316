# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers: what moves bodies besides contact, where it changes within a frame."""

import numpy as np


class Drivers:
    """Pins, attached points and their grips, colliders, gravity, force fields and pressures.

    `kinematic`, `gravity` and `fields` have read the frame already; `pressures` are those of
    `ExternalForces`, and `body` [vertex] is the body of each vertex, of `count` in all.
    """

    def __init__(self, kinematic, assembly, gravity, fields, pressures, body):
        self.kinematic, self.gravity, self.fields = kinematic, gravity, fields
        self.pressures, self.body, self.count = pressures, body, len(assembly.vertices)
        self.rows = rows = assembly.attachments
        shrinks = rows.shrink_speed > 0.0
        self.shrinks_until = np.zeros(len(shrinks))  # [s]
        self.shrinks_until[shrinks] = rows.length[shrinks] / rows.shrink_speed[shrinks]

    def of_bodies(self, start, end):
        """Return the mask [body] of bodies that are driven between two times [s]."""
        moving = self.kinematic.analytic.changed.any()  # nobody knows what it will touch
        driven = np.full(self.count, moving or self.gravity.changes or self.fields.changes)
        pins, attached = self.kinematic.pins, self.kinematic.attached
        driven[self.body[pins.first + np.flatnonzero(pins.changed)]] = True
        changed = attached.changed | (self.shrinks_until > start)
        used = self.rows.weights[changed] != 0.0
        driven[self.body[self.rows.corners[changed][used]]] = True
        for body, pressure in self.pressures:
            driven[body] |= pressure(start) != pressure(end)
        return driven

    def any_collider(self):
        """Return whether any collider mesh moves in this frame."""
        return bool(self.kinematic.colliders.changed.any())
