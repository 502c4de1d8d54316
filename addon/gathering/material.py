# SPDX-License-Identifier: GPL-3.0-or-later
"""The material of an object."""

from dataclasses import fields

from ...solver.settings import Material
from ..objects.units import shown


def material_of(ob):
    """`Material` of an object; without a friction of its own it takes the scene's."""
    own = {f.name: shown(ob.vbd, f.name) for f in fields(Material) if hasattr(ob.vbd, f.name)}
    if not ob.vbd.use_friction:
        own |= {"friction": None, "static_friction": 0.0}
    return Material(**own)
