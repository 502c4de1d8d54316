# SPDX-License-Identifier: GPL-3.0-or-later
"""Air and force fields, which act on all free vertices at the start of a substep."""

from functools import partial

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.scene.air import Exposed, blow, press
from ..kernels.scene.force_fields import move_fields
from ..model.air_surfaces import membranes
from ..model.stage import RecordedStage

# Rough cost of a vertex in the air [ns].
COST = 150.0


class Forces(RecordedStage):
    """Applies air and force fields to the velocities of vertices, before the solve.

    They act once per substep: they do not become stiffer with a smaller step, and add nothing to
    the objective.
    """

    @staticmethod
    def is_needed(model):
        """Return whether there is a field, or a body with drag in air."""
        has_drag = (model.assembly.drag > 0.0).any() or "drag" in model.assembly.keyed
        feels_air = model.settings.air_density > 0.0 and has_drag
        return model.free_count > 0 and bool(len(model.fields) or feels_air)

    def record(self):
        model, record, fields = self.model, self.model.launches.record, self.model.fields
        settings, self.exposed = model.settings, self._exposed()
        fields.ensure_capacity(model.free_count)
        inputs = [fields.now, fields.given, self.exposed, model.x_start, model.velocity]
        if settings.quasistatic:
            act, inputs, outputs = press, [model.gravity.now, *inputs], [model.objective.load]
        else:
            act, inputs = blow, [settings.step_time, *inputs]
            outputs = [model.inertial]
        states = [fields.start, fields.end, model.fraction]
        self.launches = [
            record(move_fields, len(fields), states, [fields.now]),
            record(act, model.free_count, inputs, outputs, cost=COST),
        ]
        if model.rigid:
            before = wp.clone(model.inertial)
            self.launches.insert(0, partial(wp.copy, before, model.inertial))
            self.launches.append(model.rigid.forces_taken(before))

    def _exposed(self):
        model, exposed = self.model, Exposed()
        assembly, upload = model.assembly, model.upload
        half = 0.5 * model.settings.air_density
        triangles = membranes(assembly)
        order = np.argsort(triangles.ravel(), kind="stable")
        counts = np.bincount(triangles.ravel(), minlength=len(assembly.points))
        exposed.corners = upload(triangles.astype(np.int32), wp.vec3i)
        exposed.triangle = upload((order // 3).astype(np.int32), int)
        exposed.start = upload(np.append(0, np.cumsum(counts)).astype(np.int32), int)
        exposed.across = upload(half * assembly.drag, float)
        friction = assembly.air_friction * (assembly.drag > 0.0)
        exposed.along = upload(half * friction, float)
        exposed.all_around = upload(half * assembly.drag * assembly.shown, float)
        exposed.mass = upload(assembly.mass, float)
        body = np.zeros(len(assembly.points), dtype=np.int32)
        for number, vertices in enumerate(assembly.vertices):
            body[vertices] = number
        exposed.body = upload(body, int)
        exposed.weights = upload(model.fields.weights(assembly.field_weights), float)
        return exposed

    def begin_frame(self, _frame, time):
        model = self.model
        model.fields.begin_frame(time, model.x)

    def begin_step(self):
        play(self.launches)
