# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffnesses of cloth as fabrics are measured: forces per width [N/m], a modulus times the
thickness. The modulus is what is stored and simulated.
"""

from dataclasses import fields

from bpy.props import FloatProperty

from ...solver.settings import Material
from .declared import inward

FIELDS = {f.name: f for f in fields(Material)}
THICKNESS = FIELDS["thickness"]
# From gauze to webbing [N/m].
SOFTEST, STIFFEST = 10.0, 2e4
# Of every stiffness its modulus, label and tooltip.
MODULI = {
    "membrane_stiffness": (
        "youngs_modulus",
        "Stiffness",
        "Stiffness of the cloth against stretching, as force per width: about 60 N/m for jersey, "
        "1,000 for cotton, 3,000 for canvas. Young's modulus times thickness",
    ),
    "weft_stiffness": (
        "weft_modulus",
        "Weft Stiffness",
        "Stiffness of woven cloth along V of the UV map, as force per width; Stiffness is the one "
        "along U. Weft modulus times thickness",
    ),
    "shear_stiffness": (
        "shear_modulus",
        "Shear Stiffness",
        "Stiffness of woven cloth against shear between warp and weft, as force per width. Shear "
        "modulus times thickness",
    ),
}


def stiffness_properties():
    """Properties of an object that read and write its moduli as forces per width."""
    return {name: _property(*of) for name, of in MODULI.items()}


def _property(modulus, label, text):
    low, high = (FIELDS[modulus].metadata[k] * THICKNESS.metadata[k] for k in ("low", "high"))
    low, high = inward(low, high)

    def read(group):
        return getattr(group, modulus) * group.thickness

    def write(group, value):
        setattr(group, modulus, value / group.thickness)

    return FloatProperty(
        name=f"{label} (N/m)",
        description=text,
        default=FIELDS[modulus].default * THICKNESS.default,
        min=low,
        max=high,
        soft_min=SOFTEST,
        soft_max=STIFFEST,
        precision=1,
        options=set(),
        get=read,
        set=write,
    )
