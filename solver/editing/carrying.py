# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a simulation, carried over to one of the same bodies with other values."""

import numpy as np

from ..descent.checkpoints import Restart
from ..descent.state_names import LAYOUT

# Arrays of one entry per row of the attachments.
OF_ROWS = (
    "model/rows",
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
    state = old.stepper.checkpoints.state()
    before, after = old.model.surface.stiffness, new.model.surface.stiffness
    ratio = np.where(before > 0.0, after / np.where(before > 0.0, before, 1.0), 1.0)
    for name in STIFFNESSES:
        if name in state:
            state[name] = (state[name] * ratio).astype(np.float32)
    return _with_rows(state, new, rows)


def fitted(restart, simulation):
    """Return a `Restart`, or None, as one of a `Simulation` of the same bodies, of which other
    vertices may be pinned or attached: new rows begin, known ones go on.
    """
    if restart is None:
        return None
    arrays, now = restart.load(), simulation.model.save()
    was = {name: arrays.get(f"model/{name}", np.zeros(0)) for name in now}
    is_known = "model/rows" in arrays and len(was["order"]) == len(now["order"])
    if not is_known or all(np.array_equal(was[name], now[name]) for name in now):
        return restart  # one of other bodies is refused later
    attached, time = simulation.kinematic.attached, simulation.model.settings.frame_time
    attached.known = attached.read(restart.frame, restart.frame * time).astype(np.float32)
    rows = _same_rows(was["rows"], now["rows"])
    return Restart(restart.frame, _with_rows(dict(arrays), simulation, rows))


def _same_rows(was, now):
    """Return the row [row] that each row was by its identity, −1 for new ones."""
    places = {}
    for row, identity in enumerate(was.tolist()):
        places.setdefault(identity, []).append(row)
    return np.array([(places.get(i) or [-1]).pop(0) for i in now.tolist()], dtype=np.int64)


def _with_rows(state, new, rows):
    """Return arrays of a state as those of a `Simulation` whose rows of attachments, or pins, are
    others.
    """
    fresh = new.stepper.checkpoints.state()
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
    state.pop(LAYOUT, None)
    was, now, known = state["model/order"], fresh["model/order"], state["pins/known"]
    source, was_free = np.empty(len(was), dtype=np.int64), len(was) - len(known)
    source[now] = was
    for name in OF_VERTICES:
        values = state[name] = state[name].copy()
        values[: len(source)] = values[source]
    state["model/order"] = now
    pinned = source[model.free_count :] - was_free
    # Vertices that are pinned now move from where they are.
    state["pins/known"] = state["model.x"][model.free_count : len(source)].astype(known.dtype)
    state["pins/known"][pinned >= 0] = known[pinned[pinned >= 0]]
    bodies = source[model.assembly.rigid_start : model.free_count : 4]
    bodies = (bodies - (was_free - 4 * len(bodies))) // 4
    for name in state:
        if name.startswith("model.rigid_") or name == "impacts.late":
            state[name] = state[name][bodies]


def _fits(values, fresh):
    """Return whether an array has the type and shape of a new one, if there is one."""
    return fresh is None or (values.dtype == fresh.dtype and values.shape == fresh.shape)
