# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of settings, bodies, colliders, attachments and force fields with other values."""

from copy import copy
from dataclasses import fields, replace

import numpy as np

from ..bodies import Deformable, Grains, RigidBody
from ..messages import message
from ..scene.attachments import LIMITS, Attachment
from ..scene.force_fields import FieldNumbers, ForceField
from ..scene.joints import Joint
from ..settings import Material, Settings

# Values that are part of the state or of surfaces from the first frame on.
FIXED_SETTINGS = ("frame_time", "quasistatic", "use_ground", "ground_height", "threads")
FIXED_MATERIAL = (
    *("solid_model", "membrane", "rest_flat", "adapt_folds", "keep_volume", "fill_openings"),
    *("collision_thickness", "self_contact", "yield_strain", "vertex_mass"),
)
# Values that may change, besides those of materials and of the settings.
OF_ATTACHMENTS = ("stiffness", "tangential_stiffness", "damping", *LIMITS, "shrink_speed")
OF_FIELDS = tuple(field.name for field in fields(FieldNumbers))


def changed_settings(settings, values):
    """Return the settings with other `values` by name; ValueError for those that may not change."""
    names = [f.name for f in fields(Settings) if f.name not in FIXED_SETTINGS]
    _refuse("settings", values, names, FIXED_SETTINGS)
    return replace(settings, **values)


def changed(item, values):
    """Return a copy of a body, collider, attachment or force field with other `values` by name.

    Raises ValueError for those that may not change, or are given as functions of time.
    """
    if isinstance(item, Deformable):
        return _changed_body(item, values)
    if isinstance(item, ForceField):
        _refuse(item.name, values, OF_FIELDS, keyed=OF_FIELDS if callable(item.numbers) else ())
        values = {"numbers": replace(item.numbers, **values)}
    elif isinstance(item, Attachment):
        _refuse(item.name, values, OF_ATTACHMENTS, keyed=item.keyed or ())
    elif isinstance(item, Joint):
        _refuse(item.name, values, (), fixed=values)
    else:
        keyed = ("friction",) if callable(item.friction) else ()
        _refuse(item.name, values, ("friction", "static_friction"), keyed=keyed)
        for value in values.values():
            if not (np.isscalar(value) and 0.0 <= value < np.inf):
                raise ValueError(message("script.friction", name=item.name, value=value))
    new = copy(item)
    vars(new).update(values)
    if isinstance(item, ForceField):
        new.at(0.0)
    elif isinstance(item, Attachment):
        new.check_numbers()
    return new


def _changed_body(body, values):
    names = [f.name for f in fields(Material) if f.name not in FIXED_MATERIAL]
    keyed = set(body.keyed or ())
    if getattr(body, "pressure_in_time", None) is not None:
        keyed.add("pressure")
    fixed = FIXED_MATERIAL
    if isinstance(body, RigidBody):
        fixed = (*fixed, "density")  # its inertia is found once
    elif isinstance(body, Grains):
        fixed = (*fixed, "cohesion")  # so are the grains that are bonded
    _refuse(body.name, values, names, fixed, keyed)
    lengths = len(body.points), len(body.elements)
    for name, value in values.items():
        if np.ndim(value) and np.shape(value) not in [(length,) for length in lengths]:
            known = {"what": name, "count": np.size(value), "vertices": lengths[0]}
            raise ValueError(
                message("script.edit_length", name=body.name, elements=lengths[1], **known)
            )
    new = copy(body)
    new.material = replace(body.material, **values)
    if isinstance(body, RigidBody):
        new.check_numbers()
    return new


def _refuse(owner, values, names, fixed=(), keyed=()):
    """Raise ValueError for the first of `values` that may not change, with the reason."""
    for name in values:
        if name in fixed:
            raise ValueError(message("script.edit_fixed", name=owner, what=name))
        if name in keyed:
            raise ValueError(message("script.edit_keyed", name=owner, what=name))
        if name not in names:
            known = ", ".join(names)
            raise ValueError(
                message("script.one_of", name=owner, what="change", value=name, names=known)
            )
