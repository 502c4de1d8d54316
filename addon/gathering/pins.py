# SPDX-License-Identifier: GPL-3.0-or-later
"""The pin group of an object: vertices that are held hard, and vertices on springs."""

from dataclasses import dataclass

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.curves import is_curve
from ..objects.identity import found
from ..objects.modifiers import change_weights
from .inner_pins import has_inner_pins
from .reader import is_keyed, moves

# A vertex is pinned from this weight on; where pins may be soft, only from nearly 1 on.
MEMBER = 0.5
HARD = 0.999
# The least stiffness [N/m per kg] of a spring along some axes.
LEAST_STIFFNESS = 1e-6
NONE = np.empty(0, np.int64)
# With an identity, the key of pin weights among the poses of a frame.
PIN_WEIGHTS = "pin weights"


@dataclass
class PinGroup:
    """The vertices of an object that are `hard` pins, and those on springs, `soft`, with the
    fraction of the stiffness that they start with, `weights` [soft]. If these may change, or act
    only along some `axes` of the world, all are soft.
    """

    hard: np.ndarray
    soft: np.ndarray
    weights: np.ndarray
    changes: bool = False
    axes: tuple = (True, True, True)

    @property
    def is_locked(self):
        """Return whether pins hold along some axes only."""
        return not all(self.axes)

    def __len__(self):
        return len(self.hard) + len(self.soft)


def _weights(ob, depsgraph):
    """Weights of all vertices of an object as pins, [vertex], times their strength."""
    mesh = ob.evaluated_get(depsgraph).data
    return ob.vbd.pin_strength * read_mesh.group_weights(ob, mesh, ob.vbd.pin_group)


def pin_group(ob, mesh):
    """The `PinGroup` of an object with its evaluated mesh."""
    if not ob.vbd.pin_group or is_curve(ob):  # curves have no vertex groups
        return PinGroup(NONE, NONE, np.empty(0))
    axes = tuple(ob.vbd.pin_axes)
    if not any(axes):
        raise ValueError(message("pin.no_axis", name=ob.name))
    changed = change_weights(ob, ob.vbd.pin_group)
    read = read_mesh.group_weights if changed else read_mesh.members
    weights = read(ob, mesh, ob.vbd.pin_group)
    by_modifier = moves(ob) and changed
    may_be_empty = has_inner_pins(ob) or (ob.vbd.soft_pins and by_modifier)
    if not weights.any() and not may_be_empty:
        raise ValueError(message("pin.group_empty", name=ob.name, group=ob.vbd.pin_group))
    if not ob.vbd.soft_pins:
        members = np.flatnonzero(weights >= MEMBER)
        if not all(axes):
            return PinGroup(NONE, members, np.ones(len(members)), axes=axes)
        return PinGroup(members, NONE, np.empty(0))
    strong = weights * ob.vbd.pin_strength
    if by_modifier or is_keyed(ob, "vbd.pin_strength"):
        # A modifier may give a weight to any vertex later.
        soft = np.arange(len(weights)) if by_modifier else np.flatnonzero(weights)
        return PinGroup(NONE, soft, strong[soft], True, axes)
    if not all(axes):
        soft = np.flatnonzero(strong)
        return PinGroup(NONE, soft, strong[soft], axes=axes)
    soft = np.flatnonzero((strong > 0.0) & (strong < HARD))
    return PinGroup(np.flatnonzero(strong >= HARD), soft, strong[soft])


def unpinned(ob, pins):
    """Sentences about the `PinGroup` of an object."""
    if ob.vbd.pin_group and not (is_curve(ob) or ob.vbd.soft_pins or len(pins)):
        yield (message("note.weights_low", name=ob.name, group=ob.vbd.pin_group, least=MEMBER))


def soft_pins(gathered, ob, body, pins):
    """The `Attachment` of the soft pins of an object with this `body`; None without any."""
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.attachments import soft_pins
    from ...solver.model.soft_pins import held_mass

    target, reader = gathered.targets[-1], gathered.reader
    if target.inner is not None:
        return _inner_soft_pins(gathered, ob, body, pins)
    soft, weights = pins.soft, pins.weights
    if target.own is not None:  # carried vertices cannot be pulled
        kept = np.isin(soft, target.own)
        soft, weights = soft[kept], weights[kept]
        if not len(soft):
            return None
    options = {"points": target.start.world_points()[soft], "damping": ob.vbd.pin_damping}
    if target.moving:
        options["points"] = lambda time: reader.at(target.key, time).world_points()[soft]
    options["axes"] = pins.axes
    stiffness = ob.vbd.pin_stiffness
    if pins.is_locked:
        stiffness = max(stiffness, LEAST_STIFFNESS)  # a positive value marks the axes that hold
    if pins.changes:
        name = PIN_WEIGHTS, target.key
        reader.follow(name, lambda depsgraph: _weights(found(target.key), depsgraph)[soft], weights)
        options["grip"] = lambda time: reader.at(name, time).clip(0.0, 1.0)
    elif pins.is_locked:
        options["grip"] = weights.clip(0.0, 1.0)  # hard pins are springs here, too
    else:
        stiffness = stiffness * weights
    if target.lattice is None:
        return soft_pins(body, target.of_body(soft), stiffness, **options)
    both = np.append(soft, pins.hard)
    mass = held_mass(body, target.corners[both], target.surface[both])[: len(soft)]
    options |= {"own_weights": target.weights[soft], "mass": mass}
    return soft_pins(body, target.corners[soft], stiffness, **options)


def _inner_soft_pins(gathered, ob, body, pins):
    """The `Attachment` of the free vertices of a lattice with `InnerPins` to their places."""
    from ...solver.attachments import soft_pins
    from ...solver.model.masses import vertex_mass

    target, reader = gathered.targets[-1], gathered.reader
    inner, count = target.inner, len(target.corners)

    def at_vertices(weights):
        of_surface = np.zeros(count)
        of_surface[pins.soft] = weights
        of_surface[pins.hard] = 1.0
        return inner.at_vertices(of_surface)[free].clip(0.0, 1.0)

    free = np.setdiff1d(np.arange(len(body.points)), inner.indices)
    weights = at_vertices(pins.weights)
    if not pins.changes:
        free, weights = free[weights > 0.0], weights[weights > 0.0]
    options = {"points": body.points[free], "damping": ob.vbd.pin_damping}
    if target.moving:
        options["points"] = lambda time: inner.targets(reader.at(target.key, time).world_points())[
            free
        ]
    stiffness = ob.vbd.pin_stiffness
    if pins.changes:
        name = PIN_WEIGHTS, target.key
        reader.follow(
            name, lambda depsgraph: _weights(found(target.key), depsgraph)[pins.soft], pins.weights
        )
        options["grip"] = lambda time: at_vertices(reader.at(name, time))
    else:
        stiffness = stiffness * weights
    return soft_pins(body, free, stiffness, mass=vertex_mass(body)[free], **options)
