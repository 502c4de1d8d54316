# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of an object's material: few numbers in sight, and the rest under More."""

from bpy.types import Panel

from ..values.cloth_numbers import MEASURED
from ..values.presets import MATERIAL_PRESETS
from .drawing import PhysicsPanel, draw_field, draw_presets, lock
from .folds import draw_folds

# Material fields of each role that are in sight, in their order, with a label where the role
# decides it, or where that of the property would be cut off beside its number in a narrow editor.
IN_SIGHT = {
    "SOFT": (
        ("youngs_modulus", "Modulus (Pa)"),
        ("poisson_ratio", None),
        ("density", "Density (kg/m³)"),
        ("yield_strain", None),
        ("damping", None),
    ),
    "CLOTH": (
        ("membrane_stiffness", None),
        ("weft_stiffness", "Weft (N/m)"),
        ("shear_stiffness", "Shear (N/m)"),
        ("bending_rigidity", None),
        ("density", "Weight (kg/m²)"),
        ("damping", None),
        ("maximum_stretch", None),
    ),
    "ROD": (
        ("youngs_modulus", "Modulus (Pa)"),
        ("thickness", "Diameter (m)"),
        ("density", "Density (kg/m)"),
        ("bending_factor", None),
        ("crease_radius", None),
        ("flow_time", None),
        ("poisson_ratio", None),
        ("rest_flat", "Straight Rest Shape"),
        ("damping", None),
        ("drag", None),
    ),
}
# Those of the sub-panel More.
MORE = {
    "SOFT": (("solid_model", "Model"), ("flow_time", None), ("drag", None)),
    "CLOTH": (
        ("membrane", "Model"),
        ("thickness", None),
        ("youngs_modulus", "Modulus (Pa)"),
        ("poisson_ratio", None),
        ("weft_bending", None),
        ("bending_damping", None),
        ("adapt_folds", None),
        ("rest_flat", None),
        ("crease_radius", None),
        ("yield_strain", None),
        ("flow_time", None),
        ("drag", None),
        ("air_friction", None),
    ),
}
# Fields of cloth that only the woven model has.
WOVEN_ONLY = ("weft_stiffness", "shear_stiffness", "weft_bending")
# What is shown of a library override in place of `MEASURED` numbers.
STORED = (
    ("youngs_modulus", "Modulus (Pa)"),
    ("weft_modulus", "Weft (Pa)"),
    ("shear_modulus", "Shear (Pa)"),
    ("bending_stiffness", "Bending (N m)"),
)
# Fields above the line about folds.
BENDING = ("bending_rigidity", "bending_stiffness")


def always_springs_back(vbd):
    """Fields that have no effect with material models which always spring back."""
    if vbd.role == "SOFT" and vbd.solid_model != "neo_hookean":
        return ("yield_strain", "flow_time")
    if vbd.role == "CLOTH" and vbd.membrane == "neo_hookean":
        return ("yield_strain",)  # creases flow
    return ()


def shown_fields(ob, fields):
    """Those of the `fields`, pairs of name and label, that have an effect on an object now."""
    woven = ob.vbd.role == "CLOTH" and ob.vbd.membrane == "orthotropic"
    hidden = always_springs_back(ob.vbd) if woven else (*always_springs_back(ob.vbd), *WOVEN_ONLY)
    for name, label in fields:
        if name in hidden:
            continue
        if ob.override_library:
            # Blender can override what is stored.
            if name == "youngs_modulus" and ob.vbd.role == "CLOTH":
                continue
            if name in MEASURED:
                name = MEASURED[name].stored
                label = dict(STORED)[name]
        if woven and name in ("membrane_stiffness", "youngs_modulus"):
            label = "Warp (N/m)" if name == "membrane_stiffness" else "Warp (Pa)"
        yield name, label


class VBD_PT_material(PhysicsPanel, Panel):
    bl_label = "Material"
    bl_parent_id = "VBD_PT_physics"
    roles = tuple(IN_SIGHT)

    def draw(self, context):
        lock(self.layout, context)
        ob = context.object
        row = draw_presets(self.layout, ob.vbd, *MATERIAL_PRESETS[ob.vbd.role])
        row.menu("VBD_MT_material", text="", icon="DOWNARROW_HLT")
        column = self.layout.column(align=True)
        for name, label in shown_fields(ob, IN_SIGHT[ob.vbd.role]):
            draw_field(column, ob.vbd, name, label)
            if name in BENDING:
                draw_folds(column, context, ob)


class VBD_PT_material_more(PhysicsPanel, Panel):
    bl_label = "More"
    bl_parent_id = "VBD_PT_material"
    bl_options = {"DEFAULT_CLOSED"}
    roles = tuple(MORE)

    def draw(self, context):
        lock(self.layout, context)
        ob, column = context.object, self.layout.column(align=True)
        for name, label in shown_fields(ob, MORE[ob.vbd.role]):
            draw_field(column, ob.vbd, name, label)


classes = (VBD_PT_material, VBD_PT_material_more)
