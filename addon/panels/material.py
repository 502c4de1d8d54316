# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of an object's material: the main numbers, and the others under More."""

from bpy.types import Panel

from ..values.measured import FIELDS, MEASURED
from ..values.presets import MATERIAL_PRESETS
from .drawing import PhysicsPanel, draw_field, draw_presets, lock, with_unit
from .folds import draw_folds

# Main fields of each role in order, with a label if it depends on the role, or if that of the
# property would be truncated beside its number in a narrow editor.
IN_SIGHT = {
    "SOFT": (
        ("youngs_modulus_kpa", None),
        ("poisson_ratio", None),
        ("density", "Density (kg/m³)"),
        ("yield_strain_percent", None),
        ("damping", None),
    ),
    "CLOTH": (
        ("membrane_stiffness", None),
        ("bending_rigidity", None),
        ("density", "Weight (kg/m²)"),
        ("damping", None),
        ("maximum_stretch_percent", None),
    ),
    "ROD": (
        ("youngs_modulus_mpa", None),
        ("thickness_mm", "Diameter (mm)"),
        ("bending_factor", None),
        ("density", "Weight (kg/m)"),
        ("damping", None),
    ),
    "GRAINS": (
        ("density", "Density (kg/m³)"),
        ("cohesion_kpa", None),
        ("youngs_modulus_mpa", "Bond Stiffness (MPa)"),
    ),
}
# Fields of the sub-panel More.
MORE = {
    "SOFT": (("solid_model", "Model"), ("flow_time", None), ("drag", None)),
    "CLOTH": (
        ("membrane", "Model"),
        ("weft_stiffness", "Weft (N/m)"),
        ("shear_stiffness", "Shear (N/m)"),
        ("weft_bending", None),
        ("thickness_mm", None),
        ("youngs_modulus_mpa", "Modulus (MPa)"),
        ("poisson_ratio", None),
        ("bending_damping", None),
        ("adapt_folds", None),
        ("rest_flat", None),
        ("keeps_folds", None),
        ("crease_radius_mm", None),
        ("yield_strain_percent", None),
        ("flow_time", None),
        ("drag", None),
        ("air_friction", None),
    ),
    "ROD": (
        ("poisson_ratio", None),
        ("rest_flat", "Straight Rest Shape"),
        ("keeps_folds", None),
        ("crease_radius_mm", None),
        ("flow_time", None),
        ("drag", None),
    ),
    "GRAINS": (("damping", "Bond Damping"), ("drag", None)),
}
# Fields of cloth that only the woven model has.
WOVEN_ONLY = ("weft_modulus", "shear_modulus", "weft_bending")
# Fields of grains that bonds alone have.
OF_BONDS = ("youngs_modulus", "damping")
# Fields above the line about folds.
BENDING = ("bending_rigidity", "bending_stiffness")


def stored_name(name):
    """The field that a number of a panel shows."""
    return MEASURED[name].stored if name in MEASURED else name


def always_springs_back(vbd):
    """Fields without effect in material models that always spring back."""
    if vbd.role == "SOFT" and vbd.solid_model != "neo_hookean":
        return ("yield_strain", "flow_time")
    if vbd.role == "CLOTH" and vbd.membrane == "neo_hookean":
        return ("yield_strain",)  # creases flow
    return ()


def has_effect(vbd, name):
    """Return whether a field has an effect, given the others."""
    if vbd.role == "GRAINS" and stored_name(name) in OF_BONDS:
        return vbd.cohesion > 0.0
    folds = vbd.role != "SOFT" and vbd.crease_radius > 0.0
    dents = vbd.role != "ROD" and vbd.yield_strain > 0.0
    return {"crease_radius": folds, "flow_time": folds or dents}.get(stored_name(name), True)


def shown_fields(ob, fields):
    """The `fields`, pairs of name and label, without those that an object does not have now."""
    woven = ob.vbd.role == "CLOTH" and ob.vbd.membrane == "orthotropic"
    hidden = always_springs_back(ob.vbd) if woven else (*always_springs_back(ob.vbd), *WOVEN_ONLY)
    for name, label in fields:
        stored = stored_name(name)
        if stored in hidden:
            continue
        if woven and name == "membrane_stiffness":
            label = "Warp (N/m)"
        if ob.override_library:
            # Only stored values can be overridden.
            if name == "keeps_folds" or (name == "youngs_modulus_mpa" and ob.vbd.role == "CLOTH"):
                continue
            if name in MEASURED:
                label = with_unit(label or MEASURED[name].text, FIELDS[stored].metadata["unit"])
                name = stored
        yield name, label


def draw_fields(column, context, fields):
    """Draw those `fields` that the active object has, with the line about folds."""
    ob = context.object
    for name, label in shown_fields(ob, fields):
        draw_field(column, ob.vbd, name, label, active=has_effect(ob.vbd, name))
        if name in BENDING:
            draw_folds(column, context, ob)


class VBD_PT_material(PhysicsPanel, Panel):
    bl_label = "Material"
    bl_parent_id = "VBD_PT_physics"
    roles = tuple(IN_SIGHT)

    def draw(self, context):
        lock(self.layout, context)
        ob = context.object
        row = draw_presets(self.layout, ob.vbd, *MATERIAL_PRESETS[ob.vbd.role])
        row.menu("VBD_MT_material", text="", icon="DOWNARROW_HLT")
        draw_fields(self.layout.column(align=True), context, IN_SIGHT[ob.vbd.role])


class VBD_PT_material_more(PhysicsPanel, Panel):
    bl_label = "More"
    bl_parent_id = "VBD_PT_material"
    bl_options = {"DEFAULT_CLOSED"}
    roles = tuple(MORE)

    def draw(self, context):
        lock(self.layout, context)
        draw_fields(self.layout.column(align=True), context, MORE[context.object.vbd.role])


classes = (VBD_PT_material, VBD_PT_material_more)
