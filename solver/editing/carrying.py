# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a simulation, carried over to one of the same bodies with other values."""

import numpy as np

from ..descent.state_names import LAYOUT

# Arrays of one entry per row of the attachments.
OF_ROWS = (
    *("model.multiplier", "model.broken", "model.pull"),
    *("attachment_laws.length", "attachment_laws.before"),
    *("attached_points/known", "attached_points/grips"),
)
# Arrays of one entry per vertex in solver order, which may begin longer ones.
OF_VERTICES = (
    *("model.x", "model.x_start", "model.inertial", "model.velocity", "model.last_velocity"),
    *("model.steady", "model.acceleration", "model.rejected"),
)
# Estimates of the solver and counts of rest, which belong to the former values: a body that sleeps
# wakes, and relaxation begins again.
LEFT_OUT = ("sleep.", "accuracy.", "coarse_")
STIFFNESSES = ("contact.stiffness", "contact_load.stiffness")


def carried(old, new, rows):
    """Return the state of the `Simulation` `old` as that of `new`, of the same bodies.

    `rows` [row]: the row of `old` that each row of the attachments of `new` was, −1 for new ones.
    Contacts keep their friction anchors, and are searched again for their other properties. Where
    elements connect other vertices, so that the solver visits them in another order, bodies go on
    as if they had just met.
    """
    state, fresh = (each.stepper.checkpoints.state() for each in (old, new))
    state = {name: a for name, a in state.items() if not name.startswith(LEFT_OUT)}
    for name in OF_ROWS:
        if name in fresh:
            state[name] = _of_rows(state.get(name), fresh[name], rows)
        else:
            state.pop(name, None)
    # A multiplier without a penalty is never raised.
    loose = new.model.attachments.penalty == 0.0
    for name in ("model.multiplier", "model.pull"):
        state[name][loose] = 0.0
    before, after = old.model.surface.stiffness, new.model.surface.stiffness
    ratio = np.where(before > 0.0, after / np.where(before > 0.0, before, 1.0), 1.0)
    for name in STIFFNESSES:
        if name in state:
            state[name] = (state[name] * ratio).astype(np.float32)
    if "contact.is_lost" in state:
        state["contact.is_lost"] = np.ones_like(state["contact.is_lost"])
    if not np.array_equal(state["model/order"], fresh["model/order"]):
        _reorder(state, fresh, new.model)
    return {name: a for name, a in state.items() if "/" in name or _fits(a, fresh.get(name))}


def without_pulls(state, own_rows):
    """Return the arrays that `state()` returns without the rows of pulls, which are the last ones:
    a scene that is resumed has none.
    """
    arrays = state()
    return arrays | {name: arrays[name][:own_rows] for name in OF_ROWS if name in arrays}


def _of_rows(before, fresh, rows):
    """Rows as before, and fresh ones where they are new."""
    if before is None or not len(before):
        return fresh
    kept = np.reshape(rows >= 0, len(fresh))  # all rows are known
    fresh[kept] = before[rows[kept]]
    return fresh


def _reorder(state, fresh, model):
    """Give arrays of vertices the order of a new model; contact is left out."""
    del state[LAYOUT]
    was, now = state["model/order"], fresh["model/order"]
    source = np.empty(len(was), dtype=np.int64)
    source[now] = was
    for name in OF_VERTICES:
        values = state[name]
        values[: len(source)] = values[source]
    state["model/order"] = now
    pinned = source[model.free_count :] - model.free_count
    state["pins/known"] = state["pins/known"][pinned]


def _fits(values, fresh):
    """Return whether an array has the type and shape of a new one, if there is one."""
    return fresh is None or (values.dtype == fresh.dtype and values.shape == fresh.shape)
