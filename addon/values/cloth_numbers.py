# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of cloth as fabrics are measured: stiffnesses as forces per width [N/m], a modulus times
the thickness, and bending in millionths of a newton metre. What is stored and simulated are the
moduli, the thickness and the flexural rigidity.
"""

from dataclasses import dataclass, fields

from bpy.props import FloatProperty

from ...solver.settings import Material
from .declared import inward

FIELDS = {f.name: f for f in fields(Material)}
# From gauze to webbing [N/m], and from the thinnest silk to cardboard [µN m].
SOFTEST, STIFFEST = 10.0, 2e4
LIMPEST, STURDIEST = 0.0, 1000.0
MICRO = 1e6


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A number of the panel: its label, unit and description, the `stored` field that it shows, and
    whether it is `per_width`: the field times the thickness.
    """

    stored: str
    label: str
    unit: str
    description: str
    per_width: bool = True

    def factor(self, thickness):
        """How often the field goes into the number, at a thickness of the cloth [m]."""
        return thickness if self.per_width else MICRO


MEASURED = {
    "membrane_stiffness": Measured(
        stored="youngs_modulus",
        label="Stiffness",
        unit="N/m",
        description="Stiffness of the cloth against stretching, as force per width: about 60 N/m "
        "for jersey, 1,000 for cotton, 3,000 for canvas. Young's modulus times thickness",
    ),
    "weft_stiffness": Measured(
        stored="weft_modulus",
        label="Weft Stiffness",
        unit="N/m",
        description="Stiffness of woven cloth along V of the UV map, as force per width; Stiffness "
        "is the one along U. Weft modulus times thickness",
    ),
    "shear_stiffness": Measured(
        stored="shear_modulus",
        label="Shear Stiffness",
        unit="N/m",
        description="Stiffness of woven cloth against shear between warp and weft, as force per "
        "width. Shear modulus times thickness",
    ),
    "bending_rigidity": Measured(
        stored="bending_stiffness",
        label="Bending",
        unit="µN m",
        description="Stiffness of the cloth against bending (flexural rigidity): about 2 µN m for "
        "silk, 12 for cotton, 115 for canvas, 365 for paper. A million times the bending stiffness",
        per_width=False,
    ),
}


def measured_properties():
    """Properties of an object that read and write the stored numbers of cloth."""
    return {name: _property(of) for name, of in MEASURED.items()}


def _property(of):
    field, thickness = FIELDS[of.stored], FIELDS["thickness"]
    low, high = (
        field.metadata[end] * of.factor(thickness.metadata[end]) for end in ("low", "high")
    )
    low, high = inward(low, high)
    soft = (SOFTEST, STIFFEST) if of.per_width else (LIMPEST, STURDIEST)

    def read(group):
        return getattr(group, of.stored) * of.factor(group.thickness)

    def write(group, value):
        setattr(group, of.stored, value / of.factor(group.thickness))

    # Blender could not override it: it applies overrides one after the other, so that a thickness
    # after a stiffness would change the modulus that this has written.
    return FloatProperty(
        name=f"{of.label} ({of.unit})",
        description=of.description,
        default=field.default * of.factor(thickness.default),
        min=low,
        max=high,
        soft_min=soft[0],
        soft_max=soft[1],
        precision=1,
        options=set(),
        get=read,
        set=write,
    )
