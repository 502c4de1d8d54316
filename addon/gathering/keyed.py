# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a material that keyframes, drivers or NLA strips change from frame to frame."""

from functools import partial

import numpy as np

from ...solver.bodies.deformable import KEYED
from ...solver.messages import message
from ..objects.identity import found, identity
from ..objects.units import shown
from ..values.measured import MEASURED
from ..values.painting import WITH_IT, label
from .reader import keyed_paths


def stored_keyed(ob):
    """The names of the stored properties of `ob.vbd` that change, also those keyed in the unit of
    the panel.
    """
    names = {path.removeprefix("vbd.") for path in keyed_paths(ob) if path.startswith("vbd.")}
    return {MEASURED[name].stored if name in MEASURED else name for name in names}


def keyed_names(ob):
    """The names of the values of the material of an object that change."""
    names = stored_keyed(ob).intersection(KEYED)
    return names if ob.vbd.use_friction else names - {"friction"}


def keyed_values(gathered, ob, body):
    """The functions of time for `body.keyed`; None if nothing changes. Values per element, as of a
    curve with a radius, change by the same factor.
    """
    painted = {item.what for item in ob.vbd.painted}
    painted |= {other for name in painted for other in WITH_IT.get(name, ())}
    values = {}
    for name in sorted(keyed_names(ob)):
        if name in painted:
            raise ValueError(message("material.painted_keyed", name=ob.name, property=label(name)))
        start, own = shown(ob.vbd, name), getattr(body.material, name)
        values[name] = followed(gathered, ob, name)
        if np.ndim(own):
            values[name] = partial(_scaled, values[name], own / start)
    return values or None


def _scaled(value, factor, time):
    return factor * value(time)


def friction_of(gathered, ob):
    """The friction of a collider: a number, a function of time, or None for the scene's."""
    if not ob.vbd.use_friction:
        return None
    keyed = "friction" in keyed_names(ob)
    return followed(gathered, ob, "friction") if keyed else ob.vbd.friction


def static_friction_of(ob):
    """The static friction of a collider; 0 stands for its friction."""
    return ob.vbd.static_friction if ob.vbd.use_friction else 0.0


def followed(gathered, ob, name):
    """The function that gives a value of an object at a time [s]."""
    reader, key, value = gathered.reader, identity(ob), (name, identity(ob))
    reader.follow(value, lambda _: shown(found(key).vbd, name), shown(ob.vbd, name))
    return lambda time: reader.at(value, time)
