# SPDX-License-Identifier: GPL-3.0-or-later
"""The material of an object."""

from dataclasses import fields

from ...solver.bodies.rigid import OF_MATERIAL
from ...solver.settings import Material
from ..objects.units import shown


def material_of(ob):
    """`Material` of an object; without a friction of its own it takes the scene's. Rigid bodies
    have only some of its values.
    """
    names = OF_MATERIAL if ob.vbd.role == "RIGID" else [f.name for f in fields(Material)]
    own = {name: shown(ob.vbd, name) for name in names if hasattr(ob.vbd, name)}
    if not ob.vbd.use_friction:
        own |= {"friction": None, "static_friction": 0.0}
    return Material(**own)
