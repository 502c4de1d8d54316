# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact on the device: its law, the state of vertices, and analytic colliders."""

import numpy as np
import warp as wp

from ..kernels.contact.analytic_colliders import ContactModel
from ..kernels.contact.contact_state import ContactState
from ..kernels.contact.law import ContactLaw
from ..lattice.embedding import upload_embedding


def contact_model(surface, colliders, settings, upload):
    """Return the `ContactModel` of a `ContactSurface` and the device's `AnalyticColliders`."""
    model = ContactModel()
    model.law = contact_law(settings)
    model.state = contact_state(surface, colliders, upload)
    model.colliders = colliders
    model.body, model.bodies = upload(surface.body, int), surface.body_count
    model.depth = upload(np.zeros(len(colliders.kind) * surface.body_count), float)
    first = surface.point_start
    model.embedding = upload_embedding(surface.points, surface.hidden, first, upload)
    model.clearance = upload(np.zeros(len(surface.body)), float)
    return model


def contact_law(settings):
    """Return the `ContactLaw` of the settings."""
    law = ContactLaw()
    law.slip = settings.friction_velocity * settings.step_time
    law.damping = settings.collision_damping / settings.step_time
    return law


def contact_state(surface, colliders, upload):
    """Return the `ContactState` of unloaded vertices and the device's `AnalyticColliders`."""
    state = ContactState()
    state.radius = upload(surface.radius, float)
    state.multiplier = upload(np.zeros(len(surface.body)), float)
    state.friction = upload(surface.friction, float)
    has_static = surface.static_friction.any() or colliders.static_friction.numpy().any()
    state.static_friction = upload(surface.static_friction[: None if has_static else 0], float)
    state.sliding = upload(np.zeros(len(state.static_friction), dtype=np.int32), int)
    state.stiffness = upload(surface.stiffness, float)
    state.push_out_stiffness = upload(surface.push_out_stiffness, float)
    state.pulled = upload(np.zeros((len(colliders.kind) * len(surface.body), 3)), wp.vec3)
    hidden = np.zeros(len(surface.body), dtype=np.int32)
    hidden[: len(surface.hidden)] = surface.hidden
    state.hidden = upload(hidden, int)
    state.asleep = upload(np.zeros_like(hidden), int)
    return state
