# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials, friction, and limits of attachments that change from frame to frame."""

from copy import copy
from dataclasses import fields, replace

import numpy as np

from ..contact.surface import at_points
from ..elements.body_constants import per_vertex
from ..model.masses import vertex_mass
from ..scene.analytic_colliders import friction_at

# Values that are arrays per vertex; of these friction alone changes no recorded launch.
FRICTION = "friction"
OF_VERTICES = (FRICTION, "drag", "air_friction")
# Columns that belong to the state and to the numbering of elements, not to their material.
KEPT = ("corners", "number", "state", "rest", "penalty")


class Keyed:
    """The values of a scene that are functions of time, read before every frame.

    Elements of `bodies` whose material has changed are made again, and all launches on elements are
    recorded again. What depends on it in other ways stays as in the first frame: penalties of
    multipliers, patches of the coarse correction, limits of contact stiffness.
    """

    def __init__(self, model, bodies, colliders, analytic, attachments):
        self.model, self.colliders, self.analytic = model, colliders, analytic
        end = np.cumsum([len(tie.vertices) for tie in attachments], dtype=int)
        rows = [slice(b - len(tie.vertices), b) for tie, b in zip(attachments, end, strict=True)]
        self.ties = [each for each in zip(attachments, rows, strict=True) if each[0].keyed]
        self.bodies = [(number, body) for number, body in enumerate(bodies) if body.keyed]
        self.rubbing = [one for one in (*colliders, *analytic.colliders) if callable(one.friction)]
        self.values, self.frictions = {}, []  # as of the last frame; none are known at a restart

    def begin_frame(self, time):
        """Read all values at the end of a frame, a time [s], and update what has changed."""
        self.model.changing = self._changing(time - self.model.settings.frame_time, time)
        changed = set()
        for tie, rows in self.ties:
            self.model.attachments.limit(rows, **tie.limits(time))
        for number, body in self.bodies:
            changed |= self._update(number, body, time)
        frictions = [friction_at(one, self.model.settings, time) for one in self.rubbing]
        if FRICTION in changed or frictions != self.frictions:
            self._rub(time)
        self.frictions = frictions
        if changed - {FRICTION}:
            self.model.renew()

    def _changing(self, start, end):
        """Return the mask [body] of bodies for which any value differs between two times [s]."""
        rubs = any(one.friction(start) != one.friction(end) for one in self.rubbing)
        scene = self.model.assembly
        changing = np.full(len(scene.vertices), rubs)
        for number, body in self.bodies:
            changing[number] |= any(differ(value, start, end) for value in body.keyed.values())
        for tie, rows in self.ties:
            if any(differ(value, start, end) for value in tie.keyed.values()):
                used = scene.attachments.weights[rows] != 0.0
                changing[self.model.surface.body[scene.attachments.corners[rows][used]]] = True
        return changing

    def _update(self, number, body, time):
        """Update a body in the assembly; return the names of the values that have changed."""
        scene, settings = self.model.assembly, self.model.settings
        values = {name: value(time) for name, value in body.keyed.items()}
        before = self.values.get(number, {})
        changed = {n for n, v in values.items() if not np.array_equal(before.get(n), v)}
        if not changed:
            return changed
        self.values[number] = values
        now, own = copy(body), scene.vertices[number]
        now.material = replace(body.material, **values)
        for name in changed.intersection(OF_VERTICES):
            getattr(scene, name)[own] = per_vertex(now, name, getattr(now.material, name))
        if "density" in changed:
            scene.mass[own] = vertex_mass(now)
        if changed.difference(OF_VERTICES):
            for kind in scene.kinds:
                columns = kind.of_body(now, settings)
                if columns is not None and len(columns):
                    scene.replace(kind, number, lambda old, new=columns: with_material(old, new))
        return changed

    def _rub(self, time):
        """Give contacts the present friction."""
        model, surface = self.model, self.model.surface
        scene, friction = model.assembly, surface.friction
        friction[: len(scene.friction)] = scene.friction
        friction[surface.point_start :] = at_points(surface.points, scene.friction)
        for number, collider in enumerate(self.colliders, start=surface.body_count):
            if callable(collider.friction):
                friction[surface.body == number] = collider.friction(time)
        state = model.contact_model.state
        state.friction.assign(friction.astype(np.float32))
        walls = self.analytic.frictions(time)
        model.contact_model.colliders.friction.assign(np.array(walls, dtype=np.float32))
        if model.contact is not None:
            model.lists.mix_friction(friction.astype(np.float32))


def differ(value, start, end):
    """Return whether a function of time has two values at two times [s]."""
    return not np.array_equal(value(start), value(end))


def with_material(old, new):
    """Return the `Columns` of a body with the material of new ones in the same order."""
    kept = {f.name: getattr(old, f.name) for f in fields(old) if f.name in KEPT}
    return replace(new, **kept)
