# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of materials in the units in which they are measured: stiffness in kPa or MPa, that of
cloth as force per width [N/m], a modulus times the thickness, bending in millionths of a newton
metre, thickness in millimetres and strains in percent. Stored and simulated are SI units.
"""

from dataclasses import dataclass, fields

from bpy.props import BoolProperty, FloatProperty

from ...solver.settings import Material
from .declared import ANIMATED, inward

FIELDS = {f.name: f for f in fields(Material)}
# From gauze to webbing [N/m], and from the thinnest silk to cardboard [µN m].
SOFTEST, STIFFEST = 10.0, 2e4
LIMPEST, STURDIEST = 0.0, 1000.0
KILO, MILLI, MICRO, PERCENT = 1e3, 1e-3, 1e-6, 1e-2
# Radius of the sharpest fold without a crease [m] when Keeps Folds is switched on: that of paper.
USUAL_FOLD = 0.01


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A number of the panel: the `stored` field that it shows, its `unit`, and the `size` of this
    unit in SI units; a number `per_width` is the field times the thickness. Its label and its
    description are those of the field if it has none of its own.
    """

    stored: str
    unit: str
    low: float
    high: float
    """The range of the slider."""
    size: float = 1.0
    label: str = ""
    description: str = ""
    per_width: bool = False
    precision: int = 1
    step: int = 10
    """Increment of the number per mouse step, in hundredths."""

    def factor(self, thickness):
        """Factor from the field to the number, at a thickness of the cloth [m]."""
        return thickness if self.per_width else 1.0 / self.size

    @property
    def text(self):
        return self.label or FIELDS[self.stored].metadata["label"]


MEASURED = {
    # From brain to hard wood, and from rubber to steel.
    "youngs_modulus_kpa": Measured(
        stored="youngs_modulus", unit="kPa", low=1.0, high=1e5, size=KILO, step=100
    ),
    "youngs_modulus_mpa": Measured(
        stored="youngs_modulus",
        unit="MPa",
        low=0.1,
        high=2.1e5,
        size=KILO**2,
        description="Young's modulus: about 1 MPa for rubber, 20 for hair, 400 for rope, 200,000 "
        "for steel",
        step=100,
    ),
    "fiber_stiffness_kpa": Measured(
        stored="fiber_stiffness", unit="kPa", low=0.0, high=1000.0, size=KILO, step=100
    ),
    "active_stress_kpa": Measured(
        stored="active_stress", unit="kPa", low=0.0, high=1000.0, size=KILO, step=100
    ),
    "membrane_stiffness": Measured(
        stored="youngs_modulus",
        label="Stiffness",
        unit="N/m",
        low=SOFTEST,
        high=STIFFEST,
        description="Stiffness of the cloth against stretching, as force per width: about 60 N/m "
        "for jersey, 1,000 for cotton, 3,000 for canvas. Young's modulus times thickness",
        per_width=True,
    ),
    "weft_stiffness": Measured(
        stored="weft_modulus",
        label="Weft Stiffness",
        unit="N/m",
        low=SOFTEST,
        high=STIFFEST,
        description="Stiffness of woven cloth along V of the UV map, as force per width; Warp is "
        "the one along U. Weft modulus times thickness",
        per_width=True,
    ),
    "shear_stiffness": Measured(
        stored="shear_modulus",
        label="Shear Stiffness",
        unit="N/m",
        low=SOFTEST,
        high=STIFFEST,
        description="Stiffness of woven cloth against shear between warp and weft, as force per "
        "width. Shear modulus times thickness",
        per_width=True,
    ),
    "bending_rigidity": Measured(
        stored="bending_stiffness",
        unit="µN m",
        low=LIMPEST,
        high=STURDIEST,
        size=MICRO,
        description="Stiffness of the cloth against bending (flexural rigidity): about 2 µN m for "
        "silk, 12 for cotton, 115 for canvas, 365 for paper",
    ),
    "thickness_mm": Measured(
        stored="thickness", unit="mm", low=0.01, high=10.0, size=MILLI, precision=3, step=1
    ),
    "crease_radius_mm": Measured(
        stored="crease_radius", unit="mm", low=0.0, high=100.0, size=MILLI
    ),
    "yield_strain_percent": Measured(
        stored="yield_strain", unit="%", low=0.0, high=50.0, size=PERCENT
    ),
    "cohesion_kpa": Measured(stored="cohesion", unit="kPa", low=0.0, high=100.0, size=KILO),
    "maximum_stretch_percent": Measured(
        stored="maximum_stretch", unit="%", low=0.0, high=50.0, size=PERCENT
    ),
}


def measured_name(stored, role):
    """The number that shows a field in the panel of a role; None if it shows the field itself."""
    if stored == "youngs_modulus":
        return "youngs_modulus_kpa" if role == "SOFT" else "youngs_modulus_mpa"
    return next((n for n, of in MEASURED.items() if of.stored == stored and not of.per_width), None)


def measured_properties():
    """Properties of an object that read and write stored numbers of its material."""
    return {name: _property(of) for name, of in MEASURED.items()} | {"keeps_folds": _keeps_folds()}


# Properties that repeat others.
NOT_STORED = {*MEASURED, "keeps_folds"}


def _property(of):
    field, thickness = FIELDS[of.stored], FIELDS["thickness"]
    low, high = (
        field.metadata[end] * of.factor(thickness.metadata[end]) for end in ("low", "high")
    )
    low, high = inward(low, high)

    def read(group):
        return getattr(group, of.stored) * of.factor(group.thickness)

    def write(group, value):
        setattr(group, of.stored, value / of.factor(group.thickness))

    # It must not be overridable: Blender applies overrides one after the other, so a thickness
    # after a stiffness would change the modulus that this has written.
    return FloatProperty(
        name=f"{of.text} ({of.unit})",
        description=of.description or field.metadata["text"],
        default=field.default * of.factor(thickness.default),
        min=low,
        max=high,
        soft_min=of.low,
        soft_max=of.high,
        precision=of.precision,
        step=of.step,
        options={"ANIMATABLE"} if of.stored in ANIMATED else set(),
        get=read,
        set=write,
    )


def _keeps_folds():
    def write(group, value):
        if value != (group.crease_radius > 0.0):
            group.crease_radius = USUAL_FOLD if value else 0.0

    return BoolProperty(
        name="Keeps Folds",
        description="Keep sharp folds and bends, as paper and wire do. Off, it always springs back",
        options=set(),
        get=lambda group: group.crease_radius > 0.0,
        set=write,
    )
